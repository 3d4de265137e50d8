// For the researcher: scores on levels that are held out, the posterior as a table, all of it as data.

import { post } from "./api.js";
import { Miniature } from "./board.js";
import { button, el, icon, replace, svg } from "./dom.js";
import { on, state } from "./store.js";
import { takeLevel } from "./teach.js";
import { attempt, toast } from "./toast.js";
import { actionName, capital, levelTitle, percent, plural } from "./words.js";

const AGREED = 0.02;
const parts = {};
/** Counts the openings, so that what was asked for an earlier one is dropped. */
let round = 0;

/** Opens the drawer, which is made when it is first asked for. */
export function openResearch() {
  if (!parts.dialog) make();
  show();
  parts.dialog.showModal();
}

function make() {
  parts.score = el("div", { class: "research-part", id: "research-score" });
  parts.posterior = el("div", { class: "research-part", id: "research-posterior" });
  parts.data = el("div", { class: "research-part", id: "research-data" });
  parts.dialog = el(
    "dialog",
    { class: "dialog drawer", id: "research", "aria-labelledby": "research-title" },
    el(
      "div",
      { class: "dialog-head" },
      el("h2", { id: "research-title", text: "For the researcher" }),
      button({ icon: "close", label: "Close", kind: "quiet", onClick: () => parts.dialog.close() }),
    ),
    parts.score,
    parts.posterior,
    parts.data,
  );
  document.body.append(parts.dialog);
  parts.dialog.addEventListener("click", (event) => event.target === parts.dialog && parts.dialog.close());
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
    el("h3", { text: "Score against what was shown" }),
    el("p", {
      class: "note",
      text: `Levels ${levels}, each played once with seed 0 by every policy that it came to. Nobody is taught on them, and nothing is chosen by them.`,
    }),
    scores.length
      ? [plot(scores), legend(), table(scores)]
      : el("p", { class: "note", text: "There is no score yet. It is played a moment after something was learned." }),
    scores.length
      ? el("p", { id: "research-last" }, "Last: ", el("strong", { text: `${scores.at(-1).won} of ${of} won` }))
      : null,
  );
}

const shownBefore = ({ demonstrations, corrections }) => demonstrations + corrections;

/** What kind of teaching led from one score to the next. */
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
      "aria-label": `Share of held-out levels won after each policy, from ${percent(scores[0].won / scores[0].of)} to ${percent(last.won / last.of)}; the figures are in the table below`,
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
    demonstration: "a demonstration more",
    correction: "a correction more",
    remark: "something said of the rule",
  };
  return el(
    "p",
    { class: "plot-legend note" },
    el("span", { text: "Along: demonstrations and corrections. After" }),
    Object.entries(names).map(([kind, text]) =>
      el("span", {}, svg("svg", { viewBox: "0 0 18 18", "aria-hidden": "true" }, mark(kind, 9, 9)), text),
    ),
  );
}

function table(scores) {
  const head = ["Policy", "Demonstrations", "Corrections", "Clicks", "Said of the rule", "Won"];
  return el(
    "details",
    { class: "learn-details" },
    el("summary", { text: "The figures" }),
    el(
      "div",
      { class: "table-box", tabindex: 0, role: "region", "aria-label": "Scores" },
      el(
        "table",
        { class: "figures", id: "score-table" },
        el("thead", {}, el("tr", {}, head.map((text) => el("th", { scope: "col", text })))),
        el(
          "tbody",
          {},
          scores.map(({ demonstrations, corrections, steps, remarks, won, of }, i) =>
            el(
              "tr",
              {},
              [i + 1, demonstrations, corrections, steps, remarks, `${won} of ${of}`].map((text) => el("td", { text })),
            ),
          ),
        ),
      ),
    ),
  );
}

// --- the posterior ---------------------------------------------------------------------------------------------------

