// Edits of a painted level: pure functions from rows to rows. null means that the edit is impossible.

const MAX_SIDE = 32;

export function paint(rows, [r, c], character) {
  return rows.map((row, i) => (i === r ? row.slice(0, c) + character + row.slice(c + 1) : row));
}

/** Fill the area of equal cells around a cell, across edges but not corners. */
export function flood(rows, [r, c], character) {
  const old = rows[r][c];
  if (old === character) return rows;
  const cells = rows.map((row) => [...row]);
  const stack = [[r, c]];
  while (stack.length) {
    const [i, j] = stack.pop();
    if (cells[i]?.[j] !== old) continue;
    cells[i][j] = character;
    stack.push([i - 1, j], [i + 1, j], [i, j - 1], [i, j + 1]);
  }
  return cells.map((row) => row.join(""));
}

export const flipX = (rows) => rows.map((row) => [...row].reverse().join(""));

export const flipY = (rows) => [...rows].reverse();

export const rotate = (rows) =>
  [...rows[0]].map((_, c) =>
    rows
      .map((row) => row[c])
      .reverse()
      .join(""),
  );

export function grow(rows, side, character) {
  const width = rows[0].length;
  if ((side === "top" || side === "bottom" ? rows.length : width) >= MAX_SIDE) return null;
  const line = character.repeat(width);
  if (side === "top") return [line, ...rows];
  if (side === "bottom") return [...rows, line];
  return rows.map((row) => (side === "left" ? character + row : row + character));
}

export function shrink(rows, side) {
  if ((side === "top" || side === "bottom" ? rows.length : rows[0].length) <= 1) return null;
  if (side === "top") return rows.slice(1);
  if (side === "bottom") return rows.slice(0, -1);
  return rows.map((row) => (side === "left" ? row.slice(1) : row.slice(0, -1)));
}
