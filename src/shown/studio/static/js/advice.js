// Advice when no program distinguishes two clicks: both positions side by side, and what to do about them.

import { Miniature } from "./board.js";
import { button, el, svg } from "./dom.js";
import { showRecording } from "./recordings.js";
import { state } from "./store.js";
import { offerUndo, teach } from "./teach.js";
import { attempt } from "./toast.js";
import { capital, same } from "./words.js";

const MARGIN = 3; // cells shown around the two

/** Show the server's advice; `learn(way)` learns again with another option. */
export function showAdvice(advice, learn) {
  const { here, there, twin, places } = advice;
  const one = same(places[0], places[1]);
  const figures = one
    ? [figure(here, places[0], here.action, twin)]
    : [figure(here, places[0], here.action, null), figure(there, places[1], there.action, twin)];
  const [[d, s], [e, t]] = places;
  if (d > e || (d === e && s > t)) figures.reverse();
  return el(
    "div",
    { class: "advice", id: "advice" },
    advice.problem.map((text) => el("p", { text })),
    el("div", { class: "pair" }, figures),
    el(
      "ul",
      { class: "remedies" },
      advice.remedies.map((text) => el("li", { text })),
    ),
    advice.interpretation &&
      el(
        "div",
        { class: "actions" },
        button({
          id: "read-as",
          text: `Interpret as: ${advice.interpretation.name}`,
          kind: "it",
          onClick: () => learn({ interpretation: { clicks: advice.interpretation.clicks, order: advice.interpretation.order } }),
        }),
      ),
  );
}

/** The relevant part of a position: the demonstrated click and, framed, the one that looks identical. */
function figure(click, [demonstration, step], action, twin) {
  const { game } = state;
  const name = `game ${demonstration + 1}, click ${step + 1}`;
  const id = recordingId(demonstration);
  return el(
    "figure",
    {},
    closeUp(click.grid, action, capital(name), { twin }),
    el("figcaption", { text: capital(name) }),
    button({ text: "Show", kind: "small", onClick: () => attempt(() => showRecording(id, { step, alike: twin })) }),
    button({ text: "Leave out this click", kind: "small", onClick: () => attempt(() => remove(game.name, id, step, name)) }),
  );
}

/** The id of a demonstration by its number among those learned from. */
export const recordingId = (number) => state.lesson.recordings.filter((card) => card.learn)[number]?.id;

/** A picture of the part of a position around an action and, framed, a cell that looks identical to its cell. */
export function closeUp(rows, action, label, { twin = null, margin = MARGIN } = {}) {
  const { game } = state;
  const { node } = new Miniature(game, rows, label);
  const place = ([r, c]) => ({ x: 100 * c, y: 100 * r, width: 100, height: 100 });
  if (Array.isArray(action)) node.append(svg("use", { ...place(action), href: `#${game.key}-click` }));
  if (Array.isArray(twin)) node.append(svg("rect", { ...place(twin), rx: 12, class: "wrong" }));
  node.setAttribute("viewBox", around([action, twin].filter(Array.isArray), rows, margin).join(" "));
  return node;
}

/** A square around some cells of a grid, with a margin, as x, y, width and height in hundredths of a cell. */
function around(cells, rows, margin) {
  const [height, width] = [rows.length, rows[0].length];
  const span = (k) => [Math.min(...cells.map((cell) => cell[k])), Math.max(...cells.map((cell) => cell[k]))];
  const [[top, bottom], [left, right]] = cells.length ? [span(0), span(1)] : [[0, height - 1], [0, width - 1]];
  const side = Math.min(Math.max(height, width), Math.max(bottom - top, right - left) + 1 + 2 * margin);
  const place = (low, high, size) => {
    const start = Math.round((low + high + 1 - side) / 2);
    return size <= side ? (size - side) / 2 : Math.max(0, Math.min(start, size - side));
  };
  return [place(left, right, width), place(top, bottom, height), side, side].map((x) => 100 * x);
}

/** Leave the click out of the demonstration; the others stay. */
async function remove(game, id, step, name) {
  const { lesson } = await teach("change-click", { id, step, action: null }, game);
  offerUndo(`Left out: ${name}. The other clicks stay.`, lesson);
}