async function showPosterior() {
  const here = round;
  const game = state.game;
  const title = el("h3", { text: "The posterior" });
  if (!state.learned.hasPolicy) {
    replace(parts.posterior, title, el("p", { class: "note", text: "Nothing has been learned yet." }));
    return;
  }
  const { components, count, rest, levels, version } = await post("posterior", { game: game.name });
  if (here !== round) return;
  const cells = components.map(() => el("td", { class: "differs", text: "…" }));
  cells[0].textContent = "the best";
  const more = count > components.length ? ` ${count - components.length} more have ${percent(rest)} together.` : "";
  const note = el("p", {
    class: "note",
    text: count === 1 ? "There is one rule only, so nothing differs from it." : `${count} rules, weighed as they act together.${more} Where a rule differs from the best is looked for on ${plural(levels.length, "level")} that you have not shown, along the games it plays there.`,
  });
  replace(
    parts.posterior,
    title,
    note,
    el(
      "div",
      { class: "table-box", tabindex: 0, role: "region", "aria-label": "The posterior" },
      el(
        "table",
        { class: "figures", id: "posterior-table" },
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            ["Weight", "Log prior", "Log likelihood", "Rule", "Differs most"].map((text) =>
              el("th", { scope: "col", text }),
            ),
          ),
        ),
        el("tbody", {}, components.map((component, k) => row(component, cells[k]))),
      ),
    ),
  );
  await findDifferences(here, game, levels, version, cells);
}

function row({ weight, log_prior: prior, log_likelihood: likelihood, clauses, literals }, differs) {
  return el(
    "tr",
    {},
    el("td", { text: percent(weight) }),
    el("td", { text: prior.toFixed(1) }),
    el("td", { text: likelihood.toFixed(1) }),
    el(
      "td",
      { class: "rule-cell" },
      el(
        "details",
        {},
        el("summary", { text: `${plural(clauses.length, "way")}, ${plural(literals, "condition")}` }),
        el("ol", {}, clauses.map((phrases) => el("li", { text: phrases.join(" and ") || "always" }))),
      ),
    ),
    differs,
  );
}

/** One level a request, so that others get through; each rule keeps the place where it was farthest from the best. */
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
  if (!found || found.distance < AGREED) return ["nowhere on these levels"];
  const { level, step, rows, distance, best, other } = found;
  const all = game.buttons.length || rows.length * rows[0].length;
  const named = (actions) =>
    actions.length === all
      ? "a guess"
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
        el("p", {}, el("strong", { text: levelTitle(level) }), `, click ${step + 1}: ${percent(distance)} apart`),
        el("p", { class: "note", text: `${capital(named(other))} instead of ${named(best)}` }),
        button({
          text: "Show this one",
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

/** The lines that go on from a lesson; a test runs them. */
function lines({ key, paints }) {
  return [
    "from shown import Policy",
    `from shown.${paints ? "games" : "worlds"} import find`,
    "from shown.studio.lessons import load_lesson",
    "from shown.studio.research import held_out_starts",
    "from shown.world import wins",
    "",
    `lesson = load_lesson("${key}-lesson.json", find)`,
    "policy, levels = Policy.from_json(lesson.policy), held_out_starts(lesson.game)",
    'print("as it was:", sum(wins(levels, policy)), "of", len(levels))',
    "",
    "pupil = lesson.pupil()",
    "pupil.remember(policy, lesson.demonstrations)",
    "taught = pupil.learn()  # or pupil.learn(more), pupil.correct(fix)",
    'print("and now:", sum(wins(levels, taught.policy)), "of", len(levels))',
    "print(taught.policy.table(3))",
  ].join("\n");
}

function showData() {
  const { game, learned } = state;
  const code = lines(game);
  const ready = learned.hasPolicy && !learned.stale;
  replace(
    parts.data,
    el("h3", { text: "All of it as data" }),
    el("p", {
      class: "note",
      text: "Everything that was shown and said, how it is to be learned, what was learned, and how that did, in one file, the lesson; and lines of Python that go on from it.",
    }),
    ready
      ? el(
          "a",
          {
            class: "button",
            id: "take-lesson",
            href: `/export/lesson.json?game=${encodeURIComponent(game.name)}`,
            download: "",
          },
          icon("download"),
          el("span", { text: `${game.key}-lesson.json` }),
        )
      : el("p", { class: "note", text: "As soon as something has been learned." }),
    el(
      "div",
      { class: "code-box" },
      el("pre", { class: "code", tabindex: 0, id: "lesson-lines" }, el("code", { text: code })),
      button({
        id: "copy-lesson-lines",
        icon: "copy",
        label: "Copy the lines",
        kind: "quiet",
        onClick: () =>
          attempt(async () => {
            await navigator.clipboard.writeText(code);
            toast("Copied.");
          }),
      }),
    ),
  );
}
