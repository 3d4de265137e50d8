// The demonstrations: a row of cards, and a replay in which every click can be changed or deleted.

import { download, post } from "./api.js";
import { Board, Miniature } from "./board.js";
import { buttonRow } from "./buttons.js";
import { arrange, button, calm, el, icon, note, replace } from "./dom.js";
import { draw } from "./overlay.js";
import { on, state } from "./store.js";
import { backToPlay, offerUndo, teach } from "./teach.js";
import { attempt } from "./toast.js";
import { actionName, capital, hand, levelTitle, moves } from "./words.js";

const STEP = 650;
const PAGE_SIZE = 12;

let box = null;
let head = null;
let nothing = null;
let list = null;
let stage = null;
let replay = null;
let shown = "";
/** The index of the first card on the page; null for the latest page. */
let first = null;
/** The drawn cards by id: most changes affect one of them, or none. */
let drawn = new Map();

export function initRecordings(node, putOnStage) {
  box = node;
  head = el("div", { class: "record-head" });
  list = el("ol", { class: "record-list" });
  nothing = note("Games you win appear here.");
  replace(box, head, nothing, list);
  stage = putOnStage;
  on("lesson", showCards);
  on("game", () => (first = null));
}

function outcome(card) {
  const clicks = moves(card.clicks);
  if (card.edited) return `${clicks}, edited`;
  return card.outcome === "won" ? `won, ${clicks}` : card.outcome === "lost" ? `lost, ${clicks}` : clicks;
}

function showCards(lesson) {
  const { game } = state;
  // Most clicks change only the game in play, not the cards.
  const seen = JSON.stringify([game.name, lesson.recordings, first]);
  if (seen === shown) return;
  shown = seen;
  const learned = lesson.recordings.filter((card) => card.learn).length;
  const count = lesson.recordings.length;
  const last = Math.max(0, count - PAGE_SIZE);
  if (first !== null && first >= last) first = null;
  const start = first ?? last;
  const before = drawn;
  drawn = new Map();
  const cards = lesson.recordings.slice(start, start + PAGE_SIZE).map((card, i) => {
    const key = JSON.stringify([game.name, start + i, card]);
    const known = before.get(card.id);
    const made = known?.key === key ? known : { key, node: cardOf(game, card, start + i) };
    drawn.set(card.id, made);
    return made.node;
  });
  replace(
    head,
    el("h3", { text: count ? `Demonstrations (${learned})` : "Demonstrations" }),
    last > 0 ? pages(start, last, count) : null,
  );
  nothing.hidden = count > 0;
  list.hidden = !count;
  list.start = start + 1;
  arrange(list, cards);
}

/** Buttons that lead to the other cards. */
function pages(start, last, count) {
  const turn = (id, glyph, label, to, disabled) =>
    button({ id, icon: glyph, label, kind: "quiet small", disabled, onClick: () => turnTo(id, to) });
  return el(
    "div",
    { class: "pages", role: "group", "aria-label": "Pages of demonstrations" },
    turn("earliest-records", "first", "First page", 0, start === 0),
    turn("earlier-records", "back", "Earlier", Math.max(0, start - PAGE_SIZE), start === 0),
    el("span", { class: "note", id: "records-shown", text: `${start + 1} to ${Math.min(start + PAGE_SIZE, count)}` }),
    turn("later-records", "forward", "Later", Math.min(last, start + PAGE_SIZE), start >= last),
    turn("latest-records", "last", "Latest", last, start >= last),
  );
}

function turnTo(id, to) {
  first = to;
  showCards(state.lesson);
  const again = document.getElementById(id);
  (again?.disabled ? box.querySelector(".pages button:enabled") : again)?.focus();
}

function cardOf(game, card, i) {
  const open = el(
    "button",
    {
      type: "button",
      class: "record-open",
      title: "Replay or edit",
      onClick: () => attempt(() => showRecording(card.id)),
    },
    new Miniature(game, card.rows, "").node,
    el("span", { class: "record-title", text: `${i + 1}. ${levelTitle(card.level)}` }),
    el("span", { class: "sr-only", text: ", " }),
    el("span", { class: "record-note", text: outcome(card) }),
    card.kind === "shown" ? null : el("span", { class: `tag ${card.kind}`, text: card.kind }),
  );
  const count = el("input", {
    type: "checkbox",
    checked: card.learn,
    "aria-label": `Learn from demonstration ${i + 1}`,
    title: "Learn from this demonstration",
  });
  count.addEventListener("change", () =>
    attempt(() => teach("count", { id: card.id, learn: count.checked }, game.name)),
  );
  const away = button({
    icon: "trash",
    label: `Delete demonstration ${i + 1}`,
    kind: "quiet small",
    onClick: () =>
      attempt(async () => {
        if (replay?.id === card.id) backToPlay();
        const { lesson } = await teach("delete", { id: card.id }, game.name);
        offerUndo("Demonstration deleted.", lesson);
      }),
  });
  return el(
    "li",
    { class: card.learn ? "record" : "record unused" },
    open,
    el("div", { class: "record-tools" }, el("label", { class: "count" }, count, "learn"), away),
  );
}

/**
 * Show a recording from `step` on. `play` starts it, and `then` is called at its end. `alike` is a cell that no program
 * distinguishes from the one clicked at that step.
 */
export function openRecording(recording, { play = false, then = null, step = 0, alike = null } = {}) {
  closeReplay();
  replay = new Replay(recording, then);
  replay.alike = alike && { step, cell: alike };
  stage(replay.node);
  replay.go(Math.min(step, recording.steps.length));
  if (play) replay.play();
}

