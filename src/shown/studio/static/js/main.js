// The page: its parts, the open game, and banners.

import { Locked, post, takeSecretFromAddress } from "./api.js";
import { prepare } from "./board.js";
import { $, button, el, icon, replace, sprite } from "./dom.js";
import { initExport } from "./export.js";
import { initLearn } from "./learn.js";
import { listen } from "./news.js";
import { emit, on, remember, state, takeLearned, takeLesson } from "./store.js";
import { initTeach, showBoard } from "./teach.js";
import { attempt } from "./toast.js";
import { initTour } from "./tour.js";
import { initWatch } from "./watch.js";
import { initWhy } from "./why.js";

/** The token that stands for each game in the header. */
const FACES = {
  nim: "matchstick",
  checkmate: "white_queen",
  chase: "rabbit",
  "stop-the-fall": "parachuter",
  "reach-for-the-star": "star",
  "fence-in": "sheep",
};
/** The icon of each theme, and the one after it. */
const THEMES = { light: ["sun", "dark"], dark: ["moon", "system"], system: ["auto", "light"] };

const banners = new Map();
/** The game asked for last. */
let opening = null;
const COLUMNS = { wide: ["teach", "learn test", "watch why"], narrow: ["teach learn", "watch why test", ""] };

async function start() {
  const fresh = takeSecretFromAddress();
  addEventListener("hashchange", followAddress);
  initLayout();
  initTheme();
  document.querySelector(".skip").addEventListener("click", (event) => {
    event.preventDefault(); // the address is that of the game
    if (state.lesson) showBoard();
  });
  let command = "shown studio";
  const handlers = {
    learned: takeLearned,
    taught: (news) => news.game === state.game?.name && news.revision > state.lesson?.revision && reload(),
    lost: () =>
      banner(
        "silence",
        `The studio has stopped. Everything you did is saved. Start it again with \`${command}\` and open the link it prints.`,
      ),
    found: (again) => {
      banner("silence", null);
      if (again && state.game) attempt(reload);
    },
  };
  // A secret from a link is tried before other pages hear of it; any other may be older than theirs.
  if (!fresh) await listen(handlers, false);
  const hello = await post("hello");
  if (fresh) listen(handlers, true);
  command = hello.command;
  initTeach();
  initWatch();
  initLearn();
  initWhy();
  initExport();
  on("learned", (learned) => banner("unsaved", learned.unsaved));
  on("open", (name) => attempt(() => openGame(name)));
  on("learned", ({ game, hasPolicy, summary }) => {
    if (hasPolicy && !summary) setTimeout(() => attempt(() => askForSummary(game)), 500);
  });
  for (const game of hello.games) state.games.set(game.name, prepare(game));
  Object.assign(state, { folder: hello.folder, interpretations: hello.interpretations });
  showGames();
  await openGame(gameInAddress() ?? hello.game ?? "nim", history.replaceState);
  initTour(hello.toured);
  document.documentElement.dataset.ready = "true";
}

/** The page without a valid secret: what to do. */
function showLocked() {
  for (const node of [$("open-export"), $("open-tour"), document.querySelector(".skip")]) node.hidden = true;
  const step = (...words) => el("li", {}, words);
  replace(
    $("main"),
    el(
      "section",
      { class: "card locked", id: "locked" },
      el("h2", { text: "Open the studio with its full link" }),
      el("p", {}, "This page works only with the link that ", code("shown studio"), " printed when it started."),
      el(
        "ul",
        {},
        step("Copy the whole link from the terminal, up to the end of ", code("#secret=…"), ", and open it in this browser."),
        step("If the studio was restarted, use the link it printed last: every start makes a new one."),
        step("If no studio is running, start one with ", code("shown studio"), "."),
      ),
    ),
  );
}

const code = (text) => el("code", { text });

