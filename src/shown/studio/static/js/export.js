// Taking things home: files to download, the lines of Python that use them, and files to bring in.

import { post } from "./api.js";
import { $, button, el, icon, replace } from "./dom.js";
import { emit, state, takeLesson } from "./store.js";
import { attempt, toast } from "./toast.js";
import { plural } from "./words.js";

const MOST = 8 * 2 ** 20;
let dialog = null;

export function initExport() {
  dialog = el("dialog", { class: "dialog", id: "export", "aria-labelledby": "export-title" });
  document.body.append(dialog);
  $("open-export").addEventListener("click", open);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
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
    "from shown.games import find, load_levels, play",
    `policy, game = Policy.load("${game.name}-policy.json"), find("${game.name}")`,
    'for level in load_levels(game, "random:0-9"):',
    "    run = play(game, policy.act, level)",
    '    print(level.name, "won" if run.won else "not won")',
  ].join("\n");
}

function open() {
  const { game, learned, lesson } = state;
  const legal = lesson.painted.filter((level) => level.legal).length;
  const clip = el("pre", { class: "code", tabindex: 0, id: "snippet" }, el("code", { text: snippet(game) }));
  const link = (what, title, note, ready) => {
    const words = [el("strong", { text: title }), el("span", { text: ready ? note : "Nothing to take home yet." })];
    return el(
      "li",
      {},
      ready
        ? el(
            "a",
            {
              class: "take",
              id: `take-${what.replace(".", "-")}`,
              href: `/export/${what}?game=${encodeURIComponent(game.name)}`,
              download: "",
            },
            icon("download"),
            el("span", { class: "take-words" }, words),
          )
        : el("span", { class: "take missing" }, icon("download"), el("span", { class: "take-words" }, words)),
    );
  };
  replace(
    dialog,
    el(
      "div",
      { class: "dialog-head" },
      el("h2", { id: "export-title", text: `Take ${game.title} home` }),
      button({ icon: "close", label: "Close", kind: "quiet", onClick: () => dialog.close() }),
    ),
    el(
      "ul",
      { class: "takes" },
      link(
        "lesson.json",
        "The lesson",
        "All of it in one file, to send: whoever has a studio can open it.",
        lesson.recordings.length > 0,
      ),
      link("policy.json", "Policy", "The rules, to be loaded by shown.", learned.hasPolicy),
      link("policy.py", "Python module", "One file that acts the same and needs nothing installed.", learned.hasPolicy),
      link(
        "demonstrations.json",
        "Demonstrations",
        `${plural(learned.demonstrations, "demonstration")}, for shown learn.`,
        learned.demonstrations > 0,
      ),
      link("levels.json", "Painted levels", `${plural(legal, "level")}, for every command's --levels.`, legal > 0),
    ),
    el("p", {
      class: "note",
      text: "For a GIF of any run, press GIF under the computer's board, or in the replay of a demonstration.",
    }),
    el("h3", { text: "Six lines of Python that use it" }),
    el(
      "div",
      { class: "code-box" },
      clip,
      button({
        icon: "copy",
        label: "Copy the lines",
        kind: "quiet",
        onClick: () =>
          attempt(async () => {
            await navigator.clipboard.writeText(snippet(game));
            toast("Copied.");
          }),
      }),
    ),
    el("h3", { text: "Bring in" }),
    el(
      "label",
      { class: "bring" },
      el("span", { text: `A lesson, or a file of demonstrations or levels of ${game.title}` }),
      fileInput(),
    ),
    el("p", { class: "status bad", id: "bring-problem", role: "alert" }),
    el("p", { class: "note", text: `Everything is also saved, as it happens, in the folder ${state.folder}.` }),
  );
  dialog.showModal();
}

function fileInput() {
  const input = el("input", { type: "file", accept: ".json,application/json", id: "bring" });
  input.addEventListener("change", async () => {
    // What is wrong is said here, where it is seen: messages of the page lie below the dialog.
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
  if (file.size > MOST) throw new Error("That file is larger than 8 MB, which no such file needs to be.");
  let content;
  try {
    content = JSON.parse(await file.text());
  } catch {
    throw new Error("That file is not valid JSON.");
  }
  const answer = await post("import", { game: state.game.name, content });
  dialog.close();
  if (answer.lessonOf) {
    emit("open", answer.lessonOf);
    toast(`Opened a lesson with ${plural(answer.demonstrations, "demonstration")}.`);
    return;
  }
  takeLesson(answer.lesson);
  toast(
    answer.demonstrations
      ? `Brought in ${plural(answer.demonstrations, "demonstration")}.`
      : `Brought in ${plural(answer.levels, "level")}.`,
  );
}
