"""`shown export`: a policy as one Python file."""

from __future__ import annotations

import argparse

from shown.cli.common import check_writable, say
from shown.files import write_bytes
from shown.policy import Policy


def configure(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("policy", metavar="POLICY", help="a policy file")
    parser.add_argument("--out", metavar="FILE", help="where to write the module; stdout without it")


def run(args: argparse.Namespace) -> int:
    if args.out:
        check_writable(args.out)
    text = Policy.load(args.policy).to_python()
    if args.out:
        write_bytes(args.out, text.encode())
        say(f"written to {args.out}; it needs nothing but Python")
    else:
        print(text, end="")
    return 0
