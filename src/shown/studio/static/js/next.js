// The level on which the candidate policies disagree most: the most useful one to show next.

import { Miniature } from "./board.js";
import { button, el, replace } from "./dom.js";
import { on, state } from "./store.js";
import { takeLevel } from "./teach.js";
import { levelTitle, percent } from "./words.js";

const AGREED = 0.02;
let box = null;

export function initNext(node) {
  box = node;
  on("learned", show);
  on("game", () => replace(box));
}

/** Whether it is known to lose some levels, however sure it is. */
const loses = ({ summary }) => summary?.expected && summary.expected.won < summary.expected.of;

function show(learned) {
  const best = learned.next[0];
  if (!learned.hasPolicy || !best) {
    replace(box);
    return;
  }
  if (best.doubt < AGREED) {
    replace(
      box,
      el("h3", { text: "Most useful next" }),
      el("p", {
        class: "note",
        text: `On every level it tried, all its candidate rules want the same. ${loses(learned) ? "Correct it where it goes wrong." : "There may be nothing left to show."}`,
      }),
    );
    return;
  }
  replace(
    box,
    el("h3", { text: "Most useful next" }),
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
          `: here its candidate rules disagree most (${percent(best.doubt)}).`,
        ),
        button({ id: "take-next", text: "Show this one", kind: "you", onClick: () => takeLevel(best.level) }),
      ),
    ),
  );
}
