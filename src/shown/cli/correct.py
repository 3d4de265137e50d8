"""`shown correct`: watch a policy play, and correct it where it goes wrong."""

from __future__ import annotations

import argparse
import os

from shown.cli import options
from shown.cli.inputs import load_policy, playable_of, starts
from shown.cli.output import check_writable, count, print_json, say
from shown.cli.play import Session, Watching, add_to, run_session, show
from shown.cli.terminal import Screen
from shown.demonstrations import Demonstration, Demonstrations
from shown.errors import BadInput
from shown.evaluation.resources import Resources
from shown.grid import Action, action_from_text
from shown.policy import Policy
from shown.teaching.dialogue.corrections import position_at, show_from, stepping_in
from shown.teaching.dialogue.recording import Recorder
from shown.worlds import Episode, Playable, Start, World, play


def configure(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Let a policy play step by step and take over where it goes wrong: your actions become a demonstration. "
        "--at and --action do so without a terminal."
    )
    options.add_policy(parser)
    options.add_world(parser)
    options.add_starts(parser, "random:0-23", "0-23", "levels to play; of several, those that it wins are skipped")
    options.add_seed(parser)
    parser.add_argument("--demos", metavar="FILE", help="earlier demonstrations to start --out with, if it is new")
    parser.add_argument("--out", metavar="FILE", help="demonstrations file to create or add to")
    parser.add_argument("--learn", metavar="FILE", help="learn each correction at once and write the amended policy")
    parser.add_argument("--at", type=options.natural, metavar="STEP", help="number of the wrong step, from 0")
    parser.add_argument(
        "--action", action="append", metavar="R,C", help="correct action there, a cell or a button; repeat for more"
    )


def run(args: argparse.Namespace) -> int:
    if (args.at is None) != (args.action is None):
        raise BadInput("--at and --action belong together: the wrong step, and the correct action.")
    if args.at is None and not args.out:
        raise BadInput("give a file for the corrections: --out demos.json")
    policy = load_policy(args.policy, args.language)
    game = playable_of(policy, args.policy, args.world)
    episodes = starts(game, args)
    if args.at is not None and len(episodes) > 1:
        raise BadInput(f"--at corrects one level, but --levels names {len(episodes)}. Name one.")
    if args.out:
        _check_files(args.demos, args.out, game)
    correction = _Correction(args, game, policy, episodes)
    if args.at is not None:
        _correct_step(correction, episodes[0])
    else:
        _correct_by_hand(correction, episodes)
    return 0


class _Correction:
    """The policy being corrected, which learns each correction if --learn asks for that."""

    def __init__(self, args: argparse.Namespace, game: Playable, policy: Policy, episodes: list[Start]) -> None:
        self.args, self.game, self.policy = args, game, policy
        if args.learn:
            from shown.teaching.teach import Pupil  # takes .2 s to load

            check_writable(args.learn)
            self.pupil = Pupil(game, keep=episodes, resources=Resources(seed=args.seed))
            earlier = args.out if args.out and os.path.exists(args.out) else args.demos
            self.pupil.remember(policy, Demonstrations.load(earlier) if earlier else None)

    def learn(self, fix: Demonstration) -> None:
        path = self.args.learn
        if not path:
            return
        taught = self.pupil.correct(Demonstrations(self.game.tokens, (fix,), self.game.name, self.game.buttons))
        if not taught.learned:
            raise BadInput(f"no policy fits this correction and the earlier demonstrations; {path} was not written.")
        taught.policy.save(path)
        lost = f"; it no longer wins {', '.join(taught.lost)}" if taught.lost else ""
        say(f"learned, and written to {path}{lost}")
        self.policy = taught.policy


def _check_files(demos: str | None, out: str, game: Playable) -> None:
    """Raise BadInput if corrections could not be saved, before anybody makes one."""
    check_writable(out)
    if demos is not None and os.path.exists(out) and not (os.path.exists(demos) and os.path.samefile(demos, out)):
        raise BadInput(f"{out}: exists already. Omit --demos to add to it, or give another name.")
    add_to(out, game, start=demos)


def _correct_step(correction: _Correction, start: Start) -> None:
    args, game = correction.args, correction.game
    actions = [_action(text, game) for text in args.action]
    world, seed = start
    fix = show_from(world, position_at(world, correction.policy.act, args.at, seed), *actions)
    if args.out:
        number = add_to(args.out, game, fix, args.demos)
        say(f"{fix.level}: step {args.at} corrected; {args.out} now holds {count(number, 'demonstration')}")
    elif not args.learn:
        print_json(Demonstrations(game.tokens, (fix,), game.name, game.buttons).to_json())
    correction.learn(fix)


def _correct_by_hand(correction: _Correction, starts: list[Start]) -> None:
    played = [(world, play(world, correction.policy.act, seed=seed)) for world, seed in starts]
    wrong = [(world, episode) for world, episode in played if not episode.won] if len(played) > 1 else played
    if not wrong:
        say(f"{correction.game.title}: all {len(starts)} levels won; nothing to correct. Try others with --levels.")
    for world, before in wrong:
        episode = play(world, correction.policy.act, seed=before.seed) if correction.args.learn else before
        fixed = episode.won and not before.won  # by an earlier correction
        if not fixed and not _correct_episode(correction, world, episode):
            break


def _correct_episode(correction: _Correction, world: World, episode: Episode) -> bool:
    """Show an episode and record a correction; return whether to go on to the next level."""
    watching = Watching(correction.game, episode)
    with Screen() as screen:
        show(watching, screen)
    if watching.stepped_in is None:
        return watching.skipped
    position = stepping_in(episode, watching.stepped_in)
    session = Session(Recorder(world, position.level, position.seed, position.before))
    session.message = "Show the correct action."
    if watching.clicked is not None:
        session.click(watching.clicked)
    run_session(session, correction.args.out, correction.args.demos)
    if session.kept is not None and not session.interrupted:
        correction.learn(session.kept)
    return not session.interrupted


def _action(text: str, game: Playable) -> Action:
    action = action_from_text(text)
    if isinstance(action, str) and not game.buttons:
        raise BadInput(f"--action {text!r}: expected the row and column of a cell from 0, such as 2,5.")
    return action
