// The 3-D view: the same cells seen from a corner, with blocks on them.
//
// The style sheet (voxel.css) tilts the board itself, so that mouse, keyboard and screen readers work as on the flat one.
// This module makes the drawings: one symbol for each look of a token, in which 0, 0 is the middle of the cell, its
// corners are at ±100, 0 and 0, ±66, and a cell is 100 high. No drawing hides the middle of another cell: people click
// there.

import { $, button, svg } from "./dom.js";
import { on, recall, remember } from "./store.js";

const STORED = "shown-depth";
const VIEW = "-120 -160 240 240";
const TILT = 0.66; // height of a cell relative to its width, as in voxel.css
const SIDES = { n: [-1, 0], w: [0, -1], s: [1, 0], e: [0, 1] };

/** The look of each token: built from boxes, a block with its picture on all sides, upright, or flat on the ground. */
const LOOKS = {
  fence: { joins: true, draw: fence },
  sheep: { draw: sheep },
  wall: { draw: (game, name) => block(game, name, 0.5) },
  new_wall: { draw: (game, name) => block(game, name, 0.4) },
  agent: { draw: upright },
  rabbit: { draw: upright },
  up_arrow: { draw: flat },
  down_arrow: { draw: flat },
  left_arrow: { draw: flat },
  right_arrow: { draw: flat },
};

let wanted = recall(STORED) === "true";

/** Whether a game has a 3-D view: every token has a look. */
const canBeDeep = (game) => {
  const names = game.tokens.filter(({ character }) => character !== game.empty).map(({ name }) => name);
  return !game.buttons?.length && names.length > 0 && names.every((name) => LOOKS[name]);
};

/** Whether boards of this game are shown in 3-D now. */
export const inDepth = (game) => wanted && canBeDeep(game);

/** The symbol for a cell in 3-D. */
export function lookOf(game, rows, [r, c]) {
  const name = game.names.get(rows[r][c]);
  const look = rows[r][c] === game.empty ? null : LOOKS[name];
  if (!look) return "";
  const joins = look.joins
    ? Object.keys(SIDES).filter((side) => rows[r + SIDES[side][0]]?.[c + SIDES[side][1]] === rows[r][c])
    : [];
  const id = ["deep", game.key, name, ...joins].join("-");
  if (!$(id)) looks().append(svg("symbol", { id, viewBox: VIEW }, look.draw(game, name, joins)));
  return `#${id}`;
}

/** The button that switches all boards; hidden for games without a 3-D view. */
export function depthButton() {
  const node = button({
    id: "depth",
    text: "3-D view",
    kind: "quiet",
    title: "Show the board from a corner, in 3-D",
    pressed: wanted,
    onClick: () => turn(node),
  });
  on("game", (game) => (node.hidden = !canBeDeep(game)));
  return node;
}

/** Switch to the 3-D view. */
export function showDepth() {
  if (!wanted) turn($("depth"));
}

function turn(node) {
  wanted = !wanted;
  node.setAttribute("aria-pressed", String(wanted));
  remember(STORED, String(wanted));
  for (const frame of document.querySelectorAll(".board")) frame.board_.redraw();
}

function looks() {
  if (!$("deep-looks")) {
    document.body.append(svg("svg", { id: "deep-looks", width: 0, height: 0, "aria-hidden": "true" }));
  }
  return $("deep-looks");
}

/** The screen position of a point in a cell: u to the east and v to the south of its middle, z above the ground. */
const point = (u, v, z) => `${(100 * (u - v)).toFixed(1)},${(100 * TILT * (u + v) - 100 * z).toFixed(1)}`;

/** A box between two opposite corners; three of its sides are visible. */
function box([u, v, z], [U, V, Z], stuff) {
  const side = (kind, points) => svg("polygon", { points: points.join(" "), class: `deep-${stuff} ${kind}` });
  return [
    side("left", [point(u, V, z), point(U, V, z), point(U, V, Z), point(u, V, Z)]),
    side("right", [point(U, v, z), point(U, V, z), point(U, V, Z), point(U, v, Z)]),
    side("top", [point(u, v, Z), point(U, v, Z), point(U, V, Z), point(u, V, Z)]),
  ];
}

/** A post, with two rails to each neighboring post: those behind the post first. */
function fence(game, name, joins) {
  const rails = (side) => {
    if (!joins.includes(side)) return [];
    const [dv, du] = SIDES[side];
    const ends = [Math.min(0, du / 2), Math.max(0, du / 2), Math.min(0, dv / 2), Math.max(0, dv / 2)];
    const [u, U, v, V] = ends.map((x, i) => x || (i % 2 ? 0.06 : -0.06));
    return [0.25, 0.6].map((z) => box([u, v, z], [U, V, z + 0.16], "wood"));
  };
  return [rails("n"), rails("w"), box([-0.14, -0.14, 0], [0.14, 0.14, 0.95], "wood"), rails("e"), rails("s")].flat(3);
}

function sheep() {
  const leg = (u, v) => box([u - 0.08, v - 0.08, 0], [u + 0.08, v + 0.08, 0.2], "dark");
  const eye = (u) => box([u, 0.52, 0.54], [u + 0.09, 0.52, 0.62], "eye");
  return [
    leg(-0.2, -0.34),
    leg(0.2, -0.34),
    leg(-0.2, 0.14),
    leg(0.2, 0.14),
    box([-0.32, -0.48, 0.17], [0.32, 0.26, 0.68], "wool"),
    box([-0.19, 0.18, 0.38], [0.19, 0.52, 0.72], "dark"),
    box([-0.2, 0.16, 0.72], [0.2, 0.4, 0.82], "wool"),
    eye(-0.15),
    eye(0.06),
  ].flat(2);
}

/** The flat picture of a token on a side of a block. */
function picture(game, name, matrix, kind = "") {
  return svg(
    "g",
    { transform: `matrix(${matrix.join(" ")})` },
    svg("use", { href: `#${game.key}-${name}`, width: 100, height: 100 }),
    kind && svg("rect", { width: 100, height: 100, class: `deep-shade ${kind}` }),
  );
}

function block(game, name, high) {
  const z = 100 * high;
  return [
    picture(game, name, [1, TILT, 0, high, -100, -z], "left"),
    picture(game, name, [1, -TILT, 0, high, 0, 100 * TILT - z], "right"),
    picture(game, name, [1, TILT, -1, TILT, 0, -100 * TILT - z]),
  ];
}

function upright(game, name) {
  return svg("use", { href: `#${game.key}-${name}`, x: -65, y: -105, width: 130, height: 130 });
}

function flat(game, name) {
  return picture(game, name, [1, TILT, -1, TILT, 0, -100 * TILT]);
}
