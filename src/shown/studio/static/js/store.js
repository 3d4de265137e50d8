// What the page knows, and who wants to hear when it changes.

const listeners = new Map();

/** games: by name; game: the one that is open; lesson, learned: as the server last said. */
export const state = { games: new Map(), game: null, lesson: null, learned: null };

/** Calls `listener` whenever `event` happens. Events: open, game, lesson, learned, policy, position, corrected, recorded. */
export function on(event, listener) {
  if (!listeners.has(event)) listeners.set(event, []);
  listeners.get(event).push(listener);
}

export function emit(event, ...details) {
  for (const listener of listeners.get(event) ?? []) listener(...details);
}

/** Takes a lesson from the server, unless a newer one is here already. */
export function takeLesson(lesson) {
  if (!state.game || lesson.game !== state.game.name) return;
  if (state.lesson && state.lesson.game === lesson.game && lesson.revision < state.lesson.revision) return;
  // What an answer leaves out has not changed.
  state.lesson = { ...state.lesson, ...lesson };
  emit("lesson", state.lesson);
}

/** Takes what was learned from the server; says "policy" when there is another policy than before. */
export function takeLearned(learned) {
  if (!state.game || learned.game !== state.game.name) return;
  const before = state.learned;
  state.learned = learned;
  emit("learned", learned);
  const news = !before || before.game !== learned.game || before.version !== learned.version;
  if (news || before.hasPolicy !== learned.hasPolicy) emit("policy", learned);
}
