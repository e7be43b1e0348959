"""`hotloop course forget` deletes all of one learner, and nothing of anybody else's."""

import json
import os
import pwd
import shutil
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.user_error import UserError
from hotloop.course import dates, forget, requests
from hotloop.course.attempts.attempt import Kind
from hotloop.course.attempts.store import store
from hotloop.course.config import course_api, load_config

NAME = "grace-hopper"
"""The learner. Nothing else in a course has these letters."""


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where `taught` keeps what it made: it is graded once, and copied for each test."""
    return tmp_path_factory.mktemp("taught") / "all"


@pytest.fixture
def taught(course: Any, make: Any, kept: Path) -> Path:
    """Three learners, graded, with pages in the exchange; the third's name begins like NAME."""
    root: Path = course.root
    if not kept.is_dir():
        teach(course, make)
        kept.mkdir()
        for name in (root.name, "exchange"):
            shutil.copytree(root.parent / name, kept / name)
    else:
        shutil.rmtree(root)
        for name in (root.name, "exchange"):
            shutil.copytree(kept / name, root.parent / name)
    return root


def teach(course: Any, make: Any) -> None:
    root: Path = course.root
    (root.parent / "exchange").mkdir(mode=0o777)
    with (root / "nbgrader_config.py").open("a") as stream:
        stream.write("c.Exchange.root = str(Path(__file__).parents[1] / 'exchange')\n")
    course_api(load_config(root)).release_assignment("tiny")
    for student in (NAME, "bob", f"{NAME}+b"):
        folder = course.submit(student, make.lab(explain=f"By {student}."))
        (folder / "submission_secret.txt").write_text(f"secret of {student}")
        (folder / "timestamp.txt").write_text("2026-01-01 00:00:00 UTC")
        handed_in = inbound(root) / f"{student}+tiny+2026-01-01 00:00:00 UTC+x"
        handed_in.mkdir()
        (handed_in / "lab.ipynb").write_text("{}")
    assert course.grade().problems == {}
    for student in (NAME, "bob", f"{NAME}+b"):
        page = root / "feedback" / student / "tiny"
        (page / "submission_secret.txt").write_text(f"secret of {student}")
        (page / "timestamp.txt").write_text("2026-01-01 00:00:00 UTC")
        (root / "set_aside" / student).mkdir(parents=True)
    assert course_api(load_config(root)).release_feedback("tiny")["success"]  # type: ignore[attr-defined]
    dates.set_due(root, "tiny", dates.datetime(2100, 1, 1))
    dates.extend(root, "tiny", [NAME], dates.timedelta(days=1), "ill")


def inbound(root: Path) -> Path:
    return root.parent / "exchange" / "hotloop" / "inbound"


def pages(root: Path) -> list[str]:
    return [path.read_text() for path in (root.parent / "exchange").rglob("feedback/*.html")]


def run(root: Path, *words: str, answer: str = "") -> Any:
    call = ["course", "forget", *words, "--course", str(root)]
    return CliRunner().invoke(app, call, input=answer)


def others(root: Path) -> dict[str, bytes]:
    """All files but the database, of course and exchange, that are not the learner's."""
    files = [path for path in root.parent.rglob("*") if path.is_file()]
    found = {str(path.relative_to(root.parent)): path for path in files}
    mine = (f"/{NAME}/", f"/{NAME}+tiny+")
    return {
        name: path.read_bytes()
        for name, path in found.items()
        if not any(part in f"/{name}" for part in mine)
        and not name.endswith("gradebook.db")
        and NAME.encode() + b"." not in path.read_bytes()
    }


