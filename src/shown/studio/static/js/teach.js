// Teaching: the level in play.

import { post } from "./api.js";
import { Board, Miniature, legend } from "./board.js";
import { buttonFor, buttonRow } from "./buttons.js";
import { $, button, calm, el, replace } from "./dom.js";
import { openPaint } from "./paint.js";
import { draw } from "./overlay.js";
import { closeReplay, initRecordings, openRecording } from "./recordings.js";
import { initNext } from "./next.js";
import { emit, on, state, takeLesson } from "./store.js";
import { attempt, toast } from "./toast.js";
import { actionName, capital, hand, levelTitle, moves, plural } from "./words.js";

const PAUSE = 1400; // a won position stays this long
const REPLY = 300; // an opponent's reply is shown this much later than the click
const ARROWS = { ArrowLeft: "left_arrow", ArrowRight: "right_arrow", ArrowUp: "up_arrow", ArrowDown: "down_arrow" };
const parts = {};
let queue = Promise.resolve();
let pause = 0;
let reply = 0;
/** A status that replaces the usual one until the next change. */
let said = null;
/** Where the click under the pointer leads, asked before it is made. */
let peeked = null;
let pending = 0;
/** The change that a message offers to undo or redo. */
let undoable = null;

/** Send a command that changes a game's lesson (the open game's, unless given), and take the changed lesson. */
export async function teach(name, body = {}, game = state.game.name) {
  const answer = await post(name, { ...body, game });
  takeLesson(answer.lesson);
  return answer;
}

export function initTeach() {
  parts.board = new Board({ label: "The level to play", onPress: press, onDown: peek, onArrow: walk });
  parts.status = el("p", { class: "status", role: "status", "aria-live": "polite" });
  parts.goal = el("p", { class: "goal" });
  parts.rules = el("details", { class: "rules" });
  parts.actions = el("div", { class: "actions" });
  parts.presses = el("div", { class: "presses", id: "presses", role: "group", "aria-label": "Buttons" });
  parts.soFar = el("p", { class: "so-far", id: "so-far", hidden: true }, el("span"));
  parts.soFar.append(button({ text: "See its rule", kind: "link", onClick: () => $("learn").scrollIntoView() }));
  const below = [parts.status, parts.soFar, parts.actions];
  parts.play = el("div", { class: "stage" }, parts.board.node, parts.presses, below);
  parts.other = el("div", { class: "stage", hidden: true });
  parts.recordings = el("div", { class: "recordings", id: "recordings" });
  parts.next = el("div", { class: "next", id: "next" });
  replace(
    $("teach-body"),
    el("div", { class: "goal-row" }, parts.goal, parts.rules),
    parts.play,
    parts.other,
    parts.recordings,
    parts.next,
  );
  parts.pick = button({ id: "pick-level", text: "Level", kind: "picker" });
  parts.levels = el("div", { id: "levels", class: "popover", popover: "auto", "aria-label": "Levels" });
  parts.pick.setAttribute("popovertarget", "levels");
  parts.levels.addEventListener("beforetoggle", (event) => event.newState === "open" && fillLevels());
  parts.levels.addEventListener("toggle", (event) => event.newState === "open" && placeLevels());
  parts.paint = button({
    id: "open-paint",
    icon: "brush",
    text: "Paint a level",
    kind: "quiet",
    onClick: () => openPaint(),
  });
  replace($("teach-tools"), parts.pick, parts.levels, parts.paint);
  fillActions();
  initRecordings(parts.recordings, stage);
  initNext(parts.next);
  on("game", showGame);
  on("lesson", () => pause || reply || show());
  on("lesson", forgetUndo);
  on("learned", showSoFar);
  document.addEventListener("keydown", shortcut);
  document.addEventListener("keydown", pressKey);
}

/** Show something else in place of the board (a replay, the painter), or with null the board again. */
export function stage(node) {
  parts.play.hidden = node !== null;
  parts.other.hidden = node === null;
  replace(parts.other, node);
  if (node === null) show();
}

/** Go back to the game in play. */
export function backToPlay() {
  closeReplay();
  stage(null);
}

/** Bring the board into view, and focus it. */
export function showBoard() {
  parts.board.focus();
  parts.board.reveal();
}

