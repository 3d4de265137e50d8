// The words for levels, cells, actions, numbers and the progress of learning.

import { state } from "./store.js";

/** The state of learning, as the pill shows it. */
export const STATES = {
  idle: "",
  waiting: "starting",
  running: "learning",
  done: "done",
  stopped: "stopped",
  failed: "no rule fits",
  broken: "failed",
};

/** What is happening in each phase of learning. */
export const PHASES = {
  starting: "Starting",
  corrected: "Amending the rule",
  fitting: "Comparing interpretations of your clicks",
  practicing: "Practicing on generated levels",
  distilling: "Looking for one rule that plays as well",
};

/** The vocabularies that rules may use. */
export const VOCABULARIES = { paper: "paper", standard: "standard library", walking: "walking" };

/** The name of a level, such as "train:3". */
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

/** The accessible name of a cell. Rows and columns count from 1. */
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

/** The words for an action in the open game: a click on a cell, or a press of a button. */
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

/** A share of levels out of twelve: "7 of 12". */
export const dozen = (share) => `${Math.round(12 * share)} of 12`;

/** An expected number of wins with its uncertainty: "12 of 12", "11 or 12 of 12", "8 to 10 of 12". */
export function expectedWins({ won, of, more_or_less: spread }) {
  const [low, high] = [Math.max(0, won - spread), Math.min(of, won + spread)];
  if (low === high) return `${won} of ${of}`;
  return `${low} ${high - low === 1 ? "or" : "to"} ${high} of ${of}`;
}

export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export const same = (a, b) => (Array.isArray(a) && Array.isArray(b) ? a[0] === b[0] && a[1] === b[1] : a === b);
