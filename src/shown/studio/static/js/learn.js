// Learning as it happens: how you were understood, the rule in English, how well it will do, and what it tried.

import { showAdvice } from "./advice.js";
import { post } from "./api.js";
import { $, button, el, replace } from "./dom.js";
import { emit, on, state } from "./store.js";
import { attempt } from "./toast.js";
import { initTouch, pinButton, strikeButton } from "./touch.js";
import { capital, dozen, hand, moves, plural } from "./words.js";

const FIRST = 3;
const BUDGETS = [1000, 10000, 30000, 100000];
const NO_RULE = {
  idle: "As soon as you have shown a game, the rule it reads out of your clicks stands here, in English.",
  waiting: "The first time on a machine takes a few seconds.",
  running: "Thinking about what you might have meant …",
};
const STATES = {
  idle: "",
  waiting: "starting",
  running: "learning",
  done: "done",
  stopped: "stopped",
  failed: "no rule fits",
  broken: "not finished",
};
const parts = {};
let all = false;
let drawn = "";
let spoken = "";
let here = null;

/** The languages rules may be in, and what they are called here. */
const WORDS = { paper: "of the paper", standard: "of the standard library", walking: "of walking about" };

export function initLearn() {
  parts.state = el("span", { class: "pill", id: "learn-state" });
  parts.stop = button({ id: "stop", text: "Stop", onClick: () => attempt(() => post("stop", {})) });
  replace($("learn-tools"), parts.state);
  parts.practice = el("p", { class: "practice", id: "practice" });
  parts.busy = el("div", { class: "busy" }, parts.practice, parts.stop);
  parts.bar = el("div", { class: "bar", "aria-hidden": "true" }, el("div", { class: "bar-fill" }));
  parts.failure = el("div", { class: "failure" });
  parts.rule = el("div", { class: "rule", id: "rule" });
  parts.touch = el("div", { class: "remarks", id: "remarks", hidden: true });
  initTouch(parts.touch);
  parts.expected = el("p", { class: "expected", id: "expected" });
  parts.reading = choice("reading", "Your clicks mean", (reading) => ({ reading }));
  parts.mirrored = choice("mirrored", "Mirrored too", (mirrored) => ({ mirrored }));
  parts.language = choice("language", "In the words", (language) => ({ language }));
  parts.programs = choice("programs", "Programs to look through", (programs) => ({ programs }));
  parts.understood = el("div", { class: "understood", id: "understood" }, parts.reading.node, parts.mirrored.node);
  parts.numbers = el("dl", { class: "numbers" });
  parts.tried = el("ul", { class: "tried", id: "tried" });
  parts.details = el(
    "details",
    { class: "learn-details" },
    el("summary", { text: "How it got there" }),
    parts.numbers,
    parts.tried,
    parts.language.node,
    parts.programs.node,
    button({ id: "open-research", text: "For the researcher …", kind: "link", onClick: () => attempt(openResearch) }),
  );
  replace(
    $("learn-body"),
    parts.busy,
    parts.bar,
    parts.failure,
    parts.rule,
    parts.touch,
    parts.expected,
    parts.understood,
    parts.details,
  );
  on("game", () => {
    all = false;
    spoken = "";
  });
  on("learned", show);
  on("placed", (position) => {
    here = position?.clauses ?? null;
    markHere();
  });
}

/** The drawer is loaded when it is first asked for: most never do. */
async function openResearch() {
  (await import("./research.js")).openResearch();
}

/** Learns again; `way` is what is to be different: {reading}, {mirrored}, {language} or {programs}. */
export function learn(way = {}) {
  return attempt(() => post("learn", { game: state.game.name, ...way }));
}

