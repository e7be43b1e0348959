"""No submission is lost, and each is graded once, whatever is killed at whatever moment."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import insert, select, update

from hotloop.core.transactions import writing
from hotloop.course.attempts.attempt import Attempt, now
from hotloop.course.executors import ExecutorWork, Outcomes
from hotloop.course.ray_cluster import ClusterUnavailable
from hotloop.service.settings import own_folder
from hotloop.service.tables import gradings, opened
from hotloop.service.takehome import grader as grader_of_portal
from hotloop.service.takehome import standing
from hotloop.service.takehome.grader import Grader
from hotloop.service.takehome.queue import DAMAGED, WORKS, PortalQueue
from hotloop.service.web import queue as queue_of_sites
from hotloop.service.web.process import Stopped
from hotloop.service.web.queue import LEASE, TRIES, WorkState
from hotloop.takehome.submission import Submission, open_submission
from hotloop.takehome.team import TeamError

from ...waiting import until
from .office import Browser, Office
from .quick_grader import quick

SCRIPT = Path(__file__).with_name("quick_grader.py")


@pytest.fixture
def handed_in(office: Office, work: Callable[..., bytes]) -> Office:
    """Both candidates have handed in."""
    for number in range(2):
        browser = Browser(office.portal)
        assert browser.upload(office.page(number), work(office, number)).status_code == 303
    return office


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    path = tmp_path / "trace"
    path.touch()
    return path


def states(office: Office) -> list[WorkState]:
    return sorted(one.state for one in office.portal.queue.all().values())


def reports(trace: Path) -> Counter[str]:
    return Counter(line for line in trace.read_text().splitlines() if line.startswith("report"))


def test_all_that_waits_is_graded_once(handed_in: Office, trace: Path) -> None:
    grader = quick(handed_in.team, handed_in.portal.queue, trace)
    assert grader.batch() == 2
    assert grader.batch() == 0
    assert states(handed_in) == [WorkState.DONE, WorkState.DONE]
    assert set(reports(trace).values()) == {1}
    assert {one.graded for one in handed_in.portal.queue.all().values()} == {1}


def test_no_executor_is_begun_for_nothing(office: Office) -> None:
    """An executor of a cluster would otherwise start it twice a second."""

    class Never:
        def run(self, *_: object) -> Generator[Outcomes]:
            raise AssertionError("it was asked to run")
            yield

    assert Grader(office.team, office.portal.queue, Never()).batch() == 0


@pytest.mark.slow
def test_a_cluster_that_does_not_answer_takes_no_try(handed_in: Office, trace: Path) -> None:
    class Away:
        def run(self, works: Iterator[ExecutorWork], *_: object) -> Generator[Outcomes]:
            next(works)
            raise ClusterUnavailable("There is no Ray cluster.")
            yield

    queue = handed_in.portal.queue
    for _ in range(TRIES + 1):
        with pytest.raises(ClusterUnavailable):
            Grader(handed_in.team, queue, Away()).batch()
    assert {(one.state, one.tries) for one in queue.all().values()} == {(WorkState.WAITING, 0)}


def test_the_list_says_where_each_one_is(handed_in: Office, trace: Path) -> None:
    queue = handed_in.portal.queue

    def shown() -> set[str]:
        everybody = standing.overview(handed_in.team, queue)
        return {str(one.state) for one in everybody.candidates}

    assert shown() == {"waits for grading"}
    one = queue.claim("grader")
    assert one is not None
    assert shown() == {"waits for grading", "is being graded"}
    queue.failed(one.id, "grader", "It cannot be graded.")
    assert shown() == {"waits for grading", "could not be graded"}
    quick(handed_in.team, queue, trace).batch()
    assert shown() == {"graded", "could not be graded"}
    page = Browser(handed_in.portal)
    page.log_in()
    assert "40 to 60" in page.get("/candidates").text
    assert "It cannot be graded." in page.get(f"/candidates/{one.pack}").text


@pytest.mark.slow
@pytest.mark.parametrize("moment", ["begin", "report"])
def test_a_grader_that_is_killed_loses_nothing(handed_in: Office, trace: Path, moment: str) -> None:
    seconds = "30" if moment == "begin" else "0"
    process = _started(handed_in, seconds, trace)
    until(lambda: moment in trace.read_text(), process=process)
    process.kill()
    process.wait()
    grader = quick(handed_in.team, handed_in.portal.queue, trace)
    WORKS.release(grader.queue.engine, "grader")
    grader.batch()
    assert states(handed_in) == [WorkState.DONE, WorkState.DONE]
    assert {one.graded for one in handed_in.portal.queue.all().values()} == {1}
    assert set(reports(trace).values()) == {1}


@pytest.mark.slow
def test_killed_again_and_again(handed_in: Office, trace: Path) -> None:
    """At random moments."""
    for number in range(2):
        process = _started(handed_in, "0.05", trace)
        until(lambda: "begin" in trace.read_text(), process=process)
        time.sleep(0.07 * number)
        process.kill()
        process.wait()
    grader = quick(handed_in.team, handed_in.portal.queue, trace)
    WORKS.release(grader.queue.engine, "grader")
    grader.batch()
    for one in handed_in.portal.queue.all().values():
        if one.state is WorkState.LOST:
            assert handed_in.portal.queue.again(one.pack, one.digest)
    grader.batch()
    assert states(handed_in) == [WorkState.DONE, WorkState.DONE]
    assert set(reports(trace).values()) == {1}


@pytest.mark.slow
def test_what_was_cut_off_too_often_waits_for_people(handed_in: Office, trace: Path) -> None:
    queue = handed_in.portal.queue
    for _ in range(TRIES):
        assert queue.claim("grader") is not None
        assert queue.claim("grader") is not None
        WORKS.release(queue.engine, "grader")
    assert states(handed_in) == [WorkState.LOST, WorkState.LOST]
    assert {one.problem for one in queue.all().values()} != {""}
    page = Browser(handed_in.portal)
    page.log_in()
    assert page.send(f"/candidates/{handed_in.packs[0]}/grade").status_code == 303
    assert states(handed_in) == [WorkState.LOST, WorkState.WAITING]
    assert page.send(f"/candidates/{handed_in.packs[0]}/grade").status_code == 409


def test_a_lost_node_is_no_end(handed_in: Office, trace: Path) -> None:
    quick(handed_in.team, handed_in.portal.queue, trace, lost=2).batch()
    assert states(handed_in) == [WorkState.DONE, WorkState.DONE]


def test_ending_on_request_is_no_try(handed_in: Office, trace: Path) -> None:
    queue = handed_in.portal.queue
    for _ in range(TRIES + 2):
        assert queue.claim("grader") is not None
        WORKS.give_back(queue.engine, "grader")
    assert states(handed_in) == [WorkState.WAITING, WorkState.WAITING]


def test_a_submission_that_never_reached_the_queue_is_found(
    office: Office, work: Callable[..., bytes], tmp_path: Path, trace: Path
) -> None:
    """The portal was killed between storing and queueing it."""
    path = tmp_path / "upload.zip"
    path.write_bytes(work(office))
    office.team.keep(open_submission(path, office.team), path)
    grader = quick(office.team, office.portal.queue, trace)
    grader.reconcile()
    grader.reconcile()
    assert states(office) == [WorkState.WAITING]
    grader.batch()
    assert states(office) == [WorkState.DONE]


def test_a_lost_database_is_made_anew_from_the_folder(handed_in: Office, trace: Path) -> None:
    quick(handed_in.team, handed_in.portal.queue, trace).batch()
    handed_in.portal.close()
    for path in (handed_in.team.folder / "portal").glob("service.db*"):
        path.unlink()
    engine = opened(own_folder(handed_in.team.folder))
    try:
        grader = quick(handed_in.team, PortalQueue(engine), trace)
        grader.reconcile()
        assert [one.state for one in grader.queue.all().values()] == [WorkState.DONE] * 2
        assert grader.batch() == 0
    finally:
        engine.dispose()
    assert set(reports(trace).values()) == {1}


def test_one_who_was_forgotten_while_being_graded_stays_forgotten(
    handed_in: Office, trace: Path
) -> None:
    pack = handed_in.packs[0]
    grader = quick(handed_in.team, handed_in.portal.queue, trace)
    write = grader.report

    def forgotten_meanwhile(submission: Submission, outcome: Attempt) -> None:
        if submission.manifest.pack == pack:
            handed_in.team.forget(pack, "somebody")
        write(submission, outcome)

    grader.report = forgotten_meanwhile  # type: ignore[method-assign]
    grader.batch()
    assert [one.pack for one in handed_in.portal.queue.all().values()] == [handed_in.packs[1]]
    assert not (handed_in.team.folder / "reports" / str(pack)).exists()
    with pytest.raises(TeamError):
        handed_in.team.pack(pack)


@pytest.mark.slow
def test_a_damaged_line_is_told_and_can_be_graded_again(handed_in: Office, trace: Path) -> None:
    queue = handed_in.portal.queue
    pack = str(handed_in.packs[0])
    with writing(queue.engine) as connection:
        changed = update(gradings).where(gradings.c.pack == pack).values(state="x")
        connection.execute(changed)
    page = Browser(handed_in.portal)
    page.log_in()
    shown = page.get("/candidates").text
    assert DAMAGED.split(":")[0].replace("'", "&#39;") in shown
    assert "waits for grading" in shown
    quick(handed_in.team, queue, trace).batch()
    assert page.send(f"/candidates/{pack}/grade").status_code == 303
    quick(handed_in.team, queue, trace).batch()
    assert states(handed_in) == [WorkState.DONE, WorkState.DONE]


def test_a_line_about_no_pack_keeps_nothing_from_being_graded(
    handed_in: Office, trace: Path
) -> None:
    queue = handed_in.portal.queue
    with writing(queue.engine) as connection:
        row = connection.execute(select(gradings).limit(1)).one()._asdict()
        connection.execute(insert(gradings).values(**{**row, "id": None, "pack": "no pack"}))
        first = update(gradings).where(gradings.c.pack == "no pack")
        connection.execute(first.values(queued=datetime(2020, 1, 1, tzinfo=UTC)))
    page = Browser(handed_in.portal)
    page.log_in()
    assert page.get("/candidates").status_code == 200
    assert quick(handed_in.team, queue, trace).batch() == 2
    assert states(handed_in) == [WorkState.DONE, WorkState.DONE]


@pytest.mark.slow
def test_two_graders_grade_each_one_once(handed_in: Office, trace: Path) -> None:
    """Two portals of one team, say on two machines."""
    processes = [_started(handed_in, "0.1", trace) for _ in range(2)]
    try:
        until(lambda: states(handed_in) == [WorkState.DONE, WorkState.DONE], process=processes[0])
    finally:
        for process in processes:
            process.kill()
            process.wait()
    assert sorted(reports(trace).values()) == [1, 1]
    assert trace.read_text().count("begin") == 2


@pytest.mark.slow
def test_what_a_silent_grader_held_is_graded_by_another_one(handed_in: Office, trace: Path) -> None:
    """As after its machine was lost; when it continues, it writes nothing."""
    queue = handed_in.portal.queue
    silent = quick(handed_in.team, queue, trace)
    silent.name = "silent"
    one = queue.claim("silent")
    assert one is not None
    submission, _ = silent.prepared(one)
    other = quick(handed_in.team, queue, trace)
    queue.beat(other.name)
    assert states(handed_in).count(WorkState.RUNNING) == 1
    with writing(queue.engine) as connection:
        long_ago = datetime.now(UTC) - LEASE - timedelta(seconds=1)
        connection.execute(update(gradings).values(beat=long_ago))
    queue.beat(other.name)
    assert other.batch() == 2
    silent._book(one, submission, Attempt("a", "m", "", "", {}, now(), 0.0, {}))
    assert set(reports(trace).values()) == {1}
    assert {one.graded for one in queue.all().values()} == {1}


@pytest.mark.slow
def test_a_grader_at_work_keeps_what_it_holds(
    handed_in: Office, trace: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Heartbeats are sent while a grading takes longer than a lease."""
    monkeypatch.setattr(queue_of_sites, "LEASE", timedelta(seconds=0.5))
    monkeypatch.setattr(grader_of_portal, "_BEAT_S", 0.05)
    grader = quick(handed_in.team, handed_in.portal.queue, trace, seconds=1.5)
    thread = threading.Thread(target=grader.run)
    thread.start()
    try:
        until(lambda: states(handed_in) == [WorkState.DONE, WorkState.DONE], 30)
    finally:
        grader.ending.set()
        thread.join(10)
    assert trace.read_text().count("begin") == 2


