// Learning: its progress, the rule in English, the expected success rate, and how the demonstrations were interpreted.

import { showAdvice } from "./advice.js";
import { post } from "./api.js";
import { initClicks, showClicks } from "./clicks.js";
import { $, button, el, note, replace, whilePointed } from "./dom.js";
import { initFront } from "./front.js";
import { emit, on, recall, remember, state } from "./store.js";
import { attempt } from "./toast.js";
import { initTouch, pinButton, strikeButton } from "./touch.js";
import { PHASES, STATES, VOCABULARIES, capital, dozen, expectedWins, hand, moves, plural } from "./words.js";

const FIRST_CLAUSES = 3; // the others are shown on demand
const BUDGETS = [1000, 10000, 30000, 100000]; // numbers of programs to choose from
const NO_RULE = {
  idle: "Win a level, and the inferred rule will appear here, in English.",
  waiting: "The first start on a machine takes a few seconds.",
  running: "Looking for rules that explain your clicks …",
};
const AUTOMATIC = "automatic";
const STORED = "shown-details"; // whether the details are open, in the browser's storage
const HOVERS = matchMedia("(hover: hover)"); // a finger that was lifted points at nothing
const parts = {};
/** Whether all clauses are shown. */
let all = false;
/** The rule on the page, and the last announcement, so that neither is repeated. */
let drawn = "";
let spoken = "";
/** For each clause, the cells it means in the position on the computer's board. */
let here = null;
/** The last rule that was learned to the end, and whether further demonstrations have left it as it was. */
let settled = { game: null, clauses: "", demonstrations: 0, same: false };
/** The expected wins of the last two policies, to compare them. */
let expected = { game: null, version: null, won: null, before: null };

export function initLearn() {
  parts.state = el("span", { class: "pill", id: "learn-state" });
  parts.stop = button({ id: "stop", text: "Stop", onClick: () => attempt(() => post("stop", { game: state.game.name })) });
  parts.resume = button({ id: "go-on", text: "Go on", kind: "it", onClick: () => learn() });
  replace($("learn-tools"), parts.state);
  parts.practice = el("p", { class: "practice", id: "practice" });
  parts.expected = el("p", { class: "expected", id: "expected" });
  parts.busy = el("div", { class: "busy" }, parts.practice, parts.expected, parts.stop, parts.resume);
  parts.bar = el("div", { class: "bar", "aria-hidden": "true" }, el("div"));
  parts.failure = el("div", { class: "failure" });
  parts.rule = el("div", { class: "rule", id: "rule" });
  parts.front = el("div", { class: "front", id: "front", hidden: true });
  initFront(parts.front);
  initClicks();
  parts.touch = el("div", { class: "remarks", id: "remarks", hidden: true });
  initTouch(parts.touch);
  parts.interpretation = choice("interpretation", "Interpreted as", (interpretation) => ({ interpretation }));
  parts.mirrored = choice("mirrored", "Mirror images", (mirrored) => ({ mirrored }));
  parts.language = choice("language", "Vocabulary", (language) => ({ language }));
  parts.programs = choice("programs", "Programs to search", (programs) => ({ programs }));
  parts.understood = el("div", { class: "understood", id: "understood" }, parts.interpretation.node, parts.mirrored.node);
  parts.numbers = el("dl", { class: "numbers" });
  parts.tried = el("ul", { class: "tried", id: "tried" });
  parts.details = el(
    "details",
    { class: "learn-details", id: "more" },
    el("summary", { text: "More about this rule" }),
    parts.front,
    parts.understood,
    parts.language.node,
    parts.programs.node,
    parts.numbers,
    parts.tried,
    button({ id: "open-research", text: "For researchers …", kind: "link", onClick: () => attempt(openResearch) }),
  );
  parts.details.open = recall(STORED) === "true";
  const reveal = () => document.documentElement.toggleAttribute("data-details", parts.details.open);
  parts.details.addEventListener("toggle", () => (remember(STORED, String(parts.details.open)), reveal()));
  reveal();
  replace($("learn-body"), parts.busy, parts.bar, parts.failure, parts.rule, parts.touch, parts.details);
  on("game", () => {
    all = false;
    spoken = "";
    parts.rule.style.removeProperty("min-height");
  });
  on("learned", show);
  // What is below a rule stays where it is while the rule changes, until the pointer has left.
  for (const column of document.querySelectorAll(".column")) column.addEventListener("pointerleave", releaseHeight);
  on("placed", (position) => {
    here = position?.clauses ?? null;
    markHere();
  });
}

