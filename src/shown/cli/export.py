"""`shown export`: a policy as one Python file."""

from __future__ import annotations

import argparse

from shown.cli.common import add_json, add_language, check_writable, load_policy, print_json, say
from shown.files import write_bytes


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("policy", metavar="POLICY", help="a policy file")
    add_language(parser)
    parser.add_argument("--out", metavar="FILE", help="where to write the module; stdout without it")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    if args.out:
        check_writable(args.out)
    policy = load_policy(args.policy, args.language)
    text = policy.to_python()
    if args.out:
        write_bytes(args.out, text.encode())
        say(f"written to {args.out}; it needs nothing but Python")
    if args.json:
        print_json({"game": policy.game, "out": args.out, "module": text})
    elif not args.out:
        print(text, end="")
    return 0
