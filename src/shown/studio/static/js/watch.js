// Watching: the policy plays new levels, one on a large board and others on small ones.

import { download, post } from "./api.js";
import { Board } from "./board.js";
import { buttonRow } from "./buttons.js";
import { $, button, calm, el, icon, note, replace } from "./dom.js";
import { draw } from "./overlay.js";
import { emit, on, state } from "./store.js";
import { backToPlay, showBoard, teach } from "./teach.js";
import { attempt } from "./toast.js";
import { Wall } from "./wall.js";
import { actionName, capital, hand, levelTitle, moves, percent, same } from "./words.js";

const STEP = 800; // milliseconds between clicks at normal speed
const SPEEDS = [0.5, 1, 2, 4, 8];
const parts = {};
/**
 * The run on the large board and the step shown. `marks` come from explanations. `stale`: the policy has changed since.
 * `held`: the user has stopped the run to look at it.
 */
const now = {
  run: null,
  index: 0,
  timer: 0,
  speed: 1,
  chosen: null,
  marks: {},
  position: null,
  heat: true,
  stale: true,
  held: false,
};

export function initWatch() {
  parts.board = new Board({
    label: "The computer's board",
    // Where there are buttons, they are explained instead of cells.
    onPress: (cell) => state.game.buttons.length || emit("pin", cell),
    onPoint: (cell) => state.game.buttons.length || emit("point", cell),
    suffix: chance,
  });
  parts.empty = el("div", { class: "nothing-yet" });
  parts.outdated = note("This is how the rule from before your last edit plays.");
  parts.title = el("p", { class: "watch-title" });
  parts.status = el("p", { class: "status", role: "status", "aria-live": "polite", id: "watch-status" });
  parts.slider = el("input", { type: "range", min: 0, value: 0, class: "slider", "aria-label": "Position in the run" });
  parts.slider.addEventListener("input", () => {
    hold();
    go(Number(parts.slider.value));
  });
  parts.toggle = button({
    id: "watch-play",
    icon: "play",
    label: "Play",
    onClick: () => (now.timer ? hold() : play()),
  });
  parts.speed = el(
    "select",
    { "aria-label": "Speed", title: "Speed" },
    SPEEDS.map((value) => el("option", { value, text: `${value}×` })),
  );
  parts.speed.value = "1";
  parts.speed.addEventListener("change", () => (now.speed = Number(parts.speed.value)));
  parts.correct = button({
    id: "correct",
    text: "Show it what to do here",
    kind: "you",
    onClick: () => attempt(correct),
  });
  parts.newer = button({ id: "watch-newer", text: "Play with the newer rule", kind: "it", onClick: () => takeNewer() });
  parts.gif = button({
    id: "run-gif",
    text: "GIF",
    title: "Download this run as a GIF",
    kind: "quiet",
    onClick: () => attempt(saveGif),
  });
  parts.heat = el("input", { type: "checkbox", checked: true, id: "heat" });
  parts.heat.addEventListener("change", () => {
    now.heat = parts.heat.checked;
    mark();
  });
  parts.wall = new Wall({ onChoose: (run) => attempt(() => choose(run)), onResult: offer });
  parts.stage = el(
    "div",
    { class: "stage", hidden: true },
    parts.outdated,
    parts.board.node,
    (parts.presses = el("div", { class: "presses", id: "watch-presses", role: "group", "aria-label": "Its buttons" })),
    el(
      "div",
      { class: "transport" },
      button({ id: "watch-back", icon: "back", label: "Back", onClick: () => step(-1) }),
      parts.toggle,
      button({ id: "watch-step", icon: "forward", label: "Forward", onClick: () => step(1) }),
      parts.slider,
      parts.speed,
    ),
    parts.status,
    el(
      "div",
      { class: "actions" },
      parts.correct,
      parts.newer,
      el("span", { class: "gap" }),
      el("label", { class: "check" }, parts.heat, "Show chances"),
      parts.gif,
    ),
  );
  replace($("watch-tools"), parts.title);
  replace($("watch-body"), parts.empty, parts.stage);
  on("game", forget);
  on("policy", renew);
  on("learned", ({ outdated }) => (parts.outdated.hidden = !outdated));
  on("corrected", (table) => (now.chosen = { level: table.level, seed: now.run?.seed ?? 0 }));
  on("mark", (marks) => {
    now.marks = marks;
    mark();
  });
}

