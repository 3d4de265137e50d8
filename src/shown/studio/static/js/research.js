// For researchers: scores on held-out levels, the posterior as a table, and the lesson as data.

import { download, post } from "./api.js";
import { Miniature } from "./board.js";
import { button, dialog, dialogHead, el, icon, note, replace, svg } from "./dom.js";
import { on, state } from "./store.js";
import { takeLevel } from "./teach.js";
import { attempt, codeBox } from "./toast.js";
import { actionName, capital, levelTitle, percent, plural } from "./words.js";

const AGREED = 0.02; // below this distance, two rules do the same
const parts = {};
/** Counts openings of the drawer, so that answers to an earlier one are dropped. */
let round = 0;

/** Open the drawer. */
export function openResearch() {
  if (!parts.dialog) make();
  show();
  parts.dialog.showModal();
}

function make() {
  parts.score = el("div", { class: "research-part", id: "research-score" });
  parts.posterior = el("div", { class: "research-part", id: "research-posterior" });
  parts.data = el("div", { class: "research-part", id: "research-data" });
  parts.dialog = dialog("research", "drawer");
  parts.dialog.append(dialogHead(parts.dialog, "For researchers"), parts.score, parts.posterior, parts.data);
  parts.dialog.addEventListener("close", () => round++);
  on("learned", (learned) => parts.dialog.open && learned.scored !== parts.scored && attempt(showScores));
  on("policy", () => parts.dialog.open && attempt(showPosterior));
}

function show() {
  round++;
  attempt(showScores);
  attempt(showPosterior);
  showData();
}

// --- scores ----------------------------------------------------------------------------------------------------------

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [640, 220, 64, 34, 14];

async function showScores() {
  const game = state.game;
  const { held_out: levels, scores } = await post("scores", { game: game.name });
  if (game !== state.game) return;
  parts.scored = scores.length;
  const of = scores.at(-1)?.of;
  replace(
    parts.score,
    el("h3", { text: "Score by number of demonstrations" }),
    note(`Every learned policy plays the held-out levels ${levels} once, with seed 0. They serve neither teaching nor selection.`),
    scores.length
      ? [plot(scores), legend(), table(scores)]
      : note("No score yet. The levels are played a moment after learning."),
    scores.length
      ? el("p", { id: "research-last" }, "Last: ", el("strong", { text: `${scores.at(-1).won} of ${of} won` }))
      : null,
  );
}

const shownBefore = ({ demonstrations, corrections }) => demonstrations + corrections;

/** The kind of teaching between two scores. */
function kindOf(score, before) {
  if (before && score.corrections > before.corrections) return "correction";
  if (before && score.remarks !== before.remarks) return "remark";
  return "demonstration";
}

function plot(scores) {
  const most = Math.max(2, ...scores.map(shownBefore));
  const least = Math.min(1, ...scores.map(shownBefore));
  const x = (score) => LEFT + 10 + ((shownBefore(score) - least) / (most - least)) * (WIDTH - LEFT - 30);
  const y = ({ won, of }) => TOP + (1 - won / of) * (HEIGHT - TOP - BOTTOM);
  const points = scores.map((score, i) => [x(score), y(score), kindOf(score, scores[i - 1])]);
  const step = Math.max(1, Math.ceil((most - least) / 10));
  const ticks = Array.from({ length: Math.floor((most - least) / step) + 1 }, (_, i) => least + i * step);
  const last = scores.at(-1);
  return svg(
    "svg",
    {
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      class: "score-plot",
      role: "img",
      "aria-label": `Share of held-out levels won by each policy, from ${percent(scores[0].won / scores[0].of)} to ${percent(last.won / last.of)}; the table below has the numbers`,
    },
    [0, 0.5, 1].map((share) => {
      const at = y({ won: share, of: 1 });
      return [
        svg("path", { d: `M${LEFT} ${at}H${WIDTH - 10}`, class: "plot-grid" }),
        svg("text", { x: LEFT - 8, y: at + 5, class: "plot-text end", text: percent(share) }),
      ];
    }),
    ticks.map((count) =>
      svg("text", {
        x: x({ demonstrations: count, corrections: 0 }),
        y: HEIGHT - 14,
        class: "plot-text middle",
        text: String(count),
      }),
    ),
    svg("path", { d: points.map(([px, py], i) => `${i ? "L" : "M"}${px} ${py}`).join(""), class: "plot-line" }),
    points.map(([px, py, kind]) => mark(kind, px, py)),
  );
}

function mark(kind, x, y) {
  const look = { class: `plot-mark ${kind}` };
  if (kind === "correction") return svg("path", { d: `M${x} ${y - 7}l7 7l-7 7l-7 -7z`, ...look });
  if (kind === "remark") return svg("rect", { x: x - 5, y: y - 5, width: 10, height: 10, ...look });
  return svg("circle", { cx: x, cy: y, r: 5.5, ...look });
}

function legend() {
  const names = {
    demonstration: "a demonstration",
    correction: "a correction",
    remark: "an edit of the rule",
  };
  return el(
    "p",
    { class: "plot-legend note" },
    el("span", { text: "Horizontal axis: demonstrations and corrections. Learned after" }),
    Object.entries(names).map(([kind, text]) =>
      el("span", {}, svg("svg", { viewBox: "0 0 18 18", "aria-hidden": "true" }, mark(kind, 9, 9)), text),
    ),
  );
}

