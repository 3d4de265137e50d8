// Rules you can touch: keep a sentence, strike a condition, write a sentence of one's own; and what was said so far.

import { post } from "./api.js";
import { button, el, icon, replace } from "./dom.js";
import { openRecording } from "./recordings.js";
import { on, state } from "./store.js";
import { offerUndo, teach } from "./teach.js";
import { attempt } from "./toast.js";
import { actionName } from "./words.js";

const KINDS = {
  pin: { glyph: "pin", lead: "Keep: ", label: "No longer keep this" },
  strike: { glyph: "strike", lead: "An accident: ", label: "No longer strike this" },
};
const parts = {};
let shown = "";

export function initTouch(box) {
  parts.box = box;
  parts.list = el("ul", { class: "remark-list" });
  parts.write = button({
    id: "write-rule",
    icon: "edit",
    text: "Write a sentence yourself",
    kind: "link",
    onClick: () => attempt(openWriter),
  });
  parts.writer = el("div", { class: "writer", id: "writer", hidden: true });
  parts.title = el("h3", { text: "What you said of it" });
  replace(box, parts.title, parts.list, parts.write, parts.writer);
  on("game", closeWriter);
  on("lesson", show);
  on("learned", show);
}

/** The button of a sentence that keeps it or, if it is `kept` (what was said of it), lets it go. */
export function pinButton(clause, kept) {
  const pinned = Boolean(kept);
  return button({
    icon: "pin",
    label: pinned ? "Keep this sentence (kept; press to let go)" : "Keep this sentence",
    title: pinned ? "You keep this sentence. Press to let it go." : "Keep this sentence",
    kind: "quiet small touch",
    pressed: pinned,
    onClick: () => attempt(() => (pinned ? unpin(kept) : pin(clause))),
  });
}

/** The button of a condition that strikes it. */
export function strikeButton(clause, phrase, words) {
  return button({
    icon: "strike",
    label: `This was an accident: ${words}`,
    title: "This was an accident: find a rule without it",
    kind: "quiet small touch",
    onClick: () => attempt(() => strike(clause, phrase)),
  });
}

async function pin(clause) {
  await teach("pin", { clause, version: state.learned.version });
  offerUndo("Kept. Whatever it learns now has this sentence.");
}

async function strike(clause, phrase) {
  await teach("strike", { clause, phrase, version: state.learned.version });
  offerUndo("Struck. It looks for a rule without that.");
}

async function unpin(kept) {
  await unsay(state.lesson.remarks.findIndex((remark) => remark.kind === "pin" && remark.programs.includes(kept)));
}

async function unsay(number) {
  if (number < 0) return;
  await teach("unsay", { number });
  offerUndo("Taken back.");
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
          onClick: () => attempt(() => unsay(number)),
        }),
      );
    }),
  );
}

/** Why a sentence could not be kept: where it says something else than what was shown. */
function contradiction({ place, action, other }) {
  const card = place && state.lesson.recordings.filter((recording) => recording.learn)[place[0]];
  const cell = (target) => actionName(state.game, [], target);
  const where = card ? `In demonstration ${state.lesson.recordings.indexOf(card) + 1}, click ${place[1] + 1}` : "Mirrored";
  const text = `Not kept, since it is at odds with what you showed. ${where}, it would allow ${cell(other)} too; you chose ${cell(action)}.`;
  return el(
    "span",
    { class: "remark-against", role: "note" },
    el("span", { text }),
    card &&
      button({
        text: "Look",
        kind: "link",
        onClick: () =>
          attempt(async () => {
            const recording = await post("recording", { game: state.game.name, id: card.id });
            openRecording(recording, { step: place[1], alike: Array.isArray(other) ? other : null });
          }),
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
  await teach("write", { rule });
  closeWriter();
  offerUndo("Kept. Whatever it learns now has your sentence.");
}

function closeWriter() {
  const inside = parts.writer.contains(document.activeElement);
  parts.writer.hidden = true;
  parts.write.hidden = false;
  replace(parts.writer);
  if (inside) parts.write.focus();
}
