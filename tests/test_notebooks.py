"""What a notebook shows: well-formed, escaped and small."""

import sys
from xml.etree import ElementTree

import pytest

from shown import Demonstrations, Grid, NothingFits, Tokens, teach
from shown.errors import BadInput
from shown.worlds import demonstrate, find, play

NIM = find("nim")
HOSTILE = "<b onclick='x'>&"


def shown_text(thing):
    """The text of the HTML of an object, which must be well-formed."""
    return "".join(ElementTree.fromstring(f"<div>{thing._repr_html_()}</div>").itertext())


@pytest.fixture(scope="module")
def taught():
    return teach(demonstrate(NIM, "random:910000-910001"), NIM, programs=2000, practice=1e5, rounds=2)


def test_demonstrations_show_their_numbers_and_first_steps():
    demos = demonstrate(NIM, "random:910000-910019")
    text = shown_text(demos)
    assert text.startswith(f"nim: 20 demonstrations, 20 won, {len(demos.steps)} steps")
    row, column = demos.items[0].steps[0].action
    assert f"random:910000: {row},{column}" in text
    assert demos.items[0].steps[0].grid._repr_svg_() in demos._repr_html_()
    assert demos._repr_html_().count("<figure") == 5


def test_boards_of_whole_frames_are_not_drawn():
    board = Grid(["." * 160] * 210)
    demos = Demonstrations.from_runs(Tokens(empty="."), [[(board, "fire")]], buttons=("fire",))
    assert "210 × 160 cells" in shown_text(demos)
    assert len(demos._repr_html_()) < 1000


def test_an_episode_shows_its_result_and_both_ends():
    episode = play(NIM, NIM.expert, NIM.level(910_000))
    assert shown_text(episode).startswith(f"random:910000: won after {len(episode.steps)} steps, reward 1")
    assert episode._repr_html_().count("<figure") == 2


def test_games_and_worlds_show_their_goal_tokens_and_actions():
    assert shown_text(NIM).startswith(f"Nim: {NIM.goal}\n  .  empty\n  |  matchstick\n")
    assert shown_text(NIM).endswith("actions: clicks on cells")
    assert shown_text(find("gym:FrozenLake-v1")).endswith("actions: left, down, right, up")


def test_what_was_taught_shows_the_rule_and_what_to_expect(taught):
    text = shown_text(taught)
    assert taught.policy.table() in text
    assert text.endswith(taught.expectation.in_words())


def test_if_nothing_fits_the_reason_is_shown():
    same = Grid(["ab"])
    demos = Demonstrations.from_runs(Tokens(one="a", other="b"), [[(same, (0, 0))], [(same, (0, 1))]])
    with pytest.warns(NothingFits):
        nothing = teach(demos, programs=100, keep_all=True)
    assert shown_text(nothing).startswith("Nothing fits, so the policy acts at random.")


def test_names_are_text_not_markup():
    demos = Demonstrations.from_runs(Tokens(empty="<"), [[(Grid(["<<"]), (0, 0))]], game=HOSTILE)
    assert HOSTILE in shown_text(demos)
    assert "<b" not in demos._repr_html_()


# --- progress ---------------------------------------------------------------------------------------------------------


def test_progress_is_shown_if_asked_for_and_changes_nothing(capsys, taught):
    again = teach(demonstrate(NIM, "random:910000-910001"), NIM, programs=2000, practice=1e5, rounds=2, progress=True)
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "Fitting: exact clicks" in printed.err
    assert "Learned [" in printed.err
    assert again.policy.to_json() == taught.policy.to_json()


def test_teaching_is_silent_by_default(capsys):
    teach(demonstrate(NIM, "random:910000"), NIM, programs=500, practice=0)
    assert capsys.readouterr() == ("", "")


def test_without_tqdm_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(BadInput, match="progress=True needs tqdm"):
        teach(demonstrate(NIM, "random:910000"), NIM, programs=500, progress=True)
