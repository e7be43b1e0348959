"""A class without a shared file system: nbgrader collects the service's hand-ins.

The feedback that nbgrader releases is fetched through the service.
"""

import json
import secrets
import shutil
import warnings
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from nbgrader.api import Gradebook
from sqlalchemy import select, update
from sqlalchemy.exc import SAWarning
from typer.testing import CliRunner

from hotloop import __version__
from hotloop.cli import app
from hotloop.core.transactions import reading, writing
from hotloop.core.user_error import UserError
from hotloop.course import collect as collecting
from hotloop.course import requests
from hotloop.course.config import CONFIG_FILE, course_api, load_config, make_folder
from hotloop.judge.files import lay_out
from hotloop.learn.remote import place
from hotloop.learn.remote.client import ServiceClient
from hotloop.learn.remote.request import SubmittedWork, packed
from hotloop.service.app import served
from hotloop.service.course import hand_ins, people
from hotloop.service.course.hand_ins import CourseExchange
from hotloop.service.course.service import Service
from hotloop.service.tables import hand_ins as rows
from hotloop.service.web import uploads

from .conftest import School
from .web.serving import listening

# What nbgrader and its own dependencies do to each other, when they collect and release.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore::{kind}")
    for kind in ("ResourceWarning", "pytest.PytestUnraisableExceptionWarning")
]

MODULE = "ssa_passes"
NOTEBOOK = b'{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A course with a released module, to be copied."""
    root = tmp_path_factory.mktemp("prepared") / "course"
    make_folder(root, "class")
    with (root / CONFIG_FILE).open("a") as stream:
        stream.write("c.Exchange.root = str(Path(__file__).parent / 'exchange')\n")
    for folder in (f"outbound/{MODULE}", "inbound"):
        (root / "exchange" / "class" / folder).mkdir(parents=True)
    with warnings.catch_warnings():
        # nbgrader's own: it makes a submission before it has added it.
        warnings.simplefilter("ignore", SAWarning)
        with Gradebook(load_config(root).CourseDirectory.db_url) as gradebook:
            gradebook.add_assignment(MODULE)
            gradebook.add_notebook("lab", MODULE)
            gradebook.add_grade_cell("fold", "lab", MODULE, max_score=10, cell_type="code")
            for student in ("ada", "bob"):
                gradebook.add_student(student)
                gradebook.add_submission(MODULE, student)
    return root


@pytest.fixture
def course(prepared: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(prepared, tmp_path / "course"))


@pytest.fixture
def school(opened: Callable[..., School], course: Path) -> School:
    return opened(course=course)


def sent(school: School, who: str = "ada", key: str = "", **changes: Any) -> Any:
    document = {
        "hotloop": __version__,
        "module": MODULE,
        "files": packed({"lab.ipynb": NOTEBOOK, "passes/fold.py": b"x = 1\n"}),
        **changes,
    }
    headers = {"Idempotency-Key": key or secrets.token_hex(16)}
    return school.ask(who, "POST", "/api/hand-ins", json=document, headers=headers)


def inbound(course: Path) -> list[Path]:
    return sorted((course / "exchange" / "class" / "inbound").iterdir())


def collected(course: Path) -> None:
    result = course_api(load_config(course)).collect(MODULE)
    assert result["success"], result


def release(course: Path, student: str, text: str) -> None:
    """Release feedback as nbgrader does after it has made the page."""
    submitted = course / "submitted" / student / MODULE
    page = course / "feedback" / student / MODULE
    page.mkdir(parents=True)
    for name in ("timestamp.txt", "submission_secret.txt"):
        shutil.copy(submitted / name, page)
    (page / "lab.html").write_text(text)
    assert course_api(load_config(course)).release_feedback(MODULE, student)["success"]


