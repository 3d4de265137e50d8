"""Readings: what a demonstrated click stands for is a hypothesis.

Somebody clicks a wall to wait: is it this wall, or any? Somebody builds three fences: in this order, or in any? The
paper takes every click as it was made and rules out everything else. That is one reading. Others leave actions *open*:
nothing is said of them. None is right for all teachers, so readings are data: they can be listed, tried, told ("read
as: in any order") and forced.

With the rules of the game at hand, what comes to the same and what can change places is found by playing it. Without
them only the recorded runs can tell, and they tell little:

- two actions come to the same if both were shown in the same position and the same position followed;
- a later click could have come now if it and all clicks from now until then did the same thing to different cells: each
  changed the cell it was on and nothing else, from one and the same token to one and the same other. Of the last step
  of a run nobody knows what it led to, so it never counts among these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, Protocol, get_args

from shown.demonstrations import Demonstration, Demonstrations, Step
from shown.errors import BadInput, did_you_mean
from shown.games.game import Game, Outcome
from shown.grid import Action, Cell, Grid
from shown.teaching.same import Effect, Effects, expert_action, first_alike

Same = Literal["clicked", "open", "changed", "first", "expert", "winning"]
Order = Literal["given", "any"]

_SAID_OF_SAME = {
    "clicked": "as clicked",
    "open": "any click that comes to the same",
    "changed": "the cell that changes",
    "first": "the first cell that comes to the same",
    "expert": "the expert's click that comes to the same",
    "winning": "any click that wins as well",
}
_IN_ANY_ORDER = "in any order"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a demonstrated action stands for.

    >>> print(Reading())
    as clicked
    >>> print(Reading("changed", "any"))
    the cell that changes, in any order

    Attributes:
        same: how actions that come to the same are taken. "clicked": the one that was clicked, all others are ruled out
            (the paper). With any other value all that come to the same are open but one, which counts as shown:
            "open": the one that was clicked; "changed": the cell that changes, such as the place where a dropped block
            comes to rest (the clicked one if it is among those that change or none of them does, else the first of
            them); "first": the first in reading order on the same token; "expert": what the game's expert does there if
            that comes to the same, else the first on the same token; "winning": the one that was clicked, and open is
            not only what comes to the same but every click that could have been in its place: played there instead,
            with the other clicks of the run as they were, it wins the game at the same step (as far as no outcome
            depends on chance). Of a run that was not won, nothing more than what comes to the same is open.
        order: "given": the steps of a run had to come in this order. "any": an action of a later step is open now if it
            could have come now. Exactly: the action of step j is open at step i < j of the same run if it changes the
            position of step i, and playing it there and then the actions of steps i to j - 1 leads to the position
            after step j (and ends the game there if, and only if, step j did), while no outcome on the way depends on
            chance. If `same` is not "clicked", whatever comes to the same as such an action is open as well.
    """

    same: Same = "clicked"
    order: Order = "given"

    def __post_init__(self) -> None:
        for what, value, known in (("same", self.same, get_args(Same)), ("order", self.order, get_args(Order))):
            if value not in known:
                raise BadInput(f"a reading's {what} is one of {', '.join(known)}, not {value!r}.")

    @property
    def name(self) -> str:
        """The reading in plain words: "read as: …"."""
        if self.order == "given":
            return _SAID_OF_SAME[self.same]
        return _IN_ANY_ORDER if self.same == "clicked" else f"{_SAID_OF_SAME[self.same]}, {_IN_ANY_ORDER}"

    def __str__(self) -> str:
        return self.name

    def to_json(self) -> dict[str, str]:
        return {"same": self.same, "order": self.order}

    @classmethod
    def from_json(cls, value: Any, where: str = "reading") -> Reading:
        """
        >>> Reading.from_json({"same": "open", "order": "any"}).name
        'any click that comes to the same, in any order'
        """
        if not isinstance(value, dict) or not set(value) <= {"same", "order"}:
            raise BadInput(f'{where}: must be an object such as {{"same": "open", "order": "any"}}.')
        try:
            return cls(**value)
        except BadInput as error:
            raise BadInput(f"{where}: {error}") from None


AS_CLICKED = Reading()
"""The paper's: every click as it was made, everything else ruled out."""

READINGS = (
    AS_CLICKED,
    Reading("open"),
    Reading("changed"),
    Reading("first"),
    Reading("expert"),
    Reading("clicked", "any"),
    Reading("open", "any"),
    Reading("changed", "any"),
    Reading("winning"),
    Reading("winning", "any"),
)
"""Those worth trying, the paper's first."""


def find_reading(name: str) -> Reading:
    """The reading that is said like this, or written like this: `same`, `order`, or both as `same/order`.

    >>> find_reading("any") == find_reading("in any order") == Reading("clicked", "any")
    True
    >>> find_reading("changed/any").name
    'the cell that changes, in any order'
    """
    every = [Reading(same, order) for same in get_args(Same) for order in get_args(Order)]
    known = {f"{reading.same}/{reading.order}": reading for reading in every}
    known |= {reading.name: reading for reading in every}
    known |= {reading.same: reading for reading in every if reading.order == "given"}
    known |= {reading.order: reading for reading in every if reading.same == "clicked"}
    if name not in known:
        written = [word for word in known if " " not in word]
        raise BadInput(f"no reading called {name!r}. {did_you_mean(name, written)}")
    return known[name]


