// The rules of a class: a sheet with all of them, to print or project, and two side by side.

import { Miniature } from "./board.js";
import { button, calm, el, replace } from "./dom.js";
import { attempt } from "./toast.js";
import { capital, plural } from "./words.js";

const STEP = 500; // milliseconds between two clicks of a run

/** A dialog over the whole window, with a choice of the game; `show(game)` fills its body. */
function open(room, id, title, show) {
  const body = el("div", { class: "sheet-body" });
  const choice = el(
    "select",
    { id: `${id}-game`, "aria-label": "Game" },
    [...room.games.values()].map((game) => el("option", { value: game.name, text: game.title })),
  );
  choice.value = mostPlayed(room) ?? choice.value;
  const update = () => attempt(() => show(room.games.get(choice.value), body));
  choice.addEventListener("change", update);
  const dialog = el(
    "dialog",
    { class: "dialog sheet", id, "aria-label": title },
    el(
      "div",
      { class: "dialog-head" },
      el("h2", { text: title }),
      choice,
      button({ text: "Print", kind: "quiet", onClick: () => print() }),
      button({ icon: "close", label: "Close", kind: "quiet", onClick: () => dialog.close() }),
    ),
    body,
  );
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  update();
}

function mostPlayed({ pupils }) {
  const counts = new Map();
  for (const { game } of pupils) if (game) counts.set(game, (counts.get(game) ?? 0) + 1);
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
}

function ruleOf({ clauses, subject, voting }) {
  if (!clauses.length) return el("p", { class: "note", text: "No rule yet." });
  return [
    el("p", {}, el("strong", { text: capital(subject) }), clauses.length > 1 ? " if one of these holds:" : " if"),
    el(
      "ol",
      { class: "sheet-rule" },
      clauses.map((phrases) => el("li", { text: phrases.join(" and ") || "always" })),
    ),
    voting && el("p", { class: "note", text: "Several rules vote; this is the most probable one." }),
  ];
}

function scoreOf({ expected, games, corrections }) {
  const score = expected ? `${expected.won} of ${expected.of} new levels` : "no score yet";
  return `${score}, from ${plural(games, "game")}${corrections ? ` and ${plural(corrections, "correction")}` : ""}`;
}

/** Every pupil's rule of a game, with a picture and the score. */
export function showSheet(room, teach) {
  open(room, "sheet", "Rules of the class", async (game, body) => {
    const { pupils } = await teach("sheet", { game: game.name });
    replace(
      body,
      pupils.length
        ? pupils.map((pupil) =>
            el(
              "section",
              { class: "sheet-pupil" },
              new Miniature(game, pupil.rows, `The last game of ${pupil.name}`).node,
              el("div", {}, el("h3", { text: pupil.name }), el("p", { class: "note", text: scoreOf(pupil) }), ruleOf(pupil)),
            ),
          )
        : el("p", { class: "note", text: `Nobody has shown a game of ${game.title} yet.` }),
    );
  });
}

/** Two pupils' rules, and both playing a level on which they differ. */
export function showCompare(room, teach) {
  open(room, "compare", "Compare two rules", async (game, body) => {
    const some = room.pupils.filter((pupil) => pupil.game);
    const choose = (id, label, at) => {
      const select = el(
        "select",
        { id, "aria-label": label },
        some.map((pupil) => el("option", { value: pupil.id, text: pupil.name })),
      );
      select.selectedIndex = Math.min(at, some.length - 1);
      select.addEventListener("change", () => attempt(compare));
      return select;
    };
    const [one, other] = [choose("compare-one", "One pupil", 0), choose("compare-other", "Another pupil", 1)];
    const result = el("div", { class: "compared", role: "status" });
    const compare = async () => {
      replace(result, el("p", { class: "note", text: "Playing …" }));
      try {
        const found = await teach("compare", { game: game.name, one: Number(one.value), other: Number(other.value) });
        replace(result, ...pair(game, found));
      } catch (error) {
        replace(result, el("p", { class: "note", text: error.message }));
      }
    };
    if (some.length < 2) return replace(body, el("p", { class: "note", text: "Two pupils with a rule are needed." }));
    replace(body, el("div", { class: "actions" }, one, " and ", other), result);
    await compare();
  });
}

function pair(game, { pupils, level, step, runs, of }) {
  const boards = runs?.map((run, i) => new Miniature(game, run.steps[0].rows, `${pupils[i].name} plays`));
  const columns = pupils.map((pupil, i) =>
    el(
      "section",
      { class: "sheet-side" },
      el("h3", { text: pupil.name }),
      el("p", { class: "note", text: scoreOf(pupil) }),
      boards && boards[i].node,
      runs && el("p", { text: runs[i].won ? `Wins in ${plural(runs[i].steps.length, "click")}.` : "Does not win." }),
      ruleOf(pupil),
    ),
  );
  if (!level) return [el("p", { class: "compared-lead", text: `Both rules play the same on ${of} new levels.` }), columns];
  let timer = 0;
  const play = () => {
    clearTimeout(timer);
    let beat = calm() ? step : 0;
    const tick = () => {
      const going = runs.map((run, i) => {
        boards[i].show(beat < run.steps.length ? run.steps[beat].rows : run.last);
        return beat < run.steps.length;
      });
      beat++;
      if (!calm() && going.includes(true) && boards[0].node.isConnected) timer = setTimeout(tick, STEP);
    };
    tick();
  };
  const again = button({ text: "Play again", kind: "quiet", onClick: play });
  play();
  return [el("p", { class: "compared-lead" }, `The rules differ from click ${step + 1} on. `, again), columns];
}
