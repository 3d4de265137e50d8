// The page comes together here.

import { listen, post } from "./api.js";
import { prepare } from "./board.js";
import { $, button, el, icon, replace, sprite } from "./dom.js";
import { initExport } from "./export.js";
import { initLearn } from "./learn.js";
import { emit, on, state, takeLearned, takeLesson } from "./store.js";
import { initTeach } from "./teach.js";
import { attempt } from "./toast.js";
import { initTour } from "./tour.js";
import { initWatch } from "./watch.js";
import { initWhy } from "./why.js";

const FACES = {
  nim: "matchstick",
  checkmate: "white_queen",
  chase: "rabbit",
  "stop-the-fall": "parachuter",
  "reach-for-the-star": "star",
  "fence-in": "sheep",
};
const THEMES = { light: ["sun", "dark"], dark: ["moon", "system"], system: ["auto", "light"] };

const banners = new Map();
const COLUMNS = { wide: ["teach", "learn test", "watch why"], narrow: ["teach learn", "watch why test", ""] };

async function start() {
  initLayout();
  initTheme();
  initTeach();
  initWatch();
  initLearn();
  initWhy();
  initExport();
  on("learned", (learned) => banner("unsaved", learned.unsaved));
  on("open", (name) => attempt(() => openGame(name)));
  on("learned", ({ game, hasPolicy, summary }) => {
    if (hasPolicy && !summary) setTimeout(() => attempt(() => askForWords(game)), 500);
  });
  const hello = await post("hello");
  for (const game of hello.games) state.games.set(game.name, prepare(game));
  Object.assign(state, { folder: hello.folder, readings: hello.readings, stages: hello.stages });
  showGames();
  await openGame(hello.game ?? "nim");
  initTour(hello.toured);
  listen({
    learned: takeLearned,
    live: (news) => news.game === state.game?.name && emit("live", news),
    taught: (news) => news.game === state.game?.name && news.revision > state.lesson.revision && reload(),
    lost: () =>
      banner(
        "silence",
        `The studio has stopped answering. Everything you did is saved; start it again with \`${hello.command}\` and open the link it prints.`,
      ),
    found: (restarted) => {
      banner("silence", null);
      if (restarted && state.game) reload();
    },
  });
  document.documentElement.dataset.ready = "true";
}

/** Two columns or three. The parts move, rather than only their pictures, so that the tab key follows what is seen. */
function initLayout() {
  const wide = matchMedia("(width >= 1360px)");
  const columns = document.querySelectorAll(".column");
  const arrange = () =>
    COLUMNS[wide.matches ? "wide" : "narrow"].forEach((names, i) =>
      columns[i].append(...names.split(" ").filter(Boolean).map($)),
    );
  wide.addEventListener("change", arrange);
  arrange();
  // What is scrolled to stands below the top of the page, however many lines its games take.
  const top = document.querySelector(".top");
  const clear = () => document.documentElement.style.setProperty("scroll-padding-top", `${top.offsetHeight + 12}px`);
  new ResizeObserver(clear).observe(top);
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

async function openGame(name) {
  for (const node of $("games").children) node.toggleAttribute("aria-current", node.id === `game-${state.games.get(name)?.key}`);
  try {
    take(name, await post("open", { game: name }));
  } catch (error) {
    banner(
      "trouble",
      error.message,
      button({
        id: "set-aside",
        text: "Set these files aside and start this game afresh",
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

/** Another page has changed the lesson, or the server is a new one: look at everything again. */
async function reload() {
  const { learned, ...lesson } = await post("open", { game: state.game.name });
  state.lesson = null;
  takeLesson(lesson);
  takeLearned(learned);
}

/** A rule that was not in words yet when this page opened may have been put into words before it could hear of that. */
async function askForWords(name) {
  const waits = () => state.game?.name === name && state.learned?.hasPolicy && !state.learned.summary;
  if (!waits()) return;
  const { learned } = await post("open", { game: name });
  if (waits()) takeLearned(learned);
}

/** Says what is wrong until it is right again. `about` tells the things that can be wrong apart. */
function banner(about, text, action = null) {
  banners.delete(about);
  if (text !== null) banners.set(about, el("div", {}, el("span", { text }), action));
  $("banner").hidden = banners.size === 0;
  replace($("banner"), [...banners.values()]);
}

function initTheme() {
  const now = () => document.documentElement.dataset.theme ?? "system";
  const show = () => {
    replace($("theme"), icon(THEMES[now()][0]));
    $("theme").setAttribute("aria-label", `Theme: ${now()}. Change it.`);
    $("theme").title = `Theme: ${now()}`;
  };
  $("theme").addEventListener("click", () => {
    const next = THEMES[now()][1];
    if (next === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    try {
      localStorage.setItem("shown-theme", next);
    } catch {
      // Then it lasts as long as the page does.
    }
    show();
  });
  show();
}

start().catch((error) => banner("trouble", error.message));
