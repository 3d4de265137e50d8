"""`shown export`: a policy as a standalone Python file."""

from __future__ import annotations

import argparse

from shown.cli import options
from shown.cli.inputs import load_policy
from shown.cli.output import check_writable, print_json, say
from shown.files import write_bytes


def configure(parser: argparse.ArgumentParser) -> None:
    options.add_policy(parser)
    parser.add_argument("--out", metavar="FILE", help="file to write (default: standard output)")
    options.add_json(parser)


def run(args: argparse.Namespace) -> int:
    check_writable(args.out)
    policy = load_policy(args.policy, args.language)
    text = policy.to_python()
    if args.out:
        write_bytes(args.out, text.encode())
        say(f"written to {args.out}; it needs only Python")
    if args.json:
        print_json({"game": policy.game, "out": args.out, "module": text})
    elif not args.out:
        print(text, end="")
    return 0