function forget() {
  pause();
  Object.assign(now, { run: null, index: 0, chosen: null, marks: {}, position: null, stale: true, held: false });
  parts.wall.clear();
  showEmpty();
}

function showEmpty() {
  parts.stage.hidden = true;
  parts.empty.hidden = false;
  parts.title.textContent = "";
  const busy = state.learned?.state === "running" || state.learned?.state === "waiting";
  replace(
    parts.empty,
    el("p", {
      text: busy
        ? "Looking for a first rule …"
        : `Win a level of ${state.game?.title ?? "a game"}. The computer then infers a rule and plays new levels with it here.`,
    }),
  );
  emit("position", null);
}

/** The policy changed. Runs that are being played or looked at go on; the next ones are by the new policy. */
function renew(learned) {
  if (!learned.hasPolicy) {
    forget();
    return;
  }
  now.stale = true;
  showNewer();
  if (!inUse()) takeNewer();
  else attempt(() => parts.wall.renew());
}

/** Play with the new policy: the small boards, and the level on the large one. */
function takeNewer() {
  now.held = false;
  clearTimeout(now.timer);
  now.timer = 0;
  if (now.chosen) attempt(() => watchLevel(now.chosen.level, now.chosen.seed));
  attempt(() => parts.wall.start());
}

/** Whether the run on the large board is being played or looked at. */
const inUse = () => now.run !== null && (now.held || now.timer !== 0);

function showNewer() {
  parts.newer.hidden = !(now.stale && now.held);
}

/** A small board has a result. Unless the user has chosen a level, show the first one that is won. */
function offer(run, last) {
  if (now.chosen || !now.stale || inUse()) return;
  if (run.won) show(run);
  else if (last) show(parts.wall.first());
}

/** Show the run of a small board; if the rule has changed since, the level is played again. */
async function choose(run) {
  now.chosen = { level: run.level, seed: run.seed };
  if (current(run)) show(run);
  else await watchLevel(run.level, run.seed);
  parts.board.reveal();
}

/** Whether the present rule has played this run. */
const current = (run) => run.version === state.learned?.version;

/** Play a level of the user's choice on the large board. */
export async function watchLevel(level, seed = 0) {
  const { game } = state;
  const run = await post("run", { game: game.name, level, seed });
  if (game !== state.game) return;
  now.chosen = { level, seed };
  show(run);
}

function show(run) {
  pause();
  now.run = run;
  now.stale = !current(run);
  now.held = false;
  showNewer();
  parts.stage.hidden = false;
  parts.empty.hidden = true;
  parts.title.textContent = levelTitle(run.level);
  parts.slider.max = run.steps.length;
  parts.wall.select(run);
  parts.board.label = `${levelTitle(run.level)} of ${state.game.title}, played by the computer`;
  go(0);
  if (!calm()) play();
}

function saveGif() {
  const { level, seed } = now.run;
  return download("run.gif", { game: state.game.name, level: `${level}@${seed}` });
}

function go(index) {
  const { run } = now;
  now.index = index;
  const at = run.steps[index];
  const rows = at ? at.rows : run.last;
  now.marks = {};
  now.position = null;
  parts.board.show(state.game, rows);
  parts.board.frame.classList.toggle("won", !at && run.won);
  parts.board.frame.classList.toggle("lost", !at && !run.won);
  parts.slider.value = index;
  parts.slider.setAttribute("aria-valuetext", at ? `${capital(hand().move)} ${index + 1} of ${run.steps.length}` : "The end");
  parts.correct.hidden = !at && run.won;
  parts.correct.disabled = !at && run.over;
  mark();
  say(at);
  emit("position", { rows, action: at?.action ?? null, ended: !at, run });
}

