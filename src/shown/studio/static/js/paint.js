// The level painter: palette, brush, fill, growing and shrinking, flips and rotation, undo.

import { post } from "./api.js";
import { Board, Miniature } from "./board.js";
import { button, el, icon, replace, sprite } from "./dom.js";
import * as canvas from "./canvas.js";
import { draw } from "./overlay.js";
import { state } from "./store.js";
import { backToPlay, stage, takeLevel } from "./teach.js";
import { attempt } from "./toast.js";
import { watchLevel } from "./watch.js";
import { capital, levelTitle, thing } from "./words.js";

let painter = null;

/** Open the painter on a painted level, or on a copy of the level in play. */
export function openPaint(level = null) {
  document.getElementById("levels").hidePopover?.();
  painter = new Painter(level ?? state.lesson.painted.at(-1) ?? null);
  stage(painter.node);
  painter.board.focus();
}

class Painter {
  constructor(level) {
    this.game = state.game;
    this.token = this.game.tokens[Math.min(1, this.game.tokens.length - 1)];
    this.tool = "brush";
    this.saving = Promise.resolve();
    this.board = new Board({
      label: "The level to paint",
      onDrag: (cell, first) => this.dab(cell, first),
      onPress: (cell, event) => event.detail === 0 && this.dab(cell, true),
    });
    this.status = el("p", { class: "status", role: "status", "aria-live": "polite", id: "paint-status" });
    this.palette = el("div", { class: "palette", role: "radiogroup", "aria-label": "What to paint with" });
    this.tools = el("div", { class: "paint-tools" });
    this.list = el("div", { class: "painted-list" });
    this.frame = el("div", { class: "paint-frame" });
    this.node = el(
      "div",
      { class: "painter" },
      el(
        "div",
        { class: "replay-head" },
        (this.title = el("p", { class: "replay-title" })),
        button({ id: "close-paint", text: "Back to the game", kind: "you", onClick: () => backToPlay() }),
      ),
      this.palette,
      this.tools,
      this.frame,
      this.status,
      (this.actions = el("div", { class: "actions" })),
      this.list,
    );
    this.node.addEventListener("keydown", (event) => this.shortcut(event));
    this.fill();
    this.open(level);
  }

  /** Open a painted level, or start a new one from the level in play. */
  open(level) {
    this.id = level?.id ?? null;
    this.rows = level?.rows ?? state.lesson.table.rows;
    this.past = [];
    this.future = [];
    this.check = null;
    this.show();
    if (level) this.takeCheck(level);
    else this.say("Paint on this copy of the level. It is saved as you paint.", "");
    this.showList();
  }

  fill() {
    this.swatches = this.game.tokens.map((token, i) => {
      const swatch = el(
        "button",
        {
          type: "button",
          role: "radio",
          class: "swatch",
          "aria-label": capital(thing(token.name)),
          title: `${capital(thing(token.name))}${i < 9 ? ` (${i + 1})` : ""}`,
          onClick: () => this.choose(token),
        },
        token.character === this.game.empty
          ? el("span", { class: "sprite blank" })
          : sprite(this.game.key, token.name),
        i < 9 ? el("kbd", { text: String(i + 1) }) : null,
      );
      return swatch;
    });
    replace(this.palette, this.swatches);
    const tool = (name, title) =>
      button({ id: `tool-${name}`, icon: name, text: capital(name), title, pressed: false, onClick: () => this.use(name) });
    this.toolButtons = { brush: tool("brush", "Brush (B)"), fill: tool("fill", "Fill an area (F)") };
    this.use(this.tool);
    this.undo = button({ id: "paint-undo", icon: "undo", label: "Undo", onClick: () => this.back() });
    this.redo = button({ id: "paint-redo", icon: "redo", label: "Redo", onClick: () => this.forth() });
    const turn = (id, glyph, label, edit) =>
      button({ id, icon: glyph, label, onClick: () => this.set(edit(this.rows)) });
    replace(
      this.tools,
      this.toolButtons.brush,
      this.toolButtons.fill,
      el("span", { class: "gap" }),
      turn("flip-x", "flipx", "Flip left and right", canvas.flipX),
      turn("flip-y", "flipy", "Flip top and bottom", canvas.flipY),
      turn("rotate", "rotate", "Rotate to the right", canvas.rotate),
      el("span", { class: "gap" }),
      this.undo,
      this.redo,
    );
    const edge = (side, name) =>
      el(
        "div",
        { class: `edge at-${side}` },
        button({
          id: `grow-${side}`,
          icon: "plus",
          label: `Add a ${name}`,
          kind: "quiet small",
          onClick: () => this.set(canvas.grow(this.rows, side, this.game.empty)),
        }),
        button({
          id: `shrink-${side}`,
          icon: "minus",
          label: `Remove the ${name}`,
          kind: "quiet small",
          onClick: () => this.set(canvas.shrink(this.rows, side)),
        }),
      );
    replace(
      this.frame,
      edge("top", "row at the top"),
      edge("left", "column on the left"),
      this.board.node,
      edge("right", "column on the right"),
      edge("bottom", "row at the bottom"),
    );
    this.teachOn = button({
      id: "teach-painted",
      text: "Play it",
      kind: "you",
      onClick: () => attempt(() => this.useIt(takeLevel)),
    });
    this.tryOn = button({
      id: "try-painted",
      text: "Let the computer try it",
      kind: "it",
      onClick: () => attempt(() => this.useIt(watchLevel)),
    });
    this.remove = button({
      icon: "trash",
      label: "Delete this level",
      kind: "quiet",
      onClick: () => attempt(() => this.erase()),
    });
    replace(
      this.actions,
      this.teachOn,
      this.tryOn,
      el("span", { class: "gap" }),
      button({ id: "new-painted", text: "New", kind: "quiet", onClick: () => this.open(null) }),
      this.remove,
    );
    this.choose(this.token);
  }

