"""Connect Four: win if you can, otherwise block your opponent.

Run it: `python examples/connect_four.py`
"""

from __future__ import annotations

import numpy as np

from shown import Action, Cell, Grid, Tokens, teach
from shown.worlds import Outcome, World, demonstrate, success_rate

ME, YOU, FREE, LANDING = "X", "O", ".", "_"
WAYS = ((0, 1), (1, 0), (1, 1), (1, -1))
HEIGHT, WIDTH, FOUR = 6, 7, 4


class ConnectFour(World):
    """One move: make four in a row, or else take the only place where your opponent would.

    Description: pieces fall to the lowest free place of a column. A position comes from random play; either you can win
        at once, or your opponent threatens to.
    Observation: `X` your pieces, `O` your opponent's, `_` where a piece would land, `.` free and not yet in reach.
    Actions: clicks on the place where your piece should land.
    Rewards: 1 for the right move.
    End of episode: after one move, which is right or wrong.
    """

    name = "connect-four"
    title = "Connect Four"
    goal = "Make four in a row, or else stop your opponent from doing so."
    tokens = Tokens(empty=FREE, landing_place=LANDING, own_piece=ME, other_piece=YOU)
    max_steps = 1

    def reset(self, seed: int) -> Grid:
        rng = np.random.default_rng(seed)
        while True:
            self._pieces = self._random_play(rng, int(rng.integers(8, 33)))
            if self._pieces and self.right():
                return self._grid()

    def step(self, action: Action) -> Outcome:
        right = action in self.right()
        return Outcome(self._grid(), right, over=True, reward=float(right))

    def expert(self) -> Action:
        """Return the first right move in reading order."""
        return self.right()[0]

    def equally_good(self) -> list[Cell]:
        return self.right()

    def right(self) -> list[Cell]:
        """Return the moves that win; if none does, the only move that stops your opponent from winning."""
        wins = [cell for cell in self._landings() if self._makes_four(cell, ME)]
        blocks = [cell for cell in self._landings() if self._makes_four(cell, YOU)]
        return wins or (blocks if len(blocks) == 1 else [])

    def _random_play(self, rng: np.random.Generator, moves: int) -> dict[Cell, str]:
        """Return the pieces after `moves` random moves, with your turn next; none if the game is over by then."""
        self._pieces = {}
        for move in range(moves - moves % 2):
            landings = self._landings()
            cell = landings[int(rng.integers(len(landings)))]
            piece = (ME, YOU)[move % 2]
            if self._makes_four(cell, piece):
                return {}
            self._pieces[cell] = piece
        return self._pieces

    def _landings(self) -> list[Cell]:
        heights = {c: max((r for r in range(HEIGHT) if (r, c) not in self._pieces), default=None) for c in range(WIDTH)}
        return sorted((r, c) for c, r in heights.items() if r is not None)

    def _makes_four(self, cell: Cell, piece: str) -> bool:
        def run(down: int, right: int) -> int:
            length, (r, c) = 0, cell
            while self._pieces.get((r := r + down, c := c + right)) == piece:
                length += 1
            return length

        return any(1 + run(a, b) + run(-a, -b) >= FOUR for a, b in WAYS)

    def _grid(self) -> Grid:
        landings = dict.fromkeys(self._landings(), LANDING)
        shown = {**landings, **self._pieces}
        return Grid(tuple("".join(shown.get((r, c), FREE) for c in range(WIDTH)) for r in range(HEIGHT)))


def main() -> None:
    """Show twelve positions, print the rule that explains them, and try it on new ones."""
    world = ConnectFour()
    taught = teach(demonstrate(world, range(12)), world, language="standard", practice=0)
    print(taught.policy.english())
    print(f"right moves in new positions: {success_rate(world, taught.policy, range(1000, 1060)):.0%}")


if __name__ == "__main__":
    main()
