"""Steps per second of the games on their test levels: the rules alone, and through the Gymnasium adapter.

Half of the clicks are the expert's, half are random. All clicks are chosen beforehand, so that only steps are timed.
Run: `python benchmarks/games.py`.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from shown.grid import Cell, Grid
from shown.worlds import GAMES, Game, find, load_levels
from shown.worlds.games.gym_env import GameEnv


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0, help="how long to measure each")
    parser.add_argument("games", nargs="*", default=list(GAMES), help="which games (all)")
    args = parser.parse_args()
    print(f"{'game':20} {'rules, steps/s':>15} {'environment, steps/s':>21}")
    for name in args.games:
        game = find(name)
        positions = sample(game)
        rules, environment = rules_speed(game, positions, args.seconds), env_speed(game, positions, args.seconds)
        print(f"{name:20} {rules:15,.0f} {environment:21,.0f}")


def sample(game: Game, number: int = 2000) -> list[tuple[Grid, Cell]]:
    """Return positions from games on the test levels, each with a click."""
    rng = np.random.default_rng(0)
    levels = load_levels(game, "test")
    positions: list[tuple[Grid, Cell]] = []
    while len(positions) < number:
        grid, over = levels[rng.integers(len(levels))].grid, False
        for _ in range(game.max_steps):
            click = game.expert(grid) if rng.random() < 0.5 else tuple(int(x) for x in rng.integers(grid.shape))
            positions.append((grid, click))  # type: ignore[arg-type]
            outcome = game.step(grid, click, rng)
            grid, over = outcome.grid, outcome.over
            if over:
                break
    return positions[:number]


def rules_speed(game: Game, positions: list[tuple[Grid, Cell]], seconds: float) -> float:
    rng, steps, start = np.random.default_rng(0), 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        for grid, click in positions:
            game.step(grid, click, rng)
        steps += len(positions)
    return steps / (time.perf_counter() - start)


def env_speed(game: Game, positions: list[tuple[Grid, Cell]], seconds: float) -> float:
    """Play every step from its given position, so that the clicks equal those of the rules."""
    env = GameEnv(game, "test")
    env.reset(seed=0)
    steps, start = 0, time.perf_counter()
    while time.perf_counter() - start < seconds:
        for grid, click in positions:
            env._grid, env._playing = grid, True
            env.step(click)
        steps += len(positions)
    return steps / (time.perf_counter() - start)


if __name__ == "__main__":
    main()
