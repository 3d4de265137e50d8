// Marks over a board: chances, the click, the cells that a condition examines, the paths of scans.

import { svg } from "./dom.js";

const center = ([r, c]) => [100 * c + 50, 100 * r + 50];

/** The place of a mark. A cell off the grid is marked by a small stub at the edge. */
function box([r, c], height, width) {
  const inside = r >= 0 && c >= 0 && r < height && c < width;
  if (inside) return { x: 100 * c + 6, y: 100 * r + 6, width: 88, height: 88, inside };
  const stub = 34;
  const clamp = (value, low, high) => Math.max(low, Math.min(value, high));
  const x = c < 0 ? -stub - 4 : c >= width ? 100 * width + 4 : 100 * c + 6;
  const y = r < 0 ? -stub - 4 : r >= height ? 100 * height + 4 : 100 * r + 6;
  return {
    x: clamp(x, -stub - 4, 100 * width + 4),
    y: clamp(y, -stub - 4, 100 * height + 4),
    width: c < 0 || c >= width ? stub : 88,
    height: r < 0 || r >= height ? stub : 88,
    inside,
  };
}

function clampPoint([x, y], height, width) {
  return [Math.max(-22, Math.min(x, 100 * width + 22)), Math.max(-22, Math.min(y, 100 * height + 22))];
}

function tint([r, c, p]) {
  return svg("rect", {
    x: 100 * c,
    y: 100 * r,
    width: 100,
    height: 100,
    class: "heat-tint",
    "fill-opacity": (0.68 * Math.sqrt(p)).toFixed(3),
  });
}

/** The chance in percent, because shades alone are hard to compare. */
function chance([r, c, p]) {
  const percent = Math.round(p * 100);
  if (percent < 3) return null;
  const width = 14 + 15 * String(percent).length;
  return svg(
    "g",
    { transform: `translate(${100 * c} ${100 * r})` },
    svg("rect", { x: 3, y: 3, width, height: 31, rx: 8, class: "heat-plate" }),
    svg("text", { x: 3 + width / 2, y: 27, class: "heat-text", text: String(percent) }),
  );
}

function path(cells, height, width) {
  const points = cells.map((cell) => clampPoint(center(cell), height, width));
  if (points.length < 2) return null;
  const d = points.map(([x, y], i) => `${i ? "L" : "M"}${x} ${y}`).join("");
  const [[ax, ay], [bx, by]] = points.slice(-2);
  const length = Math.hypot(bx - ax, by - ay) || 1;
  const [dx, dy] = [(bx - ax) / length, (by - ay) / length];
  const head = `M${bx - 22 * dx - 15 * dy} ${by - 22 * dy + 15 * dx}L${bx} ${by}L${bx - 22 * dx + 15 * dy} ${by - 22 * dy - 15 * dx}`;
  return svg(
    "g",
    { class: "scan" },
    svg("path", { d: d + head, class: "scan-halo" }),
    svg("path", { d: d + head, class: "scan-line" }),
    svg("circle", { cx: points[0][0], cy: points[0][1], r: 10, class: "scan-dot" }),
  );
}

/**
 * Draw on a board's overlay.
 * @param marks {heat: [[r, c, p]], click: cell, ghost: cell, look: [cells], paths: [[cells]], lit: [cells], wrong: cell}
 */
export function draw(board, marks = {}) {
  const [height, width] = [board.rows.length, board.rows[0]?.length ?? 0];
  const parts = [];
  const near = ([r, c]) => r >= -1 && c >= -1 && r <= height && c <= width;
  for (const item of marks.heat ?? []) parts.push(tint(item));
  for (const cell of (marks.lit ?? []).filter(Array.isArray)) {
    parts.push(svg("rect", { ...rounded(box(cell, height, width)), class: "lit" }));
  }
  const looked = new Map((marks.look ?? []).filter(near).map((cell) => [cell.join(), cell]));
  for (const cell of looked.values()) {
    const { inside, ...place } = box(cell, height, width);
    parts.push(
      svg("rect", { ...rounded(place), class: "look-halo" }),
      svg("rect", { ...rounded(place), class: inside ? "look" : "look off" }),
    );
  }
  for (const cells of marks.paths ?? []) {
    const shape = path(cells, height, width);
    if (shape) parts.push(shape);
  }
  if (Array.isArray(marks.ghost)) parts.push(use(board, marks.ghost, "ghost"));
  if (Array.isArray(marks.click)) parts.push(use(board, marks.click, "pressed"));
  if (Array.isArray(marks.wrong)) {
    parts.push(svg("rect", { ...rounded(box(marks.wrong, height, width)), class: "wrong" }));
  }
  for (const item of marks.heat ?? []) parts.push(chance(item));
  board.overlay.replaceChildren(...parts.filter(Boolean));
}

function rounded({ x, y, width, height }) {
  return { x, y, width, height, rx: 12 };
}

function use(board, [r, c], kind) {
  return svg("use", {
    href: `#${board.game.key}-click`,
    x: 100 * c,
    y: 100 * r,
    width: 100,
    height: 100,
    class: kind,
  });
}
