// The demonstrated clicks that each clause stands for, with a picture of the first one.

import { closeUp, recordingId } from "./advice.js";
import { post } from "./api.js";
import { $, el } from "./dom.js";
import { showRecording } from "./recordings.js";
import { on, state } from "./store.js";
import { attempt } from "./toast.js";
import { hand, plural } from "./words.js";

/** The server's answer, and the rule that it is about. */
let known = { key: "", answer: null };

export function initClicks() {
  on("learned", ask);
}

const keyOf = ({ version }) => JSON.stringify([state.game.name, version]);

/** Ask once about each rule that was learned to the end. */
async function ask(learned) {
  const { state: how, stale, outdated, hasPolicy, summary } = learned;
  if (!hasPolicy || !summary || stale || outdated || (how !== "done" && how !== "stopped")) return;
  const key = keyOf(learned);
  if (known.key === key) return;
  known = { key, answer: null };
  try {
    const answer = await post("clicks", { game: state.game.name });
    if (known.key === key && answer.version === state.learned.version) known.answer = answer;
    showClicks();
  } catch {
    // The rule has changed meanwhile, and is asked about again.
  }
}

/** Add the clicks to the clauses on the page, as far as they are known. */
export function showClicks() {
  const answer = known.key === keyOf(state.learned) ? known.answer : null;
  for (const node of $("rule").querySelectorAll(".stands-for, .unexplained")) node.remove();
  if (!answer || state.learned.stale) return;
  for (const node of $("rule").querySelectorAll(".clause")) {
    const clause = answer.clauses[Number(node.dataset.clause)];
    if (clause) node.append(standsFor(clause, answer));
  }
  if (answer.left) $("rule").append(el("p", { class: "note unexplained", text: answer.left }));
}

function standsFor({ count, example }, { of, clauses }) {
  const moves = plural(of, hand().move);
  if (!example) return el("p", { class: "stands-for", text: `None of your ${hand().move}s; found in practice.` });
  const [demonstration, step] = example.place;
  const name = `game ${demonstration + 1}, ${hand().move} ${step + 1}`;
  const show = () => attempt(() => showRecording(recordingId(demonstration), { step }));
  return el(
    "button",
    { type: "button", class: "stands-for", title: `Show ${name}`, onClick: show },
    closeUp(example.rows, example.action, "", { margin: 2 }),
    el("span", { text: `${clauses.length > 1 || count < of ? `${count} of your` : "All of your"} ${moves}; first: ${name}` }),
  );
}