def test_a_report_that_cannot_be_written_is_told(handed_in: Office, trace: Path) -> None:
    grader = quick(handed_in.team, handed_in.portal.queue, trace)

    def fails(*_: object) -> None:
        raise OSError("No space left on device")

    grader.report = fails  # type: ignore[method-assign]
    grader.batch()
    assert states(handed_in) == [WorkState.LOST, WorkState.LOST]
    assert all("No space" in one.problem for one in handed_in.portal.queue.all().values())


@pytest.mark.slow
@pytest.mark.parametrize("step", ["prepared", "report"])
def test_an_interruption_that_comes_as_another_error_is_none_of_the_submission(
    handed_in: Office, trace: Path, step: str
) -> None:
    """As pydantic wraps exceptions in its serializers."""
    grader = quick(handed_in.team, handed_in.portal.queue, trace)

    def interrupted(*_: object) -> None:
        grader.ending.set()
        raise ValueError("Error calling function: Stopped")

    setattr(grader, step, interrupted)
    with pytest.raises(Stopped):
        grader.batch()
    assert WorkState.LOST not in states(handed_in)


@pytest.mark.slow
def test_grading_again_writes_another_report(handed_in: Office, trace: Path) -> None:
    queue = handed_in.portal.queue
    grader = quick(handed_in.team, queue, trace)
    grader.batch()
    one = next(iter(queue.all().values()))
    time.sleep(0.05)
    assert queue.again(one.pack, one.digest)
    claimed = queue.claim("grader")
    assert claimed is not None
    # Interrupted before the new report was written: the old one is not taken for it.
    assert not grader.written(one.pack, one.digest, datetime.now(UTC))
    WORKS.release(queue.engine, "grader")
    grader.batch()
    found = queue.find(one.pack, one.digest)
    assert found is not None
    assert (found.state, found.graded) == (WorkState.DONE, 2)


@pytest.mark.slow
def test_the_grader_ends_when_it_is_asked_to(handed_in: Office, trace: Path) -> None:
    """The real process, which puts its submission back into the queue."""
    command = [sys.executable, "-m", "hotloop.service.takehome.grader"]
    command += [str(handed_in.portal.settings.data), "--team", str(handed_in.team.folder)]
    command += ["--name", "grader"]
    process = subprocess.Popen(command, env=_environment())
    try:
        queue = handed_in.portal.queue
        until(lambda: WorkState.RUNNING in states(handed_in) or _all_failed(queue), process=process)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    finally:
        process.kill()
        process.wait()
    assert WorkState.RUNNING not in states(handed_in)


def _all_failed(queue: PortalQueue) -> bool:
    return all(one.state is not WorkState.WAITING for one in queue.all().values())


def _environment() -> dict[str, str]:
    return {**os.environ, "HOTLOOP_SERVE_DATABASE": ""}


def _started(office: Office, seconds: str, trace: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, str(SCRIPT), str(office.team.folder), seconds, str(trace)]
    return subprocess.Popen(command)
