"""Folders that come from somebody else: no link is opened, nothing that the studio did not write is overwritten."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path

import pytest

from shown.errors import BadInput
from shown.grid import grid
from shown.policy import uniform_policy
from shown.studio.project import Project, Settings
from shown.studio.workspace import Workspace
from shown.teaching.lessons.saved_policy import SavedPolicy
from shown.worlds import find

NIM = find("nim")


def _write(project: Project, name: str, content: str) -> Path:
    path = project.path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(content)
    return path


FILES = ("lesson.json", "table.jsonl", "levels.json", "policy.json", "learned.json")


def _policy(**provenance: object) -> dict:
    return {**uniform_policy(NIM.tokens, "nim").to_json(), "provenance": provenance}


@pytest.mark.parametrize("there", [True, False], ids=["a file", "nothing"])
@pytest.mark.parametrize("name", FILES)
def test_no_link_is_written_through(project, tmp_path, name, there):
    """Wherever it leads, and whatever is done: what it leads to stays as it is, and is not made."""
    target = tmp_path / "elsewhere"
    if there:
        target.write_text("precious")
    (project.path / "nim").mkdir()
    (project.path / "nim" / name).symlink_to(target)
    with contextlib.suppress(BadInput):
        workspace = Workspace(project, find("nim"))
        workspace.expert()
        workspace.paint(None, grid("|.", "||"))
    project.learned(NIM)
    with contextlib.suppress(BadInput):
        project.save_learned(NIM, SavedPolicy(_policy(), "abc", []))
    project.drop_learned(NIM)
    assert target.exists() == there
    if there:
        assert target.read_text() == "precious"


@pytest.mark.parametrize("name", FILES)
def test_no_link_is_read_through(project, tmp_path, name):
    workspace = Workspace(project, find("nim"))
    workspace.expert()
    workspace.paint(None, grid("|.", "||"))
    project.save_learned(NIM, SavedPolicy(_policy(), "abc", []))
    path = project.path / "nim" / name
    path.rename(tmp_path / name)
    path.symlink_to(tmp_path / name)
    if name == "lesson.json":
        with pytest.raises(BadInput, match=r"lesson\.json: is a link, and links in a project are not followed"):
            Workspace(project, find("nim"))
    elif name in ("policy.json", "learned.json"):
        assert project.learned(NIM) is None
    else:
        assert "is a link" in Workspace(project, find("nim")).notes[0]


def test_a_game_s_folder_that_is_a_link_is_not_opened(project, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (project.path / "nim").symlink_to(elsewhere)
    with pytest.raises(BadInput, match="nim: is a link"):
        Workspace(project, find("nim"))
    with pytest.raises(BadInput, match="nim: is a link"):
        project.save_painted(NIM, {})
    assert list(elsewhere.iterdir()) == []
    assert project.set_game_aside(NIM) == "nim.set-aside-1"
    assert Workspace(project, find("nim")).lesson.recordings == ()
    assert (project.path / "nim.set-aside-1").is_symlink()


@pytest.mark.parametrize("name", ["project.json", "studio.lock"])
@pytest.mark.parametrize("there", [True, False])
def test_the_project_s_own_files_are_no_links_either(tmp_path, name, there):
    target, folder = tmp_path / "elsewhere", tmp_path / "project"
    if there:
        target.write_text("precious")
    folder.mkdir()
    (folder / name).symlink_to(target)
    with pytest.raises(BadInput, match="is a link"), Project(folder) as project:
        project.settings()
    assert target.exists() == there
    assert not there or target.read_text() == "precious"


def test_a_project_may_itself_be_reached_through_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    with Project(tmp_path / "link") as project:
        project.save_settings(Settings("nim"))
    assert (tmp_path / "real" / "project.json").exists()


def test_a_click_is_not_written_into_a_file_that_also_has_a_name_elsewhere(project, tmp_path):
    workspace = Workspace(project, find("chase"))
    workspace.click((0, 0))
    path = project.path / "chase" / "table.jsonl"
    os.link(path, tmp_path / "elsewhere")
    before = path.read_text()
    workspace.click((0, 1))
    assert (tmp_path / "elsewhere").read_text() == before
    assert Workspace(project, find("chase")).lesson == workspace.lesson


def test_a_policy_that_came_from_elsewhere_is_not_overwritten(project):
    path = _write(project, "nim/policy.json", json.dumps(_policy(demonstrations={"digest": "other"})))
    before = path.read_bytes()
    Workspace(project, find("nim"))
    assert project.learned(NIM) is None
    with pytest.raises(BadInput, match=r"policy\.json: was not written by the studio, so it stays"):
        project.save_learned(NIM, SavedPolicy(_policy(), "abc", []))
    project.drop_learned(NIM)
    assert path.read_bytes() == before
    assert not (project.path / "nim" / "learned.json").exists()


@pytest.mark.parametrize("name", ["learned.json", "policy.json"])
@pytest.mark.parametrize("content", ["{", "[]", "notes of mine"])
def test_a_plain_file_of_somebody_is_not_overwritten(project, name, content):
    path = _write(project, f"nim/{name}", content)
    project.learned(NIM)
    with pytest.raises(BadInput, match=f"{name}: was not written by the studio"):
        project.save_learned(NIM, SavedPolicy(_policy(), "abc", []))
    project.drop_learned(NIM)
    assert path.read_text() == content


def test_a_file_that_appears_while_the_studio_is_open_is_not_overwritten(project):
    workspace = Workspace(project, find("nim"))
    path = _write(project, "nim/lesson.json", "somebody put this here meanwhile")
    with pytest.raises(BadInput, match="was not written by the studio"):
        workspace.expert()
    assert path.read_text() == "somebody put this here meanwhile"


def test_what_the_studio_learned_it_may_learn_again_after_a_restart(project):
    """Also if it was killed between the two files."""
    saved = SavedPolicy(_policy(demonstrations={"digest": "abc"}), "abc", [])
    project.save_learned(NIM, saved)
    folder = project.path / "nim"
    project.close()
    with Project(project.path) as again:
        assert again.learned(NIM) == saved
        again.save_learned(NIM, saved)
    (folder / "learned.json").unlink()
    with Project(project.path) as again:
        assert again.learned(NIM) is None
        again.save_learned(NIM, saved)
    with Project(project.path) as again:
        again.learned(NIM)
        again.drop_learned(NIM)
    assert list(folder.iterdir()) == []


def test_files_keep_the_modes_their_owner_gave_them(project):
    workspace = Workspace(project, find("nim"))
    workspace.expert()
    path = project.path / "nim" / "lesson.json"
    path.chmod(0o600)
    workspace.expert()
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_a_killed_studio_left_behind_is_removed(project):
    folder = project.path
    _write(project, "nim/.shown-abcdefgh.tmp", "half")
    _write(project, ".shown-0123456789abcdef.tmp", "half")
    _write(project, ".shown-0123456789abcdef.html", "a link with an old secret")
    kept = [_write(project, "nim/notes.tmp", "mine"), _write(project, ".shown-notes", "mine")]
    (folder / ".shown-abcdefff.tmp").symlink_to(kept[0])
    project.close()
    with Project(folder) as again:
        Workspace(again, find("nim"))
    left = {path.name for path in (*folder.iterdir(), *(folder / "nim").iterdir())}
    assert left == {"studio.lock", "nim", ".shown-notes", ".shown-abcdefff.tmp", "notes.tmp"}
    assert all(path.read_text() == "mine" for path in kept)


def test_a_folder_that_cannot_be_read_is_an_error(tmp_path, monkeypatch):
    """As root nothing is unreadable, so the system is told to say so."""
    real = os.open

    def forbidden(path, *arguments, **options):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return real(path, *arguments, **options)

    monkeypatch.setattr(os, "open", forbidden)
    with pytest.raises(BadInput, match=r"closed: cannot be made a project folder \(Permission denied\)"):
        Project(tmp_path / "closed")


@pytest.mark.parametrize("game", [[], {}, 3, ["nim"], True])
def test_a_game_that_is_no_name_is_an_error(project, game):
    _write(project, "project.json", json.dumps({"schema": "shown/studio-project/2", "game": game, "programs": 10}))
    with pytest.raises(BadInput, match=r'project\.json: "game" must be a name or null'):
        project.settings()


def test_the_page_that_leads_to_the_studio_is_the_user_s_alone(project):
    with project.link("http://127.0.0.1:1/?token=a&b") as page:
        assert page.stat().st_mode & 0o777 == 0o600
        assert 'url=http://127.0.0.1:1/?token=a&amp;b"' in page.read_text()
    assert not page.exists()
