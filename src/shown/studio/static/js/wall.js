// The test: small boards that play new levels at once, and the number of wins.

import { post } from "./api.js";
import { Miniature } from "./board.js";
import { $, button, calm, el, icon, replace } from "./dom.js";
import { state } from "./store.js";
import { attempt } from "./toast.js";
import { levelTitle, moves } from "./words.js";

const COUNT = 12;
const STEP = 320; // milliseconds between clicks
const LIMIT = 60;
const LAST = 240; // after this many levels, the first ones come again

export class Wall {
  /** `onChoose(run)`: a board was clicked; `onResult(run, last)`: a run arrived, the last one if `last`. */
  constructor({ onChoose, onResult }) {
    this.onChoose = onChoose;
    this.onResult = onResult;
    this.tiles = [];
    this.first_ = 0;
    this.round = 0;
    this.timer = 0;
    this.due = false; // the policy has changed since the runs that are being played
    this.rate = el("p", { class: "rate", id: "rate", role: "status", "aria-live": "polite" });
    this.boards = el("ul", { class: "wall-boards" });
    this.again = button({ id: "wall-play", icon: "play", text: "Play all", kind: "quiet", onClick: () => this.play() });
    this.more = button({ id: "wall-more", text: `${COUNT} other levels`, kind: "quiet", onClick: () => attempt(() => this.others()) });
    replace($("test-tools"), this.again, this.more);
    replace($("test-body"), this.rate, this.boards);
  }

  clear() {
    this.round++;
    this.due = false;
    this.first_ = 0;
    this.#stop();
    this.tiles = [];
    replace(this.boards);
    this.again.hidden = this.more.hidden = true;
    this.rate.className = "rate note";
    this.rate.textContent = `The rule is tested here on ${COUNT} new levels.`;
  }

  async others() {
    this.first_ = (this.first_ + COUNT) % LAST;
    await this.start();
  }

  /** Play the levels with a new policy, but let the runs that are being played end first. */
  async renew() {
    this.due = Boolean(this.timer);
    if (!this.due) await this.start();
  }

  /** Play the levels with the current policy. A later start cancels an earlier one. */
  async start() {
    const round = ++this.round;
    const game = state.game;
    this.due = false;
    this.#stop();
    const { levels } = await post("unseen", { game: game.name, count: COUNT, first: this.first_ });
    if (round !== this.round) return;
    this.again.hidden = this.more.hidden = false;
    this.tiles = levels.map((level) => this.#tile(game, level));
    replace(
      this.boards,
      this.tiles.map((tile) => tile.node),
    );
    this.rate.textContent = `Playing ${COUNT} new levels …`;
    this.rate.className = "rate";
    const names = levels.map((level) => level.name);
    const { runs, version } = await post("runs", { game: game.name, levels: names, seed: 0 });
    if (round !== this.round) return;
    for (const [i, tile] of this.tiles.entries()) {
      tile.run = { ...runs[i], version };
      this.onResult(tile.run, i === this.tiles.length - 1);
    }
    this.#score();
    this.play();
  }

  first() {
    return this.tiles[0].run;
  }

  select(run) {
    for (const tile of this.tiles)
      tile.node.firstChild.setAttribute("aria-pressed", String(tile.level.name === run.level));
  }

  #tile(game, level) {
    const picture = new Miniature(game, level.rows, "");
    const badge = el("span", { class: "badge" });
    const press = el(
      "button",
      { type: "button", class: "tile", "aria-pressed": "false", "aria-label": levelTitle(level.name) },
      picture.node,
      badge,
    );
    const tile = { level, picture, badge, run: null, node: el("li", {}, press) };
    press.addEventListener("click", () => tile.run && this.onChoose(tile.run));
    return tile;
  }

  #score() {
    const won = this.tiles.filter((tile) => tile.run.won).length;
    const all = this.tiles.length;
    // The levels stay the same during teaching, so that scores compare; corrections on them are mentioned.
    const corrected = new Set(state.lesson.recordings.filter((r) => r.kind === "correction").map((r) => r.level));
    const helped = this.tiles.filter((tile) => corrected.has(tile.level.name)).length;
    const how = helped ? `; you corrected it on ${helped} of them` : "";
    this.rate.textContent = `It wins ${won} of ${all} new levels${how}`;
    this.rate.className = `rate ${won === all ? "good" : won * 2 >= all ? "" : "bad"}`;
    for (const tile of this.tiles) {
      const how = tile.run.won
        ? `won in ${moves(tile.run.steps.length)}`
        : tile.run.over
          ? "lost"
          : "not won";
      tile.node.firstChild.setAttribute("aria-label", `${levelTitle(tile.level.name)}: ${how}. Watch`);
      tile.badge.dataset.kind = tile.run.won ? "won" : "lost";
      replace(tile.badge, icon(tile.run.won ? "check" : "cross"));
    }
  }

  /** Play all boards at once, a click each beat, then show their starts again; with reduced motion only the starts. */
  play() {
    this.#stop();
    const ready = this.tiles.filter((tile) => tile.run);
    let beat = calm() ? LIMIT : 0;
    const rest = () => {
      this.timer = 0;
      if (this.due) attempt(() => this.start());
      else ready.forEach((tile) => tile.picture.show(tile.level.rows));
    };
    const tick = () => {
      let going = false;
      for (const tile of ready) {
        const { steps, last } = tile.run;
        const ended = beat >= steps.length;
        tile.picture.show(ended ? last : steps[beat].rows);
        going ||= !ended;
      }
      beat++;
      if (calm()) rest();
      else this.timer = setTimeout(going ? tick : rest, going ? STEP : 3 * STEP);
    };
    tick();
  }

  #stop() {
    clearTimeout(this.timer);
    this.timer = 0;
  }
}
