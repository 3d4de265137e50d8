// The best rule of each length, with what each is expected to win. A click has another one act.

import { post } from "./api.js";
import { button, el, replace } from "./dom.js";
import { on, state } from "./store.js";
import { attempt, toast } from "./toast.js";
import { plural } from "./words.js";

let box = null;
/** The list on the page, which is not drawn again while it stays, so that it keeps focus and pointer. */
let drawn = "";

export function initFront(node) {
  box = node;
  on("learned", show);
}

function show({ state: how, stale, outdated, summary }) {
  const front = summary?.front ?? [];
  box.hidden = !front.length || stale || outdated || (how !== "done" && how !== "stopped");
  const seen = JSON.stringify([state.game.name, front, summary?.voting]);
  if (seen === drawn) return;
  drawn = seen;
  const focused = box.contains(document.activeElement);
  replace(
    box,
    el("h3", { id: "front-title", text: "Rules of other lengths" }),
    el(
      "ul",
      { "aria-labelledby": "front-title" },
      front.map((rule) => el("li", {}, choice(rule, summary.voting))),
    ),
  );
  if (focused) box.querySelector("[aria-pressed=true]")?.focus();
}

/** The button of a rule. It is pressed if this rule acts; where rules vote, the one above is only shown. */
function choice({ conditions, won, of, chosen }, voting) {
  const acts = chosen && !voting;
  return button({
    icon: acts ? "check" : null,
    text: `${plural(conditions, "condition")}${chosen && voting ? " (shown above)" : ""}: wins about ${won} of ${of}`,
    title: acts ? "This rule plays" : "Let this rule play",
    kind: "small",
    pressed: acts,
    onClick: () => acts || attempt(() => take(conditions)),
  });
}

async function take(conditions) {
  await post("take-rule", { game: state.game.name, conditions, version: state.learned.version });
  toast(`The rule with ${plural(conditions, "condition")} plays now.`);
}