function say(at) {
  const { run, index } = now;
  let text;
  if (at) text = `${capital(hand().move)} ${index + 1}: ${actionName(state.game, at.rows, at.action)}`;
  else if (run.won) text = `Won in ${moves(run.steps.length)}${demonstrated(run.level) ? "" : ", on a new level"}.`;
  else text = `${run.over ? `Lost. ${run.why}` : `Not won in ${moves(run.steps.length)}.`} Step back to where it went wrong and show it what to do.`;
  parts.status.textContent = text;
  parts.status.className = `status ${at ? "" : run.won ? "good" : "bad"}`;
}

const demonstrated = (level) => state.lesson.recordings.some((card) => card.level === level);

/** Take the policy's chances for the position on the board. */
export function takePosition(position) {
  now.position = position;
  mark();
  parts.board.refreshNames();
}

function mark() {
  if (!now.run) return;
  const at = now.run.steps[now.index];
  const chances = now.heat && at && now.position ? now.position.probabilities : [];
  const buttons = state.game.buttons.length > 0;
  draw(parts.board, { heat: buttons ? [] : chances, click: at?.action, ...now.marks });
  if (buttons) markButtons(at?.action ?? null, chances);
  else replace(parts.presses);
}

/** Where there are buttons, show the chances on them; each can be explained. */
function markButtons(action, chances) {
  const { game } = state;
  if (parts.presses.game_ !== game || !parts.presses.childNodes.length) {
    parts.presses.game_ = game;
    const ask = (name) => now.position && emit("point", name);
    replace(parts.presses, buttonRow(game, { onPress: (name) => emit("pin", name), onPoint: ask, note: () => " " }));
  }
  for (const node of parts.presses.childNodes) {
    const p = chances.find(([name]) => name === node.dataset.button)?.[1];
    node.setAttribute("aria-pressed", String(node.dataset.button === action));
    node.lastChild.textContent = p ? percent(p) : "";
  }
}

function chance(cell) {
  const p = now.position?.probabilities.find((item) => same(item, cell))?.[2];
  return p ? `chance ${percent(p)}` : "";
}

function step(by) {
  hold();
  go(Math.max(0, Math.min(now.index + by, now.run.steps.length)));
}

function play() {
  now.held = false;
  showNewer();
  if (now.index >= now.run.steps.length) go(0);
  showToggle(true);
  const tick = () => {
    if (now.index >= now.run.steps.length) {
      pause();
      if (now.stale) takeNewer();
      return;
    }
    go(now.index + 1);
    now.timer = setTimeout(tick, STEP / now.speed);
  };
  now.timer = setTimeout(tick, STEP / now.speed);
}

/** Stop the run, so that the user can look at it. */
function hold() {
  pause();
  now.held = true;
  showNewer();
}

function pause() {
  clearTimeout(now.timer);
  now.timer = 0;
  if (parts.toggle) showToggle(false);
}

function showToggle(playing) {
  // While a run plays, screen readers stay silent; they announce single steps and the end.
  parts.status.setAttribute("aria-live", playing ? "off" : "polite");
  replace(parts.toggle, icon(playing ? "pause" : "play"));
  parts.toggle.setAttribute("aria-label", playing ? "Pause" : "Play");
}

/** Hand the position back to the teacher. */
async function correct() {
  pause();
  now.held = false;
  const { run, index } = now;
  const at = run.steps[index] ?? { rows: run.last };
  now.chosen = { level: run.level, seed: run.seed };
  const { game } = state;
  const before = game.buttons.length ? run.steps.slice(0, index).map((step) => step.action) : [];
  await teach("correct", { level: run.level, rows: at.rows, before }, game.name);
  if (game !== state.game) return;
  backToPlay();
  showBoard();
}
