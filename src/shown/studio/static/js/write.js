// The form for a clause: menus for each condition (which cell, is or is not, what), joined by "and".

import { post } from "./api.js";
import { button, el, replace } from "./dom.js";
import { state } from "./store.js";
import { attempt } from "./toast.js";
import { thing } from "./words.js";

const OFF = "OFF";
const WAYS = [
  ["up", "above", -1, 0],
  ["down", "below", 1, 0],
  ["left", "left of", 0, -1],
  ["right", "right of", 0, 1],
  ["up and left", "above and left of", -1, -1],
  ["up and right", "above and right of", -1, 1],
  ["down and left", "below and left of", 1, -1],
  ["down and right", "below and right of", 1, 1],
];
const MAX_CONDITIONS = 8;
const DELAY = 150; // milliseconds before the preview is asked for
const CLICK = "click";
const BOARD = "board";
const ACTION = "action";

const LABELS = {
  place: "Where",
  subject: "Relative to",
  holds: "Holds",
  value: "What",
  before: "Before what",
  pressed: "Which button",
};

const article = (name) => (name === "empty" ? "empty" : `${/^[aeiou]/.test(name) ? "an" : "a"} ${thing(name)}`);
const is = (value) => `cell_is_value(${value})`;

function menu(label, options, chosen, onChange) {
  const select = el(
    "select",
    { "aria-label": label },
    options.map(([value, text]) => el("option", { value, text })),
  );
  select.value = chosen;
  select.addEventListener("change", () => onChange(select.value));
  return select;
}

/** The places that a condition can examine: a cell, a line of cells, the whole board, or the button pressed. */
function places({ buttons }) {
  return [
    ...(buttons.length ? [[ACTION, "the button"]] : []),
    ["here 0 0", "the cell at"],
    ...WAYS.map(([, beside, r, c]) => [`here ${r} ${c}`, `the cell ${beside}`]),
    ...WAYS.map(([way, , r, c]) => [`walk ${r} ${c}`, `going ${way} from`]),
    [BOARD, "the board"],
  ];
}

/** The cells that places are relative to: the clicked one, or the first with a token. */
function subjects({ tokens, buttons }) {
  const things = tokens.map(({ name }) => [`at ${name}`, `the first ${thing(name)}`]);
  return buttons.length ? things : [[CLICK, "the clicked cell"], ...things];
}

/** The program for the menus of one line. */
function program({ subject, place, value, before, pressed }) {
  if (place === ACTION) return `action_is(${pressed})`;
  if (place === BOARD) return `at_cell_with_value(${value}, ${is(value)})`;
  const [kind, r, c] = place.split(" ");
  const offset = `(${r}, ${c})`;
  const condition =
    kind === "walk"
      ? `scanning(${offset}, ${is(value)}, ${is(before)})`
      : r === "0" && c === "0"
        ? is(value)
        : `shifted(${offset}, ${is(value)})`;
  return subject === CLICK ? `at_action_cell(${condition})` : `at_cell_with_value(${subject.slice(3)}, ${condition})`;
}

const clauseOf = (lines) => lines.map((line) => (line.holds ? "" : "not ") + program(line)).join(" and ");

/** The form; `keep(rule)` saves the clause, `close()` cancels. */
export function writer({ keep, close }) {
  const { game } = state;
  const values = game.tokens.map(({ name }) => [name, article(name)]);
  const fresh = () => ({
    subject: subjects(game)[0][0],
    place: places(game)[0][0],
    holds: true,
    value: game.tokens[0].name,
    before: OFF,
    pressed: game.buttons[0],
  });
  const lines = [fresh()];
  const box = el("div", { class: "writer-lines" });
  const preview = el("p", { class: "writer-said", id: "writer-said", "aria-live": "polite" });
  const lead = game.buttons.length ? "Take the action" : "Click a cell";
  let timer = 0;

  /** Show the clause in the English of the rules. */
  function showPreview() {
    clearTimeout(timer);
    timer = setTimeout(async () => {
      const answer = await post("phrase", { game: game.name, rule: clauseOf(lines) }).catch((error) => ({ error }));
      preview.textContent = answer.words ? `${lead} if ${answer.words.join(", and ")}.` : answer.error.message;
    }, DELAY);
  }

  function lineOf(line, i) {
    const set = (key) => (value) => {
      line[key] = key === "holds" ? value === "yes" : value;
      if (line.place === BOARD && line.value === OFF) line.value = game.tokens[0].name;
      draw([i, key]);
    };
    const { place } = line;
    const walking = place.startsWith("walk");
    const verbs = place === BOARD ? ["has", "has no"] : walking ? ["there is", "there is no"] : ["is", "is not"];
    const edge = [OFF, "the edge"];
    const what = [...values, ...(place === BOARD ? [] : walking ? [edge] : [[OFF, "off the board"]])];
    const pressed = game.buttons.map((name) => [name, name]);
    return el(
      "div",
      { class: "writer-line", data: { line: i } },
      el("span", { class: "writer-and", text: i ? "and" : "if" }),
      menu(LABELS.place, places(game), place, set("place")),
      place === BOARD || place === ACTION ? null : menu(LABELS.subject, subjects(game), line.subject, set("subject")),
      menu(LABELS.holds, verbs.map((verb, no) => [no ? "no" : "yes", verb]), line.holds ? "yes" : "no", set("holds")),
      place === ACTION
        ? menu(LABELS.pressed, pressed, line.pressed, set("pressed"))
        : menu(LABELS.value, what, line.value, set("value")),
      walking
        ? [el("span", { text: "before" }), menu(LABELS.before, [...values, edge], line.before, set("before"))]
        : null,
      lines.length > 1
        ? button({
            icon: "close",
            label: `Remove condition ${i + 1}`,
            kind: "quiet small",
            onClick: () => {
              lines.splice(i, 1);
              draw();
            },
          })
        : null,
    );
  }

  function draw(at = null) {
    replace(box, lines.map(lineOf));
    more.disabled = lines.length >= MAX_CONDITIONS;
    showPreview();
    if (at) focusAgain(...at);
  }

  /** Focus the same menu again, after it was drawn again. */
  function focusAgain(i, key) {
    box.querySelector(`[data-line="${i}"] select[aria-label="${LABELS[key]}"]`)?.focus();
  }

  const more = button({
    id: "writer-and",
    icon: "plus",
    text: "and",
    onClick: () => {
      lines.push(fresh());
      draw([lines.length - 1, "place"]);
    },
  });
  const node = el(
    "div",
    { class: "writer-form", role: "group", "aria-label": "Write a clause" },
    box,
    preview,
    el(
      "div",
      { class: "actions" },
      more,
      el("span", { class: "gap" }),
      button({ text: "Cancel", kind: "quiet", onClick: close }),
      button({
        id: "writer-keep",
        icon: "pin",
        text: "Keep this clause",
        kind: "you",
        onClick: () => attempt(() => keep(clauseOf(lines))),
      }),
    ),
  );
  draw();
  return node;
}
