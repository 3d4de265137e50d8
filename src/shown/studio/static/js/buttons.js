// The buttons of a world: a row below the board, each with its key.

import { el } from "./dom.js";
import { thing } from "./words.js";

const SIGNS = { up: "↑", down: "↓", left: "←", right: "→" };

/** The button for a key of the keyboard; undefined if there is none. */
export function buttonFor(game, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return undefined;
  return game.keys[event.key.replace(/^Arrow/, "").toLowerCase()];
}

/**
 * The game's buttons, as a list of elements. `onDown(name)`: a button goes down, and `onPress(name)` may follow;
 * `onPoint(name | null)`: the pointer or the focus enters or leaves a button; `note(name)`: a note beside its name.
 */
export function buttonRow(game, { onPress, onDown, onPoint, note }) {
  const keys = new Map(Object.entries(game.keys).map(([key, name]) => [name, SIGNS[key] ?? key]));
  return game.buttons.map((name) => {
    const more = note?.(name);
    return el(
      "button",
      {
        type: "button",
        class: "press",
        data: { button: name },
        onClick: () => onPress(name),
        onPointerdown: onDown && ((event) => event.button === 0 && onDown(name)),
        onPointerenter: onPoint && (() => onPoint(name)),
        onPointerleave: onPoint && (() => onPoint(null)),
        onFocus: onPoint && (() => onPoint(name)),
        onBlur: onPoint && (() => onPoint(null)),
      },
      keys.has(name) ? el("kbd", { "aria-hidden": "true", text: keys.get(name) }) : null,
      el("span", { text: thing(name) }),
      more ? el("span", { class: "press-note", text: more }) : null,
    );
  });
}
