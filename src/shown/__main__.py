"""Entry point of `python -m shown` and of the installed command."""

import sys

from shown.cli import main


def run() -> None:
    """Run the command line and exit with its code."""
    sys.exit(main())


if __name__ == "__main__":
    run()