/** Two columns or three. The parts move in the document, not only on the screen, so that the tab key follows them. */
function initLayout() {
  const wide = matchMedia("(width >= 1360px)");
  const columns = document.querySelectorAll(".column");
  const arrange = () =>
    COLUMNS[wide.matches ? "wide" : "narrow"].forEach((names, i) =>
      columns[i].append(...names.split(" ").filter(Boolean).map($)),
    );
  wide.addEventListener("change", arrange);
  arrange();
  // Scrolling stops below the header, if that stays in view, and below the tour.
  const [top, root] = [document.querySelector(".top"), document.documentElement];
  const clear = () => {
    const header = getComputedStyle(top).position === "sticky" ? top.offsetHeight : 0;
    root.style.setProperty("--header", `${header}px`);
    root.style.setProperty("scroll-padding-top", `${header + $("tour").offsetHeight + 12}px`);
  };
  const observer = new ResizeObserver(clear);
  for (const node of [top, $("tour")]) observer.observe(node);
}

function showGames() {
  replace(
    $("games"),
    [...state.games.values()].map((game) => {
      const face = game.tokens.find((token) => token.name === FACES[game.name]) ?? game.tokens.at(-1);
      return el(
        "button",
        { type: "button", class: "game", id: `game-${game.key}`, onClick: () => attempt(() => openGame(game.name)) },
        sprite(game.key, face.name),
        el("span", { text: game.title }),
      );
    }),
  );
}

/** The game named in the address, such as #chase; null if there is none. */
const gameInAddress = () => [...state.games.values()].find(({ key }) => location.hash === `#${key}`)?.name ?? null;

/** The user went back or forward. A link of a restarted studio, opened over this page, also changes the fragment only. */
function followAddress() {
  if (location.hash.includes("secret=")) location.reload();
  const name = gameInAddress();
  if (name && name !== opening) attempt(() => openGame(name));
}

/** Open a game; `visit` is history.replaceState where it takes the place of the present address. */
async function openGame(name, visit = history.pushState) {
  opening = name;
  const address = `#${state.games.get(name)?.key}`;
  if (location.hash !== address) visit.call(history, null, "", address);
  for (const node of $("games").children) node.toggleAttribute("aria-current", node.id === `game-${state.games.get(name)?.key}`);
  try {
    const answer = await post("open", { game: name });
    if (name === opening) take(name, answer);
  } catch (error) {
    banner(
      "trouble",
      error.message,
      button({
        id: "set-aside",
        text: "Set these files aside and start this game over",
        onClick: () => attempt(() => setAside(name)),
      }),
    );
  }
}

function take(name, { learned, ...lesson }) {
  banner("trouble", lesson.notes.join(" ") || null);
  state.game = state.games.get(name);
  state.lesson = null;
  state.learned = null;
  document.title = `${state.game.title} – shown studio`;
  emit("game", state.game);
  takeLesson(lesson);
  takeLearned(learned);
}

async function setAside(name) {
  await post("set-aside", { game: name });
  await openGame(name);
}

/** Load the open game again: another page has changed it, or the server was restarted. */
async function reload() {
  const { game } = state;
  const { learned, ...lesson } = await post("open", { game: game.name });
  if (game !== state.game) return;
  state.lesson = null;
  takeLesson(lesson);
  takeLearned(learned);
}

/** The summary of a policy may have been made between the answer to `open` and the first news. */
async function askForSummary(name) {
  const waits = () => state.game?.name === name && state.learned?.hasPolicy && !state.learned.summary;
  if (!waits()) return;
  const { learned } = await post("open", { game: name });
  if (waits()) takeLearned(learned);
}

/** Show a problem until it is solved, which is when `text` is null. There is one banner for each subject. */
function banner(subject, text, action = null) {
  banners.delete(subject);
  if (text !== null) banners.set(subject, el("div", {}, el("span", { text }), action));
  $("banner").hidden = banners.size === 0;
  replace($("banner"), [...banners.values()]);
}

function initTheme() {
  const now = () => document.documentElement.dataset.theme ?? "system";
  const show = () => {
    replace($("theme"), icon(THEMES[now()][0]));
    $("theme").setAttribute("aria-label", `Change the theme (now: ${now()})`);
    $("theme").title = `Theme: ${now()}`;
  };
  $("theme").addEventListener("click", () => {
    const next = THEMES[now()][1];
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    remember("shown-theme", next);
    show();
  });
  show();
}

start().catch((error) => (error instanceof Locked ? showLocked() : banner("trouble", error.message)));
