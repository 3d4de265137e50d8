"""Progress of teaching as a line that changes, in notebooks and terminals."""

from __future__ import annotations

from collections.abc import Generator

from shown.errors import BadInput
from shown.teaching.result import Taught, TeachingPhase, TeachingProgress

WORDS = {
    TeachingPhase.CORRECTED: "Corrected",
    TeachingPhase.FITTING: "Fitting",
    TeachingPhase.PRACTICING: "Practicing",
    TeachingPhase.DISTILLING: "Looking for one rule",
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
            line.set_description_str(in_words(progress))
            yield progress


def in_words(progress: TeachingProgress) -> str:
    """
    >>> in_words(TeachingProgress(TeachingPhase.PRACTICING, None, 0.75, 1.0))
    'Practicing; best so far wins 75%'
    """
    hypothesis = f": {progress.hypothesis.name}" if progress.hypothesis is not None else ""
    won = f"; best so far wins {progress.won:.0%}" if progress.won is not None else ""
    return f"{WORDS[progress.phase]}{hypothesis}{won}"
