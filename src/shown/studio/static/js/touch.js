// Edits of the rule: keep a clause, strike a condition, write a clause; and the list of edits so far.

import { post } from "./api.js";
import { button, el, icon, replace } from "./dom.js";
import { showRecording } from "./recordings.js";
import { on, state, takeLesson } from "./store.js";
import { offerUndo, teach } from "./teach.js";
import { attempt } from "./toast.js";
import { actionName } from "./words.js";

const KINDS = {
  pin: { glyph: "pin", lead: "Keep: ", label: "Stop keeping this clause" },
  strike: { glyph: "strike", lead: "Struck: ", label: "Restore this condition" },
};
const parts = {};
let shown = "";

export function initTouch(box) {
  parts.box = box;
  parts.list = el("ul", { class: "remark-list" });
  parts.write = button({
    id: "write-rule",
    icon: "edit",
    text: "Write a clause",
    kind: "link",
    onClick: () => attempt(openWriter),
  });
  parts.writer = el("div", { class: "writer", id: "writer", hidden: true });
  parts.title = el("h3", { text: "Your edits" });
  replace(box, parts.title, parts.list, parts.write, parts.writer);
  on("game", closeWriter);
  on("lesson", show);
  on("learned", show);
}

/** The button that keeps a clause or, if it is `kept` already (as this program), stops keeping it. */
export function pinButton(clause, kept) {
  const pinned = Boolean(kept);
  return button({
    icon: "pin",
    label: "Keep this clause",
    title: pinned ? "Stop keeping this clause" : "Keep this clause in every rule it learns",
    kind: "quiet small touch",
    pressed: pinned,
    onClick: () => attempt(() => (pinned ? unpin(kept) : pin(clause))),
  });
}

/** The button that strikes a condition. */
export function strikeButton(clause, phrase, words) {
  return button({
    icon: "strike",
    label: `Strike this condition: ${words}`,
    title: "Strike this condition: find a rule without it",
    kind: "quiet small touch",
    onClick: () => attempt(() => strike(clause, phrase)),
  });
}

async function pin(clause) {
  const { lesson } = await teach("pin", { clause, version: state.learned.version });
  offerUndo("It will keep this clause, if it agrees with your demonstrations.", lesson);
}

async function strike(clause, phrase) {
  const { lesson } = await teach("strike", { clause, phrase, version: state.learned.version });
  offerUndo("Condition struck. It is looking for a rule without it.", lesson);
}

async function unpin(kept) {
  const place = () => state.lesson.remarks.findIndex((remark) => remark.kind === "pin" && remark.programs.includes(kept));
  // The news of a rule may arrive before the answer to the command that led to it.
  if (place() < 0) takeLesson(await post("open", { game: state.game.name }));
  await removeEdit(place());
}

async function removeEdit(number) {
  if (number < 0) return;
  const { lesson } = await teach("unsay", { number });
  offerUndo("Edit removed.", lesson);
}

function show() {
  const { lesson, learned } = state;
  if (!lesson?.remarks || !learned) return;
  const { remarks } = lesson;
  parts.box.hidden = !learned.hasPolicy && !remarks.length;
  const seen = JSON.stringify([lesson.game, remarks, learned.contradictions]);
  if (seen === shown) return;
  shown = seen;
  parts.title.hidden = !remarks.length;
  replace(
    parts.list,
    remarks.map((remark, number) => {
      const { glyph, lead, label } = KINDS[remark.kind];
      const against = learned.contradictions.find((item) => remark.programs.includes(item.rule));
      return el(
        "li",
        { class: `remark ${remark.kind}` },
        icon(glyph),
        el(
          "span",
          { class: "remark-words" },
          el("strong", { text: lead }),
          el("span", { class: "remark-text", text: remark.words.join(", and ") }),
          against && contradiction(against),
        ),
        button({
          icon: "close",
          label: `${label}: ${remark.words.join(", and ")}`,
          title: label,
          kind: "quiet small",
          onClick: () => attempt(() => removeEdit(number)),
        }),
      );
    }),
  );
}

/** Why a clause could not be kept: where it contradicts a demonstration. */
function contradiction({ place, action, other }) {
  const card = place && state.lesson.recordings.filter((recording) => recording.learn)[place[0]];
  const cell = (target) => actionName(state.game, [], target);
  const where = card ? `In demonstration ${state.lesson.recordings.indexOf(card) + 1}, click ${place[1] + 1}` : "In a mirror image";
  const text = `Not kept, because it contradicts a demonstration. ${where}, it would also allow ${cell(other)}; you chose ${cell(action)}.`;
  return el(
    "span",
    { class: "remark-against", role: "note" },
    el("span", { text }),
    card &&
      button({
        text: "Show",
        kind: "link",
        onClick: () =>
          attempt(() => showRecording(card.id, { step: place[1], alike: Array.isArray(other) ? other : null })),
      }),
  );
}

async function openWriter() {
  const { writer } = await import("./write.js");
  parts.writer.hidden = false;
  parts.write.hidden = true;
  replace(parts.writer, writer({ keep, close: closeWriter }));
  parts.writer.querySelector("select").focus();
}

async function keep(rule) {
  const { lesson } = await teach("write", { rule });
  closeWriter();
  offerUndo("It will keep your clause, if it agrees with your demonstrations.", lesson);
}

function closeWriter() {
  const inside = parts.writer.contains(document.activeElement);
  parts.writer.hidden = true;
  parts.write.hidden = false;
  replace(parts.writer);
  if (inside) parts.write.focus();
}
