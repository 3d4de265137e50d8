"""`python -m shown` is `shown`."""

import sys

from shown.cli import main


def run() -> None:
    """The entry of the installed command."""
    sys.exit(main())


if __name__ == "__main__":
    run()