/** A choice of how to learn. Values are data, so options carry them as JSON. */
function choice(id, label, way) {
  const select = el("select", { id });
  select.addEventListener("change", () => learn(way(JSON.parse(select.value))));
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

function show(learned) {
  const busy = learned.state === "running" || learned.state === "waiting";
  parts.state.textContent = STATES[learned.state];
  parts.state.className = `pill ${learned.state}`;
  showProgress(learned, busy);
  showFailure(learned);
  showRule(learned);
  showExpected(learned, busy);
  showUnderstood(learned);
  showDetails(learned, busy);
  speak(learned);
}

/** Practice is a step one can see, and stop: the best so far plays meanwhile. */
function showProgress({ progress, state: how }, busy) {
  const practising = how === "running" && progress.phase === "trying it out";
  const won = progress.won ?? null;
  const result = won === null ? "" : `: about ${dozen(won)} won`;
  parts.practice.textContent = practising
    ? `Trying it out on levels of its own${result}.`
    : how === "running"
      ? `Looking for ways to understand you${result && `; the best so far, tried out${result}`}.`
      : "Getting ready …";
  parts.busy.hidden = !busy;
  parts.bar.hidden = !busy;
  parts.bar.firstChild.style.setProperty("width", `${Math.max(4, 100 * (won ?? 0))}%`);
}

function showFailure(learned) {
  const { failure, advice } = learned;
  const tells = failure || advice;
  const stays = learned.stale && learned.hasPolicy ? " The rule it had before stays, and goes on playing." : "";
  const more = BUDGETS.find((budget) => budget > learned.way.programs);
  replace(
    parts.failure,
    tells && el("p", { class: "failure-lead", text: failure ? failure + stays : unsure(learned) }),
    advice && showAdvice(advice, learn),
    tells &&
      el(
        "div",
        { class: "actions" },
        learned.state === "broken" && button({ id: "again", text: "Try again", kind: "it", onClick: () => learn() }),
        (learned.state === "failed" || lenient(learned)) &&
          more &&
          button({
            id: "look-further",
            text: `Look through ${more.toLocaleString("en")} programs`,
            onClick: () => learn({ programs: more }),
          }),
      ),
  );
}

/** Whether the rule fits only since what looks the same as a click that was shown counts as shown, too. */
const lenient = ({ summary, stale }) => Boolean(summary?.lenient) && !stale;

/** Something fits, and yet there is something to say. */
function unsure(learned) {
  return lenient(learned)
    ? "It cannot tell all your clicks from others that look the same to it. So what looks the same will do, too."
    : "It is not sure yet what you mean.";
}

function showRule(learned) {
  const { summary } = learned;
  // News come several times a second while it learns; a sentence that stays is left alone, with whoever is on it.
  const { hasPolicy, stale, demonstrations, clicks } = learned;
  const rule = hasPolicy && summary ? [summary.clauses, summary.pinned, summary.components] : learned.state;
  const seen = JSON.stringify([state.game.name, all, rule, stale, demonstrations, clicks]);
  if (seen === drawn) return;
  drawn = seen;
  if (!learned.hasPolicy || !summary) {
    const text = NO_RULE[learned.state];
    replace(parts.rule, text && el("p", { class: "note", text }));
    return;
  }
  const { clauses, pinned: kept } = summary;
  const shown = all ? clauses : clauses.slice(0, FIRST);
  const items = shown.map((phrases, i) =>
    el(
      "li",
      {
        class: kept[i] ? "clause pinned" : "clause",
        tabindex: 0,
        data: { clause: i },
        onPointerenter: () => emit("clause", i),
        onPointerleave: () => emit("clause", null),
        onFocus: () => emit("clause", i),
        onBlur: () => emit("clause", null),
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
        : el("span", { class: "phrase", text: "whatever is there" }),
      phrases.length ? pinButton(i, kept[i]) : null,
    ),
  );
  const rest = clauses.length - shown.length;
  parts.rule.classList.toggle("stale", learned.stale);
  replace(
    parts.rule,
    el(
      "p",
      { class: "rule-lead" },
      el("strong", { text: capital(summary.subject) }),
      clauses.length > 1 ? " if one of these holds:" : " if",
    ),
    el("ol", { class: clauses.length > 1 ? "clauses" : "clauses single" }, items),
    rest > 0 || all
      ? button({
          text: all ? "Fewer" : `${plural(rest, "more way")}`,
          kind: "link",
          onClick: () => ((all = !all), showRule(state.learned)),
        })
      : null,
    el("p", { class: "note", text: learned.stale ? "From what you showed before." : from(learned) }),
  );
  markHere();
}

/** A phrase and its button, which stays on the line of the last word. */
function withButton(phrase, press) {
  const cut = phrase.lastIndexOf(" ") + 1;
  return [phrase.slice(0, cut), el("span", { class: "tail" }, phrase.slice(cut), press)];
}

function from({ demonstrations, clicks, state: how, summary: { components, seen } }) {
  if (how === "running" && seen && seen < demonstrations) return `From ${seen} of ${plural(demonstrations, "demonstration")} so far.`;
  const others = components > 1 ? ` The simplest of ${components} rules that explain them; all have a say.` : "";
  return `From ${plural(demonstrations, "demonstration")} (${moves(clicks)}).${others}`;
}

/** Marks the sentences that mean some cell of the position on the computer's board. */
function markHere() {
  parts.rule.classList.toggle("placed", here !== null);
  for (const node of parts.rule.querySelectorAll(".clause")) {
    const means = Boolean(here?.[Number(node.dataset.clause)]?.length);
    node.classList.toggle("here", means);
    node.title =
      here === null
        ? ""
        : means
          ? "Means a cell of the position on the computer's board"
          : "Means no cell of this position";
  }
}

/** One number to trust: tried on levels that had no part in choosing the rule. */
function showExpected({ summary, stale, lost, state: how }, busy) {
  const expected = summary?.expected;
  const known = expected && !stale && !busy;
  parts.expected.hidden = !known;
  if (!known) return;
  const give = expected.more_or_less ? `, give or take ${expected.more_or_less}` : "";
  const text = `${how === "stopped" ? "Stopped. " : ""}Expected to win about ${expected.won} of ${expected.of} new levels${give}.${lost ? ` It now loses ${plural(lost, "level")} of its own that it won before.` : ""}`;
  parts.expected.textContent = text;
  parts.expected.className = `expected ${expected.won === expected.of ? "good" : 2 * expected.won < expected.of ? "bad" : ""}`;
}

function showUnderstood(learned) {
  const { summary, way } = learned;
  const { mirrors } = state.game;
  parts.understood.hidden = !learned.hasPolicy && !learned.failure;
  const found = (text) => (text && !learned.stale ? `found out: ${text}` : "find out by itself");
  const alike = lenient(learned) ? ", and what looks the same will do" : "";
  parts.reading.node.firstChild.textContent = `Your ${hand().move}s mean`;
  parts.reading.fill(
    [
      [null, way.reading ? "find out by itself" : found(summary?.reading && summary.reading + alike)],
      ...state.readings.map(({ name, ...value }) => [value, name]),
    ],
    way.reading,
  );
  parts.mirrored.node.hidden = !mirrors;
  parts.mirrored.fill(
    [
      [null, way.mirrored === null ? found(summary?.reading && (summary.mirrored ? "yes" : "no")) : "find out by itself"],
      [true, mirrors ? `yes, ${mirrors}` : "yes"],
      [false, "no"],
    ],
    way.mirrored,
  );
}

function showDetails(learned, busy) {
  const { progress, summary, tried, way } = learned;
  parts.details.hidden = learned.state === "idle";
  const rows = [
    ["Programs seen", summary?.programs?.toLocaleString("en"), "programs-seen"],
    ["That differ here", summary?.distinct?.toLocaleString("en"), "distinct"],
    ["Candidate rules", summary?.components?.toLocaleString("en"), "components"],
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
  const used = summary?.language && !learned.stale && !way.language;
  parts.language.fill(
    [
      [null, used ? `found out: ${WORDS[summary.language]}` : "find out by itself"],
      ...state.game.words.map((name) => [name, WORDS[name]]),
    ],
    way.language,
  );
  const budgets = [...new Set([...BUDGETS, way.programs])].sort((a, b) => a - b);
  parts.programs.fill(
    budgets.map((budget) => [budget, budget.toLocaleString("en")]),
    way.programs,
  );
}

/** Tells those who do not see the page when learning begins and ends, not every step of it. */
function speak(learned) {
  const text = {
    running: "Learning.",
    done: learned.hasPolicy ? `Learned a rule from ${plural(learned.demonstrations, "demonstration")}.` : "",
    stopped: "Learning stopped.",
    failed: "No rule fits.",
    broken: "Learning was not finished.",
  }[learned.state];
  const key = `${learned.state} ${learned.version}`;
  if (text && spoken !== key && !(learned.state === "running" && spoken.startsWith("running"))) {
    spoken = key;
    $("progress-live").textContent = text;
  }
}
