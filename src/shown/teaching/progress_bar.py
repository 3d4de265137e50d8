"""Progress of teaching in words, and as a line that changes, in notebooks and terminals."""

from __future__ import annotations

from collections.abc import Generator

from shown.errors import BadInput
from shown.teaching.result import Taught, TeachingPhase, TeachingProgress

PHASES = {
    TeachingPhase.CORRECTED: "corrected",
    TeachingPhase.FITTING: "fitting",
    TeachingPhase.PRACTICING: "practicing",
    TeachingPhase.DISTILLING: "looking for one rule that plays as well",
}


def watched(run: Generator[TeachingProgress, None, Taught]) -> Generator[TeachingProgress, None, Taught]:
    """Pass the progress of teaching on, and show it by tqdm: as a widget where notebooks have them, else as text."""
    try:
        from tqdm.auto import tqdm
    except ImportError:
        raise BadInput("progress=True needs tqdm. Install it with: pip install tqdm") from None
    with tqdm(bar_format="{desc} [{elapsed}]", desc="Learning") as line:
        while True:
            try:
                progress = next(run)
            except StopIteration as end:
                line.set_description_str("Learned" if end.value.learned else "Nothing fits")
                return end.value
            words = in_words(progress)
            line.set_description_str(words[0].upper() + words[1:])
            yield progress


def in_words(progress: TeachingProgress) -> str:
    """Return progress as a line of text.

    >>> in_words(TeachingProgress(TeachingPhase.PRACTICING, None, 0.75, 1.0))
    'practicing, best so far wins 75%'
    """
    words = PHASES[progress.phase]
    if progress.hypothesis is not None:
        words += f": {progress.hypothesis.name}"
    if progress.programs:
        words += f"; {progress.programs:,} of {progress.total:,} programs"
    if progress.won is not None:
        return f"{words}, best so far wins {progress.won:.0%}"
    if progress.mean_return is not None:
        return f"{words}, best so far has return {progress.mean_return:.1f}"
    if progress.best is None:
        return f"{words}, nothing fits yet"
    return f"{words}, best so far has {len(progress.best.components[0].formula.literals)} conditions"
