"""Atomic writing and validated reading of files."""

import json
import os
import stat

import pytest
from hypothesis import given

from shown import files
from shown.errors import BadInput
from shown.files import MAX_DEPTH, is_leftover, parse_json, read_json, write_bytes, write_json
from strategies import json_values


@given(json_values)
def test_what_is_written_is_read(tmp_path_factory, value):
    path = tmp_path_factory.mktemp("files") / "value.json"
    try:
        write_json(path, value)
    except ValueError:
        # Infinite numbers are not JSON; they are refused before anything is written.
        assert not path.exists()
        return
    assert read_json(path, "test") == value


HOSTILE = {
    "nothing": "",
    "truncated": '{"a": [1, 2',
    "trailing": "{} {}",
    "not a number": '{"a": NaN}',
    "infinity": '{"a": -Infinity}',
    "too large a float": '{"a": 1e999}',
    "too many digits": '{"a": ' + "9" * 10_000 + "}",
    "a key twice": '{"a": 1, "a": 2}',
    "a key twice, deep inside": '[{"b": {"a": 1, "a": 2}}]',
    "deep": "[" * (MAX_DEPTH + 2) + "]" * (MAX_DEPTH + 2),
    "deeper than the parser can": "[" * 100_000 + "]" * 100_000,
    "half a pair": r'{"a": "\ud83d"}',
    "half a pair in a key": r'{"\uDE00": 1}',
    "byte order mark": "\ufeff{}",
    "control character": '{"a": "\n"}',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_json_is_refused(name):
    with pytest.raises(BadInput, match=r"^here: ") as caught:
        parse_json(HOSTILE[name], "here")
    assert len(str(caught.value)) < 200


def test_what_only_looks_hostile_is_read():
    assert parse_json(r'"\ud83d\ude00"', "here") == "😀"
    assert parse_json(r'"\\ud83d"', "here") == r"\ud83d"
    assert parse_json("[" * MAX_DEPTH + "]" * MAX_DEPTH, "here")
    assert parse_json("9" * 400, "here") == int("9" * 400)


def test_a_file_that_cannot_be_read_says_why(tmp_path):
    for path, reason in [
        (tmp_path / "missing.json", "no such file. Give the path of a test file"),
        (tmp_path, "is a folder"),
        (tmp_path / "missing" / "x.json", "no such file"),
        (tmp_path / ("x" * 300), "too long"),
    ]:
        with pytest.raises(BadInput, match=reason):
            read_json(path, "test")
    (tmp_path / "latin.json").write_bytes(b'"\xe9"')
    with pytest.raises(BadInput, match="not text in UTF-8"):
        read_json(tmp_path / "latin.json", "test")


@pytest.mark.parametrize("name", ["a\0b", "\ud800"])
def test_names_that_no_file_can_have(tmp_path, name):
    for attempt in (lambda: read_json(tmp_path / name, "test"), lambda: write_bytes(tmp_path / name, b"")):
        with pytest.raises(BadInput, match="not a valid file name"):
            attempt()
    assert os.listdir(tmp_path) == []


def test_no_more_is_read_than_a_file_may_hold(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "MAX_BYTES", 2**20)
    with pytest.raises(BadInput, match="larger than 1 MiB"):
        read_json("/dev/zero", "test")
    path = tmp_path / "large.json"
    path.write_text("1" + " " * 2**20)
    with pytest.raises(BadInput, match="larger than 1 MiB"):
        read_json(path, "test")


def test_writing_leaves_nothing_else_behind(tmp_path):
    write_json(tmp_path / "value.json", [1])
    write_json(tmp_path / "value.json", [2])
    assert os.listdir(tmp_path) == ["value.json"]
    assert json.loads((tmp_path / "value.json").read_text()) == [2]


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_when_writing_fails_the_old_file_stays(tmp_path, monkeypatch, failure):
    def fail(*_):
        raise failure

    path = tmp_path / "value.json"
    write_json(path, "old")
    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises((BadInput, KeyboardInterrupt)) as caught:
        write_json(path, "new")
    if isinstance(failure, OSError):
        assert str(caught.value) == f"{path}: cannot be written (No space left on device). Nothing was changed."
    assert read_json(path, "test") == "old"
    assert os.listdir(tmp_path) == ["value.json"]


def test_a_renamed_file_survives_a_crash(tmp_path, monkeypatch):
    """A rename is durable only once the folder is synced."""
    calls = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda fd: calls.append(stat.S_ISDIR(os.fstat(fd).st_mode)) or fsync(fd))
    monkeypatch.setattr(os, "replace", lambda *args, **at: calls.append("rename") or replace(*args, **at))
    write_bytes(tmp_path / "value", b"x")
    assert calls == [False, "rename", True]


