"""`course new` and `course release` hand out to the exchange, or say that they did not."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.course import dates
from hotloop.course.config import CONFIG_FILE
from hotloop.course.prepare import COURSE_ID

pytestmark = pytest.mark.slow


def run(*words: str) -> Any:
    return CliRunner().invoke(app, ["course", *words])


def outbound(exchange: Path) -> Path:
    return exchange / COURSE_ID / "outbound" / "tiny"


@pytest.fixture
def made(course: object, tmp_path: Path) -> Path:
    root = tmp_path / "autumn"
    done = run("new", "tiny", "--course", str(root), "--exchange", str(tmp_path / "x"))
    assert done.exit_code == 0, done.output
    return root


def test_a_new_course_is_released_where_it_was_told(made: Path, tmp_path: Path) -> None:
    assert (outbound(tmp_path / "x") / "lab.ipynb").is_file()
    settings = (tmp_path / "x" / COURSE_ID / CONFIG_FILE).read_text()
    assert str(tmp_path / "x") in settings
    refused = run("new", "tiny", "--course", str(made), "--exchange", str(tmp_path / "y"))
    assert refused.exit_code == 2
    assert "is a course already" in refused.stderr


def test_due_dates_come_with_it(course: object, tmp_path: Path) -> None:
    root = tmp_path / "autumn"
    done = run("new", "tiny", "--course", str(root), "--due", "2030-01-31")
    assert "Due: 2030-01-31 23:59 UTC" in done.stdout
    [due] = dates.dates(root)
    assert due.due == datetime(2030, 1, 31, 23, 59, 59)
    text = (outbound(tmp_path / "autumn-exchange") / "lab.ipynb").read_text()
    assert "Due 2030-01-31 23:59 UTC" in text
    nothing = run("new", "tiny", "--course", str(tmp_path / "none"), "--due", "soon")
    assert nothing.exit_code == 2
    assert not (tmp_path / "none").exists()


def test_a_changed_source_is_handed_out_by_one_command(made: Path, tmp_path: Path) -> None:
    (made / "source" / "tiny" / "work.py").write_text("def work():\n    return None\n")
    done = run("release", "--course", str(made), "--json")
    assert json.loads(done.stdout)["released"] == ["tiny"]
    assert "None" in (outbound(tmp_path / "x") / "work.py").read_text()


def test_it_says_what_it_did_not_release(made: Path, tmp_path: Path) -> None:
    with (made / CONFIG_FILE).open("a") as settings:
        settings.write(f"c.Exchange.root = {str(made / 'gradebook.db')!r}\n")
    done = run("release", "--course", str(made))
    assert done.exit_code == 1
    assert "Not released: the exchange" in done.stdout
    assert "Released:" not in done.stdout
    assert "Traceback" not in done.output


def test_a_module_that_is_not_in_the_course_is_refused(course: object, tmp_path: Path) -> None:
    root = tmp_path / "none"
    root.mkdir()
    (root / CONFIG_FILE).write_text((course.root / CONFIG_FILE).read_text())  # type: ignore[attr-defined]
    refused = run("release", "tiny", "--course", str(root))
    assert refused.exit_code == 2
    assert "hotloop course new tiny" in refused.stderr
