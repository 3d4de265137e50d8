// Short messages that go away by themselves.

import { Forgotten } from "./api.js";
import { $, button, el } from "./dom.js";

const LONG_ENOUGH = 7000;

/** Says something; `action` is {text, run} for something that can be done about it. */
export function toast(text, { kind = "", action = null } = {}) {
  const box = $("toasts");
  // The same thing twice is said once, from now on.
  for (const before of [...box.children]) if (before.firstChild.textContent === text) before.remove();
  const node = el("div", { class: `toast ${kind}` }, el("span", { text }));
  const gone = () => node.remove();
  if (action) {
    node.append(
      button({
        text: action.text,
        kind: "link",
        onClick: () => {
          gone();
          action.run();
        },
      }),
    );
  }
  node.append(button({ icon: "close", label: "Close this message", kind: "quiet small", onClick: gone }));
  while (box.children.length > 2) box.firstChild.remove();
  box.append(node);
  setTimeout(gone, LONG_ENOUGH);
}

/** Runs something that may fail and says so if it does, unless it is only out of date. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Forgotten)) toast(error.message, { kind: "bad" });
    return null;
  }
}
