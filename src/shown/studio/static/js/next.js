// The level on which the candidate rules disagree most: the most informative one to demonstrate next.

import { Miniature } from "./board.js";
import { button, el, note, replace } from "./dom.js";
import { on, state } from "./store.js";
import { takeLevel } from "./teach.js";
import { levelTitle } from "./words.js";

const AGREED = 0.02; // below this, the candidates do the same
let box = null;

export function initNext(node) {
  box = node;
  on("learned", show);
  on("game", () => replace(box));
}

/** Whether it is expected to lose some levels. */
const loses = ({ summary }) => summary?.expected && summary.expected.won < summary.expected.of;

function show(learned) {
  const best = learned.next;
  if (!learned.hasPolicy || !best) {
    replace(box);
    return;
  }
  if (best.doubt < AGREED) {
    replace(
      box,
      el("h3", { text: "Most useful next level" }),
      note(`Its candidate rules agree on every level it tried. ${loses(learned) ? "Correct it where it goes wrong." : "There may be nothing left to show."}`),
    );
    return;
  }
  replace(
    box,
    el("h3", { text: "Most useful next level" }),
    el(
      "div",
      { class: "next-card" },
      new Miniature(state.game, best.rows, `${levelTitle(best.level)}`).node,
      el(
        "div",
        {},
        el(
          "p",
          { class: "next-text" },
          el("strong", { text: levelTitle(best.level) }),
          ": its candidate rules disagree most here.",
        ),
        button({ id: "take-next", text: "Play this level", kind: "you", onClick: () => takeLevel(best.level) }),
      ),
    ),
  );
}
