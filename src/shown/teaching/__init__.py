"""Teaching: what a person does to show what was meant, usable from Python, the command line and the studio.

recording.py     play with undo, and keep what was done
same.py          actions that come to the same
next_level.py    the most useful level to show next
corrections.py   a demonstration from where the computer went wrong

It stands on games, policies and demonstrations, and knows nothing of terminals or pages.
"""

from shown.teaching.corrections import correct, position_at, show_from
from shown.teaching.next_level import Doubt, by_use, doubt, most_useful
from shown.teaching.recording import Attempt, History, Recorder, begin, play_on, take_back
from shown.teaching.same import as_counted, representative, same_effect

__all__ = [
    "Attempt",
    "Doubt",
    "History",
    "Recorder",
    "as_counted",
    "begin",
    "by_use",
    "correct",
    "doubt",
    "most_useful",
    "play_on",
    "position_at",
    "representative",
    "same_effect",
    "show_from",
    "take_back",
]