/** The research drawer is loaded when it is first opened: most users never do. */
async function openResearch() {
  (await import("./research.js")).openResearch();
}

/** Learn again; `change` is the changed option: {interpretation}, {mirrored}, {language} or {programs}. */
function learn(change = {}) {
  return attempt(() => post("learn", { game: state.game.name, ...change }));
}

/** A menu for an option of learning. Values are data, so the menu holds them as JSON. */
function choice(id, label, change) {
  const select = el("select", { id });
  select.addEventListener("change", () => learn(change(JSON.parse(select.value))));
  const node = el("label", { class: "choice" }, el("span", { text: label }), select);
  const fill = (options, chosen) => {
    const written = options.map(([value, text]) => [JSON.stringify(value), text]);
    if (select.options_ !== JSON.stringify(written)) {
      select.options_ = JSON.stringify(written);
      replace(
        select,
        written.map(([value, text]) => el("option", { value, text })),
      );
    }
    select.value = JSON.stringify(chosen);
    select.title = select.selectedOptions[0]?.text ?? ""; // it may be longer than the column is wide
  };
  return { node, fill };
}

const isBusy = ({ state: how }) => how === "running" || how === "waiting";

function releaseHeight() {
  if (state.learned && !isBusy(state.learned)) parts.rule.style.removeProperty("min-height");
}

function show(learned) {
  const busy = isBusy(learned);
  parts.state.textContent = learned.waits_for ? "waiting" : STATES[learned.state];
  parts.state.className = `pill ${learned.state}`;
  showProgress(learned, busy);
  showFailure(learned);
  const { offsetHeight } = parts.rule;
  compare(learned);
  showRule(learned);
  if (busy || (HOVERS.matches && parts.rule.closest(".column").matches(":hover"))) parts.rule.style.setProperty("min-height", `${offsetHeight}px`);
  else releaseHeight();
  showExpected(learned, busy);
  showUnderstood(learned);
  showDetails(learned, busy);
  speak(learned);
}

function compare({ game, state: how, stale, summary, demonstrations }) {
  if (how !== "done" || stale || !summary) return;
  const clauses = JSON.stringify(summary.clauses);
  if (settled.game === game && settled.demonstrations === demonstrations && settled.clauses === clauses) return;
  const same = settled.game === game && settled.demonstrations < demonstrations && settled.clauses === clauses;
  settled = { game, clauses, demonstrations, same };
}

/** Progress, and a button to stop or to go on: the best policy so far plays meanwhile. */
function showProgress({ progress, state: how, waits_for: other }, busy) {
  const won = progress.won ?? null;
  const phase = PHASES[how === "running" ? (progress.phase ?? "fitting") : "starting"];
  parts.practice.textContent = other
    ? `Waiting for ${other} to finish learning.`
    : won === null
      ? `${phase} …`
      : `${phase}: about ${dozen(won)} won so far.`;
  parts.practice.hidden = parts.stop.hidden = !busy;
  parts.resume.hidden = how !== "stopped";
  parts.busy.hidden = parts.bar.hidden = how === "idle" || how === "failed";
  parts.bar.classList.toggle("idle", !busy);
  parts.bar.firstChild.style.setProperty("width", `${Math.max(4, 100 * (won ?? 0))}%`);
}

function showFailure(learned) {
  const { failure, advice } = learned;
  const open = failure || advice;
  const stays = learned.stale && learned.hasPolicy ? " The previous rule stays in use." : "";
  const more = BUDGETS.find((budget) => budget > learned.preferences.programs);
  parts.failure.classList.toggle("unsure", !failure);
  replace(
    parts.failure,
    open && el("p", { class: "failure-lead", text: failure ? failure + stays : LENIENT }),
    advice && showAdvice(advice, learn),
    open &&
      el(
        "div",
        { class: "actions" },
        learned.state === "broken" && button({ id: "again", text: "Try again", kind: "it", onClick: () => learn() }),
        (learned.state === "failed" || lenient(learned)) &&
          more &&
          button({
            id: "look-further",
            text: `Search ${more.toLocaleString("en")} programs`,
            onClick: () => learn({ programs: more }),
          }),
      ),
  );
}

const LENIENT = "Some cells you clicked look identical to others, so it accepts those as well.";

/** Whether the rule fits only because cells that look identical to a demonstrated one are accepted, too. */
const lenient = ({ summary, stale }) => Boolean(summary?.lenient) && !stale;