function fillActions() {
  const action = (id, look) => button({ id, ...look, onClick: () => attempt(() => change(id)) });
  parts.undo = action("undo", { icon: "undo", text: "Undo" });
  parts.redo = action("redo", { icon: "redo", label: "Redo" });
  parts.restart = action("restart", { icon: "restart", label: "Start this level over" });
  parts.keep = action("keep", {
    text: "Keep although not won",
    title: "Keep these clicks as a demonstration although the game isn't won",
  });
  parts.hint = button({
    id: "hint",
    text: "Hint",
    kind: "quiet",
    title: "Show what the expert would click",
    onClick: () => attempt(showHint),
  });
  parts.onward = action("onward", { text: "Next level" });
  parts.expert = button({
    id: "expert",
    text: "Let the expert play",
    kind: "quiet",
    onClick: () => attempt(askExpert),
  });
  replace(
    parts.actions,
    parts.undo,
    parts.redo,
    parts.restart,
    parts.keep,
    el("span", { class: "gap" }),
    el("span", { class: "together" }, parts.hint, parts.onward, parts.expert),
  );
}

async function change(name, body) {
  endPause();
  said = null;
  const { recordings } = state.lesson;
  const answer = await teach(name, body);
  const fewer = recordings.length - (answer.lesson.recordings ?? recordings).length;
  if (name === "undo" && fewer > 0) offerUndo(`Took back ${plural(fewer, "demonstration")}.`, answer.lesson, "redo");
  return answer;
}

export async function takeLevel(name) {
  $("levels").hidePopover?.();
  backToPlay();
  await attempt(() => (name === null ? change("another") : change("level", { level: name })));
  showBoard();
}

function showGame(game) {
  endPause();
  closeReplay();
  stage(null);
  said = null;
  parts.goal.textContent = game.goal;
  replace(parts.rules, el("summary", { text: "How it works" }), el("p", { text: capital(game.rules) }), legend(game));
  parts.rules.open = false;
  replace(parts.presses, buttonRow(game, { onPress: press, onDown: peek }));
  parts.board.disabled = game.buttons.length > 0;
}

function show() {
  const { lesson, game } = state;
  if (!lesson || !game || parts.play.hidden) return;
  const { table } = lesson;
  parts.board.show(game, table.rows);
  parts.board.label = `${levelTitle(table.level)} of ${game.title}, ${table.rows.length} rows by ${table.rows[0].length} columns${keysOf(game)}`;
  parts.board.frame.classList.toggle("lost", table.over && !table.won);
  parts.board.frame.classList.remove("won");
  draw(parts.board, { ghost: table.action });
  parts.pick.lastChild.textContent =
    table.kind === "correction" ? `Correcting: ${levelTitle(table.level)}` : levelTitle(table.level);
  parts.undo.disabled = !lesson.canUndo;
  parts.redo.disabled = !lesson.canRedo;
  parts.restart.disabled = !table.clicks;
  parts.keep.hidden = !table.clicks || table.kind === "correction";
  parts.hint.disabled = table.over;
  parts.hint.hidden = !game.knows;
  parts.expert.hidden = table.kind === "correction" || !game.knows;
  parts.onward.hidden = table.kind !== "correction";
  parts.paint.hidden = !game.paints || table.kind === "correction"; // its label needs the room
  say(said ?? describe(table, lesson));
}

function keysOf(game) {
  if (game.buttons.length) return "; play with the buttons below it or their keys; Shift and arrow keys move between cells";
  const walks = game.tokens.some(({ name }) => Object.values(ARROWS).includes(name));
  return walks ? "; arrow keys walk; Shift and arrow keys move between cells" : "";
}

function describe(table, lesson) {
  if (table.kind === "correction" && table.won) return ["Won from here. The correction is recorded.", "good"];
  if (table.kind === "correction") {
    return table.clicks
      ? [`${capital(moves(table.clicks))} recorded. Play on, or choose another level.`, "good"]
      : [`What should it have done here? ${capital(hand().do)} it.`, "you"];
  }
  if (table.over) return [`Lost. ${table.why} Undo, start over, or keep the game although it isn't won.`, "bad"];
  if (table.clicks) return [`${moves(table.clicks)} recorded.`, ""];
  if (!lesson.recordings.length) {
    const how = state.game.buttons.length ? "Press the buttons, or their keys," : "Click the board";
    return [`Your turn. ${how} to play. The computer watches.`, "you"];
  }
  return ["Your turn.", ""];
}

