"""Interpretations: hypotheses about what a demonstrated click means.

A teacher clicks a wall to wait: does it have to be this wall? A teacher builds three fences: in this order, or in any?
The paper takes the exact clicks and rules out every other action. Other interpretations leave some actions *open*:
neither shown nor ruled out. No interpretation suits every teacher, so they are data: listed, tried and selectable.

With the rules of the game, playing it shows which actions are equivalent and which can change places. Without them,
only the recorded runs can:

- Two actions are equivalent if both were shown in the same position and led to the same position.
- A later click could have come now if it and all clicks in between had the same effect on different cells: each changed
  its own cell and nothing else, from one token to the same other token. The effect of a run's last step is unknown, so
  it never counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, Protocol, get_args

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.errors import BadInput, at, did_you_mean
from shown.grid import Action, Cell, Grid
from shown.teaching.interpretation.equivalence import Effect, Effects, effects_of, expert_action, first_alike
from shown.worlds import Game, Outcome

Clicks = Literal["exact", "equivalent", "changed", "first", "expert", "winning"]
Order = Literal["given", "any"]

_CLICKS_IN_WORDS = {
    "exact": "exact clicks",
    "equivalent": "any equivalent click",
    "changed": "the cell that changes",
    "first": "the first equivalent cell",
    "expert": "the expert's equivalent click",
    "winning": "any click that also wins",
}


@dataclass(frozen=True, slots=True)
class Interpretation:
    """Meaning of a demonstrated action.

    >>> print(Interpretation())
    exact clicks
    >>> print(Interpretation("changed", "any"))
    the cell that changes, in any order

    Attributes:
        clicks: treatment of equivalent actions, which lead to the same position. "exact" (the paper): the clicked one
            is shown, all others ruled out. With any other value, one of them counts as shown and the others are open.
            "equivalent": the clicked one counts. "changed": the cell that changes, such as the place where a dropped
            block lands (the clicked one if it changes or none does, else the first). "first": the first in reading
            order on the same token. "expert": the game expert's action if it is equivalent, else as "first". "winning":
            the clicked one; open are also all clicks that, played in its place, win the game at the same step with the
            other clicks unchanged, independently of chance. In a run that was not won, this equals "equivalent".
        order: "given": the steps of a run had to come in this order. "any": the action of step j is open at step i < j
            if it changes the position there, and playing it and then the actions of steps i to j - 1 leads to the
            position after step j (ending the game if and only if step j did), independently of chance. Unless `clicks`
            is "exact", all equivalents of such an action are open too.
    """

    clicks: Clicks = "exact"
    order: Order = "given"

    def __post_init__(self) -> None:
        for what, value, known in (("clicks", self.clicks, get_args(Clicks)), ("order", self.order, get_args(Order))):
            if value not in known:
                raise BadInput(f"an interpretation's {what} must be one of {', '.join(known)}, not {value!r}.")

    @property
    def name(self) -> str:
        """The interpretation in words, as shown after "Interpreted as"."""
        return _CLICKS_IN_WORDS[self.clicks] + (", in any order" if self.order == "any" else "")

    def __str__(self) -> str:
        return self.name

    def to_json(self) -> dict[str, str]:
        return {"clicks": self.clicks, "order": self.order}

    @classmethod
    def from_json(cls, value: Any, where: str = "interpretation") -> Interpretation:
        """
        >>> Interpretation.from_json({"clicks": "equivalent", "order": "any"}).name
        'any equivalent click, in any order'
        """
        if not isinstance(value, dict) or not set(value) <= {"clicks", "order"}:
            raise BadInput(f'{where}: must be an object such as {{"clicks": "equivalent", "order": "any"}}.')
        with at(f"{where}: "):
            return cls(**value)


EXACT_CLICKS = Interpretation()
"""The paper's interpretation: every other action is ruled out."""

INTERPRETATIONS = (
    EXACT_CLICKS,
    Interpretation("equivalent"),
    Interpretation("changed"),
    Interpretation("first"),
    Interpretation("expert"),
    Interpretation("exact", "any"),
    Interpretation("equivalent", "any"),
    Interpretation("changed", "any"),
    Interpretation("winning"),
    Interpretation("winning", "any"),
)
"""Interpretations tried by default, the most plausible first."""


def find_interpretation(name: str) -> Interpretation:
    """Return an interpretation by its words or its short name: `CLICKS`, `CLICKS/any-order`, or `any-order`.

    >>> find_interpretation("any-order") == Interpretation("exact", "any")
    True
    >>> find_interpretation("changed/any-order").name
    'the cell that changes, in any order'
    """
    short = {clicks: Interpretation(clicks) for clicks in get_args(Clicks)}
    short |= {f"{clicks}/any-order": Interpretation(clicks, "any") for clicks in get_args(Clicks)}
    short["any-order"] = Interpretation(order="any")
    known = short | {interpretation.name: interpretation for interpretation in short.values()}
    if name not in known:
        raise BadInput(f"no interpretation called {name!r}. {did_you_mean(name, list(short))}")
    return known[name]


