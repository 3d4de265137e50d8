// Advice when it is stuck: two clicks that look alike to it, side by side, and what can be done about them.

import { post } from "./api.js";
import { Miniature } from "./board.js";
import { button, el, svg } from "./dom.js";
import { openRecording } from "./recordings.js";
import { state } from "./store.js";
import { offerUndo, teach } from "./teach.js";
import { attempt } from "./toast.js";
import { capital, same } from "./words.js";

const NEAR = 3;

/** `advice` as the server gives it; `learn(way)` learns again in another way. */
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
    advice.reading &&
      el(
        "div",
        { class: "actions" },
        button({
          id: "read-as",
          text: `Read my clicks: ${advice.reading.name}`,
          kind: "it",
          onClick: () => learn({ reading: { same: advice.reading.same, order: advice.reading.order } }),
        }),
      ),
  );
}

/** A position in small, as far as it matters: the click that was made and, framed, the one that looks like it. */
function figure(click, [demonstration, step], action, twin) {
  const { game } = state;
  const name = `Game ${demonstration + 1}, click ${step + 1}`;
  const picture = new Miniature(game, click.grid, name);
  const place = ([r, c]) => ({ x: 100 * c, y: 100 * r, width: 100, height: 100 });
  if (Array.isArray(action)) picture.node.append(svg("use", { ...place(action), href: `#${game.key}-click` }));
  if (Array.isArray(twin)) picture.node.append(svg("rect", { ...place(twin), rx: 12, class: "wrong" }));
  picture.node.setAttribute("viewBox", around([action, twin].filter(Array.isArray), click.grid).join(" "));
  const id = state.lesson.recordings.filter((card) => card.learn)[demonstration]?.id;
  return el(
    "figure",
    {},
    picture.node,
    el("figcaption", { text: name }),
    button({ text: "Look at it", kind: "small", onClick: () => attempt(() => look(id, step, twin)) }),
    button({ text: "It was a slip", kind: "small", onClick: () => attempt(() => forgive(id, step, name)) }),
  );
}

/** A square around some cells of a grid, with a few more on each side, as x, y, width and height in hundredths. */
function around(cells, rows) {
  const [height, width] = [rows.length, rows[0].length];
  const span = (k) => [Math.min(...cells.map((cell) => cell[k])), Math.max(...cells.map((cell) => cell[k]))];
  const [[top, bottom], [left, right]] = cells.length ? [span(0), span(1)] : [[0, height - 1], [0, width - 1]];
  const side = Math.min(Math.max(height, width), Math.max(bottom - top, right - left) + 1 + 2 * NEAR);
  const place = (low, high, size) => {
    const start = Math.round((low + high + 1 - side) / 2);
    return size <= side ? (size - side) / 2 : Math.max(0, Math.min(start, size - side));
  };
  return [place(left, right, width), place(top, bottom, height), side, side].map((x) => 100 * x);
}

async function look(id, step, alike) {
  openRecording(await post("recording", { game: state.game.name, id }), { step, alike });
}

/** Takes the click out; the others stay. */
async function forgive(id, step, name) {
  await teach("change-click", { id, step, action: null });
  offerUndo(`${capital(name)} taken out.`);
}
