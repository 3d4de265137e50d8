"""A class as a value and a folder, without a server."""

from __future__ import annotations

import json
import stat

import pytest

from shown.errors import BadInput
from shown.studio.classroom import (
    GUESS_SECONDS,
    LETTERS,
    MAX_ALL_GUESSES,
    MAX_GUESSES,
    MAX_MEMBERS,
    ClassFolder,
    ClassRecord,
    ClassSettings,
    Door,
    Role,
    check_name,
)


@pytest.fixture
def two() -> ClassRecord:
    return ClassRecord.new().with_pupil("Anna").with_pupil("Ben")


def test_a_code_is_six_letters_that_nobody_confuses():
    code = ClassRecord.new().code
    assert len(code) == 6
    assert not set("ILOQ01") & set(LETTERS)
    assert ClassRecord.new().code != code


def test_every_secret_opens_one_thing(two):
    anna, ben = two.pupils
    assert two.visitor(two.secret) == (Role.TEACHER, None)
    assert two.visitor(anna.token) == (Role.PUPIL, anna)
    assert two.visitor(two.teacher_token(Role.VIEWER, ben)) == (Role.VIEWER, ben)
    assert two.visitor(two.teacher_token(Role.HELPER, ben)) == (Role.HELPER, ben)


def test_nothing_else_is_a_secret(two):
    anna, ben = two.pupils
    view = two.teacher_token(Role.VIEWER, ben)
    forged = (
        f"p{ben.id}.{anna.secret}",
        f"h{view[1:]}",
        f"v{anna.id}{view[2:]}",
        anna.secret,
        two.code,
        "",
        "p1.",
        "é",
    )
    assert [two.visitor(token) for token in forged] == [None] * len(forged)
    assert two.without(ben).visitor(ben.token) is None
    assert ClassRecord.new().visitor(anna.token) is None


@pytest.mark.parametrize("name", ["", "  ", "-", "a" * 25, "<b>", "a/b", "a\nb\0", "\u202eanna", 3, None, ".."])
def test_a_name_is_a_short_word(name):
    with pytest.raises(BadInput, match="a name has 1 to 24"):
        check_name(name)


@pytest.mark.parametrize("name", ["Zoë", "李明", "Jean-Luc O'Neil", "Anna 2", "أحمد", "अनीता"])
def test_names_of_all_scripts(name):
    assert check_name(f" {name} ") == name


@pytest.mark.parametrize("again", ["Anna", "anna", " ANNA ", "Ａｎｎａ"])
def test_a_name_is_given_once(two, again):
    with pytest.raises(BadInput, match="own link"):
        two.with_pupil(again)


def test_a_class_has_an_end():
    record = ClassRecord.new()
    for i in range(MAX_MEMBERS):
        record = record.with_pupil(f"Pupil {i}")
    with pytest.raises(BadInput, match="full"):
        record.with_pupil("one more")


def test_who_leaves_makes_room_but_their_number_is_not_given_again(two):
    again = two.without(two.pupils[1]).with_pupil("Ben")
    assert [pupil.id for pupil in again.pupils] == [1, 3]


def test_guessing_is_limited_by_address_and_in_all():
    door = Door()
    for i in range(MAX_GUESSES):
        with pytest.raises(BadInput, match="not the code"):
            door.check("AAAAAA", "BBBBBB", "10.0.0.1", float(i))
    with pytest.raises(BadInput, match="too many"):
        door.check("BBBBBB", "BBBBBB", "10.0.0.1", MAX_GUESSES + 1.0)
    door.check(" bbbbbb ", "BBBBBB", "10.0.0.2", MAX_GUESSES + 1.0)  # others are not affected
    door.check("BBBBBB", "BBBBBB", "10.0.0.1", GUESS_SECONDS + MAX_GUESSES)
    for i in range(MAX_ALL_GUESSES):
        with pytest.raises(BadInput, match="not the code"):
            door.check(["B"], "BBBBBB", f"address {i}", 1000.0)
    with pytest.raises(BadInput, match="too many"):
        door.check("BBBBBB", "BBBBBB", "10.0.0.3", 1000.0)


def test_a_class_is_the_same_after_a_restart(tmp_path, two):
    with ClassFolder(tmp_path / "class") as folder:
        first = folder.load()
        record = first.with_pupil("Anna")
        folder.save(record)
        with folder.project(record.pupils[0]) as project:
            assert project.path == tmp_path / "class" / "pupil-1"
    with ClassFolder(tmp_path / "class") as folder:
        assert folder.load() == record
    assert stat.S_IMODE((tmp_path / "class" / "class.json").stat().st_mode) == 0o600


def test_a_class_that_was_killed_while_it_was_made_is_made(tmp_path):
    (tmp_path / "class.json").touch(0o600)
    with ClassFolder(tmp_path) as folder:
        assert folder.load() == folder.load()


def test_a_class_is_open_once_and_is_no_project(tmp_path):
    with ClassFolder(tmp_path / "class"), pytest.raises(BadInput, match="already open"):
        ClassFolder(tmp_path / "class")
    (tmp_path / "project.json").write_text("{}")
    with pytest.raises(BadInput, match="not a class"):
        ClassFolder(tmp_path)


def test_no_link_is_a_workspace(tmp_path, two):
    (tmp_path / "class").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "class" / "pupil-1").symlink_to(tmp_path / "elsewhere")
    with ClassFolder(tmp_path / "class") as folder, pytest.raises(BadInput, match="not a plain folder"):
        folder.project(two.pupils[0])


def test_a_pupil_who_left_keeps_the_files(tmp_path, two):
    with ClassFolder(tmp_path) as folder:
        folder.project(two.pupils[0]).close()
        assert folder.set_aside(two.pupils[0].folder) == "pupil-1.set-aside-1"
        assert (tmp_path / "pupil-1.set-aside-1").is_dir()


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "shown/class-record/9"},
        {"code": "abc"},
        {"secret": ""},
        {"next_id": 1},
        {"pupils": [{"id": 1}]},
        {"pupils": [{"id": 1, "name": "/", "secret": "x" * 20}]},
        {"pupils": {}},
        {"settings": {"paused": 1, "joining": True, "hints": True, "locked": []}},
        {"settings": {"paused": True, "joining": True, "hints": True, "locked": [3]}},
    ],
)
def test_a_damaged_class_is_refused(two, change):
    value = json.loads(json.dumps(two.to_json()))
    assert ClassRecord.from_json(value, "it") == two
    with pytest.raises(BadInput, match=r"^it"):
        ClassRecord.from_json({**value, **change}, "it")


def test_settings_are_read_as_written():
    settings = ClassSettings(True, False, False, ("chase", "nim"))
    found = ClassSettings.from_json(
        {"paused": True, "joining": False, "hints": False, "locked": ["nim", "chase", "nim"]}, "it"
    )
    assert found == settings
