"""Demonstrations to learn from: by an expert, from files of demonstrations, or from lessons of the studio."""

from __future__ import annotations

import argparse

from shown.cli.inputs import expert_demonstrations, is_playable, playable_named, trusted
from shown.demonstrations import Demonstrations
from shown.errors import BadInput, ShownError, at
from shown.files import read_json
from shown.teaching.lessons.lesson_file import LessonFile, is_lesson
from shown.teaching.lessons.remarks import KINDS
from shown.worlds import Playable


def load(args: argparse.Namespace) -> tuple[Demonstrations, Playable | None, list[LessonFile]]:
    """Return demonstrations by an expert or from files, their game or world, and the lessons among the files."""
    sources: list[str] = args.source
    if is_playable(sources[0]):
        if len(sources) > 1:
            raise BadInput(f"expected one game, but {sources[1]!r} follows {sources[0]!r}.")
        if args.world is not None:
            raise BadInput(f"--world: {sources[0]} is demonstrated already. Omit the option.")
        place = playable_named(sources[0], args.expert)
        return expert_demonstrations(place, args), place, []
    if args.expert is not None:
        raise BadInput("--expert: files contain demonstrations already. Omit the option.")
    loaded = [_load_file(source) for source in sources]
    parts = [item if isinstance(item, Demonstrations) else item.demonstrations for item in loaded]
    together = parts[0]
    for source, part in zip(sources[1:], parts[1:], strict=True):
        with at(f"{source}: "):
            together = together + part
    return together, _place_of(together, args.world), [item for item in loaded if not isinstance(item, Demonstrations)]


def _load_file(path: str) -> Demonstrations | LessonFile:
    value = read_json(path, "demonstrations")
    if is_lesson(value):
        return LessonFile.from_json(value, lambda name: playable_named(trusted(name, path)), path)
    return Demonstrations.from_json(value, path)


def _place_of(demonstrations: Demonstrations, named: str | None) -> Playable | None:
    """Return the world named by --world, or the one that demonstrations name, if it is installed and fits them."""
    if named is None and demonstrations.game is None:
        return None
    try:
        place = playable_named(named or trusted(str(demonstrations.game), ""))
    except ShownError:
        if named is None:
            return None
        raise
    if (place.tokens, place.buttons) == (demonstrations.tokens, demonstrations.buttons):
        return place
    if named is not None:
        raise BadInput(f"--world {named}: it and the demonstrations have different tokens or buttons.")
    return None


def follow(args: argparse.Namespace, lesson: LessonFile) -> None:
    """Fill in options from the preferences and remarks of a lesson; options on the command line win."""
    preferences = lesson.preferences
    args.programs = args.programs or preferences.programs
    if not args.published:
        args.language = args.language or preferences.language
    if preferences.interpretation is not None:
        args.interpretation = args.interpretation or preferences.interpretation.name
    if args.symmetry is None and lesson.game.symmetries and preferences.mirrored is not None:
        args.symmetry = "declared" if preferences.mirrored else "none"
    for kind in KINDS:
        programs = [text for remark in lesson.remarks if remark.kind == kind for text in remark.programs]
        setattr(args, kind, [*getattr(args, kind), *programs])