/** Fetch a recording of the open game and show it, unless another game is opened meanwhile. */
export async function showRecording(id, options = {}) {
  const { game } = state;
  const recording = await post("recording", { game: game.name, id });
  if (game === state.game) openRecording(recording, options);
}

export function closeReplay() {
  replay?.pause();
  replay = null;
}

class Replay {
  constructor(recording, then) {
    this.game = state.game;
    this.then = then;
    this.changing = false;
    this.timer = 0;
    this.board = new Board({ label: "A recorded position", onPress: (cell) => this.press(cell) });
    this.title = el("p", { class: "replay-title" });
    this.status = el("p", { class: "status", role: "status", "aria-live": "polite" });
    this.slider = el("input", { type: "range", min: 0, class: "slider", "aria-label": "Position in the demonstration" });
    this.slider.addEventListener("input", () => {
      this.pause();
      this.go(Number(this.slider.value));
    });
    this.toggle = button({ icon: "play", label: "Play", onClick: () => (this.timer ? this.pause() : this.play()) });
    this.change = button({
      id: "change-click",
      icon: "edit",
      text: "Change this click",
      onClick: () => this.startChange(),
    });
    this.remove = button({
      id: "delete-click",
      icon: "trash",
      text: "Leave out this click",
      onClick: () => attempt(() => this.edit(null)),
    });
    this.resume = button({
      id: "resume",
      text: "Continue from here",
      kind: "quiet",
      onClick: () => attempt(() => this.playOn()),
    });
    const close = button({ id: "close-replay", text: "Back to the game", kind: "you", onClick: () => backToPlay() });
    this.gif = button({
      text: "GIF",
      title: "Download this demonstration as a GIF",
      kind: "quiet",
      onClick: () => attempt(() => download("demonstration.gif", { game: this.game.name, id: this.id })),
    });
    this.presses = el("div", { class: "presses", role: "group", "aria-label": "Buttons", hidden: true });
    this.node = el(
      "div",
      { class: "replay" },
      el("div", { class: "replay-head" }, this.title, close),
      this.board.node,
      this.presses,
      el(
        "div",
        { class: "transport" },
        button({ icon: "back", label: "Previous click", onClick: () => this.step(-1) }),
        this.toggle,
        button({ icon: "forward", label: "Next click", onClick: () => this.step(1) }),
        this.slider,
      ),
      this.status,
      el("div", { class: "actions" }, this.change, this.remove, el("span", { class: "gap" }), this.resume, this.gif),
    );
    this.take(recording);
  }

  take(recording) {
    this.recording = recording;
    this.id = recording.id;
    this.slider.max = recording.steps.length;
    this.title.textContent = `${levelTitle(recording.level)}: ${outcome(recording)}`;
  }

  go(index) {
    const { steps, last } = this.recording;
    this.index = index;
    this.changing = false;
    this.presses.hidden = true;
    const step = steps[index];
    this.board.show(this.game, step ? step.rows : last);
    this.board.disabled = true;
    draw(this.board, { click: step?.action, wrong: this.alike?.step === index ? this.alike.cell : null });
    this.slider.value = index;
    for (const part of [this.change, this.remove, this.resume]) part.disabled = !step;
    this.status.textContent = this.describe(step);
  }

  describe(step) {
    if (!step) return this.recording.outcome === "won" ? "The end: won." : "The end.";
    const { game } = this;
    const alike =
      this.alike?.step === this.index
        ? `, which looks identical to ${actionName(game, step.rows, this.alike.cell)}`
        : "";
    const place = `${capital(hand().move)} ${this.index + 1} of ${this.recording.steps.length}`;
    return `${place}: ${actionName(game, step.rows, step.action)}${alike}`;
  }

  step(by) {
    this.pause();
    this.go(Math.max(0, Math.min(this.index + by, this.recording.steps.length)));
  }

  play() {
    if (this.index >= this.recording.steps.length) this.go(0);
    this.#showToggle(true);
    const tick = () => {
      if (this.index >= this.recording.steps.length) {
        this.pause();
        this.then?.();
        return;
      }
      this.go(this.index + 1);
      this.timer = setTimeout(tick, this.index >= this.recording.steps.length ? 2 * STEP : STEP);
    };
    this.timer = setTimeout(tick, calm() ? 2 * STEP : STEP);
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.#showToggle(false);
  }

  #showToggle(playing) {
    replace(this.toggle, icon(playing ? "pause" : "play"));
    this.toggle.setAttribute("aria-label", playing ? "Pause" : "Play");
  }

  startChange() {
    this.pause();
    this.changing = true;
    const { game } = this;
    if (game.buttons.length) {
      this.status.textContent = "Press the right button for this position.";
      replace(this.presses, buttonRow(game, { onPress: (name) => this.press(name) }));
      this.presses.hidden = false;
      this.presses.firstChild.focus();
      return;
    }
    this.board.disabled = false;
    this.status.textContent = "Click the right cell for this position.";
    this.board.focus();
  }

  press(cell) {
    if (this.changing) attempt(() => this.edit(cell));
  }

  /** Change the click, or leave it out if `action` is null. Later positions stay as they were. */
  async edit(action) {
    this.pause();
    const { id, index, game } = this;
    const { lesson } = await teach("change-click", { id, step: index, action }, game.name);
    offerUndo(`Click ${action === null ? "left out" : "changed"}. Later positions stay as you played them.`, lesson);
    if (game !== state.game) return;
    if (state.lesson.recordings.every((card) => card.id !== id)) {
      backToPlay();
      return;
    }
    this.take(await post("recording", { game: game.name, id }));
    this.go(Math.min(index, this.recording.steps.length - 1));
  }

  async playOn() {
    await teach("resume", { id: this.id, step: this.index }, this.game.name);
    if (this.game === state.game) backToPlay();
  }
}
