// Export and import: files to download, the Python code that uses them, and files to upload.

import { download, post, readJson } from "./api.js";
import { $, dialog, dialogHead, el, icon, note, replace } from "./dom.js";
import { emit, state, takeLesson } from "./store.js";
import { offerUndo } from "./teach.js";
import { attempt, codeBox, toast } from "./toast.js";
import { plural } from "./words.js";

let box = null;

export function initExport() {
  box = dialog("export");
  $("open-export").addEventListener("click", open);
}

function snippet(game) {
  if (!game.paints)
    return [
      "from shown import Policy, worlds",
      `policy = Policy.load("${game.key}-policy.json")`,
      `world = worlds.find("${game.name}")`,
      "for seed in range(10):",
      "    run = worlds.play(world, policy.act, seed)",
      '    print(seed, "won" if run.won else "not won")',
    ].join("\n");
  return [
    "from shown import Policy",
    "from shown.worlds import find, load_levels, play",
    `policy, game = Policy.load("${game.name}-policy.json"), find("${game.name}")`,
    'for level in load_levels(game, "random:0-9"):',
    "    run = play(game, policy.act, level)",
    '    print(level.name, "won" if run.won else "not won")',
  ].join("\n");
}

function open() {
  const { game, learned, lesson } = state;
  const legal = lesson.painted.filter((level) => level.legal).length;
  const link = (what, title, about, ready) => {
    const missing = learned.outdated && what.startsWith("policy") ? "Out of date until a new rule is learned." : "Nothing to export yet.";
    const words = [el("strong", { text: title }), el("span", { text: ready ? about : missing })];
    const content = [icon("download"), el("span", { class: "take-words" }, words)];
    const take = {
      type: "button",
      class: "take",
      id: `take-${what.replace(".", "-")}`,
      onClick: () => attempt(() => download(what, { game: game.name })),
    };
    return el("li", {}, ready ? el("button", take, content) : el("span", { class: "take missing" }, content));
  };
  replace(
    box,
    dialogHead(box, `Export ${game.title}`),
    el(
      "ul",
      { class: "takes" },
      link(
        "lesson.json",
        "Lesson",
        "Everything in one file, which any studio can open.",
        lesson.recordings.length > 0,
      ),
      link("policy.json", "Policy", "The learned rules, for Policy.load.", learned.hasPolicy && !learned.outdated),
      link("policy.py", "Python module", "One file that acts the same, without dependencies.", learned.hasPolicy && !learned.outdated),
      link(
        "demonstrations.json",
        "Demonstrations",
        `${plural(learned.demonstrations, "demonstration")}, for shown learn.`,
        learned.demonstrations > 0,
      ),
      link("levels.json", "Painted levels", `${plural(legal, "level")}, for the option --levels.`, legal > 0),
    ),
    note("To get a GIF of a run, press GIF below the computer's board or in the replay of a demonstration."),
    el("h3", { text: "Use it from Python" }),
    codeBox("snippet", snippet(game)),
    el("h3", { text: "Import" }),
    el(
      "label",
      { class: "bring" },
      el("span", { text: `A lesson, or demonstrations or levels of ${game.title} (JSON)` }),
      fileInput(),
    ),
    el("p", { class: "status bad", id: "bring-problem", role: "alert" }),
    note(`Everything you do is also saved in the folder ${state.folder}.`),
  );
  box.showModal();
}

function fileInput() {
  const input = el("input", { type: "file", accept: ".json,application/json", id: "bring" });
  input.addEventListener("change", async () => {
    // Errors are shown in the dialog, because it covers the page's messages.
    $("bring-problem").textContent = "";
    try {
      await bring(input.files[0]);
    } catch (error) {
      $("bring-problem").textContent = error.message;
    }
    input.value = "";
  });
  return input;
}

async function bring(file) {
  if (!file) return;
  const content = await readJson(file);
  const { game } = state;
  const answer = await post("import", { game: game.name, content });
  box.close();
  if (answer.lessonOf) emit("open", answer.lessonOf);
  else takeLesson(answer.lesson);
  if (answer.demonstrations) offerUndo(`Added ${plural(answer.demonstrations, "demonstration")} to yours.`, answer.lesson);
  else toast(answer.lessonOf ? "Added the painted levels of the lesson." : `Imported ${plural(answer.levels, "level")}.`);
}
