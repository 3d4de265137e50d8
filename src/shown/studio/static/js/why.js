// Why: for the position on the computer's board, how likely each action is, and the sentences that speak for or against it.

import { post } from "./api.js";
import { $, button, el, icon, replace } from "./dom.js";
import { emit, on, state } from "./store.js";
import { takePosition } from "./watch.js";
import { actionName, hand, percent, plural, same } from "./words.js";

const MOST_MISSES = 2;
const parts = {};
const answers = new Map();
/** place: the position; asked: the action that is explained; pinned: an action that stays after the pointer leaves. */
const now = { place: null, position: null, asked: null, pinned: null, round: 0 };

export function initWhy() {
  parts.lead = el("p", { class: "why-lead", id: "why-lead" });
  parts.reasons = el("div", { class: "reasons", id: "reasons" });
  parts.sure = el("div", { class: "sure", id: "sure" });
  parts.unpin = button({ text: "Back to its own click", kind: "link", onClick: () => unpin() });
  parts.unpin.hidden = true;
  replace($("why-tools"), parts.unpin);
  replace($("why-body"), parts.lead, parts.reasons, parts.sure);
  on("position", (place) => follow(place));
  on("point", (cell) => point(cell));
  on("pin", (cell) => pin(cell));
  on("clause", (index) => lightClause(index));
  on("policy", () => answers.clear());
  showNothing();
}

async function follow(place) {
  const round = ++now.round;
  Object.assign(now, { place, position: null, asked: null, pinned: null });
  emit("placed", null);
  parts.unpin.hidden = true;
  if (!place) {
    showNothing();
    return;
  }
  if (place.ended) {
    showEnd(place.run, round);
    return;
  }
  try {
    const position = await remember("position", { rows: place.rows });
    if (round !== now.round) return;
    now.position = position;
    takePosition(position);
    emit("placed", position);
    showSure(position);
    await explain(place.action);
  } catch {
    // The policy changed meanwhile; the run that replaces this one asks again.
  }
}

/** Answers are kept, so that moving over the board costs one request a cell. */
async function remember(command, body) {
  const version = state.learned.version;
  const key = JSON.stringify([version, command, body]);
  if (!answers.has(key)) {
    const answer = await post(command, { ...body, game: state.game.name });
    if (answer.version === state.learned.version) answers.set(key, answer);
    return answer;
  }
  return answers.get(key);
}

function point(cell) {
  if (!now.position || now.pinned) return;
  explain(cell ?? now.place.action);
}

function pin(cell) {
  if (!now.position) return;
  now.pinned = now.pinned && same(now.pinned, cell) ? null : cell;
  parts.unpin.hidden = !now.pinned;
  explain(cell);
}

function unpin() {
  now.pinned = null;
  parts.unpin.hidden = true;
  explain(now.place.action);
}

async function explain(action) {
  const { round, place } = now;
  now.asked = action;
  let answer;
  try {
    answer = await remember("why", { rows: place.rows, action });
  } catch {
    return;
  }
  if (round !== now.round || !same(now.asked, action)) return;
  showAnswer(answer, action, same(action, place.action));
}

function showNothing() {
  parts.lead.textContent =
    `Whenever it plays, you can ask why: point at any ${hand().cell} of its board, and the sentences that speak for or against it stand here.`;
  parts.lead.className = "why-lead note";
  replace(parts.reasons);
  replace(parts.sure);
}

/** The run is over: why the last click, and that one can go back. */
async function showEnd(run, round) {
  replace(
    parts.sure,
    el("p", {
      class: "note",
      text: run.won
        ? "Step back to ask about the clicks before."
        : "Step back along the run to see where it began to go wrong.",
    }),
  );
  const last = run.steps.at(-1);
  let answer;
  try {
    answer = await remember("why", { rows: last.rows, action: last.action });
  } catch {
    return;
  }
  if (round !== now.round) return;
  const reason = answer.clauses.find((clause) => clause.holds);
  parts.lead.className = "why-lead";
  replace(
    parts.lead,
    `Its last ${hand().move} was `,
    el("strong", { text: actionName(state.game, last.rows, last.action) }),
    reason ? ", because" : ". It was a guess.",
  );
  replace(parts.reasons, reason && clauseView(reason, null));
}