def read(demonstrations: Demonstrations, reading: Reading, game: Game | Effects | None = None) -> Demonstrations:
    """The demonstrations with each step's action as it counts under a reading, and the actions that are open.

    Steps stay in their places, and what they said before (weights, open actions) stays said. A refused action counts as
    the one that stands for it, too; nothing is open beside it.

    >>> from shown.games import find
    >>> from shown.grid import grid
    >>> fence_in = find("fence-in")
    >>> run = [(grid("####", "#S.#", "#..#"), (2, 1)), (grid("####", "#S.#", "##.#"), (2, 2))]
    >>> clicks = Demonstrations.from_runs(fence_in.tokens, [run])
    >>> [step.open for step in read(clicks, Reading("clicked", "any"), fence_in).steps]
    [((2, 2),), ()]

    Args:
        demonstrations: what was shown, as it was clicked.
        reading: what the clicks stand for.
        game: the rules; or what is known of them from reading before, which saves playing it again. Without rules, only
            what the recorded runs themselves tell is used (see above).
    """
    if reading == AS_CLICKED:
        return demonstrations
    known = _known(demonstrations, game)
    items = tuple(
        replace(item, steps=_read_run(item, reading, known, demonstrations.buttons)) for item in demonstrations
    )
    return replace(demonstrations, items=items)


def read_step(
    demonstrations: Demonstrations, place: tuple[int, int], reading: Reading, game: Game | Effects | None = None
) -> Step:
    """One step, of a demonstration and at a place in it, as `read` gives it, without the effort of reading the others.

    >>> from shown.games import demonstrate, find, load_levels
    >>> chase = find("chase")
    >>> shown = demonstrate(chase, load_levels(chase, "train:0"))
    >>> read_step(shown, (0, 3), Reading("open"), chase) == read(shown, Reading("open"), chase).items[0].steps[3]
    True
    """
    d, s = place
    item = demonstrations.items[d]
    if reading == AS_CLICKED:
        return item.steps[s]
    return _read_run(item, reading, _known(demonstrations, game), demonstrations.buttons, only=s)[s]


def distinct_readings(
    demonstrations: Demonstrations, game: Game | Effects | None = None, readings: Sequence[Reading] = READINGS
) -> dict[Reading, Demonstrations]:
    """What each reading makes of the demonstrations; of readings that make the same of them only the first.

    >>> from shown.games import demonstrate, find, load_levels
    >>> nim = find("nim")
    >>> [reading.name for reading in distinct_readings(demonstrate(nim, load_levels(nim, "train:0-2")), nim)]
    ['as clicked']
    """
    known = Effects(game) if isinstance(game, Game) else game
    seen: dict[tuple[Demonstration, ...], Reading] = {}
    distinct: dict[Reading, Demonstrations] = {}
    for reading in readings:
        result = read(demonstrations, reading, known)
        if seen.setdefault(result.items, reading) is reading:
            distinct[reading] = result
    return distinct


class _Known(Protocol):
    """What is known of the effects of actions: by rules (`Effects`), or by what was seen (`_Seen`)."""

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
            "Give the rules of the game that was shown, or none."
        )
    return effects


def _read_run(
    item: Demonstration, reading: Reading, known: _Known, buttons: tuple[str, ...], only: int | None = None
) -> tuple[Step, ...]:
    """The steps as they count: all, or (the others as they were) only one."""
    places = [s for s, step in enumerate(item.steps) if not step.refused]
    run = [item.steps[s] for s in places]
    later: dict[int, set[Action]] = {}
    if reading.order == "any":
        found = _could_come_now(run, known) if isinstance(known, Effects) else _did_the_same_thing(run)
        later = dict(zip(places, found, strict=True))
    if reading.same == "winning" and isinstance(known, Effects):
        for s, wins in zip(places, _win_as_well(run, known), strict=True):
            later[s] = later.get(s, set()) | wins
    return tuple(
        _read_step(step, later.get(s, set()), reading, known, buttons) if only in (None, s) else step
        for s, step in enumerate(item.steps)
    )


def _read_step(step: Step, later: set[Action], reading: Reading, known: _Known, buttons: tuple[str, ...]) -> Step:
    if reading.same == "clicked":
        action, opened = step.action, later
    else:
        same = known.alike(step.grid, step.action)
        action = _standing_for(same, step, reading.same, known)
        opened = {other for now in (step.action, *later) for other in known.alike(step.grid, now)}
    if step.refused:
        return replace(step, action=action)
    left = {*opened, *step.open} - {action}
    return replace(step, action=action, open=_in_order(left, buttons))


def _standing_for(same: tuple[Action, ...], step: Step, how: Same, known: _Known) -> Action:
    """The one of the actions with the same effect that counts as shown."""
    if len(same) == 1 or how in ("open", "winning"):
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
    """The cells that the step's action changes, whatever chance does."""
    changed = [set(_changes(step.grid, outcome.grid)) for outcome in known.effect(step.grid, step.action) or ()]
    return set.intersection(*changed) if changed else set()


def _changes(before: Grid, after: Grid) -> dict[Cell, tuple[str, str]]:
    """The cells in which two grids differ, with what each has there; none if they differ in shape."""
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
    """By the rules: for each step, the actions of later steps that could as well have come now."""
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
    """By the rules: for each step of a run that was won, the other actions that would have won in its place."""
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
    """Where the actions of some steps lead from an outcome; None if the game ends before, or chance has a say."""
    for step in steps:
        if now is None or now.over:
            return None
        now = effects.certain(now.grid, step.action)
    return now


def _did_the_same_thing(run: Sequence[Step]) -> list[set[Action]]:
    """Without rules: for each step, the later ones of the stretch of steps from here on that did the same thing."""
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
    """What the recorded runs themselves tell about effects. An action that led to two positions is known of neither."""

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
