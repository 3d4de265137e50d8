// Runs before the first paint, so that a chosen theme does not flash. Without a choice, the system's theme applies.
(function () {
  "use strict";
  try {
    const theme = localStorage.getItem("shown-theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Without storage, the system's theme applies.
  }
})();
