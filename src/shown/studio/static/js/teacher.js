// The teacher's page: every pupil's board and score, the settings of the class, and what can be done about a pupil.

import { Locked, downloadFrom, postTo, readJson, takeSecretFromAddress } from "./api.js";
import { Miniature, prepare } from "./board.js";
import { showCompare, showSheet } from "./class-rules.js";
import { $, arrange, button, el, replace, showAddress } from "./dom.js";
import { attempt, toast } from "./toast.js";
import { STATES, plural } from "./words.js";

const BEAT = 1500; // milliseconds between two looks at the class

const room = { games: new Map(), pupils: [], settings: null, settled: 0 };
const tiles = new Map();

const teach = (name, body) => postTo(`/class/${name}`, body);

async function start() {
  takeSecretFromAddress();
  addEventListener("hashchange", () => location.hash.includes("secret=") && location.reload());
  await look();
  initTools();
  document.documentElement.dataset.ready = "true";
  follow();
}

async function follow() {
  for (;;) {
    await new Promise((done) => setTimeout(done, BEAT));
    if (document.hidden) continue;
    try {
      await look();
      problem(null);
    } catch (error) {
      problem(error instanceof Locked ? LOCKED : "The studio doesn't answer. Everything is saved; start it again.");
    }
  }
}

const LOCKED = "Open this page with the teacher's link that `shown studio --class` printed.";

function problem(text) {
  $("banner").hidden = text === null;
  if ($("banner").textContent !== (text ?? "")) $("banner").textContent = text ?? "";
}

async function look() {
  const { settled } = room;
  const { address, code, games, pupils, ...seen } = await teach("wall");
  const settings = settled === room.settled ? seen.settings : room.settings; // an answer may be older than a change
  if (!room.games.size) for (const game of games) room.games.set(game.name, prepare(game));
  const changed = JSON.stringify(settings) !== JSON.stringify(room.settings);
  Object.assign(room, { address: address || location.origin, pupils, settings });
  if (!$("how-to-join").childElementCount)
    replace($("how-to-join"), "Open ", el("strong", { text: room.address }), " and type the code ", el("strong", { class: "class-code", text: code }));
  if (changed) showSettings();
  showWall();
}

// --- settings --------------------------------------------------------------------------------------------------------

function showSettings() {
  const { paused, joining, hints, locked } = room.settings;
  const settle = (change) => attempt(async () => {
    room.settings = (await teach("settle", change)).settings;
    room.settled++;
    showSettings();
  });
  const check = (id, text, checked, onChange) => {
    const box = el("input", { type: "checkbox", id, checked });
    box.addEventListener("change", () => onChange(box.checked));
    return el("label", { class: "check", for: id }, box, el("span", { text }));
  };
  const focused = document.activeElement?.id;
  replace(
    $("rules-of-class"),
    button({
      id: "pause",
      text: paused ? "Let everyone go on" : "Pause everyone",
      kind: paused ? "you" : "it",
      onClick: () => settle({ paused: !paused }),
    }),
    check("joining", "Pupils can join", joining, (on) => settle({ joining: on })),
    check("hints", "Hint and Expert", hints, (on) => settle({ hints: on })),
    el(
      "fieldset",
      { class: "locks" },
      el("legend", { text: "Games" }),
      [...room.games.values()].map((game) =>
        check(`open-${game.key}`, game.title, !locked.includes(game.name), (open) =>
          settle({ locked: open ? locked.filter((name) => name !== game.name) : [...locked, game.name] }),
        ),
      ),
    ),
  );
  if (focused) $(focused)?.focus();
}

function initTools() {
  const input = el("input", { type: "file", accept: ".json,application/json", id: "give", class: "sr-only", tabindex: -1, "aria-label": "Lesson file" });
  input.addEventListener("change", () => attempt(() => give(input)));
  replace(
    $("class-tools"),
    button({ id: "open-compare", text: "Compare", kind: "quiet", onClick: () => showCompare(room, teach) }),
    button({ id: "open-sheet", text: "Sheet", kind: "quiet", onClick: () => showSheet(room, teach) }),
    button({ id: "open-give", text: "Give a lesson", kind: "quiet", onClick: () => input.click() }),
    button({ id: "save-class", text: "Save the class", kind: "quiet", onClick: () => attempt(() => downloadFrom("/class/file")) }),
    input,
  );
}

