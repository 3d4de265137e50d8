// Why: for the position on the computer's board, the conditions for and against each action, and whether its rules agree.

import { post } from "./api.js";
import { $, button, el, icon, note, replace, whilePointed } from "./dom.js";
import { emit, on, state } from "./store.js";
import { takePosition } from "./watch.js";
import { actionName, hand, percent, plural, same } from "./words.js";

const MAX_MISSES = 2; // clauses shown for an action that no clause allows
const MAX_GROUPS = 5; // groups of candidate rules shown
const parts = {};
const answers = new Map();
/** place: the position; asked: the explained action; pinned: an action that stays when the pointer leaves. */
const now = { place: null, position: null, asked: null, pinned: null, round: 0 };

export function initWhy() {
  parts.lead = el("p", { class: "why-lead", id: "why-lead" });
  parts.reasons = el("div", { class: "reasons", id: "reasons" });
  parts.sure = el("div", { class: "sure", id: "sure" });
  parts.unpin = button({ text: "Back to its choice", kind: "link", onClick: () => unpin() });
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
    // The policy changed meanwhile; its new run asks again.
  }
}

/** Ask the server, once for each question: moving over the board costs one request a cell. */
async function remember(command, body) {
  const version = state.learned.version;
  const key = JSON.stringify([version, command, body]);
  if (!answers.has(key)) {
    const { game } = state;
    const answer = await post(command, { ...body, game: game.name });
    if (game === state.game && answer.version === state.learned.version) answers.set(key, answer);
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
    `When it plays, point at any ${hand().cell} of its board: the conditions for and against it appear here.`;
  parts.lead.className = "why-lead note";
  replace(parts.reasons);
  replace(parts.sure);
}

/** The end of a run: explain the last action. */
async function showEnd(run, round) {
  parts.sure.classList.remove("votes");
  replace(
    parts.sure,
    note(run.won ? `Step back to see why it chose the earlier ${hand().move}s.` : "Step back to see where it went wrong."),
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
        ? note("Another candidate rule allows this; the one that is shown doesn't.")
        : null,
    );
    return;
  }
  const misses = answer.clauses
    .map((clause) => ({ clause, failing: clause.literals.filter((literal) => !literal.holds).length }))
    .sort((a, b) => a.failing - b.failing)
    .slice(0, MAX_MISSES);
  const guess = own && !answer.allowing;
  replace(
    parts.reasons,
    guess
      ? note(`None of its rules allows any ${hand().move} here, so this is a guess. Show it what to do here.`)
      : null,
    misses.length
      ? el("p", {
          class: "or",
          text:
            misses.length > 1
              ? "The closest clauses need all of these:"
              : "The closest clause needs all of these:",
        })
      : null,
    misses.map(({ clause }) => clauseView(clause, base)),
  );
}

/** The conditions of a clause. Pointing at one marks the cells it examines on top of `base`; null marks nothing. */
function clauseView(clause, base) {
  const marks = (literals) => ({
    ...base,
    look: literals.flatMap((x) => x.cells),
    paths: literals.flatMap((x) => x.paths),
  });
  const light = (literals) =>
    base && whilePointed((on) => emit("mark", on ? marks(literals) : base));
  const { literals } = clause;
  return el(
    "ul",
    { class: clause.holds ? "literals holds" : "literals", ...light([]) },
    literals.length ? null : el("li", { class: "literal yes" }, el("span", { text: `any ${hand().cell}` })),
    literals.map((literal) =>
      el(
        "li",
        { class: `literal ${literal.holds ? "yes" : "no"}`, tabindex: base && 0, ...light([literal]) },
        icon(literal.holds ? "check" : "cross"),
        el("span", { text: literal.phrase }),
        el("span", { class: "sr-only", text: literal.holds ? " (holds)" : " (does not hold)" }),
      ),
    ),
  );
}

/** The actions of the candidate rules, grouped by action. */
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
  // The server weighs the most probable ones only.
  const [all, named] =
    state.learned.summary?.votes > total
      ? [`All of the ${total} most probable rules`, `the ${total} most probable rules`]
      : [`All ${total} candidate rules`, `${total} candidate rules`];
  const label =
    total === 1
      ? "There is only one."
      : agreeing.length === total
        ? `${all} allow this ${hand().move}.`
        : `${agreeing.length} of ${named} allow this ${hand().move}.`;
  const rows = sorted.slice(0, MAX_GROUPS).map((group) => {
    const text = !group.actions
      ? `no preference, any ${hand().move}`
      : group.actions.length === 1
        ? `only ${actionName(state.game, now.place.rows, group.actions[0])}`
        : `any of ${plural(group.actions.length, hand().cell)}${group.actions.some((action) => same(action, chosen)) ? ", including this one" : ""}`;
    const marks = { lit: group.actions ?? [] };
    return el(
      "li",
      { tabindex: 0, ...whilePointed((on) => emit("mark", on ? marks : {})) },
      el("span", { class: "candidate-share", title: "Posterior probability", text: percent(group.weight) }),
      el("span", { class: "candidate-bar" }, el("span", { style: { width: `${Math.max(1, 100 * group.weight)}%` } })),
      el("span", { class: "candidate-text", text: `${plural(group.count, "rule")}: ${text}` }),
    );
  });
  parts.sure.classList.add("votes"); // only those who look closer want to see them
  replace(
    parts.sure,
    el("h3", { text: "Do its candidate rules agree?" }),
    note(label),
    el("ul", { class: "candidates" }, rows),
  );
}

/** Mark the cells for which a clause of the rule holds. */
function lightClause(index) {
  if (!now.position) return;
  if (index === null) emit("mark", {});
  else emit("mark", { lit: now.position.clauses[index] ?? [] });
}
