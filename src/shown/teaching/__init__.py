"""Teaching: what a person does to show what was meant, usable from Python, the command line and the studio.

recording.py     play with undo, and keep what was done
same.py          actions that come to the same
readings.py      what a demonstrated click stands for
advice.py        which of the teacher's own clicks are at odds, and what to do
next_level.py    the most useful level to show next; differences.py: where each candidate differs from the best
corrections.py   a demonstration from where the computer went wrong
hypotheses.py    ways to understand a teacher, fitted
practice.py      playing levels that the game makes, and getting better at it by learning from lost games (suspicion.py)
                 or, where there are buttons, by finding out what lost them (turning.py)
leaving.py       without rules: whether what is left out is explained
choosing.py      what was found so far, and which of it is taken; taught.py: what is told of it
teach.py         all of it together: `teach`, and a `Pupil` that goes on learning
many.py          many demonstrations, a few at a time

It stands on games, policies and demonstrations, and knows nothing of terminals or pages.
"""

from shown.teaching.advice import Advice, advise
from shown.teaching.corrections import correct, position_at, show_from
from shown.teaching.differences import Difference, differences
from shown.teaching.next_level import Doubt, by_use, by_use_from, doubt, most_useful
from shown.teaching.readings import AS_CLICKED, READINGS, Reading, distinct_readings, find_reading, read, read_step
from shown.teaching.recording import Attempt, History, Recorder, begin, play_on, take_back
from shown.teaching.same import Effects, representative, same_effect

__all__ = [
    "AS_CLICKED",
    "READINGS",
    "Advice",
    "Attempt",
    "Difference",
    "Doubt",
    "Effects",
    "History",
    "Reading",
    "Recorder",
    "advise",
    "begin",
    "by_use",
    "by_use_from",
    "correct",
    "differences",
    "distinct_readings",
    "doubt",
    "find_reading",
    "most_useful",
    "play_on",
    "position_at",
    "read",
    "read_step",
    "representative",
    "same_effect",
    "show_from",
    "take_back",
]
