// Helpers to build elements. Text is always set as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, props, children) {
  for (const [key, value] of Object.entries(props ?? {})) {
    if (value === undefined || value === null || value === false) continue;
    if (key === "text") node.textContent = value;
    else if (key.startsWith("on")) node.addEventListener(key.slice(2).toLowerCase(), value);
    else if (key === "style") for (const [name, x] of Object.entries(value)) node.style.setProperty(name, x);
    else if (key === "data") Object.assign(node.dataset, value);
    else node.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

/** An HTML element: `el("p", {class: "note", onClick: f}, "text", child)`. */
export function el(tag, props, ...children) {
  return fill(document.createElement(tag), props, children);
}

/** An SVG element. */
export function svg(tag, props, ...children) {
  return fill(document.createElementNS(SVG, tag), props, children);
}

export const note = (text) => el("p", { class: "note", text });

/** Properties of an element: `change(true)` when the pointer or the focus enters it, `change(false)` when it leaves. */
export function whilePointed(change) {
  const [enter, leave] = [() => change(true), () => change(false)];
  return { onPointerenter: enter, onFocus: enter, onPointerleave: leave, onBlur: leave };
}

/** A sprite of a game, by the token's name. */
export function sprite(game, name) {
  return svg(
    "svg",
    { viewBox: "0 0 100 100", "aria-hidden": "true", class: "sprite" },
    svg("use", { href: `#${game}-${name}` }),
  );
}

const ICONS = {
  undo: "M9 7L4 12l5 5M4 12h10a6 6 0 0 1 0 12h-2",
  redo: "M19 7l5 5-5 5M24 12H14a6 6 0 0 0 0 12h2",
  restart: "M7 9a9.5 9.5 0 1 1-2.4 8M7 4v5.5h5.5",
  play: "M9 5.5v17l14-8.5z",
  pause: "M9 6v16M19 6v16",
  first: "M8 6v16M22 6L12 14l10 8z",
  last: "M20 6v16M6 6l10 8-10 8z",
  back: "M17 6L8 14l9 8",
  forward: "M11 6l9 8-9 8",
  trash: "M6 8h16M11 8V5h6v3M8 8l1 15h10l1-15M12 12v7M16 12v7",
  close: "M7 7l14 14M21 7L7 21",
  check: "M5 15l6 6L23 8",
  cross: "M7 7l14 14M21 7L7 21",
  brush: "M22 5c-5 2-9 6-11 10l2.5 2.5C18 15 21 10 22 5zM10 16c-3 0-4 2-4 4 0 1.5-1 2-2 2 3 2.5 9 1 9-3.5z",
  fill: "M5 15l9-9 9 9-9 8zM9 3l5 5M24 18c1.5 2 2 3 2 4a2 2 0 0 1-4 0c0-1 .5-2 2-4",
  flipx: "M14 4v20M11 8L4 20h7zM17 8l7 12h-7z",
  flipy: "M4 14h20M8 11L20 4v7zM8 17l12 7v-7z",
  rotate: "M20 9A8.5 8.5 0 1 0 22 16M21 4v6h-6",
  plus: "M14 6v16M6 14h16",
  minus: "M6 14h16",
  sun: "M14 9.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM14 3v3M14 22v3M3 14h3M22 14h3M6.2 6.2l2 2M19.8 19.8l2 2M6.2 21.8l2-2M19.8 8.2l2-2",
  moon: "M22 17.5A9 9 0 0 1 10.5 6a9 9 0 1 0 11.5 11.5z",
  auto: "M14 4a10 10 0 1 0 0 20zM14 4a10 10 0 0 1 0 20",
  edit: "M5 23l1-5L18 6l4 4-12 12zM16 8l4 4",
  download: "M14 4v14M8 12l6 6 6-6M5 23h18",
  pin: "M10 4h8l-1 8 4 4H7l4-4zM14 16v8",
  strike: "M4 14h20M19 9c0-5-10-5-10 0 0 2 2 3.5 5 5 3 1.500 5 3 5 5 0 5-10 5-10 0",
  copy: "M10 10h12v13H10zM6 18V5h11",
};

/** A line icon. It is hidden from screen readers: its button carries the name. */
export function icon(name) {
  return svg("svg", { viewBox: "0 0 28 28", class: "glyph", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));
}

/** A button with an icon, a text, or both; `label` is its accessible name if it has no text. */
export function button({ icon: glyph, text, label, title, kind = "", onClick, disabled, id, pressed }) {
  return el(
    "button",
    {
      type: "button",
      id,
      class: `${kind}${text ? "" : " icon"}`.trim() || null,
      "aria-label": text ? null : label,
      "aria-pressed": pressed === undefined ? null : String(pressed),
      title: title ?? (text ? null : label),
      disabled,
      onClick,
    },
    glyph && icon(glyph),
    text && el("span", { text }),
  );
}

/** A dialog without content, in the page; it is also closed by a click beside it. */
export function dialog(id, kind = "") {
  const node = el("dialog", { class: `dialog ${kind}`.trim(), id, "aria-labelledby": `${id}-title` });
  document.body.append(node);
  node.addEventListener("click", (event) => event.target === node && node.close());
  return node;
}

/** The title of a dialog, and the button that closes it. */
export function dialogHead(node, title) {
  const close = button({ icon: "close", label: "Close", kind: "quiet", onClick: () => node.close() });
  return el("div", { class: "dialog-head" }, el("h2", { id: `${node.id}-title`, text: title }), close);
}

/** Replace the children of `node`. */
export function replace(node, ...children) {
  node.replaceChildren(
    ...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false),
  );
}

/** Replace the children of `node`, without touching those already in place: they need no new layout. */
export function arrange(node, children) {
  const kept = new Set(children);
  for (const child of [...node.children]) if (!kept.has(child)) child.remove();
  children.forEach((child, i) => node.children[i] !== child && node.insertBefore(child, node.children[i] ?? null));
}

export const $ = (id) => document.getElementById(id);

export const calm = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