@pytest.mark.slow
def test_nbgrader_collects_what_was_handed_in(school: School, course: Path) -> None:
    answer = sent(school)
    assert answer.status_code == 200, answer.text
    collected(course)
    folder = course / "submitted" / "ada" / MODULE
    assert (folder / "lab.ipynb").read_bytes() == NOTEBOOK
    assert (folder / "passes" / "fold.py").read_text() == "x = 1\n"
    stamp = datetime.strptime((folder / "timestamp.txt").read_text(), hand_ins.TIMESTAMP)
    assert stamp.replace(tzinfo=UTC) == datetime.fromisoformat(answer.json()["handed_in"])


@pytest.mark.slow
def test_the_same_key_is_one_hand_in_and_a_later_one_counts(school: School, course: Path) -> None:
    first = [sent(school, key="k" * 20).json() for _ in range(2)]
    assert first[0] == first[1]
    assert len(inbound(course)) == 1
    other = sent(school, key="k" * 20, files=packed({"lab.ipynb": b"{}"}))
    assert other.status_code == 422
    sent(school, files=packed({"lab.ipynb": b"later"}))
    collected(course)
    assert (course / "submitted" / "ada" / MODULE / "lab.ipynb").read_bytes() == b"later"


@pytest.mark.slow
def test_feedback_comes_to_its_learner_alone(school: School, course: Path) -> None:
    for who in ("ada", "bob"):
        sent(school, who)
    collected(course)
    path = f"/api/feedback/{MODULE}"
    assert school.ask("ada", "GET", path).json() == {"feedback": []}
    release(course, "ada", "<p>well done, ada")
    (found,) = school.ask("ada", "GET", path).json()["feedback"]
    assert found["pages"] == {"lab": "<p>well done, ada"}
    for who in ("bob", "grace"):
        assert school.ask(who, "GET", path).json() == {"feedback": []}
    assert school.ask("", "GET", path).status_code == 401


