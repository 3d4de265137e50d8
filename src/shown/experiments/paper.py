"""What the paper says: its numbers, and every statement of it that can be measured, with what to say where it fails.

The statements are in groups, one an experiment (`shown.experiments.EXPERIMENTS`). A statement that its experiment has
no finding for, and a group without an experiment, are listed and counted as not measured. So a new statement is a line
here, and a new measurement one line in its experiment's `findings`.
"""

from __future__ import annotations

from collections.abc import Mapping

from shown.experiments.claims import Statement
from shown.experiments.words import title

PERFECT_FROM = {
    "nim": 2,
    "checkmate": 5,
    "chase": 4,
    "stop-the-fall": 3,
    "reach-for-the-star": 5,
    "fence-in": 1,
}
"""From how many demonstrations a policy wins every test level."""

PROGRAMS_BELOW = {
    "nim": 100,
    "checkmate": 1_000,
    "chase": 1_000,
    "stop-the-fall": 10_000,
    "reach-for-the-star": 10_000,
    "fence-in": 10_000,
}
"""Fewer programs than this are enough for a winning policy."""

POLICY_SIZES = {
    "nim": (11, 32, 4),
    "checkmate": (23, 60, 3),
    "chase": (97, 244, 3),
    "stop-the-fall": (17, 50, 4),
    "reach-for-the-star": (34, 151, 4),
    "fence-in": (9, 40, 3),
}
"""Top-level programs, method calls and greatest depth of each most probable policy."""

NETWORKS_NEED = {("fcn", "nim"): 100, ("fcn", "checkmate"): 500, ("cnn", "nim"): 1_000, ("cnn", "checkmate"): 5_000}
"""How many demonstrations each network needs for success 1 on the test levels."""

_NETWORK_NAMES = {"fcn": "FCN", "cnn": "CNN"}

# --- reasons that several statements share ------------------------------------------------------------------------

_OTHER_LEVELS = (
    "The paper's text does not give its levels; ours are made anew within its ranges. Which levels are shown matters "
    "more than how many, and ten sets are a small part of all."
)
_TOKENS_AND_LEVELS = (
    "How many programs are needed depends on the number of tokens of a game (every further one makes each program less "
    "probable) and on the levels shown; ours are not the paper's."
)
_TIES = (
    "A short policy allows the right action among others. Which of them is taken is then decided by the lesser "
    "policies in the mixture and, among equals, by reading order; both happen to be good guides in some games (a fence "
    "is built from left to right). The paper does not say how it breaks ties."
)
_SEARCH = (
    "The levels differ, and so does the search: the published code tries every tenth or hundredth prefix of the "
    "program list, here every one is tried, which finds smaller policies."
)
_TRAINING = (
    "The paper does not say how its networks were trained, nor from how many starts; optimiser, length and stopping "
    "change such numbers."
)

# --- the statements -----------------------------------------------------------------------------------------------

_DEMOS = {
    "at most 5": Statement(
        "At most 5 demonstrations are needed for a perfect policy in every game.",
        _OTHER_LEVELS,
    ),
    **{
        game: Statement(
            f"{title(game)}: a policy that wins every test level from {least} demonstration{'s' * (least > 1)}.",
            _OTHER_LEVELS,
            "No LPP trials of this game in the store.",
        )
        for game, least in PERFECT_FROM.items()
    },
    "ahead": Statement(
        "LPP markedly outperforms all baselines, most of all on the more difficult games.",
        "The cells that decide in Nim are next to the one to click, and so all that an LLN sees. In Checkmate Tactic "
        "one that clicks what it scores highest can say “the queen, or else between the kings”, which a yes or no to "
        "every cell cannot.",
        "Too few trials of LPP and the baselines in the store.",
    ),
    "cnn": Statement(
        "The CNN wins all training games, and fails to generalise.",
        "A learned policy meets other chances (the opponent's moves) when it plays a shown level again than the "
        "demonstration did, and then sees states that were not shown.",
        "No CNN trials in the store.",
    ),
    "fcn fits": Statement(
        "The FCN fits the training data almost perfectly.",
        "With four channels in most of its eight layers, some starts end with a layer in which no unit is active any "
        "more, and then nothing can be learned. Every set has one start here, and all count; the paper does not say "
        "whether it began again.",
        "No FCN trials in the store.",
    ),
    "fcn generalises": Statement(
        "The FCN generalises better than the CNN in Nim, Checkmate Tactic, Reach for the Star and Fence In.",
        missing="Too few trials of both networks in the store.",
    ),
    "lln": Statement(
        "LLN cannot fit the demonstrations: beyond Nim it wins close to none of the levels it was shown.",
        "A filter that cannot say whether a cell is to be clicked can still rank the right one first; and where the "
        "cells that decide are next to the one to click, it can say even that.",
        "Too few LLN trials in the store.",
    ),
    "vpi": Statement(
        "VPI cannot fit the demonstrations: beyond Nim it wins close to none of the levels it was shown.",
        "A short policy that allows every shown action often wins although it allows others too: among equals the "
        "first cell in reading order is clicked, and in some games that order is a good one.",
        "Too few VPI trials in the store.",
    ),
    "minecraft": Statement(
        "Fence In is a task in Minecraft, played through the Malmo interface, and is learned from one demonstration.",
        missing="Not by a trial: `make test-minecraft` plays a policy learned on the flat game in a Minecraft server, "
        "over its protocol and not through Malmo (docs/worlds.md).",
    ),
}

