"""Errors suggest the closest name."""

from importlib import metadata

import pytest

from shown.errors import BadInput, BadLevel, BadProgram, MissingExtra, OutOfMemory, ShownError, did_you_mean


@pytest.mark.parametrize("kind", [BadInput, BadLevel, BadProgram, OutOfMemory, MissingExtra])
def test_all_are_errors_that_a_user_can_mend(kind):
    assert issubclass(kind, ShownError)


def test_the_nearest_name_is_offered_or_all():
    assert did_you_mean("chess", ["nim", "chase"]) == "Did you mean 'chase'?"
    assert did_you_mean("go", ["nim", "chase"]) == "Known: nim, chase."


def test_a_missing_library_says_how_to_install_it(monkeypatch):
    class Installed:
        def __init__(self, source):
            self.source = source

        def read_text(self, name):
            return self.source

    said = {}
    for name, source in (("clone", '{"url": "file:///somewhere"}'), ("index", None)):
        monkeypatch.setattr(metadata, "distribution", lambda _, source=source: Installed(source))
        said[name] = str(MissingExtra("Gymnasium", "games"))
    assert said["index"] == "this needs Gymnasium, which is not installed. Install it with: pip install 'shown[games]'"
    assert said["clone"].endswith("In the folder that shown was installed from: pip install '.[games]'")
