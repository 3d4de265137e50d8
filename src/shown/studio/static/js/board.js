// A board whose cells are buttons: for the mouse, the arrow keys and screen readers.

import { calm, el, svg } from "./dom.js";
import { cellName, thing } from "./words.js";

/** Add to a game its token names by character. */
export function prepare(game) {
  game.names = new Map(game.tokens.map((token) => [token.character, token.name]));
  game.empty = game.tokens[0].character;
  return game;
}

export class Board {
  /**
   * @param {object} options
   *   label: accessible name of the board
   *   onPress(cell, event): a cell was clicked, or Enter was pressed on it
   *   onPoint(cell | null): the pointer or the focus entered a cell, or left the board
   *   onDown(cell): the pointer went down on a cell; onPress may follow
   *   onDrag(cell, first): the pointer was pressed on a cell (first) or moved over it while pressed
   *   suffix(cell): an addition to the cell's accessible name
   *   onArrow(key): an arrow key was pressed without Shift; true if it did something other than move the focus
   */
  constructor(options) {
    this.options = options;
    this.cells = [];
    this.rows = [];
    this.at = [0, 0];
    this.grid = el("div", { class: "cells", role: "group", "aria-label": options.label });
    this.overlay = svg("svg", { class: "overlay", "aria-hidden": "true" });
    this.frame = el("div", { class: "board" }, this.grid, this.overlay);
    this.node = el("div", { class: "board-host" }, this.frame);
    this.#listen();
  }

  set label(text) {
    if (this.grid.getAttribute("aria-label") !== text) this.grid.setAttribute("aria-label", text);
  }

  set disabled(disabled) {
    this.frame.classList.toggle("still", disabled);
    this.grid.setAttribute("aria-disabled", String(disabled));
  }

  /** Show a position; only cells that differ are touched. */
  show(game, rows) {
    const sameSize = rows.length === this.rows.length && rows[0].length === this.rows[0]?.length;
    const fresh = game !== this.game || !sameSize;
    if (fresh) this.#build(game, rows);
    for (let r = 0; r < rows.length; r++) {
      for (let c = 0; c < rows[r].length; c++) {
        if (fresh || this.rows[r][c] !== rows[r][c]) this.cells[r][c].use_.setAttribute("href", lookOf(game, rows[r][c]));
      }
    }
    this.rows = rows;
    this.refreshNames();
    if (fresh) this.#moveToRarest();
  }