@pytest.mark.slow
def test_all_of_one_learner_goes_and_nothing_else(taught: Path) -> None:
    before, kept = others(taught), store(taught)
    assert len(pages(taught)) == 3
    events = [event for event in kept.events() if event.student != NAME]
    attempts = kept.history("bob", "tiny")
    assert NAME.encode() in (taught / "gradebook.db").read_bytes()

    done = run(taught, NAME, "--yes", "--json")

    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document["left"] == {}
    assert document["said"] == "1 attempts and 2 events were deleted"
    assert len(document["deleted"]) == 6
    assert others(taught) == before
    assert len(pages(taught)) == 2
    assert kept.history("bob", "tiny") == attempts
    *same, said = kept.events()
    assert same == events
    assert (said.kind, said.student, said.why) == (Kind.FORGOTTEN, "", document["said"])
    with Gradebook(load_config(taught).CourseDirectory.db_url) as gradebook:  # type: ignore[attr-defined]
        assert {student.id for student in gradebook.students} == {"bob", f"{NAME}+b"}
        assert gradebook.find_submission("tiny", "bob").score > 0


@pytest.mark.slow
def test_the_bytes_are_gone(course: Any, make: Any) -> None:
    course.submit(NAME, make.lab(explain=f"By {NAME}."))
    course.submit("bob", make.lab())
    course.grade()
    forget.forget(course.root, NAME)
    files = [path for path in course.root.rglob("*") if path.is_file()]
    assert [path for path in files if NAME.encode() in path.read_bytes()] == []
    assert list(course.root.rglob(f"*{NAME}*")) == []


@pytest.mark.slow
def test_a_link_in_the_exchange_leads_to_nobody_elses_files(taught: Path) -> None:
    bobs = taught / "submitted" / "bob" / "tiny"
    (inbound(taught) / f"{NAME}+tiny+2026-01-02 00:00:00 UTC").symlink_to(bobs)
    os.mkfifo(taught / "submitted" / NAME / "submission_secret.txt")
    forget.forget(taught, NAME)
    assert (bobs / "lab.ipynb").is_file()
    assert len(pages(taught)) == 2
    assert not list(inbound(taught).glob(f"{NAME}+tiny+*"))


@pytest.mark.slow
def test_it_asks_first(taught: Path) -> None:
    refused = run(taught, NAME, answer="n\n")
    assert refused.exit_code == 2
    assert str(taught / "submitted" / NAME) in refused.stderr
    assert "Nothing was deleted." in refused.stderr
    assert (taught / "submitted" / NAME).is_dir()
    assert store(taught).history(NAME, "tiny") != []
    assert run(taught, NAME, answer="y\n").exit_code == 0
    assert not (taught / "submitted" / NAME).exists()


def test_names_that_are_no_learner(taught: Path) -> None:
    before = others(taught)
    for name in ("", "nobody", "..", ".", "../course", "*", f"{NAME}/tiny"):
        refused = run(taught, name, "--yes")
        assert refused.exit_code == 2, name
    assert others(taught) == before
    assert (taught / "submitted" / NAME).is_dir()


@pytest.mark.slow
def test_a_file_that_cannot_be_deleted_is_told(
    taught: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rmtree = shutil.rmtree

    def refuse(path: Path) -> None:
        if path.parent == inbound(taught):
            raise PermissionError(13, "Permission denied", str(path / "lab.ipynb"))
        rmtree(path)

    monkeypatch.setattr(forget.shutil, "rmtree", refuse)
    done = run(taught, NAME, "--yes")
    assert done.exit_code == 1
    assert "Not deleted:" in done.stdout
    monkeypatch.undo()
    assert run(taught, NAME, "--yes").exit_code == 0, "it can be run again"
    with pytest.raises(UserError, match="Nothing is kept"):
        forget.forget(taught, NAME)


def test_a_request_that_waits_in_the_exchange(taught: Path) -> None:
    asked = requests.RegradeRequest(module="tiny", task="answer", sentence="Look again.")
    path = requests.ask(inbound(taught).parents[1], "hotloop", asked)
    account = pwd.getpwuid(os.getuid()).pw_name
    forget.forget(taught, "bob")
    assert path.exists() == (account != "bob")
    forget.forget(taught, account)
    assert not path.exists()
