// How things are said on the page.

import { state } from "./store.js";

/** "train:3" as people say it. */
export function levelTitle(name) {
  if (!name) return "A position";
  const [kind, number] = name.split(":");
  if (kind === "train") return `Lesson ${state.game.lessons.findIndex((level) => level.name === name) + 1}`;
  if (kind === "test") return `New level ${Number(number) + 1}`;
  if (kind === "painted") return `Painted level ${number}`;
  if (kind === "random") return `Random level ${number}`;
  if (kind === "seed") return `Seed ${number}`;
  return "A position";
}

export const thing = (name) => name.replaceAll("_", " ");

/** The name of a cell for those who do not see it. Rows and columns count from 1. */
export function cellName(game, rows, [r, c]) {
  const token = game.names.get(rows[r][c]);
  return `row ${r + 1}, column ${c + 1}, ${token ? thing(token) : "unknown"}`;
}

export function actionName(game, rows, action) {
  if (typeof action === "string") return thing(action);
  const token = game.names.get(rows[action[0]]?.[action[1]]);
  return `row ${action[0] + 1}, column ${action[1] + 1}${token ? ` (${thing(token)})` : ""}`;
}

export const plural = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;

/** What one does in the game that is open: click cells, or press buttons. */
export const hand = () =>
  state.game?.buttons.length
    ? { move: "step", does: "presses", do: "press", cell: "button" }
    : { move: "click", does: "clicks", do: "click", cell: "cell" };

/** "3 clicks", or "3 steps" where there are buttons. */
export const moves = (n) => plural(n, hand().move);

export function percent(p) {
  if (p > 0.995 && p < 1) return "> 99 %";
  if (p > 0 && p < 0.005) return "< 1 %";
  return `${Math.round(p * 100)} %`;
}

/** A share of levels as people count them: "7 of 12". */
export const dozen = (share) => `${Math.round(12 * share)} of 12`;

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export const same = (a, b) => (Array.isArray(a) && Array.isArray(b) ? a[0] === b[0] && a[1] === b[1] : a === b);