_PROGRAMS = {
    **{
        game: Statement(
            f"{title(game)}: fewer than {bound:,} programs are enough for LPP to win.",
            _TOKENS_AND_LEVELS,
            "Too few LPP trials of this game in the store.",
        )
        for game, bound in PROGRAMS_BELOW.items()
    },
    "a second": Statement(
        "LPP's learning of Nim takes on the order of a second on a laptop.",
        missing="No trial of Nim with 10,000 programs in the store.",
    ),
    "vpi in nim": Statement(
        "VPI reaches about 45 % in Nim after 100 policies, and no winning policy is found.",
        _TIES,
        "Too few VPI trials of Nim in the store.",
    ),
    "vpi elsewhere": Statement(
        "VPI wins no level of any other game.",
        _TIES,
        "Too few VPI trials in the store.",
    ),
    "six hours": Statement("After six hours of search on a laptop VPI still has no winning policy for Nim."),
    "108 programs": Statement(
        "Nim has 108 different programs of depth three, and so more than 13,506,156,000 policies of six programs or "
        "fewer: about as many as VPI would have to try."
    ),
}

_ABLATIONS = {
    "features-nn": Statement(
        "The programs alone are not enough: a network on the same programs (Features + NN) does worse.",
        "In some games the programs do nearly all the work, and a network on them finds what LPP finds.",
        "No trials of both in the store.",
    ),
    "features-nn-l1": Statement(
        "Nor are they with a push towards few of them (Features + NN + L1).",
        "As for Features + NN. The paper does not say how strong its L1 term was.",
        "No trials of both in the store.",
    ),
    "no-prior": Statement(
        "Without the prior (No Prior) LPP does worse.",
        "Every tree fits exactly, so without a prior all are equal, and it matters which 25 are kept. Those found "
        "first, over the fewest programs, do worse, most of all in Fence In. Any 25 of those that fit do about as well "
        "as the most probable ones: among trees that fit, the prior has little left to choose.",
        "No trials of both in the store.",
    ),
    "sparsity-prior": Statement(
        "With a prior on the number of programs only (Sparsity Prior) it does worse too.",
        "Counting programs and weighing them mostly prefer the same small trees.",
        "No trials of both in the store.",
    ),
    "mixture": Statement(
        "Mixing the posterior is modestly better than the single most probable policy.",
        missing="No trials of both in the store.",
    ),
}

_POLICIES = {
    "programs": Statement(
        ", ".join(f"{title(game)} {sizes[0]}" for game, sizes in POLICY_SIZES.items()) + " top-level programs.",
        _SEARCH,
    ),
    "depth": Statement(
        "The greatest depth is 3 or 4 in all games; 32 to 244 method calls.",
        _SEARCH,
    ),
}

_PICTURES = {
    "panels": Statement(
        "Pictures of demonstrations and of test games won from them: Nim from 2, Checkmate Tactic from 5, Chase from "
        "4, Stop the Fall from 3 and Reach for the Star from 5 demonstrations.",
        _OTHER_LEVELS,
        "Too few games in the store.",
    ),
    "clause": Statement(
        "A clause of the policy for Stop the Fall can be read: click an empty cell right above the floor if, looking "
        "up from it, the parachutist comes before any block. One or two of its literals are redundant.",
    ),
    "no idle actions": Statement("No unnecessary action was seen when the learned policies played."),
}

_NOISE_INCOMPLETE = "Not all kinds of demonstrations and values of ε are in the store."
_NOISE = {
    "high": Statement(
        "With every kind of demonstration, too high an ε makes success drop severely.",
        "With ε = 1 the likelihood says nothing and the prior decides. Here a formula without literals is no policy; "
        "the smallest trees are kept, which from perfect demonstrations are right. The published code lets “never” "
        "in, its most probable policy, as often as it is found: then success drops, as in the paper.",
        _NOISE_INCOMPLETE,
    ),
    "zero": Statement(
        "With noisy demonstrations, ε = 0 makes it drop severely: no policy fits them within the budget.",
        "A larger program budget per second finds formulas that fit even noisy clicks exactly.",
        _NOISE_INCOMPLETE,
    ),
    "small": Statement(
        "A very small ε above 0 is consistently effective, although the true noise is 0.2.",
        missing=_NOISE_INCOMPLETE,
    ),
}

_DATA_EFFICIENCY = {
    **{
        f"{method} {game}": Statement(
            f"{_NETWORK_NAMES[method]} needs {count:,} demonstrations of {title(game)} for success 1.",
            _TRAINING,
            "No trials.",
        )
        for (method, game), count in NETWORKS_NEED.items()
    },
    "ratio": Statement(
        "LPP is 20 to 1,000 times as data-efficient as these networks.",
        "The paper divides by its own five demonstrations and tells one number a network; here both are of the best "
        "of five sets, drawn from generated levels, of which LPP was shown 1 to 5 and 10.",
    ),
}

_OTHER_STARTS = (
    "The paper's starts are not known; here the paddle begins in ten other places. How exactly its expert weighs where "
    "the paddle is was not said either."
)

_BREAKOUT = {
    "programs": Statement(
        "One demonstration of 500 frames, in which three bricks break, and 120,000 programs over 4 of the 15 values "
        "are enough to learn Breakout; fewer programs are not."
    ),
    "500 frames": Statement(
        "On 10 of 10 unseen starts the learned policy gets 3 in 500 frames, as the expert does.", _OTHER_STARTS
    ),
    "to the end": Statement(
        "Until the ball is lost it gets 8.80 on average, with a standard deviation of 7.47.", _OTHER_STARTS
    ),
}

STATEMENTS: Mapping[str, Mapping[str, Statement]] = {
    "demos": _DEMOS,
    "programs": _PROGRAMS,
    "ablations": _ABLATIONS,
    "policies": _POLICIES,
    "noise": _NOISE,
    "data-efficiency": _DATA_EFFICIENCY,
    "breakout": _BREAKOUT,
    "pictures": _PICTURES,
}

TITLES = {"breakout": "Atari Breakout"}
"""What groups without an experiment are called."""