  /** Where a board is wider than the window, begin with what there is least of: the sheep, the star. */
  #moveToRarest() {
    const host = this.node;
    if (host.scrollWidth <= host.clientWidth) return;
    const places = new Map();
    for (const cell of this.cells.flat()) {
      const [r, c] = cell.place_;
      places.set(this.rows[r][c], [...(places.get(this.rows[r][c]) ?? []), cell]);
    }
    const [[cell]] = [...places.values()].sort((a, b) => a.length - b.length);
    const [at, window] = [cell.getBoundingClientRect(), host.getBoundingClientRect()];
    host.scrollLeft += (at.left + at.right - window.left - window.right) / 2;
  }

  /** Update the accessible names of the cells, after `suffix` has changed. */
  refreshNames() {
    for (let r = 0; r < this.rows.length; r++) {
      for (let c = 0; c < this.rows[r].length; c++) {
        const more = this.options.suffix?.([r, c]);
        const name = cellName(this.game, this.rows, [r, c]) + (more ? `, ${more}` : "");
        const cell = this.cells[r][c];
        if (cell.name_ !== name) {
          cell.name_ = name;
          cell.setAttribute("aria-label", name);
        }
      }
    }
  }

  cell([r, c]) {
    return this.cells[r]?.[c];
  }

  /** Focus the cell that has the board's tab stop. */
  focus() {
    this.cell(this.at)?.focus();
  }

  /** Scroll the board into view. */
  reveal() {
    this.frame.scrollIntoView({ block: "nearest", behavior: calm() ? "auto" : "smooth" });
  }

  #build(game, rows) {
    const focused = this.grid.contains(document.activeElement);
    this.game = game;
    this.rows = rows;
    const [height, width] = [rows.length, rows[0].length];
    this.frame.style.setProperty("--rows", height);
    this.frame.style.setProperty("--cols", width);
    this.frame.style.setProperty("--ground-a", `var(--shown-${game.ground[0]})`);
    this.frame.style.setProperty("--ground-b", `var(--shown-${game.ground[1]})`);
    this.overlay.setAttribute("viewBox", `0 0 ${100 * width} ${100 * height}`);
    this.at = [Math.min(this.at[0], height - 1), Math.min(this.at[1], width - 1)];
    this.cells = rows.map((row, r) =>
      [...row].map((_, c) => {
        const use = svg("use", {});
        const picture = svg("svg", { viewBox: "0 0 100 100", "aria-hidden": "true" }, use);
        const cell = el(
          "button",
          { type: "button", class: (r + c) % 2 ? "cell odd" : "cell", tabindex: "-1" },
          picture,
        );
        cell.place_ = [r, c];
        cell.use_ = use;
        return cell;
      }),
    );
    this.grid.replaceChildren(...this.cells.flat());
    this.cell(this.at).tabIndex = 0;
    if (focused) this.focus();
  }

  #listen() {
    const { onPress, onPoint, onDown, onDrag } = this.options;
    const keyboard = (event) => event.target.matches(":focus-visible");
    const place = (event) => event.target.closest?.(".cell")?.place_ ?? null;
    this.grid.addEventListener("keydown", (event) => this.#walk(event));
    this.grid.addEventListener("focusin", (event) => {
      const cell = place(event);
      if (!cell) return;
      this.#moveTo(cell, false);
      if (!keyboard(event)) return;
      onPoint?.(cell);
      onDown?.(cell); // a key press leaves no time to ask ahead, so the page asks when the cell is reached
    });
    this.grid.addEventListener("focusout", (event) => {
      if (!this.grid.contains(event.relatedTarget)) onPoint?.(null);
    });
    if (onPress) {
      this.grid.addEventListener("click", (event) => {
        const cell = place(event);
        if (cell && !this.frame.classList.contains("still")) onPress(cell, event);
      });
    }
    if (onPoint) {
      this.grid.addEventListener("pointerover", (event) => place(event) && onPoint(place(event)));
      this.grid.addEventListener("pointerleave", () => onPoint(null));
    }
    if (onDown) {
      this.grid.addEventListener("pointerdown", (event) => event.button === 0 && place(event) && onDown(place(event)));
    }
    if (onDrag) {
      this.grid.addEventListener("pointerdown", (event) => {
        if (event.button !== 0 || !place(event)) return;
        event.target.releasePointerCapture?.(event.pointerId);
        onDrag(place(event), true);
      });
      this.grid.addEventListener("pointerover", (event) => {
        if (event.buttons & 1 && place(event)) onDrag(place(event), false);
      });
    }
  }

  #walk(event) {
    const steps = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
    const [height, width] = [this.rows.length, this.rows[0].length];
    let [r, c] = this.at;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (steps[event.key] && !event.shiftKey && this.options.onArrow?.(event.key)) {
      event.preventDefault();
      return;
    }
    if (steps[event.key]) [r, c] = [r + steps[event.key][0], c + steps[event.key][1]];
    else if (event.key === "Home") c = 0;
    else if (event.key === "End") c = width - 1;
    else if (event.key === "PageUp") r = 0;
    else if (event.key === "PageDown") r = height - 1;
    else return;
    event.preventDefault();
    this.#moveTo([Math.max(0, Math.min(r, height - 1)), Math.max(0, Math.min(c, width - 1))], true);
  }

  #moveTo(cell, focus) {
    const before = this.cell(this.at);
    if (before) before.tabIndex = -1;
    this.at = cell;
    this.cell(cell).tabIndex = 0;
    if (focus) this.cell(cell).focus();
  }
}

/** The address of a token's sprite. */
function lookOf(game, character) {
  const name = game.names.get(character);
  return name && character !== game.empty ? `#${game.key}-${name}` : "";
}

/** A small picture of a position. */
export class Miniature {
  constructor(game, rows, label) {
    this.game = game;
    this.rows = [];
    this.node = svg(
      "svg",
      label ? { class: "mini", role: "img", "aria-label": label } : { class: "mini", "aria-hidden": "true" },
    );
    this.show(rows);
  }

  show(rows) {
    const [height, width] = [rows.length, rows[0].length];
    if (height !== this.rows.length || width !== this.rows[0]?.length) this.#build(rows, height, width);
    for (let r = 0; r < height; r++) {
      for (let c = 0; c < width; c++) {
        if (this.rows[r][c] === rows[r][c]) continue;
        this.uses[r][c].setAttribute("href", lookOf(this.game, rows[r][c]));
      }
    }
    this.rows = rows;
  }

  #build(rows, height, width) {
    // Tall and wide boards get the same square frame, so that pictures line up.
    const side = Math.max(height, width);
    const [dx, dy] = [(side - width) / 2, (side - height) / 2];
    this.node.setAttribute("viewBox", `${-dx * 100} ${-dy * 100} ${side * 100} ${side * 100}`);
    this.uses = rows.map((row, r) =>
      [...row].map((_, c) => svg("use", { x: c * 100, y: r * 100, width: 100, height: 100 })),
    );
    const ground = svg("rect", { width: width * 100, height: height * 100, class: "mini-ground" });
    ground.style.setProperty("fill", `var(--shown-${this.game.ground[0]})`);
    this.node.replaceChildren(ground, ...this.uses.flat());
    this.rows = rows.map((row) => "\0".repeat(row.length));
  }
}

/** The tokens of a game with their sprites. */
export function legend(game) {
  return el(
    "ul",
    { class: "legend" },
    game.tokens
      .filter((token) => token.character !== game.empty)
      .map((token) =>
        el(
          "li",
          {},
          svg(
            "svg",
            { viewBox: "0 0 100 100", class: "sprite", "aria-hidden": "true" },
            svg("use", { href: `#${game.key}-${token.name}` }),
          ),
          el("span", { text: thing(token.name) }),
        ),
      ),
  );
}
