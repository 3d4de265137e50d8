// A guided tour. It blocks nothing, and moves on by itself when a step is done.

import { post } from "./api.js";
import { $, button, calm, el, replace } from "./dom.js";
import { on, state } from "./store.js";

const STEPS = [
  {
    at: "teach",
    title: "Win a level",
    text: "Choose a game at the top, then win this level by clicking its cells. Every click is recorded. In a hurry? Let the expert play.",
    until: () => count() >= 1,
  },
  {
    at: "teach",
    title: "Win one more",
    text: "From one game it can only guess what mattered. Play the next level, too: the rule is what both have in common.",
    until: () => count() >= 2,
  },
  {
    at: "learn",
    title: "It works out your rule",
    text: "It searches thousands of small programs for rules that explain your clicks. The best rule appears here, with how many levels it is expected to win. “More about this rule” shows how your clicks were interpreted, and rules of other lengths.",
    until: null,
  },
  {
    at: "watch",
    title: "It plays a new level",
    text: "Step through the run, or change its speed. The shades show how likely each click is.",
    until: null,
  },
  {
    at: "why",
    title: "Ask it why",
    text: "Point at a cell of its board: the conditions for and against clicking it appear here. Point at a condition to see the cells it examines.",
    until: null,
  },
  {
    at: "test",
    title: "Put it to the test",
    text: "It plays a dozen new levels at once. Click one to watch it.",
    until: null,
  },
  {
    at: "correct",
    title: "Correct it where it fails",
    text: "Step to the position where it goes wrong and press “Show it what to do here”. Then make the right click; one is enough to learn from.",
    until: null,
  },
  {
    at: "next",
    title: "See what to play next",
    text: "Several rules may fit. This is the level on which they disagree most, so playing it teaches the most.",
    until: null,
  },
  {
    at: "open-paint",
    title: "Paint a level of your own",
    text: "Try it where you think it will fail. When it doesn't, export the policy as data or as Python.",
    until: null,
  },
];

const parts = {};
let index = -1;
let another = false;

const count = () => state.lesson?.recordings.filter((recording) => recording.learn).length ?? 0;

export function initTour(toured) {
  parts.count = el("span", { class: "tour-count" });
  parts.title = el("h2");
  parts.text = el("p");
  parts.back = button({ id: "tour-back", text: "Back", kind: "quiet", onClick: () => go(index - 1, true) });
  parts.next = button({ id: "tour-next", text: "Next", kind: "it", onClick: () => go(index + 1, true) });
  // The buttons stay in their places from step to step.
  replace(
    $("tour"),
    el("div", { class: "tour-words", role: "status" }, parts.count, parts.title, parts.text),
    el(
      "div",
      { class: "actions" },
      parts.back,
      button({ id: "tour-close", text: "Close the tour", kind: "quiet", onClick: close }),
      parts.next,
    ),
  );
  $("open-tour").addEventListener("click", () => go(0, true));
  on("game", () => (another = true));
  on("lesson", () => index >= 0 && advance());
  if (!toured) go(0);
}

/** Go to the first step that is not done; in another game without demonstrations, to the beginning. */
function advance() {
  let to = another && count() === 0 ? 0 : index;
  another = false;
  while (STEPS[to]?.until?.()) to++;
  if (to !== index) go(to);
}

/** Show a step, and scroll to what it is about if the user asked for it. */
function go(to, asked = false) {
  document.querySelector(".toured")?.classList.remove("toured");
  index = to;
  if (to >= STEPS.length) {
    close();
    return;
  }
  const step = STEPS[to];
  // Point at the card of a part that is not there yet.
  const target =
    $(step.at)?.offsetParent && $(step.at).childNodes.length
      ? $(step.at)
      : $(step.at === "correct" ? "watch" : step.at === "next" ? "teach" : step.at);
  target.classList.add("toured");
  parts.count.textContent = `${to + 1} of ${STEPS.length}`;
  parts.title.textContent = step.title;
  parts.text.textContent = step.text;
  parts.back.disabled = to === 0;
  parts.next.lastChild.textContent = to < STEPS.length - 1 ? "Next" : "Done";
  $("tour").hidden = false;
  if (asked) target.scrollIntoView({ block: "nearest", behavior: calm() ? "auto" : "smooth" });
}

function close() {
  document.querySelector(".toured")?.classList.remove("toured");
  $("tour").hidden = true;
  index = -1;
  post("toured", { toured: true }).catch(() => {});
}
