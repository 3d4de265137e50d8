// A wall of small boards that play at once, and how many of them are won.

import { post } from "./api.js";
import { Miniature } from "./board.js";
import { $, button, calm, el, icon, replace } from "./dom.js";
import { state } from "./store.js";
import { attempt } from "./toast.js";
import { levelTitle, moves, plural } from "./words.js";

const COUNT = 12;
const STEP = 320;
const LIMIT = 60;

export class Wall {
  /** `onChoose(run)`: a board was clicked; `onResult(run, last)`: a run has come, the last one if `last`. */
  constructor({ onChoose, onResult }) {
    this.onChoose = onChoose;
    this.onResult = onResult;
    this.tiles = [];
    this.first_ = 0;
    this.round = 0;
    this.timer = 0;
    this.rate = el("p", { class: "rate", id: "rate", role: "status", "aria-live": "polite" });
    this.boards = el("ul", { class: "wall-boards" });
    this.again = button({ id: "wall-play", icon: "play", text: "Play all", kind: "quiet", onClick: () => this.play() });
    this.more = button({ id: "wall-more", text: "Others", kind: "quiet", onClick: () => attempt(() => this.others()) });
    replace($("test-tools"), this.again, this.more);
    replace($("test-body"), this.rate, this.boards);
  }

  clear() {
    this.round++;
    this.first_ = 0;
    this.#stop();
    this.tiles = [];
    replace(this.boards);
    this.again.hidden = this.more.hidden = true;
    this.rate.className = "rate note";
    this.rate.textContent = `${COUNT} levels nobody has shown it, played at once: so you see how well it understood.`;
  }

  async others() {
    this.first_ = (this.first_ + COUNT) % 240;
    await this.start();
  }

  /** Plays the levels again, with the policy of the moment. A later start makes an earlier one stop. */
  async start() {
    const round = ++this.round;
    const game = state.game;
    this.#stop();
    const { levels } = await post("unseen", { game: game.name, count: COUNT, first: this.first_ });
    if (round !== this.round) return;
    this.again.hidden = this.more.hidden = false;
    this.tiles = levels.map((level) => this.#tile(game, level));
    replace(
      this.boards,
      this.tiles.map((tile) => tile.node),
    );
    this.rate.textContent = `Trying ${COUNT} levels nobody has shown it …`;
    this.rate.className = "rate";
    const names = levels.map((level) => level.name);
    const { runs } = await post("runs", { game: game.name, levels: names, seed: 0 });
    if (round !== this.round) return;
    for (const [i, tile] of this.tiles.entries()) {
      tile.run = runs[i];
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
    // The levels stay the same while one teaches, so that scores compare; what was corrected on them is said.
    const corrected = new Set(state.lesson.recordings.filter((r) => r.kind === "correction").map((r) => r.level));
    const helped = this.tiles.filter((tile) => corrected.has(tile.level.name)).length;
    const how = helped ? `, though you corrected it on ${plural(helped, "level")}` : "";
    this.rate.textContent = `It solves ${won} of ${all} levels nobody has shown it${how}`;
    this.rate.className = `rate ${won === all ? "good" : won * 2 >= all ? "" : "bad"}`;
    for (const tile of this.tiles) {
      const how = tile.run.won
        ? `solved in ${moves(tile.run.steps.length)}`
        : tile.run.over
          ? "lost"
          : "not solved";
      tile.node.firstChild.setAttribute("aria-label", `${levelTitle(tile.level.name)}: ${how}. Watch it.`);
      tile.badge.dataset.kind = tile.run.won ? "won" : "lost";
      replace(tile.badge, icon(tile.run.won ? "check" : "cross"));
    }
  }

  /** All boards at once, a click each beat; at the end, or with reduced motion at once, where they began. */
  play() {
    this.#stop();
    const ready = this.tiles.filter((tile) => tile.run);
    let beat = calm() ? LIMIT : 0;
    const rest = () => ready.forEach((tile) => tile.picture.show(tile.level.rows));
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
