// Short messages that disappear after a while.

import { Forgotten } from "./api.js";
import { $, button, el } from "./dom.js";

const DURATION = 7000;

/** Show a message; `action` is {text, run} for a button. Return a function that removes the message. */
export function toast(text, { kind = "", action = null } = {}) {
  const box = $("toasts");
  // A repeated message replaces the earlier one.
  for (const earlier of [...box.children]) if (earlier.firstChild.textContent === text) earlier.remove();
  const node = el("div", { class: `toast ${kind}` }, el("span", { text }));
  const close = () => node.remove();
  if (action) {
    const run = () => {
      close();
      action.run();
    };
    node.append(button({ text: action.text, kind: "link", onClick: run }));
  }
  node.append(button({ icon: "close", label: "Close this message", kind: "quiet small", onClick: close }));
  while (box.children.length > 2) box.firstChild.remove();
  box.append(node);
  setTimeout(close, DURATION);
  return close;
}

/** A block of code, and a button that copies it. */
export function codeBox(id, code) {
  const copy = async () => {
    await navigator.clipboard.writeText(code);
    toast("Copied.");
  };
  return el(
    "div",
    { class: "code-box" },
    el("pre", { class: "code", tabindex: 0, id }, el("code", { text: code })),
    button({ id: `copy-${id}`, icon: "copy", label: "Copy the code", kind: "quiet", onClick: () => attempt(copy) }),
  );
}

/** Run something that may fail, and show its error, unless its policy was only replaced meanwhile. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Forgotten)) toast(error.message, { kind: "bad" });
    return null;
  }
}