function showRule(learned) {
  const { summary } = learned;
  // News arrives several times a second. A rule that stays is not drawn again, so that it keeps focus and pointer.
  const { hasPolicy, stale, outdated, demonstrations, clicks } = learned;
  const rule = hasPolicy && summary ? [summary.clauses, summary.images, summary.pinned, from(learned)] : learned.state;
  const seen = JSON.stringify([state.game.name, all, rule, stale, outdated, demonstrations, clicks]);
  if (seen === drawn) return;
  drawn = seen;
  if (!learned.hasPolicy || !summary) {
    const text = NO_RULE[learned.state];
    replace(parts.rule, text && note(text));
    return;
  }
  const { clauses, images, pinned: kept } = summary;
  const shown = all ? clauses : clauses.slice(0, FIRST_CLAUSES);
  const items = shown.map((phrases, i) =>
    el(
      "li",
      {
        class: kept[i] ? "clause pinned" : "clause",
        tabindex: 0,
        data: { clause: i },
        ...whilePointed((on) => emit("clause", on ? i : null)),
      },
      phrases.length
        ? phrases.map((phrase, k) =>
            el(
              "span",
              { class: "phrase" },
              k ? el("i", { text: "and " }) : null,
              kept[i] ? phrase : withButton(phrase, strikeButton(i, k, phrase)),
            ),
          )
        : el("span", { class: "phrase", text: "always" }),
      images[i] && el("span", { class: "phrase images", text: `(${images[i]})` }),
      phrases.length ? pinButton(i, kept[i]) : null,
    ),
  );
  const rest = clauses.length - shown.length;
  parts.rule.classList.toggle("stale", learned.stale);
  replace(
    parts.rule,
    outdated && el("p", { class: "outdated", id: "outdated", text: "Out of date: this is the rule from before your last edit." }),
    el(
      "p",
      { class: "rule-lead" },
      el("strong", { text: capital(summary.subject) }),
      clauses.length > 1 ? " if one of these holds:" : " if",
    ),
    el("ol", { class: clauses.length > 1 ? "clauses" : "clauses single" }, items),
    rest > 0 || all
      ? button({
          text: all ? "Show fewer" : `Show ${plural(rest, "more clause")}`,
          kind: "link",
          onClick: () => ((all = !all), showRule(state.learned)),
        })
      : null,
    !outdated && note(stale ? "From earlier demonstrations." : from(learned)),
  );
  markHere();
  showClicks();
}

/** A condition and its button, which stays on the line of the last word. */
function withButton(phrase, press) {
  const cut = phrase.lastIndexOf(" ") + 1;
  return [phrase.slice(0, cut), el("span", { class: "tail" }, phrase.slice(cut), press)];
}

function from({ demonstrations, clicks, state: how, summary }) {
  const { seen } = summary;
  if (seen && seen < demonstrations) return `From ${seen} of ${plural(demonstrations, "demonstration")} so far.`;
  const same = how === "done" && settled.same ? " It already fitted your last demonstration." : "";
  return `From ${plural(demonstrations, "demonstration")} (${moves(clicks)}).${same}${together(summary)}`;
}

/** Where no rule acts alone: how many vote, and what that gains. */
function together({ votes, voting, alone, expected: wins }) {
  if (!voting) return "";
  if (alone === null || !wins) return ` The most probable of ${votes} candidate rules, which vote on every ${hand().move}.`;
  const all = `${plural(votes, "rule")} together ${wins.won}, so they vote on every ${hand().move}`;
  return ` Alone this rule wins about ${alone} of ${wins.of} new levels; ${all}.`;
}

/** Mark the clauses that hold for some cell of the position on the computer's board. */
function markHere() {
  parts.rule.classList.toggle("placed", here !== null);
  for (const node of parts.rule.querySelectorAll(".clause")) {
    const means = Boolean(here?.[Number(node.dataset.clause)]?.length);
    node.classList.toggle("here", means);
    node.title =
      here === null
        ? ""
        : means
          ? "Holds for a cell of the computer's board"
          : "Holds for no cell of the computer's board";
  }
}

