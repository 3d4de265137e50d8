// Advice when it is stuck: two clicks that look alike to it, side by side, and what can be done about them.

import { post } from "./api.js";
import { Miniature } from "./board.js";
import { button, el, svg } from "./dom.js";
import { openRecording } from "./recordings.js";
import { state } from "./store.js";
import { offerUndo, teach } from "./teach.js";
import { attempt } from "./toast.js";
import { capital, same } from "./words.js";

/** `advice` as the server gives it; `learn(way)` learns again in another way. */
export function showAdvice(advice, learn) {
  const { here, there, twin, places } = advice;
  const one = same(places[0], places[1]);
  const figures = one
    ? [figure(here, places[0], here.action, twin)]
    : [figure(here, places[0], here.action, null), figure(there, places[1], there.action, twin)];
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

/** A position in small, with the click that was made and, framed, the one that looks like it. */
function figure(click, [demonstration, step], action, twin) {
  const { game } = state;
  const name = `Game ${demonstration + 1}, click ${step + 1}`;
  const picture = new Miniature(game, click.grid, name);
  const place = ([r, c]) => ({ x: 100 * c, y: 100 * r, width: 100, height: 100 });
  if (Array.isArray(action)) picture.node.append(svg("use", { ...place(action), href: `#${game.name}-click` }));
  if (Array.isArray(twin)) picture.node.append(svg("rect", { ...place(twin), rx: 12, class: "wrong" }));
  const id = state.lesson.recordings.filter((card) => card.learn)[demonstration]?.id;
  return el(
    "figure",
    {},
    picture.node,
    el("figcaption", { text: name }),
    button({ text: "Look at it", kind: "quiet small", onClick: () => attempt(() => look(id, step, twin)) }),
    button({ text: "It was a slip", kind: "quiet small", onClick: () => attempt(() => forgive(id, step, name)) }),
  );
}

async function look(id, step, alike) {
  openRecording(await post("recording", { game: state.game.name, id }), { step, alike });
}

/** Takes the click out; the others stay. */
async function forgive(id, step, name) {
  await teach("change-click", { id, step, action: null });
  offerUndo(`${capital(name)} taken out.`);
}