def interpret(
    demonstrations: Demonstrations, interpretation: Interpretation, game: Game | Effects | None = None
) -> Demonstrations:
    """Return the demonstrations with the actions that count as shown and those that are open under an interpretation.

    Steps keep their places, weights and open actions. A refused action is replaced by its equivalent, too, but nothing
    becomes open beside it.

    >>> from shown.worlds import find
    >>> from shown.grid import grid
    >>> fence_in = find("fence-in")
    >>> run = [(grid("####", "#S.#", "#..#"), (2, 1)), (grid("####", "#S.#", "##.#"), (2, 2))]
    >>> clicks = Demonstrations.from_runs(fence_in.tokens, [run])
    >>> [step.open for step in interpret(clicks, Interpretation("exact", "any"), fence_in).steps]
    [((2, 2),), ()]

    Args:
        demonstrations: the recorded clicks.
        interpretation: meaning of the clicks.
        game: the rules, or the effects already computed by them. If None, only the recorded runs are used (see above).
    """
    if interpretation == EXACT_CLICKS:
        return demonstrations
    known = _known(demonstrations, game)
    items = tuple(
        replace(item, steps=_interpret_run(item, interpretation, known, demonstrations.buttons))
        for item in demonstrations
    )
    return replace(demonstrations, items=items)


def interpret_step(
    demonstrations: Demonstrations,
    place: tuple[int, int],
    interpretation: Interpretation,
    game: Game | Effects | None = None,
) -> Step:
    """Return one step, given by its demonstration and position in it, as `interpret` would.

    >>> from shown.worlds import demonstrate, find, load_levels
    >>> chase = find("chase")
    >>> shown = demonstrate(chase, load_levels(chase, "train:0"))
    >>> equivalent = Interpretation("equivalent")
    >>> interpret_step(shown, (0, 3), equivalent, chase) == interpret(shown, equivalent, chase).items[0].steps[3]
    True
    """
    d, s = place
    item = demonstrations.items[d]
    if interpretation == EXACT_CLICKS:
        return item.steps[s]
    return _interpret_run(item, interpretation, _known(demonstrations, game), demonstrations.buttons)[s]


def distinct_interpretations(
    demonstrations: Demonstrations,
    game: Game | Effects | None = None,
    interpretations: Sequence[Interpretation] = INTERPRETATIONS,
) -> dict[Interpretation, Demonstrations]:
    """Return the demonstrations under each interpretation; of interpretations with equal results only the first.

    >>> from shown.worlds import demonstrate, find, load_levels
    >>> nim = find("nim")
    >>> shown = demonstrate(nim, load_levels(nim, "train:0-2"))
    >>> [interpretation.name for interpretation in distinct_interpretations(shown, nim)]
    ['exact clicks']
    """
    known = effects_of(game)
    seen: dict[tuple[Demonstration, ...], Interpretation] = {}
    distinct: dict[Interpretation, Demonstrations] = {}
    for interpretation in interpretations:
        result = interpret(demonstrations, interpretation, known)
        if seen.setdefault(result.items, interpretation) is interpretation:
            distinct[interpretation] = result
    return distinct


class _Known(Protocol):
    """Known effects of actions: by the rules (`Effects`), or from the recorded runs (`_Seen`)."""

    def effect(self, grid: Grid, action: Action) -> Effect | None: ...

    def alike(self, grid: Grid, action: Action) -> tuple[Action, ...]: ...


def _known(demonstrations: Demonstrations, game: Game | Effects | None) -> _Known:
    if game is None:
        return _Seen(demonstrations)
    effects = game if isinstance(game, Effects) else Effects(game)
    rules = effects.game
    if (demonstrations.tokens, demonstrations.buttons) != (rules.tokens, rules.buttons):
        raise BadInput(
            f"these demonstrations are not of {rules.title}: they have other tokens or buttons. "
            "Pass the rules of the demonstrated game, or None."
        )
    return effects


def _interpret_run(
    item: Demonstration, interpretation: Interpretation, known: _Known, buttons: tuple[str, ...]
) -> tuple[Step, ...]:
    places = [s for s, step in enumerate(item.steps) if not step.refused]
    run = [item.steps[s] for s in places]
    later: dict[int, set[Action]] = {}
    if interpretation.order == "any":
        found = _could_come_now(run, known) if isinstance(known, Effects) else _did_the_same_thing(run)
        later = dict(zip(places, found, strict=True))
    if interpretation.clicks == "winning" and isinstance(known, Effects):
        for s, wins in zip(places, _win_as_well(run, known), strict=True):
            later[s] = later.get(s, set()) | wins
    return tuple(
        _interpret_step(step, later.get(s, set()), interpretation, known, buttons) for s, step in enumerate(item.steps)
    )


def _interpret_step(
    step: Step, later: set[Action], interpretation: Interpretation, known: _Known, buttons: tuple[str, ...]
) -> Step:
    if interpretation.clicks == "exact":
        action, opened = step.action, later
    else:
        same = known.alike(step.grid, step.action)
        action = _standing_for(same, step, interpretation.clicks, known)
        opened = {other for now in (step.action, *later) for other in known.alike(step.grid, now)}
    if step.refused:
        return replace(step, action=action)
    left = {*opened, *step.open} - {action}
    return replace(step, action=action, open=_in_order(left, buttons))


