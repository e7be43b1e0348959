"""The commands of the page on a first class do, one after another, what the page says."""

import csv
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from hotloop.tasks import render

PAGES = Path(__file__).parents[2] / "site" / "pages"
MODULE = "ssa_passes"
WORKS = f"hotloop check {MODULE}"
"""Before this line a learner has worked."""


def blocks() -> list[list[str]]:
    """Return the lines of the page's commands, block by block."""
    page = (PAGES / "your-first-class.md").read_text(encoding="utf-8")
    return [block.splitlines() for block in re.findall(r"```bash\n(.*?)```", page, re.DOTALL)]


def run(lines: list[str], folder: Path, exchange: Path, more: Mapping[str, str]) -> str:
    script = "\n".join(["set -e", *lines]).replace("/srv/exchange", str(exchange))
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env={**environment, **more},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_the_installation_is_that_of_the_page_on_it() -> None:
    install, *_ = blocks()
    told = (PAGES / "install.md").read_text(encoding="utf-8")
    packages, _, _, pip = install
    assert packages in told
    assert pip.rpartition("pip ")[2] in told


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(600)
def test_from_nothing_to_marks(tmp_path: Path) -> None:
    _, hand_out, learn, grade, export, read = blocks()
    teacher, learner, exchange = (tmp_path / name for name in ("teacher", "learner", "exchange"))
    for folder in (teacher, learner):
        folder.mkdir()
    own, theirs = ({"HOME": str(folder)} for folder in (teacher, learner))
    shown = run(hand_out, teacher, exchange, own)
    assert f"Released: {MODULE}" in shown
    at = next(i for i, line in enumerate(learn) if line.startswith(WORKS))
    run(learn[:at], learner, exchange, theirs)
    (learner / MODULE / "dead_code.py").write_bytes(render.submission(MODULE)["dead_code.py"])
    shown = run(learn[at:], learner, exchange, theirs)
    assert "passed" in shown
    shown = run(grade, teacher, exchange, own)
    assert "10/10" in shown
    run(export, teacher, exchange, own)
    with (teacher / "course" / "grades.csv").open() as stream:
        [row] = csv.DictReader(stream)
    assert (row["assignment"], float(row["points_so_far"])) == (MODULE, 10.0)
    run(read, learner, exchange, theirs)
    [page] = (learner / MODULE / "feedback").rglob("lab.html")
    assert "10 of" in page.read_text()


def test_the_way_to_marks_is_short() -> None:
    """From `pip install` to marks in the gradebook, without what learners do."""
    install, hand_out, _, grade, *_ = blocks()
    commands = [*install[-1:], *hand_out, *grade]
    assert len(commands) == 3
