// A page of a class without a secret: a pupil joins with a name and the code, or goes on.

import { el, replace } from "./dom.js";
import { recall, remember } from "./store.js";

const KEY = "shown-class";

/** The pupils who have worked in this browser: secrets by name. */
export function kept() {
  try {
    return JSON.parse(recall(KEY)) ?? {};
  } catch {
    return {};
  }
}

/** Without storage, the pupil goes on with the link instead. */
export const keep = (name, secret) => remember(KEY, JSON.stringify({ ...kept(), [name]: secret }));

function enter(secret) {
  location.hash = `secret=${secret}`;
  location.reload();
}

export function showDoor(main) {
  const problem = el("p", { class: "status bad", id: "door-problem", role: "alert" });
  const field = (id, label, more) => [
    el("label", { for: id, text: label }),
    el("input", { id, name: id, required: true, autocomplete: "off", spellcheck: "false", ...more }),
  ];
  const form = el(
    "form",
    { class: "door-form" },
    field("door-name", "Your name", { maxlength: 24 }),
    field("door-code", "Class code", { maxlength: 8, autocapitalize: "characters" }),
    problem,
    el("button", { type: "submit", class: "you", id: "join", text: "Join the class" }),
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    problem.textContent = "";
    try {
      const given = { name: form.elements["door-name"].value, code: form.elements["door-code"].value };
      const response = await fetch("/class/join", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(given),
      });
      const answer = await response.json();
      if (!response.ok) throw new Error(answer.error);
      keep(answer.name, answer.secret);
      enter(answer.secret);
    } catch (error) {
      problem.textContent = error.message;
    }
  });
  const names = Object.entries(kept());
  replace(
    main,
    el(
      "section",
      { class: "card locked", id: "door" },
      el("h2", { text: "Join the class" }),
      el("p", { class: "note", text: "The code is on your teacher's screen." }),
      form,
      names.length > 0 && el("h3", { text: "Or go on as" }),
      names.length > 0 &&
        el(
          "div",
          { class: "actions" },
          names.map(([name, secret]) => el("button", { type: "button", class: "go-on", text: name, onClick: () => enter(secret) })),
        ),
    ),
  );
  document.documentElement.dataset.ready = "true";
}
