"""Policies as standalone modules: the file is code, nothing of the policy breaks out of its data, and it acts alike."""

from __future__ import annotations

import ast
import random
from pathlib import Path
from typing import Any

from fuzz import mutate, sound
from fuzz.cases import expected
from shown.grid import Grid
from shown.policy import Policy

KINDS = {ast.Expr, ast.Assign, ast.FunctionDef, ast.ClassDef}
"""All that stands at the top of an exported module: its text, its data, its functions, and what they look at."""


def make(rng: random.Random) -> Any:
    policy = sound.policy(rng)
    value = policy.to_json()
    if rng.random() < 0.6:
        value["game"] = rng.choice(mutate.TEXTS)
    if rng.random() < 0.4:
        value = mutate.damaged(rng, value)
    return {"policy": value, "grids": [list(sound.grid(rng, policy.tokens).rows) for _ in range(3)]}


def run(data: Any, folder: Path) -> None:
    with expected():
        policy = Policy.from_json(data["policy"])
        text = policy.to_python()
        tree = ast.parse(text)
        assert {type(node) for node in tree.body} <= KINDS, "something else than data and functions is in the module"
        assert sum(isinstance(node, ast.Expr) for node in tree.body) == 1, "something broke out of the docstring"
        text.encode()
        module: dict[str, Any] = {"__name__": "exported"}
        exec(compile(tree, "exported.py", "exec"), module)
        for rows in data["grids"]:
            grid = Grid(rows)
            policy.tokens.check(grid)
            assert module["act"](rows) == policy.act(grid), f"it acts otherwise on\n{grid}"
            shares = policy.probabilities(grid).ravel().tolist()
            assert list(module["probabilities"](rows).values()) == shares, f"it weighs otherwise on\n{grid}"
