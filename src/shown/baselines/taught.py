"""What `shown` itself does by default, behind the experiments' interface: the method called "shown".

So far that is the plain learner, and the option `practise` changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shown.baselines.lpp import LppPolicy
from shown.games.game import Game
from shown.inference.learner import Learner


def learner(game: Game, seed: int, options: Mapping[str, Any]) -> LppPolicy:
    """A learner with these options: `programs`, and whether to `practise` on levels the game generates."""
    return LppPolicy(Learner(seed=seed, threads=1, programs=options["programs"]))
