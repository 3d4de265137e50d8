"""Fuzzing for a while: `python -m fuzz.run --seconds 60 --seed 1 [--areas files,store]`.

Each area is tried in a process of its own with limited memory, which notes each case before it tries it. So a case that
ends the process is known too, and the next process goes on behind it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path

from fuzz.cases import AREAS, attempt, make, save
from fuzz.limits import WALL_SECONDS, limit_address_space, memory

WARM_CASES, MAX_GROWTH = 100, 512 * 2**20
"""After so many cases everything is loaded; from then on the process may not grow by more than this."""
MAX_FAILURES = 20
"""Of one area; more say nothing new."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="in all (60)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--areas", default=",".join(AREAS), help="only these, joined by commas")
    parser.add_argument("--first", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, default=Path("build/fuzz"), help="where failing cases are saved")
    args = parser.parse_args()
    args.out.mkdir(parents=True, exist_ok=True)
    if args.child:
        return _try_area(args.child, args.seed, args.first, args.seconds, args.out)
    areas = args.areas.split(",")
    failed = sum(_watch(area, args.seed, args.seconds / len(areas), args.out) for area in areas)
    print(f"{failed} failed; each is saved in {args.out}" if failed else "nothing failed")
    return 1 if failed else 0


def _watch(area: str, seed: int, seconds: float, out: Path) -> int:
    """Tries an area in processes of their own until the time is over; how many cases failed."""
    note, end = out / f".now-{area}", time.monotonic() + seconds
    first = failed = 0
    while (left := end - time.monotonic()) > 0 and failed < MAX_FAILURES:
        command = [sys.executable, "-m", "fuzz.run", "--child", area, "--seed", str(seed), "--first", str(first)]
        command += ["--seconds", str(left), "--out", str(out)]
        try:
            code = subprocess.run(command, timeout=left + 2 * WALL_SECONDS).returncode
        except subprocess.TimeoutExpired:
            code = None
        now = json.loads(note.read_text())
        first, failed = now["number"] + 1, failed + now["failed"]
        if code == 0:
            break
        failed += 1
        path = save(make(area, seed, now["number"]), f"the process ended with {code}", out)
        print(f"{area}: case {now['number']} ended the process ({code}); saved as {path}", flush=True)
    note.unlink(missing_ok=True)
    print(f"{area}: {first:,} cases in {seconds:.0f} s, {failed} failed", flush=True)
    return failed


def _try_area(area: str, seed: int, first: int, seconds: float, out: Path) -> int:
    limit_address_space()
    note, out = (out / f".now-{area}").absolute(), out.absolute()
    end, number, failed, warm = time.monotonic() + seconds, first, 0, 0
    while True:
        note.write_text(json.dumps({"number": number, "failed": failed}))
        case = make(area, seed, number)
        why = attempt(case)
        if why is None and number - first == WARM_CASES:
            warm = memory("VmRSS")
        if why is None and warm and memory("VmRSS") - warm > MAX_GROWTH:
            why, warm = f"since case {first + WARM_CASES} the process has grown by {MAX_GROWTH >> 20} MiB", 0
        if why is not None:
            failed += 1
            print(f"{area}: case {number} failed; saved as {save(case, why, out)}\n{why}", flush=True)
        if time.monotonic() > end or failed >= MAX_FAILURES:
            break
        number += 1
    note.write_text(json.dumps({"number": number, "failed": failed}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
