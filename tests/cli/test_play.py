"""`shown play`: sessions without a terminal, and games in a real one."""

import os
import signal
import termios

import pytest

from shown import worlds
from shown.cli import main
from shown.cli.play import Session, lay_out
from shown.cli.terminal import Press, decode
from shown.demonstrations import Demonstrations
from shown.grid import grid
from shown.teaching.dialogue.recording import Recorder
from shown.worlds import Level, find, load_levels, play

NIM = find("nim")
SIZE = 30, 80


def session(*rows, keeps=True):
    return Session(Recorder(NIM, Level("mine", grid(*rows))), keeps)


def keys(played, *events):
    for event in events:
        played.handle(event)
    return played


# --- sessions ---------------------------------------------------------------------------------------------------------


def test_arrows_move_the_cursor_around_the_grid():
    played = session("|.", "||")
    assert played.cursor == (1, 1)
    assert keys(played, "up", "left").cursor == (0, 0)
    assert keys(played, "up").cursor == (1, 0)
    assert keys(played, "left").cursor == (1, 1)


def test_winning_is_said_and_enter_keeps_it():
    played = keys(session("|.", "||"), "up", "left", "enter")
    assert played.message == "1 click so far."
    played.click(played.recorder.game.expert(played.attempt.grid))
    assert played.attempt.won
    assert played.message == "You won in 2 clicks!"
    keys(played, "enter")
    assert (played.done, played.goes_on) == (True, True)
    assert played.kept.outcome == "won"
    assert len(played.kept.steps) == 2


def test_a_click_that_changes_nothing_is_not_recorded():
    played = keys(session("|.", "||"), "up", "space")
    assert "not recorded" in played.message
    assert played.attempt.steps == ()


def test_undo_redo_and_start_over():
    played = keys(session("|.", "||"), "u")
    assert played.message == "Nothing to undo."
    keys(played, "up", "left", "enter", "u")
    assert played.attempt.grid == grid("|.", "||")
    keys(played, "r")
    assert len(played.attempt.steps) == 1
    keys(played, "r")
    assert played.message == "Nothing to redo."
    keys(played, "s")
    assert played.attempt.steps == ()
    assert "Back at the start" in played.message


def test_a_lost_game_can_be_taken_back():
    played = session("|.", "||")
    played.click((1, 0))  # leaves one pile, which the opponent takes whole
    assert played.attempt.outcome == "lost"
    assert "Lost" in played.message
    assert keys(played, "enter").kept is None
    assert keys(played, "u").recorder.attempt.outcome == "unfinished"


def test_quitting_an_unfinished_game_asks_whether_to_keep_it():
    played = keys(session("|.", "||"), "up", "left", "enter", "q")
    assert not played.done
    assert "Keep its 1 click" in played.message
    assert played.choices.startswith("y keep")
    keys(played, "escape")
    assert not played.done
    keys(played, "q", "x", "y")
    assert played.done
    assert played.kept.outcome == "unfinished"


def test_quitting_does_not_ask_in_vain():
    assert keys(session("|.", "||"), "q").done
    assert keys(session("|.", "||", keeps=False), "up", "left", "enter", "q").done
    assert keys(session("|.", "||"), "up", "left", "enter", "q", "n").kept is None
    assert keys(session("|.", "||"), "up", "left", "enter", "interrupt").kept is None


def test_undo_gives_the_same_opponent_again():
    level = load_levels(find("chase"), "train:0")[0]
    recorder = Recorder(find("chase"), level, seed=5)
    for _ in range(4):
        recorder.act((0, 0))
    before = recorder.attempt.grid
    for _ in range(4):
        assert recorder.undo()
    for _ in range(4):
        recorder.act((0, 0))
    assert recorder.attempt.grid == before


# --- the screen -------------------------------------------------------------------------------------------------------


def test_the_board_is_where_the_mouse_finds_it():
    played = session("|.", "||")
    seen = lay_out(played, SIZE)
    assert "[|]" in seen.lines[seen.top + 1]
    assert seen.cell(seen.top, 1) == (0, 0)
    assert seen.cell(seen.top + 1, 3) == (1, 1)
    assert seen.cell(seen.top - 1, 1) is None
    assert seen.cell(seen.top, 40) is None


@pytest.mark.parametrize("size", [(30, 80), (12, 20), (8, 16), (3, 5), (200, 300)])
def test_every_screen_fits_and_shows_the_cursor(size):
    played = Session(Recorder(find("fence-in"), Level("wide open", grid(*["." * 50] * 60))))
    played.cursor = (57, 48)
    seen = lay_out(played, size)
    assert len(seen.lines) <= size[0]
    assert max(map(len, seen.lines)) <= size[1]
    if size[0] >= 8:
        r, c = 57 - seen.corner[0], 48 - seen.corner[1]
        assert seen.cell(seen.top + r, 2 * c + 1) == (57, 48)
        assert "[.]" in seen.lines[seen.top + r]


def test_keys_and_mouse_are_understood():
    events, rest = decode("\x1b[A\x1bOB\r u\x03é\x1b[<0;3;2M\x1b[<0;3;2m\x1b[<64;1;1M\x1b[15~\x1b[<0;3")
    assert events == ["up", "down", "enter", "space", "u", "interrupt", "é", Press(1, 2)]
    assert rest == "\x1b[<0;3"
    assert decode("\x1bq")[0] == ["escape", "q"]