/** The expected success rate, from levels that had no part in choosing the rule. */
function showExpected({ game, version, summary, stale, lost, score, state: how }, busy) {
  const wins = summary?.expected;
  const gain = stale || busy ? null : summary?.expected_return;
  const known = wins && !stale && !busy;
  parts.expected.hidden = !known && !gain && how !== "stopped";
  parts.expected.className = "expected";
  if (gain) {
    parts.expected.textContent = `${how === "stopped" ? "Stopped. " : ""}${gain[0].toUpperCase()}${gain.slice(1)}.`;
    return;
  }
  if (!known) {
    const result = score && !stale ? ` It wins ${score[0]} of ${score[1]} new levels.` : "";
    parts.expected.textContent = `Stopped before it was done.${result}`;
    return;
  }
  if (expected.game !== game || expected.version !== version) {
    expected = { game, version, won: wins.won, before: expected.game === game ? expected.won : null };
  }
  // Losses in practice are worth a word only if the expectation fell as well.
  const worse = lost && expected.before !== null && wins.won < expected.before;
  parts.expected.textContent = [
    how === "stopped" && "Stopped.",
    `Expected to win ${expectedWins(wins)} new levels.`,
    worse && `It now loses ${plural(lost, "practice level")} that it won before.`,
  ]
    .filter(Boolean)
    .join(" ");
  parts.expected.className = `expected ${wins.won === wins.of ? "good" : 2 * wins.won < wins.of ? "bad" : ""}`;
}

function showUnderstood(learned) {
  const { summary, preferences } = learned;
  const { mirrors } = state.game;
  parts.understood.hidden = !learned.hasPolicy && !learned.failure;
  const found = (text) => (text && !learned.stale ? `${AUTOMATIC}: ${text}` : AUTOMATIC);
  const alike = lenient(learned) ? ", or a cell that looks identical" : "";
  parts.interpretation.fill(
    [
      [null, preferences.interpretation ? AUTOMATIC : found(summary?.interpretation && summary.interpretation + alike)],
      ...state.interpretations.map(({ name, ...value }) => [value, name]),
    ],
    preferences.interpretation,
  );
  parts.mirrored.node.hidden = !mirrors;
  parts.mirrored.fill(
    [
      [null, preferences.mirrored === null ? found(summary?.interpretation && (summary.mirrored ? "yes" : "no")) : AUTOMATIC],
      [true, mirrors ? `yes, ${mirrors}` : "yes"],
      [false, "no"],
    ],
    preferences.mirrored,
  );
}

function showDetails(learned, busy) {
  const { progress, summary, tried, preferences } = learned;
  parts.details.hidden = learned.state === "idle";
  const rows = [
    ["Programs", summary?.programs?.toLocaleString("en"), "programs-seen"],
    ["Distinct programs", summary?.distinct?.toLocaleString("en"), "distinct"],
    ["Candidate rules", summary?.votes?.toLocaleString("en"), "components"],
    [busy ? "Time so far" : "Time", progress.seconds && `${progress.seconds.toFixed(progress.seconds < 10 ? 1 : 0)} s`],
  ].filter(([, value]) => value);
  replace(
    parts.numbers,
    rows.map(([name, value, id]) => el("div", {}, el("dt", { text: name }), el("dd", { text: value, id }))),
  );
  replace(
    parts.tried,
    tried.map(([name, fits, won]) =>
      el(
        "li",
        {},
        el("span", { text: capital(name) }),
        el("span", {
          class: "tried-result",
          text: !fits ? "no rule fits" : won === null ? "a rule fits" : `about ${dozen(won)} won`,
        }),
      ),
    ),
  );
  const used = summary?.language && !learned.stale && !preferences.language;
  parts.language.fill(
    [
      [null, used ? `${AUTOMATIC}: ${VOCABULARIES[summary.language] ?? summary.language}` : AUTOMATIC],
      ...state.game.words.map((name) => [name, VOCABULARIES[name] ?? name]),
    ],
    preferences.language,
  );
  const budgets = [...new Set([...BUDGETS, preferences.programs])].sort((a, b) => a - b);
  parts.programs.fill(
    budgets.map((budget) => [budget, budget.toLocaleString("en")]),
    preferences.programs,
  );
}

/** Announce to screen readers when learning begins and ends, but not every step of it. */
function speak(learned) {
  const text = {
    running: "Learning.",
    done: learned.hasPolicy ? `Learned a rule from ${plural(learned.demonstrations, "demonstration")}.` : "",
    stopped: "Learning stopped.",
    failed: "No rule fits.",
    broken: "Learning failed.",
  }[learned.state];
  const key = `${learned.state} ${learned.version}`;
  if (text && spoken !== key && !(learned.state === "running" && spoken.startsWith("running"))) {
    spoken = key;
    $("progress-live").textContent = text;
  }
}
