"""Studios and browsers for the tests of the studio."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from serving import Server
from shown.studio.project import Project
from visiting import Visitor, Window, chromium


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Project]:
    with Project(tmp_path / "project") as opened:
        yield opened


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One studio for all tests that leave its games as they were."""
    studio = Server(tmp_path_factory.mktemp("studio") / "project")
    yield studio
    studio.stop()


@pytest.fixture(scope="session")
def warm_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    studio = Server(tmp_path_factory.mktemp("warm") / "project")
    yield studio
    studio.stop()


@pytest.fixture
def studio(warm_server: Server) -> Server:
    """A studio with empty games. Its processes are shared: to start them takes longer than most tests."""
    warm_server.reset()
    return warm_server


@pytest.fixture
def make_server(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Start studios on a new folder, or on the one given."""
    studios: list[Server] = []

    def make(folder: Path | None = None, **options: object) -> Server:
        studios.append(Server(folder or tmp_path / "project", **options))  # type: ignore[arg-type]
        return studios[-1]

    yield make
    for studio in studios:
        studio.stop()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real Chromium. Its absence is a failure, not a reason to skip."""
    with chromium() as found:
        yield found


@pytest.fixture(scope="session")
def window(browser: Browser) -> Window:
    return Window(browser)


@pytest.fixture
def visit(browser: Browser, window: Window) -> Iterator[Callable[..., Visitor]]:
    """Open browser windows, and fail if there were errors in one of them."""
    visitors: list[Visitor] = []

    def open_page(server: Server, **options: object) -> Visitor:
        visitors.append(Visitor(browser, server, window=window, **options))  # type: ignore[arg-type]
        return visitors[-1]

    yield open_page
    for visitor in visitors:
        visitor.leave()
