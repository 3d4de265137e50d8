// What a page shows of the class it belongs to: whose workspace this is, and what the teacher has turned off.

import { getSecret } from "./api.js";
import { keep } from "./door.js";
import { $, button, showAddress } from "./dom.js";

let member = null;
let show = null;
/** Settings that came before the page was ready. */
let early = null;

/** Take the class of this page from the answer to `hello`; `banner(subject, text)` shows or removes a line. */
export function initMember(found, banner) {
  [member, show] = [found, banner];
  $("open-tour").before(button({ id: "member", text: found.name, kind: "quiet", title: "Your link", onClick: showLink }));
  if (found.role === "pupil") keep(found.name, getSecret());
  if (found.role === "viewer") banner("class", `You are looking at the workspace of ${found.name}. Nothing can be changed here.`);
  if (found.role === "helper") banner("class", `You are helping ${found.name}, who sees what you do.`);
  apply();
  if (early) takeSettings(early);
}

/** The teacher has changed the settings. Games and hints that come or go need another page. */
export function takeSettings(settings) {
  if (!member) early = settings;
  if (member?.role !== "pupil") return;
  const same = settings.hints === member.hints && String(settings.locked) === String(member.locked);
  if (!same) return location.reload();
  Object.assign(member, settings);
  apply();
}

function apply() {
  const still = member.role === "viewer" || (member.role === "pupil" && member.paused);
  for (const id of ["teach", "learn"]) $(id).inert = still;
  if (member.role === "pupil") show("class", member.paused ? "Your teacher has paused the class." : null);
}

function showLink() {
  const text = `This is the link to the workspace of ${member.name}. Keep it to yourself: anyone who has it can work here.`;
  showAddress("Your link", text, `${location.origin}/#secret=${getSecret()}`);
}
