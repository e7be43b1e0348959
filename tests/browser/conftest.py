"""A class on this machine, JupyterLab on it, and a browser before it; and the built site."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from lab_window import LabWindow
    from site_pages import Browser

sys.path.insert(0, str(Path(__file__).parent))

MODULE = "profile_training_loop"


@pytest.fixture(scope="session")
def classroom(tmp_path_factory: pytest.TempPathFactory) -> SimpleNamespace:
    """One module, handed out: `folder` is the learner's, `course` the instructor's."""
    from handed_out import handed_out
    from needs import require

    require(("chromium", "chromedriver", "bwrap"), ("selenium", "nbgrader", "jupyterlab"))
    folder = tmp_path_factory.mktemp("class") / "room"
    return SimpleNamespace(folder=folder, course=handed_out(MODULE, folder), module=MODULE)


@pytest.fixture
def lab(
    classroom: SimpleNamespace, clone: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[LabWindow]:
    """JupyterLab over the class, in a window; what is seen is kept under build/browser/lab/."""
    from lab_window import lab_window

    pictures = clone / "build" / "browser" / "lab"
    shutil.rmtree(pictures, ignore_errors=True)
    with lab_window(classroom.folder, tmp_path_factory.mktemp("jupyter"), pictures) as window:
        yield window


@pytest.fixture(scope="session")
def site(clone: Path) -> Path:
    """The site, built as `make site` builds it."""
    from needs import require

    require(("chromium", "chromedriver"), ("selenium", "mkdocs", "nbconvert"))
    run = [sys.executable, "-m"]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    for command in (
        [*run, "hotloop.site"],
        [*run, "mkdocs", "build", "--quiet", "--strict", "-f", "build/mkdocs.yml"],
    ):
        subprocess.run(command, check=True, cwd=clone, env=environment, capture_output=True)
    return clone / "build" / "site"


@pytest.fixture(scope="session")
def axe(clone: Path) -> Path:
    """The script that checks a page for accessibility."""
    script = clone / "build" / "axe" / "node_modules" / "axe-core" / "axe.min.js"
    if not script.is_file():
        pytest.skip("axe-core is missing: `make test-browser` installs it")
    return script


@pytest.fixture(scope="module")
def address(site: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Where a server of this machine has the site."""
    from static_server import served

    with served(site, tmp_path_factory.mktemp("served")) as server:
        yield server.address


@pytest.fixture(scope="module")
def browser(address: str) -> Iterator[Browser]:
    """A browser for the pages of one file of tests."""
    from site_pages import Browser

    opened = Browser.start()
    yield opened
    opened.driver.quit()
