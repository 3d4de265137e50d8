// The state of the page, and events for its changes.

const listeners = new Map();

/** games: by name; game: the open one; lesson, learned: the latest from the server. */
export const state = { games: new Map(), game: null, lesson: null, learned: null };

/** Call `listener` whenever `event` happens. Events: open, game, lesson, learned, policy, position, corrected, recorded. */
export function on(event, listener) {
  if (!listeners.has(event)) listeners.set(event, []);
  listeners.get(event).push(listener);
}

export function emit(event, ...details) {
  for (const listener of listeners.get(event) ?? []) listener(...details);
}

/** Take a lesson from the server, unless it is of another game or older than the present one. */
export function takeLesson(lesson) {
  if (!state.game || lesson.game !== state.game.name) return;
  if (state.lesson && state.lesson.game === lesson.game && lesson.revision < state.lesson.revision) return;
  // Fields left out of an answer have not changed.
  state.lesson = { ...state.lesson, ...lesson };
  emit("lesson", state.lesson);
}

/** Take the state of learning from the server; "policy" is emitted when the policy is another one. */
export function takeLearned(learned) {
  if (!state.game || learned.game !== state.game.name) return;
  const before = state.learned;
  state.learned = learned;
  emit("learned", learned);
  const changed = !before || before.game !== learned.game || before.version !== learned.version;
  if (changed || before.hasPolicy !== learned.hasPolicy) emit("policy", learned);
}

/** Return what this browser was asked to remember; null if nothing, or if it has no storage. */
export function recall(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

/** Remember a text in this browser; without storage, as long as the page lasts. */
export function remember(key, text) {
  try {
    localStorage.setItem(key, text);
  } catch {
    // The page itself holds it.
  }
}
