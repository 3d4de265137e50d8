"""A node that only pretends: it answers as the bot in Minecraft does, and fails in all the ways in which that can."""

import os
import sys
from pathlib import Path

import pytest

NODE = """#!{python}
import json, os, signal, subprocess, sys, time
if sys.argv[1:] == ["--version"]:
    print(os.environ.get("FAKE_VERSION", "v20.0.0"))
    sys.exit()
how = os.environ.get("FAKE", "")
child = subprocess.Popen(["sleep", "600"], stdout=subprocess.DEVNULL)  # as the bot has a server
with open({pids!r}, "a") as file:
    print(os.getpid(), child.pid, file=file)
assert sys.argv[1].endswith("bot.js") and os.path.isdir(os.environ["NODE_PATH"])
def say(**value):
    print(json.dumps(value), flush=True)
if how == "port":
    say(error="listen EADDRINUSE", code="EADDRINUSE")
    sys.exit(1)
if how == "module":
    sys.exit("Error: Cannot find module 'mineflayer'")
if how == "chatty":
    print("Hello!", flush=True)
say(ready=int(sys.argv[2]) or 54321)
rows = []
for number, line in enumerate(sys.stdin):
    order = json.loads(line)
    if "build" in order:
        rows = [list(row) for row in order["build"]]
    else:
        r, c = order["click"]
        if rows[r][c] == "." and how != "lazy":
            rows[r][c] = "#"
        if how == "dies":
            sys.exit(1)
        if how == "server":
            say(error="the server has stopped")
            sys.exit(1)
        if how == "hangs":
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            time.sleep(600)
        if how == "slow":
            time.sleep(0.3)
        if how == "held":  # so many clicks are made as a file says
            while int(open(os.environ["FAKE_CLICKS"]).read() or 0) < number:
                time.sleep(0.02)
    try:
        say(rows=["".join(row) for row in rows], joined=True)
    except BrokenPipeError:  # nobody listens any more, which is as good as the end of the orders
        break
child.kill()
"""

NPM = """#!{python}
import os, sys, time
assert sys.argv[1] == "ci" and os.path.exists("package-lock.json") and "--ignore-scripts" in sys.argv
if os.environ.get("FAKE_NPM") == "offline":
    sys.exit("npm error code ENOTFOUND\\nnpm error network request failed")
if os.environ.get("FAKE_NPM") == "slow":
    with open({pids!r}, "a") as file:
        print(os.getpid(), file=file)
    time.sleep(600)
os.mkdir("node_modules")
"""


def pretend(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts it first on the path, with an empty cache folder; the processes it starts are noted in `folder / "pids"`.

    FAKE and FAKE_NPM say how it is to fail.
    """
    place = folder / "bin"
    place.mkdir()
    for name, text in (("node", NODE), ("npm", NPM)):
        (place / name).write_text(text.format(python=sys.executable, pids=str(folder / "pids")))
        (place / name).chmod(0o755)
    monkeypatch.setenv("PATH", f"{place}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("XDG_CACHE_HOME", str(folder / "cache"))