async function give(input) {
  const [file] = input.files;
  if (!file) return;
  input.value = "";
  const content = await readJson(file);
  const { title, given, failed } = await teach("give", { content });
  toast(`Gave the lesson of ${title} to ${plural(given, "pupil")}. ${failed.join(" ")}`, { kind: failed.length ? "bad" : "" });
}

// --- the wall --------------------------------------------------------------------------------------------------------

function showWall() {
  const kept = new Set(room.pupils.map(({ id }) => id));
  for (const id of tiles.keys()) if (!kept.has(id)) tiles.delete(id);
  const done = room.pupils.filter(perfect).length;
  $("wall-title").textContent = room.pupils.length
    ? `${plural(room.pupils.length, "pupil")}, ${done} with 12 of 12`
    : "No pupil has joined yet.";
  arrange(
    $("wall"),
    room.pupils.map((pupil) => {
      if (!tiles.has(pupil.id)) tiles.set(pupil.id, newTile(pupil));
      const tile = tiles.get(pupil.id);
      showTile(tile, pupil);
      return tile.node;
    }),
  );
}

const perfect = ({ expected }) => Boolean(expected) && expected.won === expected.of;

function newTile({ id, name }) {
  const now = () => room.pupils.find((pupil) => pupil.id === id);
  const visit = (key) => open(`/#secret=${now()[key]}`, "_blank", "noopener");
  const parts = {
    picture: el("div", { class: "pupil-board" }),
    score: el("p", { class: "pupil-score" }),
    about: el("p", { class: "note" }),
    stuck: el("p", { class: "pupil-stuck" }),
    reset: button({ text: "Reset", kind: "quiet small", onClick: () => reset(now()) }),
  };
  const named = (node, label) => {
    node.setAttribute("aria-label", label);
    return node;
  };
  parts.node = el(
    "li",
    { class: "card pupil", id: `pupil-${id}` },
    el("h3", { text: name }),
    parts.picture,
    parts.score,
    parts.about,
    parts.stuck,
    el(
      "div",
      { class: "actions" },
      named(button({ text: "Look", kind: "small", onClick: () => visit("view") }), `Look at the workspace of ${name}`),
      named(button({ text: "Help", kind: "small", onClick: () => visit("help") }), `Help ${name}`),
      el(
        "details",
        { class: "pupil-more" },
        el("summary", { text: "More" }),
        named(parts.reset, `Reset the game of ${name}`),
        named(button({ text: "Link", kind: "quiet small", onClick: () => showLink(now()) }), `Show the link of ${name}`),
        named(button({ text: "Remove", kind: "quiet small", onClick: () => remove(now()) }), `Remove ${name}`),
      ),
    ),
  );
  return parts;
}

function showTile(tile, pupil) {
  const game = room.games.get(pupil.game);
  if (game && pupil.rows) {
    if (tile.game !== game) {
      tile.game = game;
      tile.mini = new Miniature(game, pupil.rows, `The board of ${pupil.name}, ${game.title}`);
      replace(tile.picture, tile.mini.node);
    } else tile.mini.show(pupil.rows);
  }
  const { expected, games = 0, corrections = 0 } = pupil;
  const text = (node, words) => node.textContent !== words && (node.textContent = words);
  text(tile.score, expected ? `${expected.won} of ${expected.of}` : game ? "No score yet" : "Nothing played yet");
  tile.score.classList.toggle("good", perfect(pupil));
  const state = pupil.state === "waiting" ? "waiting" : STATES[pupil.state];
  const learning = state ? `, ${state}` : "";
  const more = corrections ? ` and ${plural(corrections, "correction")}` : "";
  text(tile.about, game ? `${game.title}: ${plural(games, "game")}${more}${learning}${pupil.here ? "" : ", page closed"}` : "");
  text(tile.stuck, pupil.stuck ?? "");
  tile.node.classList.toggle("needs-help", Boolean(pupil.stuck));
  tile.reset.disabled = !game;
}

function reset({ id, name, game }) {
  if (!confirm(`Start ${room.games.get(game).title} of ${name} over? ${name} can undo that.`)) return;
  attempt(() => teach("reset", { pupil: id, game }));
}

function remove({ id, name }) {
  if (!confirm(`Remove ${name} from the class? The files stay in a folder that is set aside.`)) return;
  attempt(async () => {
    await teach("remove", { pupil: id });
    await look();
  });
}

function showLink({ name, own }) {
  const text = `With this link ${name} goes on, on any machine of this network.`;
  showAddress(`The link of ${name}`, text, `${room.address}/#secret=${own}`);
}

start().catch((error) => problem(error instanceof Locked ? LOCKED : error.message));
