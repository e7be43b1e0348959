"""A class for one account: the learner's and the instructor's folders."""

import stat
from datetime import datetime
from pathlib import Path

import pytest
from nbgrader.apps import NbGraderAPI
from nbgrader.exchange import ExchangeFactory
from nbgrader.server_extensions.assignment_list.handlers import AssignmentList
from traitlets.config import Config

from hotloop.core import paths
from hotloop.course import classroom, dates, exchange
from hotloop.course.config import course_api, load_config

MODULE = "tiny"


@pytest.fixture
def room(course: object, tmp_path: Path) -> classroom.Classroom:
    """A classroom with the tiny module."""
    return classroom.make(tmp_path / "room", [MODULE])


def outbound(room: classroom.Classroom) -> Path:
    return room.folder / "course-exchange" / "hotloop" / "outbound" / MODULE


@pytest.mark.slow
def test_the_exercise_is_handed_out_and_nothing_else(room: classroom.Classroom) -> None:
    assert sorted(path.name for path in outbound(room).iterdir()) == ["lab.ipynb", "work.py"]


@pytest.mark.slow
def test_all_may_write_into_the_exchange(room: classroom.Classroom) -> None:
    folder = exchange.beside(room.course)
    assert stat.S_IMODE(folder.stat().st_mode) == exchange.FOR_ALL
    inbound = folder / "hotloop" / "inbound"
    assert not inbound.stat().st_mode & stat.S_IROTH, "learners must not read each other's work"


@pytest.mark.slow
def test_a_learner_finds_course_exchange_and_cache(room: classroom.Classroom) -> None:
    c = load_config(room.folder)
    assert c.CourseDirectory.root == str(room.course)
    assert c.CourseDirectory.course_id == "hotloop"
    assert c.Exchange.root == str(exchange.beside(room.course))
    assert c.Exchange.cache == str(room.folder / ".submitted")
    assert c.Execute.timeout > 120, "a check measures for up to two minutes"


@pytest.mark.slow
def test_the_machines_own_exchange_is_left_alone(
    course: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.access", lambda *_: True)
    made = classroom.make(tmp_path / "room", [MODULE])
    assert outbound(made).is_dir()


@pytest.mark.slow
def test_a_fetched_notebook_is_listed_with_its_date(
    room: classroom.Classroom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(room.folder)

    def listed() -> list[tuple[str, str]]:
        found = AssignmentList()
        found.root_dir = str(room.folder)
        answer = found.list_assignments()
        assert answer["success"], answer
        return [(each["status"], each["notebooks"][0]["notebook_id"]) for each in answer["value"]]

    dates.set_due(room.course, MODULE, datetime(2030, 1, 31, 18, 0))
    assert listed() == [("released", "lab")]
    c = load_config(room.folder)
    c.CourseDirectory.assignment_id = MODULE
    act(c, "FetchAssignment")
    assert listed() == [("fetched", "lab (due 2030-01-31 18:00 UTC)")]
    dates.set_due(room.course, MODULE, datetime(2030, 2, 7, 18, 0))
    assert listed() == [("fetched", "lab (due 2030-02-07 18:00 UTC)")]
    dates.set_due(room.course, MODULE, None)
    assert listed() == [("fetched", "lab")]


@pytest.mark.slow
def test_fetch_submit_collect(room: classroom.Classroom, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(room.folder)
    c = load_config(room.folder)
    c.CourseDirectory.assignment_id = MODULE
    act(c, "FetchAssignment")
    (room.folder / MODULE / "work.py").write_text("def work():\n    return 42\n")
    act(c, "Submit")
    collected = course_api(load_config(room.course)).collect(MODULE)
    assert collected["success"], collected
    (work,) = (room.course / "submitted").glob(f"*/{MODULE}/work.py")
    assert "42" in work.read_text()


def act(c: Config, action: str) -> None:
    api = NbGraderAPI(config=c)
    cls = getattr(ExchangeFactory(config=c), action)
    cls(coursedir=api.coursedir, authenticator=api.authenticator, config=c).start()


@pytest.mark.slow
def test_a_changed_exercise_is_handed_out_anew(
    room: classroom.Classroom, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    released: list[str] = []
    classroom.make(room.folder, [MODULE], released.append)
    assert released == []
    changed = tmp_path / "changed"
    (changed / MODULE).mkdir(parents=True)
    for path in (paths.exercises() / MODULE).iterdir():
        (changed / MODULE / path.name).write_bytes(path.read_bytes())
    (changed / MODULE / "work.py").write_text("def work():\n    return None\n")
    monkeypatch.setattr(paths, "exercises", lambda: changed)
    classroom.make(room.folder, [MODULE], released.append)
    assert released == [MODULE]
    assert "None" in (outbound(room) / "work.py").read_text()


@pytest.mark.slow
def test_settings_that_somebody_has_changed_stay(room: classroom.Classroom) -> None:
    path = room.folder / "nbgrader_config.py"
    path.write_text(path.read_text() + "# mine\n")
    classroom.make(room.folder, [MODULE])
    assert path.read_text().endswith("# mine\n")
