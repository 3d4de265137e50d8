"""A world that gives rewards and is never won."""

import numpy as np

from shown.grid import Grid, Tokens
from shown.worlds import Outcome, World

WIDTH, STEPS = 7, 20


class Orchard(World):
    """A row with one apple at a time: each apple that is reached gives a reward of 1, and another one appears."""

    name, title, goal = "orchards:Orchard", "Orchard", "Pick as many apples as you can."
    tokens = Tokens(empty=".", agent="A", apple="o")
    buttons = ("left", "right")
    max_steps = STEPS

    def reset(self, seed):
        self.rng = np.random.default_rng(seed)
        self.at, self.apple = WIDTH // 2, self._another(WIDTH // 2)
        return self._seen()

    def step(self, action):
        self.at = min(max(self.at + (1 if action == "right" else -1), 0), WIDTH - 1)
        picked = self.at == self.apple
        if picked:
            self.apple = self._another(self.at)
        return Outcome(self._seen(), reward=float(picked))

    def expert(self):
        return "left" if self.apple < self.at else "right"

    def _another(self, at):
        return int(self.rng.choice([place for place in range(WIDTH) if place != at]))

    def _seen(self):
        return Grid(["." * WIDTH]).with_cells({(0, self.apple): "o", (0, self.at): "A"})