def test_places_that_cannot_be_written_to(tmp_path):
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "missing" / "x.json", tmp_path / "folder", tmp_path / ("x" * 300)):
        with pytest.raises(BadInput, match="cannot be written"):
            write_bytes(path, b"x")
    assert os.listdir(tmp_path) == ["folder"]


def test_a_name_as_long_as_names_can_be(tmp_path):
    write_bytes(tmp_path / ("x" * 255), b"x")
    assert os.listdir(tmp_path) == ["x" * 255]


def test_a_link_stays_a_link_and_a_pipe_a_pipe(tmp_path):
    (tmp_path / "target").write_text("old")
    (tmp_path / "link").symlink_to("target")
    write_bytes(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_text() == "new"
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_bytes(tmp_path / "pipe", b"through")
    assert os.read(reader, 100) == b"through"
    os.close(reader)
    assert sorted(os.listdir(tmp_path)) == ["link", "pipe", "target"]


def test_files_are_as_private_as_the_user_wishes(tmp_path):
    before = os.umask(0o027)
    try:
        write_bytes(tmp_path / "value", b"x")
    finally:
        os.umask(before)
    assert (tmp_path / "value").stat().st_mode & 0o777 == 0o640


def test_a_file_keeps_the_mode_its_owner_gave_it(tmp_path):
    path = tmp_path / "private.json"
    write_json(path, "old")
    for mode in (0o600, 0o664):
        path.chmod(mode)
        write_json(path, "new")
        assert path.stat().st_mode & 0o777 == mode


def test_what_could_not_be_read_again_is_not_written(tmp_path, monkeypatch):
    path = tmp_path / "value.json"
    write_json(path, "old")
    monkeypatch.setattr(files, "MAX_BYTES", 1000)
    with pytest.raises(BadInput, match=r"value\.json: would be larger than 0 MiB, the limit for reading it again"):
        write_json(path, "x" * 1000)
    assert read_json(path, "test") == "old"
    write_json(path, "x" * 990)
    assert read_json(path, "test") == "x" * 990


def test_what_a_killed_process_leaves_is_known(tmp_path, monkeypatch):
    seen = []

    def killed(*_):
        seen.extend(os.listdir(tmp_path))
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", killed)
    with pytest.raises(KeyboardInterrupt):
        write_bytes(tmp_path / "value", b"x")
    assert [is_leftover(name) for name in seen] == [True]
    assert not any(map(is_leftover, ("value.tmp", ".shown-.tmp", ".shown-abc/def.tmp", "x.shown-abcdef.tmp")))


def test_what_a_killed_process_left_is_removed_when_the_same_file_is_written_again(tmp_path, monkeypatch):
    def killed(*arguments, **options):
        (name,) = filter(is_leftover, os.listdir(tmp_path))
        os.link(tmp_path / name, tmp_path / f"{name[:-8]}kept.tmp")  # it lives on, though this process tidies up
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", killed)
        with pytest.raises(KeyboardInterrupt):
            write_bytes(tmp_path / "policy.json", b"new")
    (left,) = filter(is_leftover, os.listdir(tmp_path))
    write_bytes(tmp_path / "policy.json", b"newer")
    assert left in os.listdir(tmp_path), "another process may be writing it right now"
    os.utime(tmp_path / left, (0, 0))
    write_bytes(tmp_path / "other.json", b"other")
    assert left in os.listdir(tmp_path), "it was of another file"
    write_bytes(tmp_path / "policy.json", b"newest")
    assert sorted(os.listdir(tmp_path)) == ["other.json", "policy.json"]