/** On a phone the rule is far below the board, so it is mentioned here. */
function showSoFar({ state: how, hasPolicy, stale, demonstrations }) {
  const busy = how === "running" || how === "waiting";
  parts.soFar.hidden = !busy && (!hasPolicy || stale);
  parts.soFar.firstChild.textContent = busy ? "It is learning. " : `It has learned from ${plural(demonstrations, "demonstration")}. `;
}

function say([text, kind]) {
  if (parts.status.textContent !== text) parts.status.textContent = text;
  parts.status.className = `status ${kind}`;
}

const placeOf = (cell) => `${state.game.name} ${state.lesson.revision} ${cell}`;

/** The pointer goes down on a cell: ask where its click leads, so that the answer is there when it goes up. */
async function peek(cell) {
  if (pause || pending || state.lesson.table.over) return;
  const place = placeOf(cell);
  const answer = await post("peek", { game: state.game.name, action: cell }).catch(() => null);
  if (answer?.rows) peeked = { place, rows: answer.rows };
}

function press(cell) {
  const pressed = performance.now();
  const { game } = state;
  if (pause) {
    endPause();
    show();
    return;
  }
  endReply();
  if (state.lesson.table.over && !pending) {
    // The game is over: show again what can be done instead.
    said = null;
    settle();
    return;
  }
  const known = peeked?.place === placeOf(cell);
  if (known) {
    parts.board.show(game, peeked.rows);
    draw(parts.board, { ghost: cell });
    measure(pressed);
  }
  // In turn: the second of two quick clicks applies to the position after the first.
  pending++;
  queue = queue.then(() => attempt(() => click(game, cell, known ? null : pressed))).then(() => {
    pending--;
    settle();
  });
}

/** Where a game has arrow buttons on its board, the arrow keys press them. */
function walk(key) {
  const { game, lesson } = state;
  if (game.buttons.length) {
    const name = buttonFor(game, { key });
    if (name) press(name);
    return true;
  }
  const character = game.tokens.find(({ name }) => name === ARROWS[key])?.character;
  const r = character ? lesson.table.rows.findIndex((row) => row.includes(character)) : -1;
  if (r < 0) return false;
  press([r, lesson.table.rows[r].indexOf(character)]);
  return true;
}

/** Where a world has buttons, their keys press them, wherever the focus is in this part of the page. */
function pressKey(event) {
  const { game } = state;
  if (!game?.buttons.length || event.defaultPrevented || parts.play.hidden) return;
  if (event.target !== document.body && !$("teach").contains(event.target)) return;
  if (event.target.closest("input, textarea, select, [popover]")) return;
  const name = buttonFor(game, event);
  if (!name) return;
  event.preventDefault();
  press(name);
}

function settle() {
  if (reply) return;
  if (!pending && !pause) show();
  performance.mark("click-settled");
}

/** Show the player's own move alone for a moment, so that the reply can be told from it. */
function showOwnMove(game, rows, cell) {
  endReply();
  parts.board.show(game, rows);
  draw(parts.board, { ghost: cell });
  reply = setTimeout(endReply, REPLY);
}

function endReply() {
  if (!reply) return;
  clearTimeout(reply);
  reply = 0;
  settle();
}

async function click(game, cell, pressed) {
  said = null;
  const answer = await post("click", { game: game.name, action: cell });
  if (game !== state.game) return;
  if (answer.happened === "won") celebrate(answer);
  else if (answer.own && pending === 1 && !calm()) showOwnMove(game, answer.own, cell);
  if (answer.happened === "nothing") said = [`That ${hand().move} changes nothing, so it isn't recorded.`, ""];
  takeLesson(answer.lesson);
  if (answer.happened === "corrected") emit("corrected", answer.lesson.table);
  if (pressed !== null) measure(pressed);
}

/** Measure the time from the click to the end of the frame that shows its result, for benchmarks/studio.py. */
function measure(pressed) {
  requestAnimationFrame(() => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => performance.measure("click-to-repaint", { start: pressed, end: performance.now() });
    channel.port2.postMessage(null);
  });
}