function table(scores) {
  const rows = scores.map(({ demonstrations, corrections, steps, remarks, won, of }, i) =>
    [i + 1, demonstrations, corrections, steps, remarks, `${won} of ${of}`].map((text) => el("td", { text })),
  );
  const head = ["Policy", "Demonstrations", "Corrections", "Clicks", "Edits", "Won"];
  return el("details", { class: "learn-details" }, el("summary", { text: "Table" }), figures("score-table", "Scores", head, rows));
}

/** A table in a box that scrolls. */
function figures(id, label, head, rows) {
  return el(
    "div",
    { class: "table-box", tabindex: 0, role: "region", "aria-label": label },
    el(
      "table",
      { class: "figures", id },
      el("thead", {}, el("tr", {}, head.map((text) => el("th", { scope: "col", text })))),
      el("tbody", {}, rows.map((cells) => el("tr", {}, cells))),
    ),
  );
}

// --- posterior -------------------------------------------------------------------------------------------------------

async function showPosterior() {
  const here = round;
  const game = state.game;
  const title = el("h3", { text: "Posterior" });
  if (!state.learned.hasPolicy) {
    replace(parts.posterior, title, note("Nothing has been learned yet."));
    return;
  }
  const { components, count, rest, levels, version } = await post("posterior", { game: game.name });
  if (here !== round) return;
  const cells = components.map(() => el("td", { class: "differs", text: "…" }));
  cells[0].textContent = "the best";
  const more =
    count > components.length
      ? ` The other ${count - components.length} have ${percent(rest)} of the probability.`
      : "";
  const compared =
    count === 1
      ? "There is only one candidate rule."
      : `${count} candidate rules.${more} Each is compared with the best one in the positions of its runs on ${plural(levels.length, "new level")}.`;
  const head = ["Probability", "Log prior", "Log likelihood", "Rule", "Largest difference"];
  const rows = components.map((component, k) => [...cellsOf(component), cells[k]]);
  replace(parts.posterior, title, note(compared), figures("posterior-table", "Posterior", head, rows));
  await findDifferences(here, game, levels, version, cells);
}

function cellsOf({ weight, log_prior: prior, log_likelihood: likelihood, clauses, literals }) {
  return [
    el("td", { text: percent(weight) }),
    el("td", { text: prior.toFixed(1) }),
    el("td", { text: likelihood.toFixed(1) }),
    el(
      "td",
      { class: "rule-cell" },
      el(
        "details",
        {},
        el("summary", { text: `${plural(clauses.length, "clause")}, ${plural(literals, "condition")}` }),
        el("ol", {}, clauses.map((phrases) => el("li", { text: phrases.join(" and ") || "always" }))),
      ),
    ),
  ];
}

/** Find where each rule is farthest from the best. One level a request, so that other requests get through. */
async function findDifferences(here, game, levels, version, cells) {
  const worst = cells.map(() => null);
  for (const level of levels) {
    const answer = await post("differ", { game: game.name, level });
    if (here !== round || answer.version !== version) return;
    for (const found of answer.differences) {
      const before = worst[found.component];
      if (!before || found.distance > before.distance) worst[found.component] = { ...found, level };
    }
  }
  cells.forEach((cell, k) => k && replace(cell, ...difference(game, worst[k])));
}

function difference(game, found) {
  if (!found || found.distance < AGREED) return ["none on these levels"];
  const { level, step, rows, distance, best, other } = found;
  const all = game.buttons.length || rows.length * rows[0].length;
  const named = (actions) =>
    actions.length === all
      ? "any"
      : actions.length > 1
        ? plural(actions.length, game.buttons.length ? "button" : "cell")
        : actionName(game, rows, actions[0]);
  return [
    el(
      "div",
      { class: "differ" },
      new Miniature(game, rows, `The position on ${levelTitle(level)}`).node,
      el(
        "div",
        {},
        el("p", {}, el("strong", { text: levelTitle(level) }), `, click ${step + 1}: distance ${percent(distance)}`),
        note(`${capital(named(other))} instead of ${named(best)}`),
        button({
          text: "Play this level",
          kind: "link",
          onClick: () => {
            parts.dialog.close();
            takeLevel(level);
          },
        }),
      ),
    ),
  ];
}

// --- the lesson as data ----------------------------------------------------------------------------------------------

/** Python code that continues a lesson; a test runs it. */
function lines({ key }) {
  return [
    "from shown import Policy",
    "from shown.worlds import find, wins",
    "from shown.teaching.lessons.lesson_file import load_lesson",
    "from shown.teaching.lessons.scores import held_out_starts",
    "",
    `lesson = load_lesson("${key}-lesson.json", find)`,
    "policy, levels = Policy.from_json(lesson.policy), held_out_starts(lesson.game)",
    'print("before:", sum(wins(levels, policy)), "of", len(levels))',
    "",
    "pupil = lesson.pupil()",
    "pupil.remember(policy, lesson.demonstrations)",
    "taught = pupil.learn()  # or pupil.learn(more), pupil.correct(fix)",
    'print("after:", sum(wins(levels, taught.policy)), "of", len(levels))',
    "print(taught.policy.table(3))",
  ].join("\n");
}

function showData() {
  const { game, learned } = state;
  const ready = learned.hasPolicy && !learned.stale;
  replace(
    parts.data,
    el("h3", { text: "The lesson as data" }),
    note("One file with all demonstrations, edits, options, the learned policy and its scores, and Python code that continues it."),
    ready
      ? el(
          "button",
          {
            type: "button",
            id: "take-lesson",
            onClick: () => attempt(() => download("lesson.json", { game: game.name })),
          },
          icon("download"),
          el("span", { text: `${game.key}-lesson.json` }),
        )
      : note("Available once a policy has been learned."),
    codeBox("lesson-lines", lines(game)),
  );
}
