"""Environments small enough to be read, and wrong ones."""

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces

from shown.cli import main


class Corridor(gymnasium.Env):
    """Five cells, a goal at one end; 0 goes left, 1 goes right. What it shows and takes can be spoiled."""

    def __init__(self, shown=None, actions=None, space=None):
        self.action_space = actions or spaces.Discrete(2)
        self.observation_space = space or spaces.Box(0, 2, (1, 5), np.int64)
        self.shown = shown

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.at, self.goal, self.steps = 2, 4 * int(self.np_random.integers(2)), 0
        return self.observation(), {}

    def step(self, action):
        self.at += 1 if action == 1 else -1
        self.steps += 1
        over = self.at in (0, 4)
        return self.observation(), float(self.at == self.goal), over, self.steps >= 9, {}

    def observation(self):
        if self.shown is not None:
            return self.shown(self)
        cells = np.zeros((1, 5), np.int64)
        cells[0, self.goal] = 2
        cells[0, self.at] = 1
        return cells


@pytest.fixture
def corridor():
    return Corridor


@pytest.fixture
def command(capsys, tmp_path, monkeypatch):
    """Runs `shown …` in an empty folder; the exit code, what it printed, what it said."""
    monkeypatch.chdir(tmp_path)

    def run(*words):
        capsys.readouterr()
        code = main([str(word) for word in words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run