@pytest.mark.slow
def test_what_was_stored_is_laid_after_a_kill(
    school: School, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        pass

    def killed(*_: Any) -> None:
        raise Killed

    monkeypatch.setattr(CourseExchange, "lay", killed)
    work = SubmittedWork(hotloop=__version__, module=MODULE, files=packed({"lab.ipynb": NOTEBOOK}))
    service = school.service
    assert service.exchange is not None
    with pytest.raises(Killed):
        hand_ins.put(service.engine, service.exchange, hand_ins.NewHandIn(1, "ada", "k" * 20, work))
    assert inbound(course) == []
    monkeypatch.undo()
    Service.open(service.settings).close()
    assert len(inbound(course)) == 1
    assert sent(school, key="k" * 20, files=work.files).status_code == 200
    assert len(inbound(course)) == 1
    with reading(school.service.engine) as connection:
        assert connection.execute(select(rows.c.document)).scalars().all() == [""]


@pytest.mark.slow
def test_what_later_hand_ins_have_replaced_is_removed(
    school: School, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody who hands in all day fills no disk; what counts, and what others sent, stays."""
    monkeypatch.setattr(hand_ins, "KEPT", 2)
    assert sent(school, "bob").status_code == 200
    keys = [f"{number:020}" for number in range(5)]
    for number, key in enumerate(keys):
        assert sent(school, key=key, files=work_of(number)).status_code == 200
    assert held(course, "ada") == [b"3", b"4"]
    # The answer may have been lost on the way: the same again is known, and not laid again.
    assert sent(school, key=keys[0], files=work_of(0)).status_code == 200
    assert held(course, "ada") == [b"3", b"4"]
    assert len(held(course, "bob")) == 1
    collected(course)
    assert (course / "submitted" / "ada" / MODULE / "lab.ipynb").read_bytes() == b"4"


def test_the_last_hand_in_before_the_deadline_is_kept(
    school: School, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hand_ins, "KEPT", 2)
    is_due(course, datetime(2026, 1, 2, 12))
    for number in range(2):
        sent(school, files=work_of(number))
    with writing(school.service.engine) as connection:
        # Both were in time.
        for number in (1, 2):
            at = datetime(2026, 1, number, tzinfo=UTC)
            connection.execute(update(rows).where(rows.c.id == number).values(at=at))
    for number in range(2, 6):
        sent(school, files=work_of(number))
    assert held(course, "ada") == [b"1", b"4", b"5"]


def test_what_cannot_be_laid_does_not_pile_up(
    school: School, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(*_: Any) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(hand_ins, "KEPT", 2)
    monkeypatch.setattr(CourseExchange, "lay", refuses)
    for number in range(5):
        assert sent(school, files=work_of(number)).status_code == 500
    with reading(school.service.engine) as connection:
        stored = connection.execute(select(rows.c.document).order_by(rows.c.id)).scalars().all()
    assert [bool(document) for document in stored] == [False, False, False, True, True]


@pytest.mark.slow
@pytest.mark.parametrize("where", ["service", "exchange"])
def test_a_disk_that_is_nearly_full_takes_nothing_and_says_what_to_do(
    school: School, course: Path, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    free = school.service.settings.least_free - 1

    def usage(path: Path) -> Any:
        full = (Path(path) == school.service.settings.folder) == (where == "service")
        return SimpleNamespace(free=free if full else free + 1)

    monkeypatch.setattr(uploads.shutil, "disk_usage", usage)
    for answer in (sent(school), school.put()):
        assert answer.status_code == 507
        assert "Tell the people who run this site" in answer.json()["detail"]
    assert inbound(course) == []
    with reading(school.service.engine) as connection:
        assert connection.execute(select(rows.c.id)).all() == []
    work = SubmittedWork(hotloop=__version__, module=MODULE, files=packed({"lab.ipynb": NOTEBOOK}))
    with listening(served(school.service)) as port:
        server = ServiceClient(f"http://127.0.0.1:{port}", school.tokens["ada"])
        # At once: sending it again and again would make no room.
        with pytest.raises(UserError, match="nearly full"):
            server.hand_in(work, print)
        free += 1
        assert server.hand_in(work, print) is not None


def test_before_anything_is_released_checks_are_taken_and_hand_ins_are_not(
    school: School, course: Path
) -> None:
    """nbgrader makes the exchange with the first release."""
    shutil.rmtree(course / "exchange")
    assert school.put().status_code == 202
    answer = sent(school)
    assert (answer.status_code, "not released" in answer.json()["detail"]) == (409, True)


@pytest.mark.slow
@pytest.mark.parametrize("way", ["service", "exchange", "collected"])
def test_a_late_one_replaces_one_in_time_only_if_its_learner_says_so(
    school: School, course: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever way the one in time was handed in."""
    monkeypatch.setattr(collecting, "account", lambda _status: "ada")
    loses_all(course)
    early = datetime.now(UTC) - timedelta(hours=2)
    if way == "service":
        is_due(course, None)
        sent(school, files=work_of(1))
        with writing(school.service.engine) as connection:
            connection.execute(update(rows).values(at=early))
    elif way == "exchange":
        name = f"ada+{MODULE}+{early:%Y-%m-%d %H:%M:%S.%f} UTC+r"
        lay_out({"lab.ipynb": b"1"}, course / "exchange" / "class" / "inbound" / name)
    else:
        files = {"lab.ipynb": b"1", "timestamp.txt": f"{early:%Y-%m-%d %H:%M:%S} UTC".encode()}
        lay_out(files, course / "submitted" / "ada" / MODULE)
    is_due(course, naive(early + timedelta(hours=1)))
    forget_dates(school)
    before = inbound(course)
    answer = sent(school, files=work_of(2))
    assert answer.status_code == 409
    said = answer.json()["detail"]
    assert "it counts zero points" in said
    assert f"{early:%Y-%m-%d %H:%M} UTC, in time, counts" in said
    assert "--late" in said
    assert inbound(course) == before
    # For bob nothing is replaced, and he reads what it costs.
    answer = sent(school, "bob", files=work_of(2))
    assert answer.status_code == 200
    assert answer.json()["late"].endswith("it counts zero points")
    answer = sent(school, files=work_of(2), late=True)
    assert (answer.status_code, "It is late" in answer.json()["late"]) == (200, True)
    if way != "collected":
        collected(course)
        assert (course / "submitted" / "ada" / MODULE / "lab.ipynb").read_bytes() == b"2"


@pytest.mark.slow
def test_what_somebody_else_has_made_is_nothing_in_time(school: School, course: Path) -> None:
    loses_all(course)
    early = datetime.now(UTC) - timedelta(hours=2)
    name = f"ada+{MODULE}+{early:%Y-%m-%d %H:%M:%S.%f} UTC+r"
    lay_out({"lab.ipynb": b"1"}, course / "exchange" / "class" / "inbound" / name)
    is_due(course, naive(early + timedelta(hours=1)))
    assert sent(school).status_code == 200


@pytest.mark.slow
def test_a_late_one_that_loses_nothing_is_taken(school: School, course: Path) -> None:
    sent(school, files=work_of(1))
    is_due(course, naive(datetime.now(UTC)))
    forget_dates(school)
    answer = sent(school, files=work_of(2))
    assert answer.status_code == 200
    assert answer.json()["late"].endswith("that costs nothing")


@pytest.mark.slow
def test_extra_time_is_time(school: School, course: Path) -> None:
    loses_all(course)
    is_due(course, naive(datetime.now(UTC) - timedelta(hours=1)), timedelta(hours=2))
    for number in range(2):
        answer = sent(school, files=work_of(number))
        assert (answer.status_code, answer.json()["late"]) == (200, "")
    modules = school.ask("ada", "GET", "/api/dates").json()["modules"]
    assert datetime.fromisoformat(modules[0]["due"]) > datetime.now(UTC)


@pytest.mark.slow
def test_the_same_again_is_the_same_also_after_the_date(school: School, course: Path) -> None:
    """The answer may have been lost on the way."""
    loses_all(course)
    first = sent(school, key="k" * 20).json()
    is_due(course, naive(datetime.fromisoformat(first["handed_in"])))
    forget_dates(school)
    again = sent(school, key="k" * 20)
    assert (again.status_code, again.json()) == (200, first)


@pytest.mark.slow
@pytest.mark.parametrize("fault", ["gradebook", "settings"])
def test_a_gradebook_that_cannot_be_read_keeps_no_work_out(
    school: School, course: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    if fault == "settings":
        with (course / "nbgrader_config.py").open("a") as stream:
            stream.write("raise OSError('away')\n")
    else:
        (course / "gradebook.db").write_bytes(b"no database")
    assert sent(school).status_code == 200
    assert len(inbound(course)) == 1
    assert school.ask("ada", "GET", "/api/dates").status_code == 503


@pytest.mark.slow
def test_a_learner_sees_dates(school: School, course: Path) -> None:
    due = datetime(2031, 5, 1, 12)
    loses_all(course)
    is_due(course, due, timedelta(hours=1))
    handed_in = sent(school).json()["handed_in"]
    (ada,) = school.ask("ada", "GET", "/api/dates").json()["modules"]
    assert datetime.fromisoformat(ada["due"]) == datetime(2031, 5, 1, 13, tzinfo=UTC)
    assert datetime.fromisoformat(ada["handed_in"]) == datetime.fromisoformat(handed_in)
    assert ada["if_late"] == "it counts zero points"
    (bob,) = school.ask("bob", "GET", "/api/dates").json()["modules"]
    assert datetime.fromisoformat(bob["due"]) == due.replace(tzinfo=UTC)
    assert bob["handed_in"] is None


@pytest.mark.slow
def test_a_learner_asks_for_a_regrade(school: School, course: Path) -> None:
    asked = {"module": MODULE, "task": "fold", "sentence": "It is \u202eright."}
    assert school.ask("ada", "POST", "/api/requests", json=asked).status_code == 202
    (request,) = requests.requests(course)
    assert (request.student, request.module) == ("ada", MODULE)
    assert request.sentence == "fold: It is ⟦U+202E⟧right."
    for change, status in (
        ({"task": "x"}, 422),
        ({"module": "fused_softmax"}, 409),
        ({"module": "../x"}, 422),
        ({"sentence": ""}, 422),
        ({"sentence": "x" * 2001}, 422),
        ({"student": "bob"}, 422),
    ):
        answer = school.ask("ada", "POST", "/api/requests", json={**asked, **change})
        assert answer.status_code == status, change
    assert school.ask("", "POST", "/api/requests", json=asked).status_code == 401
    assert len(requests.requests(course)) == 1


def test_a_service_without_a_course_has_no_dates_and_takes_no_request(
    opened: Callable[..., School],
) -> None:
    school = opened()
    asked = {"module": MODULE, "task": "fold", "sentence": "Why?"}
    assert school.ask("ada", "GET", "/api/dates").status_code == 409
    assert school.ask("ada", "POST", "/api/requests", json=asked).status_code == 409


@pytest.mark.slow
def test_the_gradebook_knows_whom_the_lms_has_sent(school: School, course: Path) -> None:
    engine = school.service.engine
    person = people.LmsPerson("https://lms", "u1", "=Jürgen", "O'Neil", "a" * 60 + "+x@uni.example")
    who = people.from_lms(engine, person, "learner")
    login = people.accept(engine, people.invitation(engine, who.account, timedelta(hours=1)))
    assert login is not None
    assert sent(school, login[1]).status_code == 200
    assert sent(school, "ada").status_code == 200
    collected(course)
    with Gradebook(load_config(course).CourseDirectory.db_url) as gradebook:
        known = gradebook.find_student(who.name)
        assert (known.first_name, known.last_name) == ("Jürgen", "O'Neil")
        assert (known.email, known.lms_user_id) == (person.email, "u1")
        assert gradebook.find_student("ada").last_name is None
        # What an instructor writes there stays.
        gradebook.update_or_create_student(who.name, last_name="Own")
    assert sent(school, login[1]).status_code == 200
    with Gradebook(load_config(course).CourseDirectory.db_url) as gradebook:
        assert gradebook.find_student(who.name).last_name == "Own"


def loses_all(course: Path) -> None:
    """Let a late hand-in count zero."""
    with (course / "nbgrader_config.py").open("a") as stream:
        stream.write('c.LateSubmissionPlugin.penalty_method = "zero"\n')


def naive(at: datetime) -> datetime:
    return at.astimezone(UTC).replace(tzinfo=None)


def forget_dates(school: School) -> None:
    """Let the time pass until the service reads the gradebook again."""
    assert school.service.dates is not None
    school.service.dates._at = float("-inf")  # pyright: ignore[reportPrivateUsage]


def is_due(course: Path, due: datetime | None, extension: timedelta | None = None) -> None:
    """Write a date as `hotloop course due` does, and ada's extra time."""
    with Gradebook(load_config(course).CourseDirectory.db_url) as gradebook:
        gradebook.find_assignment(MODULE).duedate = due
        gradebook.find_submission(MODULE, "ada").extension = extension
        gradebook.db.commit()


def work_of(number: int) -> dict[str, str]:
    return packed({"lab.ipynb": str(number).encode()})


def held(course: Path, who: str) -> list[bytes]:
    """Return what lies in the exchange of a learner's notebooks, the oldest hand-in first."""
    return [
        (path / "lab.ipynb").read_bytes()
        for path in inbound(course)
        if path.name.startswith(f"{who}+")
    ]


@pytest.mark.slow
def test_half_a_hand_in_is_never_seen(
    school: School, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_files: Any, folder: Path) -> None:
        folder.mkdir()
        (folder / "lab.ipynb").write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(hand_ins, "lay_out", full)
    assert sent(school).status_code == 500
    assert inbound(course) == []


@pytest.mark.slow
def test_what_cannot_be_laid_keeps_nobody_from_the_service(
    school: School, course: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is stored is laid when the service starts, whoever's it is."""

    def refuses(files: Any, folder: Path) -> None:
        if b"bad" in files["lab.ipynb"]:
            raise NotADirectoryError(20, "Not a directory")
        lay_out(files, folder)

    monkeypatch.setattr(hand_ins, "lay_out", refuses)
    assert sent(school, files=packed({"lab.ipynb": b"bad"})).status_code == 500
    assert sent(school, "bob").status_code == 200
    Service.open(school.service.settings).close()
    assert [path.name.partition("+")[0] for path in inbound(course)] == ["bob"]
    monkeypatch.undo()
    Service.open(school.service.settings).close()
    assert len(inbound(course)) == 2


@pytest.mark.slow
def test_a_learner_sets_neither_time_nor_secret(school: School, course: Path) -> None:
    files = packed({"lab.ipynb": NOTEBOOK, "timestamp.txt": b"1999", "submission_secret.txt": b"x"})
    sent(school, files=files)
    (folder,) = inbound(course)
    assert (folder / "timestamp.txt").read_text().startswith(f"{datetime.now(UTC):%Y}")
    assert len((folder / "submission_secret.txt").read_text()) == 128


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({"module": "fused_softmax"}, 409),
        ({"module": "../inbound"}, 422),
        ({"files": {"../../x": ""}}, 422),
        ({"files": {"/etc/passwd": ""}}, 422),
        ({"files": {".hidden": ""}}, 422),
        ({"files": {"a": "", "a/b": ""}}, 422),
        ({"files": {"timestamp.txt/a": ""}}, 422),
        ({"files": {"Submission_secret.txt": ""}}, 422),
        ({"hotloop": "0.0.1"}, 422),
    ],
)
def test_what_is_no_hand_in_is_refused(
    school: School, course: Path, changes: dict[str, Any], status: int
) -> None:
    assert sent(school, **changes).status_code == status
    assert inbound(course) == []


def test_without_a_course_nothing_is_handed_in(opened: Callable[..., School]) -> None:
    answer = sent(opened())
    assert (answer.status_code, "has no course" in answer.json()["detail"]) == (409, True)


def test_a_folder_that_is_no_course_is_said(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is no course"):
        CourseExchange.of(tmp_path)


@pytest.mark.slow
def test_the_commands(
    school: School, course: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.delenv(place.SERVER)
    work = tmp_path / MODULE
    work.mkdir()
    (work / "lab.ipynb").write_bytes(NOTEBOOK)
    with listening(served(school.service)) as port:
        place.remember(f"http://127.0.0.1:{port}", school.tokens["ada"])
        code, found = run("submit", MODULE, str(work))
        assert code == 0, found
        assert found["files"] == ["lab.ipynb"]
        collected(course)
        assert run("feedback", MODULE, str(work))[1]["pages"] == []
        assert run("submit")[1]["modules"][0]["module"] == MODULE
        assert run("ask", f"{MODULE}.fold", "Why?")[0] == 0
        assert [one.student for one in requests.requests(course)] == ["ada"]
        release(course, "ada", "<p>well done")
        code, found = run("feedback", MODULE, str(work))
    (page,) = found["pages"]
    assert Path(page).read_text() == "<p>well done"
    assert Path(page).name == "lab.html"
    # It is no part of the next hand-in.
    assert not Path(page).is_relative_to(work)


def run(*words: str) -> tuple[int, Any]:
    done = CliRunner().invoke(app, [*words, "--json"])
    return done.exit_code, json.loads(done.stdout)
