// Requests to the studio: commands as POST, and downloads. Each carries the secret of the studio's run.

const KEY = "shown-secret";
const MAX_FILE = 8 * 2 ** 20; // bytes of a file to import

/** Identifies this page, so that it can skip news of its own changes. */
export const PAGE = Math.random().toString(36).slice(2);

/** The policy a request was about is gone, because another one was learned meanwhile. The page asks again by itself. */
export class Forgotten extends Error {}

/** The studio refuses this page's secret. */
export class Locked extends Error {}

let secret = kept();

function kept() {
  try {
    return sessionStorage.getItem(KEY);
  } catch {
    return null; // without storage, reloading the page needs the link again
  }
}

export const getSecret = () => secret;

export function setSecret(value) {
  secret = value;
  try {
    sessionStorage.setItem(KEY, value);
  } catch {
    // It lasts as long as the page does.
  }
}

/** Take the secret out of the address bar, if the studio's link has just put it there. Return whether it had. */
export function takeSecretFromAddress() {
  const found = new URLSearchParams(location.hash.slice(1)).get("secret");
  if (!found) return false;
  history.replaceState(null, "", location.pathname);
  setSecret(found);
  return true;
}

async function request(path, options = {}) {
  if (!secret) throw new Locked("This page has no secret.");
  let response;
  try {
    response = await fetch(path, { ...options, headers: { ...options.headers, "Shown-Secret": secret } });
  } catch {
    throw new Error("The studio doesn't answer. Is it still running?");
  }
  if (response.ok) return response;
  const { error } = await response.json().catch(() => ({}));
  throw new (response.status === 403 ? Locked : Error)(error ?? "The studio sent an answer this page can't read.");
}

/** Send a command. Return its answer, or throw an Error with a sentence for the user. */
export async function post(name, body = {}) {
  const response = await request(`/api/${name}`, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...body, page: PAGE }),
  });
  const answer = await response.json();
  if (answer.forgotten) throw new Forgotten(answer.forgotten);
  return answer;
}

/** Return the JSON in a file that the user chose, or throw an Error with a sentence for the user. */
export async function readJson(file) {
  if (file.size > MAX_FILE) throw new Error("The file is larger than 8 MB, the limit for imports.");
  try {
    return JSON.parse(await file.text());
  } catch {
    throw new Error("The file is not valid JSON.");
  }
}

/** Save a file of the studio through the browser. A plain link could not carry the secret. */
export async function download(what, query) {
  const response = await request(`/export/${what}?${new URLSearchParams(query)}`);
  const [, name] = /filename="(.*)"/.exec(response.headers.get("Content-Disposition"));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