def _standing_for(same: tuple[Action, ...], step: Step, how: Clicks, known: _Known) -> Action:
    """Return the one of the equivalent actions that counts as shown."""
    if len(same) == 1 or how in ("equivalent", "winning"):
        return step.action
    if how == "changed":
        changing = _changing(step, known)
        return step.action if step.action in changing else next((a for a in same if a in changing), step.action)
    if how == "expert" and isinstance(known, Effects):
        best = expert_action(known.game, step.grid)
        if best in same:
            return best
    return first_alike(step.grid, step.action, same)


def _changing(step: Step, known: _Known) -> set[Cell]:
    """Return the cells that the step's action changes, independently of chance."""
    changed = [set(_changes(step.grid, outcome.grid)) for outcome in known.effect(step.grid, step.action) or ()]
    return set.intersection(*changed) if changed else set()


def _changes(before: Grid, after: Grid) -> dict[Cell, tuple[str, str]]:
    """Return the cells in which two grids differ, with both characters; none if their shapes differ."""
    if before.shape != after.shape:
        return {}
    return {
        (r, c): (old, new)
        for r, (row, now) in enumerate(zip(before.rows, after.rows, strict=True))
        if row != now
        for c, (old, new) in enumerate(zip(row, now, strict=True))
        if old != new
    }


def _in_order(actions: Iterable[Action], buttons: tuple[str, ...]) -> tuple[Action, ...]:
    return tuple(sorted(actions, key=buttons.index if buttons else None))  # type: ignore[type-var, arg-type]


def _could_come_now(run: Sequence[Step], effects: Effects) -> list[set[Action]]:
    """Return, for each step, the actions of later steps that could have come now by the rules."""
    found: list[set[Action]] = [set() for _ in run]
    for j, last in enumerate(run):
        after = Outcome(run[j + 1].grid) if j + 1 < len(run) else effects.certain(last.grid, last.action)
        if after is None:
            continue
        for i in range(j):
            now = effects.certain(run[i].grid, last.action)
            changes = now is not None and now.grid != run[i].grid
            if changes and _played_on(now, run[i:j], effects) == after:
                found[i].add(last.action)
    return found


def _win_as_well(run: Sequence[Step], effects: Effects) -> list[set[Action]]:
    """Return, for each step of a won run, the other actions that would have won in its place by the rules."""
    last = effects.certain(run[-1].grid, run[-1].action) if run else None
    if last is None or not last.won:
        return [set() for _ in run]
    found = []
    for i, step in enumerate(run):
        played = set(effects.alike(step.grid, step.action))
        won = set[Action]()
        for action in effects.actions(step.grid):
            now = None if action in played else effects.certain(step.grid, action)
            if now is None or now.grid == step.grid:
                continue
            same = effects.alike(step.grid, action)
            played.update(same)
            end = _played_on(now, run[i + 1 :], effects)
            if end is not None and end.won:
                won.update(same)
        found.append(won)
    return found


def _played_on(now: Outcome | None, steps: Sequence[Step], effects: Effects) -> Outcome | None:
    """Return the outcome after the actions of some steps; None if the game ends before, or depends on chance."""
    for step in steps:
        if now is None or now.over:
            return None
        now = effects.certain(now.grid, step.action)
    return now


def _did_the_same_thing(run: Sequence[Step]) -> list[set[Action]]:
    """Return, for each step, the following actions that had the same effect on other cells; used without rules."""
    found: list[set[Action]] = [set() for _ in run]
    things: list[tuple[str, str] | None] = [None for _ in run]
    for i, (step, following) in enumerate(pairwise(run)):
        changes = _changes(step.grid, following.grid)
        if len(changes) == 1 and step.action in changes:
            things[i] = changes[step.action]
    for i, thing in enumerate(things):
        for j in range(i + 1, len(run)):
            if thing is None or things[j] != thing:
                break
            found[i].add(run[j].action)
    return found


class _Seen:
    """Effects seen in the recorded runs. The effect of an action that led to two positions is unknown."""

    def __init__(self, demonstrations: Demonstrations) -> None:
        self._after: dict[Grid, dict[Action, set[Grid]]] = {}
        for item in demonstrations:
            run = [step for step in item.steps if not step.refused]
            for step, following in pairwise(run):
                self._after.setdefault(step.grid, {}).setdefault(step.action, set()).add(following.grid)
        self._buttons = demonstrations.buttons

    def effect(self, grid: Grid, action: Action) -> Effect | None:
        after = self._after.get(grid, {}).get(action, set())
        return tuple(map(Outcome, after)) if len(after) == 1 else None

    def alike(self, grid: Grid, action: Action) -> tuple[Action, ...]:
        effect = self.effect(grid, action)
        if effect is None:
            return (action,)
        same = (other for other in self._after[grid] if self.effect(grid, other) == effect)
        return _in_order(same, self._buttons)
