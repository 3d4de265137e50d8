// A guided tour that never stands in the way: it points, and moves on by itself when the thing it tells of has happened.

import { post } from "./api.js";
import { $, button, el, replace } from "./dom.js";
import { on, state } from "./store.js";

const STEPS = [
  {
    at: "teach",
    title: "Play a game; the computer watches",
    text: "Choose a game at the top, then win this level by clicking its cells. Every click is recorded. In a hurry? Let the expert show one.",
    until: () => count() >= 1,
  },
  {
    at: "teach",
    title: "One more",
    text: "From one game it can only guess what mattered. Play the next level too; what the two have in common is your rule.",
    until: () => count() >= 2,
  },
  {
    at: "learn",
    title: "It works out your rule",
    text: "It goes through thousands of small programs that look at the board, and keeps the rules that explain your clicks. The simplest one stands here in English, with how you were understood and how well it will do.",
    until: null,
  },
  {
    at: "watch",
    title: "It plays a level nobody has shown it",
    text: "Step through it, or change the speed. The shades show how likely it finds each click.",
    until: null,
  },
  {
    at: "why",
    title: "Ask it why",
    text: "Point at a cell of its board: the sentences that speak for or against clicking it stand here. Point at a sentence, and the cells it looked at light up.",
    until: null,
  },
  {
    at: "test",
    title: "Put it to the test",
    text: "A dozen new levels at once, so that you see how well it understood. Click one to watch it.",
    until: null,
  },
  {
    at: "correct",
    title: "Correct it where it fails",
    text: "Step to the moment where it goes wrong, and press this. The position comes back to you, and one click is enough to learn from.",
    until: null,
  },
  {
    at: "next",
    title: "Ask what to show next",
    text: "It keeps all the rules that fit. Here is the level on which they disagree most: showing it teaches the most.",
    until: null,
  },
  {
    at: "open-paint",
    title: "Paint a level of your own",
    text: "Try it where you think it will fail. And when it does not: take the rules home with Export, as data or as Python.",
    until: null,
  },
];

let index = -1;
let another = false;

const count = () => state.lesson?.recordings.filter((recording) => recording.learn).length ?? 0;

export function initTour(toured) {
  $("open-tour").addEventListener("click", () => go(0));
  on("game", () => (another = true));
  on("lesson", () => index >= 0 && advance());
  if (!toured) go(0);
}

/** On to the first thing that has not happened yet; in another game, of which nothing was shown, to the beginning. */
function advance() {
  let to = another && count() === 0 ? 0 : index;
  another = false;
  while (STEPS[to]?.until?.()) to++;
  if (to !== index) go(to);
}

function go(to) {
  document.querySelector(".toured")?.classList.remove("toured");
  index = to;
  if (to >= STEPS.length) {
    close();
    return;
  }
  const step = STEPS[to];
  // A thing that is not there yet is shown by the part of the page it will be in.
  const target =
    $(step.at)?.offsetParent && $(step.at).childNodes.length
      ? $(step.at)
      : $(step.at === "correct" ? "watch" : step.at === "next" ? "teach" : step.at);
  target.classList.add("toured");
  const card = $("tour");
  card.hidden = false;
  replace(
    card,
    el(
      "div",
      { class: "tour-words", role: "status" },
      el("span", { class: "tour-count", text: `${to + 1} of ${STEPS.length}` }),
      el("h2", { text: step.title }),
      el("p", { text: step.text }),
    ),
    el(
      "div",
      { class: "actions" },
      to > 0 ? button({ text: "Back", kind: "quiet", onClick: () => go(to - 1) }) : null,
      to < STEPS.length - 1
        ? button({ id: "tour-close", text: "Close the tour", kind: "quiet", onClick: close })
        : null,
      button({ id: "tour-next", text: to < STEPS.length - 1 ? "Next" : "Done", kind: "it", onClick: () => go(to + 1) }),
    ),
  );
}

function close() {
  document.querySelector(".toured")?.classList.remove("toured");
  $("tour").hidden = true;
  index = -1;
  post("toured", { toured: true }).catch(() => {});
}
