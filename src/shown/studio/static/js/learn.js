// Learning as it happens: the rule in English, how far the search is, and how the score went.

import { post } from "./api.js";
import { $, button, el, replace, svg } from "./dom.js";
import { openRecording } from "./recordings.js";
import { emit, on, state } from "./store.js";
import { attempt } from "./toast.js";
import { capital, percent, plural } from "./words.js";

const FIRST = 3;
const BUDGETS = [1000, 10000, 50000, 200000];
const NO_RULE = {
  idle: "As soon as you have shown a game, the rule it reads out of your clicks stands here, in English.",
  waiting: "Getting ready … The first time on a machine takes a few seconds.",
  running: "Thinking about what you might have meant …",
};
const parts = {};
let all = false;
let spoken = "";
let here = null;

export function initLearn() {
  parts.rule = el("div", { class: "rule", id: "rule" });
  parts.bar = el(
    "div",
    {
      class: "bar",
      role: "progressbar",
      "aria-label": "Programs considered",
      "aria-valuemin": 0,
      "aria-valuemax": 100,
    },
    el("div", { class: "bar-fill" }),
  );
  parts.numbers = el("dl", { class: "numbers" });
  parts.curve = svg("svg", { class: "curve", viewBox: "0 0 240 64", preserveAspectRatio: "none", role: "img" });
  parts.curveNote = el("p", { class: "curve-note" });
  parts.failure = el("div", { class: "failure" });
  parts.details = el(
    "details",
    { class: "learn-details", open: true },
    el("summary", { text: "How it got there" }),
    el("div", { class: "search" }, parts.numbers, el("div", {}, parts.curve, parts.curveNote)),
  );
  parts.state = el("span", { class: "pill", id: "learn-state" });
  parts.stop = button({ id: "stop", text: "Stop", onClick: () => attempt(() => post("stop", {})) });
  parts.budget = el("select", { id: "programs", "aria-label": "Programs to consider", title: "Programs to consider" });
  parts.budget.addEventListener("change", () => attempt(() => learn(Number(parts.budget.value))));
  replace($("learn-tools"), parts.state, parts.stop);
  parts.foot = el("label", { class: "budget" }, "Look through ", parts.budget, " programs");
  parts.forgive = el("input", { type: "checkbox", id: "forgiving" });
  parts.forgive.addEventListener("change", () => attempt(() => learn(state.learned.programs, parts.forgive.checked)));
  parts.details.append(
    el(
      "div",
      { class: "budget-row" },
      parts.foot,
      el("label", { class: "count", title: "Allow for a click that was a slip" }, parts.forgive, "forgive slips"),
    ),
  );
  replace($("learn-body"), parts.bar, parts.failure, parts.rule, parts.details);
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

function learn(programs, forgiving = state.learned.forgiving) {
  return post("learn", { game: state.game.name, programs, forgiving });
}

function show(learned) {
  const { numbers } = learned;
  const busy = learned.state === "running" || learned.state === "waiting";
  const words = {
    idle: "",
    waiting: "starting",
    running: "learning",
    done: "done",
    stopped: "stopped",
    failed: "no rule fits",
  };
  parts.state.textContent = words[learned.state];
  parts.state.className = `pill ${learned.state}`;
  parts.stop.hidden = !busy;
  const share = numbers.total ? numbers.programs / numbers.total : 0;
  parts.bar.firstChild.style.setProperty("width", `${busy ? Math.max(4, 100 * share) : 100 * share}%`);
  parts.bar.classList.toggle("busy", busy);
  parts.bar.hidden = !busy;
  parts.bar.setAttribute("aria-valuenow", Math.round(100 * share));
  showBudget(learned);
  showNumbers(learned);
  showCurve(learned.curve, numbers);
  showFailure(learned);
  showRule(learned);
  speak(learned);
}

function showBudget(learned) {
  const values = [...new Set([...BUDGETS, learned.programs])].sort((a, b) => a - b);
  if ([...parts.budget.options].map((option) => option.value).join() !== values.join()) {
    replace(
      parts.budget,
      values.map((value) => el("option", { value, text: value.toLocaleString("en") })),
    );
  }
  parts.budget.value = String(learned.programs);
  parts.forgive.checked = learned.forgiving;
}

function showNumbers({ numbers, state: how }) {
  parts.details.hidden = !numbers.programs;
  if (!numbers.programs) return;
  const rows = [
    ["Programs seen", numbers.programs.toLocaleString("en"), "programs-seen"],
    ["That differ here", numbers.distinct.toLocaleString("en"), "distinct"],
    ["Candidate rules", numbers.components.toLocaleString("en"), "components"],
    [how === "running" ? "Time so far" : "Time", `${numbers.seconds.toFixed(numbers.seconds < 10 ? 1 : 0)} s`],
  ];
  replace(
    parts.numbers,
    rows.map(([name, value, id]) => el("div", {}, el("dt", { text: name }), el("dd", { text: value, id }))),
  );
}

/** The score of the best rule against the programs seen; the axis is logarithmic, as the search's reach is. */
function showCurve(curve, numbers) {
  const box = parts.curve.parentNode;
  box.hidden = curve.length === 0;
  if (!curve.length) return;
  const end = Math.max(numbers.programs ?? 0, curve.at(-1)[0], 2);
  const points = [...curve, [end, curve.at(-1)[1]]];
  const scores = points.map((point) => point[1]);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const start = Math.min(curve[0][0], end) / 2;
  const x = (programs) => (240 * Math.log(Math.max(programs, 1) / start)) / Math.log(end / start);
  const y = (score) => 58 - (high > low ? (50 * (score - low)) / (high - low) : 25);
  let line = `M${x(points[0][0]).toFixed(1)} ${y(points[0][1]).toFixed(1)}`;
  for (const [programs, score] of points.slice(1)) line += `H${x(programs).toFixed(1)}V${y(score).toFixed(1)}`;
  const area = `${line}V64H${x(points[0][0]).toFixed(1)}Z`;
  replace(parts.curve, svg("path", { d: area, class: "curve-area" }), svg("path", { d: line, class: "curve-line" }));
  const said = curve.length === 1 ? "was found at once" : `improved ${plural(curve.length - 1, "time")}`;
  parts.curve.setAttribute("aria-label", `Score of the best rule: ${high.toFixed(1)}; it ${said}.`);
  parts.curveNote.textContent = `Score: ${high.toFixed(1)}`;
}

function showFailure(learned) {
  const { failure } = learned;
  if (!failure) {
    replace(parts.failure);
    return;
  }
  const more = Math.min(1000000, 5 * learned.programs);
  const buttons = [
    button({
      id: "look-further",
      text: `Look through ${more.toLocaleString("en")} programs`,
      kind: "it",
      onClick: () => attempt(() => learn(more)),
    }),
  ];
  let text = failure.text;
  if (failure.action) {
    const cards = state.lesson.recordings.filter((card) => card.learn);
    const card = cards[failure.demonstration];
    text = `No rule among ${plural(failure.programs, "program")} explains click ${failure.step + 1} of demonstration ${failure.demonstration + 1}: to each of them it looks the same as a click that was not made.`;
    if (!learned.forgiving)
      buttons.push(
        button({ id: "forgive", text: "Forgive a slip", onClick: () => attempt(() => learn(learned.programs, true)) }),
      );
    if (card)
      buttons.push(
        button({
          text: "Look at that click",
          onClick: () =>
            attempt(async () =>
              openRecording(await post("recording", { game: state.game.name, id: card.id }), {
                step: failure.step,
                alike:
                  failure.other_demonstration === failure.demonstration && failure.other_step === failure.step
                    ? failure.other
                    : null,
              }),
            ),
        }),
      );
  } else if (failure.again) {
    buttons.unshift(button({ text: "Try again", onClick: () => attempt(() => learn(learned.programs)) }));
  }
  replace(parts.failure, el("p", { text }), el("div", { class: "actions" }, buttons));
}

function showRule(learned) {
  const { summary } = learned;
  if (!learned.hasPolicy || !summary) {
    const text = NO_RULE[learned.state];
    replace(parts.rule, text && el("p", { class: "note", text }));
    return;
  }
  const { clauses } = summary;
  const shown = all ? clauses : clauses.slice(0, FIRST);
  const items = shown.map((phrases, i) =>
    el(
      "li",
      {
        class: "clause",
        tabindex: 0,
        data: { clause: i },
        onPointerenter: () => emit("clause", i),
        onPointerleave: () => emit("clause", null),
        onFocus: () => emit("clause", i),
        onBlur: () => emit("clause", null),
      },
      phrases.length
        ? phrases.map((phrase, k) => el("span", { class: "phrase" }, k ? el("i", { text: "and " }) : null, phrase))
        : el("span", { class: "phrase", text: "whatever is there" }),
    ),
  );
  const rest = clauses.length - shown.length;
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
    el("p", {
      class: "note",
      text: `From ${plural(learned.demonstrations, "demonstration")} (${plural(learned.clicks, "click")}). ${others(summary)}`,
    }),
  );
  markHere();
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

function others({ components, weight }) {
  if (components === 1) return "It found no other rule that fits.";
  return `The best of ${components} rules that fit them; it is ${percent(weight)} sure of this one.`;
}

/** Tells those who do not see the page when learning begins and ends, not every step of it. */
function speak(learned) {
  const text = {
    running: "Learning.",
    done: learned.hasPolicy ? `Learned a rule from ${plural(learned.demonstrations, "demonstration")}.` : "",
    stopped: "Learning stopped.",
    failed: "No rule fits.",
  }[learned.state];
  const key = `${learned.state} ${learned.version}`;
  if (text && spoken !== key && !(learned.state === "running" && spoken.startsWith("running"))) {
    spoken = key;
    $("progress-live").textContent = text;
  }
}