/** Leave the won position on the board for a moment before the next level replaces it. */
function celebrate(answer) {
  const { shown } = answer;
  parts.board.show(state.game, shown.rows);
  draw(parts.board, { ghost: shown.action });
  parts.board.frame.classList.add("won");
  const count = answer.lesson.recordings.filter((recording) => recording.learn).length;
  const more = count === 1 ? " Win one more, so that it can compare." : "";
  say([`Won in ${moves(shown.clicks)}. This is demonstration ${count}.${more}`, "good"]);
  emit("recorded", count);
  pause = setTimeout(
    () => {
      pause = 0;
      show();
    },
    calm() ? PAUSE * 1.5 : PAUSE,
  );
}

function endPause() {
  endReply();
  clearTimeout(pause);
  pause = 0;
}

async function askExpert() {
  const { game } = state;
  const answer = await change("expert");
  if (game !== state.game) return;
  emit("recorded", answer.lesson.recordings.length);
  openRecording(answer.recording, { play: true, then: () => backToPlay() });
}

async function showHint() {
  const { game, lesson } = state;
  const { action } = await post("hint", { game: game.name });
  if (lesson !== state.lesson) return;
  if (action === null) {
    say(["The expert doesn't know what to do here.", ""]);
    return;
  }
  draw(parts.board, { lit: [action] });
  say([`The expert would ${hand().do} ${actionName(game, lesson.table.rows, action)}.`, "you"]);
}

function fillLevels() {
  const { game, lesson } = state;
  const shown = new Set(lesson.shown);
  const choice = (name, rows, title, note) =>
    el(
      "button",
      {
        type: "button",
        class: "level",
        "aria-current": lesson.table.level === name ? "true" : null,
        onClick: () => takeLevel(name),
      },
      new Miniature(game, rows, "").node,
      el("span", { class: "level-name", text: title }),
      note && el("span", { class: "level-note", text: note }),
    );
  const painted = lesson.painted.map((level) => {
    const node = choice(level.name, level.rows, levelTitle(level.name), level.legal ? null : "not legal yet");
    if (!level.legal) node.addEventListener("click", () => openPaint(level), { capture: true });
    return node;
  });
  replace(
    parts.levels,
    el("h3", { text: game.paints ? "Lessons, shortest first" : "Lessons" }),
    el(
      "div",
      { class: "level-list" },
      game.lessons.map((level) =>
        choice(level.name, level.rows, levelTitle(level.name), shown.has(level.name) ? "shown" : null),
      ),
    ),
    painted.length ? el("h3", { text: "Painted by you" }) : null,
    painted.length ? el("div", { class: "level-list" }, painted) : null,
    el(
      "div",
      { class: "popover-foot" },
      button({
        id: "random-level",
        text: game.paints ? "Random level" : "Another seed",
        onClick: () => takeLevel(null),
      }),
    ),
  );
}

/** Place the list of levels below its button, and inside the window. */
function placeLevels() {
  const { left, bottom } = parts.pick.getBoundingClientRect();
  const { offsetWidth, offsetHeight } = parts.levels;
  parts.levels.style.setProperty("left", `${Math.max(12, Math.min(left, innerWidth - offsetWidth - 12))}px`);
  parts.levels.style.setProperty("top", `${Math.max(12, Math.min(bottom + 6, innerHeight - offsetHeight - 12))}px`);
}

function shortcut(event) {
  if (!(event.ctrlKey || event.metaKey) || event.target.closest("input, textarea, select, dialog") || parts.play.hidden)
    return;
  const key = event.key.toLowerCase();
  const redo = key === "y" || (key === "z" && event.shiftKey);
  if (key !== "z" && !redo) return;
  event.preventDefault();
  if (!(redo ? parts.redo : parts.undo).disabled) attempt(() => change(redo ? "redo" : "undo"));
}

/** Offer to undo (or redo) the change that led to `lesson`, in its game, until that game changes again. */
export function offerUndo(text, { game, revision }, name = "undo") {
  undoable?.close();
  const run = () => attempt(() => changeIn(game, name));
  undoable = { game, revision, close: toast(text, { action: { text: capital(name), run } }) };
}

async function changeIn(game, name) {
  if (game === state.game.name) {
    await change(name);
    return;
  }
  await teach(name, {}, game);
  toast(`${name === "undo" ? "Undone" : "Redone"} in ${state.games.get(game).title}.`);
}

function forgetUndo({ game, revision }) {
  if (undoable?.game !== game || revision <= undoable.revision) return;
  undoable.close();
  undoable = null;
}