function showAnswer(answer, action, own) {
  const name = actionName(state.game, now.place.rows, action);
  const base = own ? {} : { ghost: action };
  const holding = answer.clauses.filter((clause) => clause.holds);
  parts.lead.className = "why-lead";
  const verb = own ? `It ${hand().does}` : answer.allowing ? `It might ${hand().do}` : `It would not ${hand().do}`;
  replace(parts.lead, `${verb} `, el("strong", { text: name }), holding.length ? ", because" : ".");
  emit("mark", base);
  if (holding.length) {
    replace(
      parts.reasons,
      holding.map((clause, i) => [
        i ? el("p", { class: "or", text: "and also because" }) : null,
        clauseView(clause, base),
      ]),
      answer.candidate > 0
        ? el("p", {
            class: "note",
            text: `So says candidate ${answer.candidate + 1} of ${answer.candidates}; the first one does not allow this click.`,
          })
        : null,
    );
    return;
  }
  const misses = answer.clauses
    .map((clause) => ({ clause, failing: clause.literals.filter((literal) => !literal.holds).length }))
    .sort((a, b) => a.failing - b.failing)
    .slice(0, MOST_MISSES);
  const guess = own && !answer.allowing;
  replace(
    parts.reasons,
    guess
      ? el("p", {
          class: "note",
          text: "No rule it knows allows any click here, so this is a guess. Show it what to do here.",
        })
      : null,
    misses.length
      ? el("p", {
          class: "or",
          text:
            misses.length > 1
              ? "The rules that come closest ask for more:"
              : "The rule that comes closest asks for more:",
        })
      : null,
    misses.map(({ clause }) => clauseView(clause, base)),
  );
}

/** A clause's literals. Pointed at, each marks the cells it looked at on top of `base`; with null nothing is marked. */
function clauseView(clause, base) {
  const marks = (literals) => ({
    ...base,
    look: literals.flatMap((x) => x.cells),
    paths: literals.flatMap((x) => x.paths),
  });
  const light = (literals) =>
    base && {
      onPointerenter: () => emit("mark", marks(literals)),
      onPointerleave: () => emit("mark", base),
      onFocus: () => emit("mark", marks(literals)),
      onBlur: () => emit("mark", base),
    };
  const { literals } = clause;
  return el(
    "ul",
    { class: clause.holds ? "literals holds" : "literals", ...light([]) },
    literals.length ? null : el("li", { class: "literal yes" }, el("span", { text: "anything may be clicked" })),
    literals.map((literal) =>
      el(
        "li",
        { class: `literal ${literal.holds ? "yes" : "no"}`, tabindex: base && 0, ...light([literal]) },
        icon(literal.holds ? "check" : "cross"),
        el("span", { text: literal.phrase }),
        el("span", { class: "sr-only", text: literal.holds ? " (it is so)" : " (it is not so)" }),
      ),
    ),
  );
}

/** What the candidate rules would do, those that would do the same together. */
function showSure(position) {
  const groups = new Map();
  for (const candidate of position.candidates) {
    const key = JSON.stringify(candidate.actions);
    const group = groups.get(key) ?? { actions: candidate.actions, weight: 0, count: 0 };
    group.weight += candidate.weight;
    group.count += 1;
    groups.set(key, group);
  }
  const sorted = [...groups.values()].sort((a, b) => b.weight - a.weight);
  const total = position.candidates.length;
  const chosen = position.chosen;
  const agreeing = position.candidates.filter((candidate) => candidate.actions?.some((action) => same(action, chosen)));
  const label =
    total === 1
      ? "It has one rule only."
      : agreeing.length === total
        ? `All ${total} candidate rules allow this ${hand().move}.`
        : `${agreeing.length} of ${plural(total, "candidate rule")} allow this ${hand().move}.`;
  const rows = sorted.slice(0, 5).map((group) => {
    const text = !group.actions
      ? `no idea, any ${hand().move}`
      : group.actions.length === 1
        ? `only ${actionName(state.game, now.place.rows, group.actions[0])}`
        : `any of ${plural(group.actions.length, hand().cell)}${group.actions.some((action) => same(action, chosen)) ? ", this one included" : ""}`;
    const marks = { lit: group.actions ?? [] };
    return el(
      "li",
      {
        tabindex: 0,
        onPointerenter: () => emit("mark", marks),
        onPointerleave: () => emit("mark", {}),
        onFocus: () => emit("mark", marks),
        onBlur: () => emit("mark", {}),
      },
      el("span", { class: "candidate-share", text: percent(group.weight) }),
      el("span", { class: "candidate-bar" }, el("span", { style: { width: `${Math.max(1, 100 * group.weight)}%` } })),
      el("span", { class: "candidate-text", text: `${plural(group.count, "candidate")}: ${text}` }),
    );
  });
  replace(
    parts.sure,
    el("h3", { text: "Do its rules agree?" }),
    el("p", { class: "note", text: label }),
    el("ul", { class: "candidates" }, rows),
  );
}

/** A sentence of the rule is pointed at: the cells of the position that it means light up. */
function lightClause(index) {
  if (!now.position) return;
  if (index === null) emit("mark", {});
  else emit("mark", { lit: now.position.clauses[index] ?? [] });
}
