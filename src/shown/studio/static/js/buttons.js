// Worlds with buttons: a row of them below the board, each with the key that presses it.

import { el } from "./dom.js";
import { thing } from "./words.js";

const SIGNS = { up: "↑", down: "↓", left: "←", right: "→" };

/** The button that a key of the keyboard presses in this game; undefined if it presses none. */
export function buttonFor(game, event) {
  if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return undefined;
  return game.keys[event.key.replace(/^Arrow/, "").toLowerCase()];
}

/**
 * The game's buttons, as a list of elements. `onDown(name)`: one goes down, `onPress(name)` follows or not;
 * `onPoint(name | null)`: the pointer or the focus is on one, or has left it; `note(name)`: what else to say of one.
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
