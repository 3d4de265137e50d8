"""The symmetries that games declare are true: rules, legal positions and expert play go with them."""

from collections.abc import Iterator

import numpy as np
import pytest

from shown.demonstrations import Demonstration
from shown.grid import Action, Grid
from shown.symmetry import MOTIONS, Transformation, closure, images, of_action, of_grid, suggest_symmetries
from shown.worlds import GAMES, Game, Outcome, demonstrate, find, load_levels

SYMMETRIC = ["nim", "checkmate", "chase", "stop-the-fall", "reach-for-the-star"]


class Fixed:
    """Chances of which one is chosen. It stands in for a generator, to see all that an action may lead to."""

    def __init__(self, choice: int) -> None:
        self.choice, self.most = choice, 1

    def integers(self, most: int) -> int:
        self.most = int(most)
        return self.choice


def outcomes(game: Game, grid: Grid, action: Action) -> set[Outcome]:
    """All that an action may lead to."""
    found, choice, most = set(), 0, 1
    while choice < most:
        chances = Fixed(choice)
        found.add(game.step(grid, action, chances))
        choice, most = choice + 1, chances.most
    return found


def positions(game: Game, specs: str, random_steps: int = 20) -> Iterator[tuple[Grid, Action]]:
    """Grids and actions along the expert's play, and then along random play of the same levels."""
    rng = np.random.default_rng(0)
    levels = load_levels(game, specs)
    for step in demonstrate(game, levels).steps:
        yield step.grid, step.action
    for level in levels:
        grid = level.grid
        for _ in range(random_steps):
            cells = [c for c in grid.cells() if grid[c] != "."] if rng.random() < 0.5 else list(grid.cells())
            action = cells[rng.integers(len(cells))]
            yield grid, action
            outcome = game.step(grid, action, rng)
            if outcome.over:
                break
            grid = outcome.grid


def moved(outcome: Outcome, transformation: Transformation, game: Game) -> Outcome:
    return Outcome(of_grid(outcome.grid, transformation, game.tokens), outcome.won, outcome.over)


def test_what_the_games_declare():
    declared = {name: [t.cells for t in closure(find(name).symmetries)] for name in GAMES}
    assert declared.pop("fence-in") == ["same"]
    assert sorted(declared.pop("checkmate")) == sorted(MOTIONS)
    assert declared.pop("chase") == ["same", "left-right", "up-down", "half-turn"]
    assert all(cells == ["same", "left-right"] for cells in declared.values())
    for name in GAMES:
        for transformation in find(name).symmetries:
            transformation.check(find(name).tokens, find(name).buttons)


@pytest.mark.parametrize("name", SYMMETRIC)
def test_rules_go_with_the_symmetry(name: str):
    """What a mirrored action leads to on a mirrored grid is the mirror image of what the action leads to."""
    game = find(name)
    changed = 0
    for grid, action in positions(game, "random:0-9,train:0-2"):
        before = outcomes(game, grid, action)
        changed += any(outcome.grid != grid for outcome in before)
        for transformation in closure(game.symmetries)[1:]:
            image = of_grid(grid, transformation, game.tokens)
            click = of_action(action, transformation, grid, game.tokens)
            after = outcomes(game, image, click)
            assert after == {moved(outcome, transformation, game) for outcome in before}, (grid, action)
    assert changed > 50


@pytest.mark.parametrize("name", SYMMETRIC)
def test_images_of_levels_are_legal(name: str):
    game = find(name)
    for level in load_levels(game, "train,test,random:0-19"):
        for transformation in closure(game.symmetries):
            game.check(of_grid(level.grid, transformation, game.tokens))


def test_mirrored_the_keys_are_still_where_all_levels_have_them():
    star = find("reach-for-the-star")
    (mirror,) = star.symmetries
    for level in load_levels(star, "train,test,random:0-19"):
        image = of_grid(level.grid, mirror, star.tokens)
        assert image.rows[-1] == level.grid.rows[-1]
        assert image.rows[:-1] == tuple(row[::-1] for row in level.grid.rows[:-1])


@pytest.mark.parametrize("name", SYMMETRIC)
def test_images_of_expert_demonstrations_are_games_that_win(name: str):
    game = find(name)
    demos = demonstrate(game, load_levels(game, "train:0-3,random:0-5"))
    more = images(demos, game.symmetries)
    assert len(more) > len(demos)
    for item in more:
        assert wins(game, item)
        assert item.outcome == "won"


def wins(game: Game, item: Demonstration) -> bool:
    """Whether each step of a run may lead to the next, and the last one wins."""
    for step, following in zip(item.steps, item.steps[1:], strict=False):
        assert Outcome(following.grid) in outcomes(game, step.grid, step.action)
    return any(outcome.won for outcome in outcomes(game, item.steps[-1].grid, item.steps[-1].action))


@pytest.mark.parametrize("name", GAMES)
def test_experts_do_not_contradict_what_is_declared(name: str):
    game = find(name)
    for spec in ("train:0", "train", "random:0-9"):
        demos = demonstrate(game, load_levels(game, spec))
        assert suggest_symmetries(demos, game.symmetries) == game.symmetries