# --- the command ------------------------------------------------------------------------------------------------------


def test_without_a_terminal_there_is_one_clear_line(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", open(os.devnull))  # noqa: SIM115 (closed with the test)
    assert main(["play", "nim"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("shown: playing needs a terminal")
    assert error.count("\n") == 1


def test_a_file_of_another_game_is_refused_before_anything_is_played(tmp_path, capsys):
    out = tmp_path / "demos.json"
    assert main(["demonstrate", "chase", "--levels", "train:0", "--out", str(out)]) == 0
    before = out.read_bytes()
    assert main(["play", "nim", "--out", str(out)]) == 2
    assert "holds demonstrations of chase, not of nim" in capsys.readouterr().err
    assert out.read_bytes() == before


def test_a_person_wins_nim_with_mouse_and_keys_and_it_is_saved(terminal, tmp_path):
    out = tmp_path / "demos.json"
    level = load_levels(NIM, "train:0")[0]
    twin = Session(Recorder(NIM, level))  # plays the same game here, to know where to click
    person = terminal("play", "nim", "--out", str(out))
    person.until("q quit")
    first = NIM.expert(twin.attempt.grid)
    seen = lay_out(twin, SIZE)
    person.send(f"\x1b[<0;{2 * first[1] + 2};{seen.top + first[0] + 1}M")
    twin.click(first)
    person.until(twin.message)
    person.send("u")
    person.until("Undone.")
    person.send("r")
    person.until(twin.message)
    while not twin.attempt.over:
        cell = NIM.expert(twin.attempt.grid)
        moves = [
            key
            for key, by in zip("BC", (cell[0] - twin.cursor[0], cell[1] - twin.cursor[1]), strict=True)
            for _ in range(by)
        ]
        moves += [
            key
            for key, by in zip("AD", (twin.cursor[0] - cell[0], twin.cursor[1] - cell[1]), strict=True)
            for _ in range(by)
        ]
        person.send("".join(f"\x1b[{key}" for key in moves) + "\r")
        twin.click(cell)
        person.until(twin.message)
    assert twin.attempt.won
    person.send("\r")
    person.until("\x1b[?1049l")
    person.until("saved in")
    assert person.wait() == 0
    saved = Demonstrations.load(out)
    assert saved.game == "nim"
    assert saved.items == (twin.recorder.demonstration,)
    assert saved.items[0].outcome == "won"


def test_a_second_game_is_added_to_the_file(terminal, tmp_path):
    out = tmp_path / "demos.json"
    for number in (1, 2):
        person = terminal("play", "nim", "--levels", f"train:{number}", "--out", str(out))
        person.until("q quit")
        seen = lay_out(Session(Recorder(NIM, load_levels(NIM, f"train:{number}")[0])), SIZE)
        person.send(f"\x1b[<0;2;{seen.top + seen.shape[0]}M")  # a whole pile, so that the opponent takes the other
        person.until("Lost after 1 click.")
        person.send("q")
        person.until("y keep")
        person.send("y")
        assert person.wait() == 0
        assert len(Demonstrations.load(out)) == number


@pytest.mark.parametrize("stop", ["ctrl-c", "term", "hangup"])
def test_the_terminal_is_left_as_it_was(terminal, tmp_path, stop):
    person = terminal("play", "nim", "--out", str(tmp_path / "demos.json"))
    person.until("q quit")
    assert not person.modes() & termios.ECHO
    if stop == "ctrl-c":
        person.send("\x03")
    else:
        person.process.send_signal(signal.SIGTERM if stop == "term" else signal.SIGHUP)
    person.until("\x1b[?1006l\x1b[?1000l\x1b[?25h\x1b[?1049l")
    person.until("unfinished after 0 clicks")
    assert person.modes() == termios.ECHO | termios.ICANON | termios.ISIG
    code = person.wait()
    assert code == {"ctrl-c": 0, "term": 143, "hangup": 129}[stop]
    assert not (tmp_path / "demos.json").exists()


# --- worlds with buttons ----------------------------------------------------------------------------------------------

KEYS = {"left": "\x1b[D", "right": "\x1b[C", "forward": "\x1b[A", "pickup": "p", "toggle": "t"}


def test_a_person_plays_a_world_with_keys_and_it_is_saved(terminal, tmp_path):
    out = tmp_path / "demos.json"
    world = worlds.find("gym:MiniGrid-DoorKey-5x5-v0")
    episode = play(world, lambda _: world.expert(), seed=2)
    person = terminal("play", world.name, "--seeds", "2", "--out", str(out))
    person.until("← left · → right · ↑ forward · p pickup")
    person.send(KEYS["left"])
    person.until("1 step so far.")
    person.send("u")
    person.until("Undone.")
    for number, step in enumerate(episode.steps, 1):
        person.send(KEYS[step.action])
        last = number == len(episode.steps)
        person.until(f"You won in {number} steps!" if last else f"{number} step{'s' if number > 1 else ''} so far.")
    person.send("\r")
    person.until(f"won in {len(episode.steps)} steps; saved in")
    assert person.wait() == 0
    saved = Demonstrations.load(out)
    assert (saved.game, saved.buttons) == (world.name, world.buttons)
    assert saved.items == (episode.demonstration,)
