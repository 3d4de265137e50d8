"""What `import shown` offers."""

import subprocess
import sys
from importlib.resources import files

import pytest

import shown


def test_every_public_name_is_there():
    assert sorted(dir(shown)) == sorted(shown.__all__)
    for name in shown.__all__:
        assert getattr(shown, name) is not None


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'Lerner'"):
        shown.Lerner  # noqa: B018


def test_the_package_is_typed():
    assert files("shown").joinpath("py.typed").is_file()


def test_importing_the_package_loads_nothing_heavy():
    script = "import sys, shown; print({'numpy', 'numba', 'torch', 'gymnasium'} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"


def test_windows_is_refused_in_one_sentence():
    script = "import sys; sys.platform = 'win32'; import shown"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == "ImportError: shown runs on Linux and macOS. On Windows, install it in WSL."
