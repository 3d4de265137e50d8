"""`shown play`: what is typed, what is printed, and what is saved."""

import io
import sys

import pytest

from shown import worlds
from shown.demonstrations import Demonstrations
from shown.worlds import demonstrate, find, load_levels

NIM = find("nim")
SHOWN = demonstrate(NIM, "train:0-1")
WINNING = [" ".join(f"{r},{c}" for r, c in (step.action for step in item.steps)) for item in SHOWN]
DOOR = "gym:MiniGrid-DoorKey-5x5-v0"


@pytest.fixture
def play(shown, monkeypatch):
    """Runs `shown play` with lines that are typed."""

    def run(*words, typed):
        monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(typed)))
        return shown("play", *words)

    return run


def test_levels_that_are_won_are_saved_one_after_the_other(play):
    ran = play("nim", "--levels", "train:0-1", "--out", "demos.json", typed=WINNING)
    assert ran.code == 0
    assert f"You won in {len(SHOWN.items[1].steps)} click" in ran.out
    assert "saved in demos.json, which now holds 2 demonstrations" in ran.err
    assert Demonstrations.load("demos.json") == SHOWN


def test_a_second_game_is_added_to_the_file(play):
    for number in (1, 2):
        ran = play("nim", "--out", "demos.json", typed=WINNING)
        assert f"now holds {number} demonstration" in ran.err


def test_undo_takes_back_one_action_after_the_other(play):
    first = WINNING[0].split()[0]
    ran = play("nim", "--out", "demos.json", typed=[f"undo {first} u", WINNING[0]])
    assert ran.out.count("0 clicks so far.") == 3
    assert Demonstrations.load("demos.json").items == SHOWN.items[:1]


def test_a_lost_game_goes_on_after_undo_and_can_be_saved(play):
    level = load_levels(NIM, "train:0")[0]
    bottom = [f"{level.grid.height - 1},{c}" for c in range(2)]
    lost = next(cell for cell in bottom if level.grid[tuple(map(int, cell.split(",")))] == "|")
    ran = play("nim", "--out", "demos.json", typed=[lost, lost, "s"])
    assert "Lost after 1 click: undo the last, or save." in ran.out
    assert "this game is over" in ran.out
    assert [item.outcome for item in Demonstrations.load("demos.json")] == ["lost"]
    ran = play("nim", "--out", "demos.json", typed=[f"{lost} undo {WINNING[0]}"])
    assert [item.outcome for item in Demonstrations.load("demos.json")] == ["lost", "won"]


@pytest.mark.parametrize("typed", [["{first}", "quit"], ["{first}"], [], ["save"]])
def test_nothing_else_is_saved(play, tmp_path, typed):
    ran = play("nim", "--out", "demos.json", typed=[line.format(first=WINNING[0].split()[0]) for line in typed])
    assert (ran.code, ran.err) == (0, "")
    assert not (tmp_path / "demos.json").exists()


def test_without_a_file_it_says_how_to_save(play):
    assert "--out demos.json" in play("nim", typed=WINNING).err


@pytest.mark.parametrize(
    ("word", "reason"),
    [
        ("99,0", "off the grid"),
        ("0,1", "has no effect and is not recorded"),
        ("sove", "nothing is called 'sove'. Did you mean 'save'?"),
        ("up\x1b[2J", "nothing is called"),
    ],
)
def test_a_word_that_cannot_be_played_is_reported_and_the_game_goes_on(play, tmp_path, word, reason):
    (tmp_path / "levels.json").write_text('{"game": "nim", "levels": ["|.\\n||"]}')
    ran = play("nim", "--levels", "levels.json", "--out", "demos.json", typed=[word, "0,0"])
    assert reason in ran.out
    assert "1 click so far." in ran.out
    assert "\x1b" not in ran.out


def test_rows_and_columns_are_numbered(play):
    lines = play("fence-in", typed=[]).out.splitlines()
    ones = next(i for i, line in enumerate(lines) if "0 1 2" in line)
    assert lines[ones - 1].split()[0] == "1"
    level = load_levels(find("fence-in"), "train:0")[0].grid
    r, c = level.find("S")
    row = lines[ones + 1 + r]
    assert row.split()[0] == str(r)
    assert row[row.index("S")] == "S"
    assert lines[ones][row.index("S")] == str(c % 10)


def test_colors_only_on_a_terminal(play, monkeypatch):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b" not in play("nim", typed=[]).out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    assert "\x1b[" in play("nim", typed=[]).out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in play("nim", typed=[]).out


def test_a_world_is_played_by_its_buttons(play):
    world = worlds.find(DOOR)
    episode = worlds.play(world, lambda _: world.expert(), seed=2)
    typed = [" ".join(step.action for step in episode.steps)]
    ran = play(DOOR, "--seeds", "2", "--out", "demos.json", typed=typed)
    assert "Type left · right · forward · pickup" in ran.out
    saved = Demonstrations.load("demos.json")
    assert (saved.game, saved.buttons) == (world.name, world.buttons)
    assert saved.items == (episode.demonstration,)


def test_the_beginning_of_a_name_is_enough_if_it_is_the_only_one(play):
    ran = play(DOOR, typed=["l", "d"])
    assert "1 step so far." in ran.out
    assert "'d' could be drop or done." in ran.out


def test_the_same_opponent_plays_after_undo(play):
    level = load_levels(find("chase"), "train:0")[0]
    moves = [f"{r},{c}" for r, c in (step.action for step in demonstrate(find("chase"), [level]).items[0].steps[:4])]
    once = play("chase", "--seed", "5", "--out", "once.json", typed=[*moves, "save"])
    again = play("chase", "--seed", "5", "--out", "again.json", typed=[*moves, *["undo"] * 4, *moves, "save"])
    assert once.code == again.code == 0
    assert Demonstrations.load("once.json") == Demonstrations.load("again.json")


def test_a_file_of_another_game_is_refused_before_anything_is_played(play):
    demonstrate(find("chase"), "train:0").save("demos.json")
    assert "holds demonstrations of chase, not of nim" in play("nim", "--out", "demos.json", typed=[]).complaint
    assert Demonstrations.load("demos.json").game == "chase"