  choose(token) {
    this.token = token;
    this.game.tokens.forEach((each, i) => {
      this.swatches[i].setAttribute("aria-checked", String(each === token));
      this.swatches[i].tabIndex = each === token ? 0 : -1;
    });
  }

  use(tool) {
    this.tool = tool;
    for (const [name, node] of Object.entries(this.toolButtons))
      node.setAttribute("aria-pressed", String(name === tool));
  }

  dab(cell, first) {
    const { character } = this.token;
    if (this.tool === "fill") {
      if (first) this.set(canvas.flood(this.rows, cell, character));
      return;
    }
    // A stroke is undone as a whole.
    this.set(canvas.paint(this.rows, cell, character), !first);
  }

  set(rows, sameStroke = false) {
    if (rows === null || rows.join("\n") === this.rows.join("\n")) return;
    if (!sameStroke || !this.past.length) this.past.push(this.rows);
    this.future = [];
    this.rows = rows;
    this.show();
    this.save();
  }

  back() {
    this.move(this.past, this.future);
  }

  forth() {
    this.move(this.future, this.past);
  }

  move(from, to) {
    if (!from.length) return;
    to.push(this.rows);
    this.rows = from.pop();
    this.show();
    this.save();
  }

  show() {
    this.board.show(this.game, this.rows);
    this.title.textContent = this.id ? levelTitle(`painted:${this.id}`) : "A new level";
    this.undo.disabled = !this.past.length;
    this.redo.disabled = !this.future.length;
    draw(this.board, { wrong: this.check?.cell });
  }

  /** Save the level. Strokes made during a save go with the next one. */
  save() {
    if (this.waiting) return;
    this.waiting = true;
    this.saving = this.saving.then(() =>
      attempt(async () => {
        this.waiting = false;
        const answer = await post("paint", { game: this.game.name, id: this.id, rows: this.rows });
        this.id = answer.id;
        state.lesson = { ...state.lesson, painted: answer.painted };
        this.takeCheck(answer);
        this.showList();
      }),
    );
  }

  takeCheck(check) {
    this.check = check;
    this.show();
    this.teachOn.disabled = this.tryOn.disabled = !check.legal;
    if (state.learned && !state.learned.hasPolicy) this.tryOn.disabled = true;
    if (check.legal) this.say("Saved. The level is legal.", "good");
    else this.say(`Saved. Not legal yet: ${check.reason}`, "bad");
  }

  say(text, kind) {
    this.status.textContent = text;
    this.status.className = `status ${kind}`;
  }

  showList() {
    const { painted } = state.lesson;
    this.remove.disabled = this.id === null;
    replace(
      this.list,
      painted.map((level) =>
        el(
          "button",
          {
            type: "button",
            class: "level",
            "aria-current": level.id === this.id ? "true" : null,
            "aria-label": `${levelTitle(level.name)}${level.legal ? "" : ", not legal yet"}`,
            onClick: () => this.open(level),
          },
          new Miniature(this.game, level.rows, "").node,
          el("span", { class: "level-name" }, `${level.id}`, level.legal ? null : icon("cross")),
        ),
      ),
    );
  }

  async useIt(what) {
    if (this.id === null) this.save();
    await this.saving;
    const name = `painted:${this.id}`;
    if (what === takeLevel) await takeLevel(name);
    else await watchLevel(name);
  }

  async erase() {
    await this.saving;
    const answer = await post("unpaint", { game: this.game.name, id: this.id });
    state.lesson = { ...state.lesson, painted: answer.painted };
    this.open(state.lesson.painted.at(-1) ?? null);
  }

  shortcut(event) {
    const key = event.key.toLowerCase();
    if ((event.ctrlKey || event.metaKey) && (key === "z" || key === "y")) {
      event.preventDefault();
      if (key === "y" || event.shiftKey) this.forth();
      else this.back();
    } else if (event.ctrlKey || event.metaKey || event.altKey) {
      return;
    } else if (/^[1-9]$/.test(key) && this.game.tokens[Number(key) - 1]) {
      this.choose(this.game.tokens[Number(key) - 1]);
    } else if (key === "b" || key === "f") {
      this.use(key === "b" ? "brush" : "fill");
    } else if (event.target.closest(".palette") && key.startsWith("arrow")) {
      event.preventDefault();
      const { tokens } = this.game;
      const by = key === "arrowright" || key === "arrowdown" ? 1 : tokens.length - 1;
      const next = (tokens.indexOf(this.token) + by) % tokens.length;
      this.choose(tokens[next]);
      this.swatches[next].focus();
    }
  }
}
