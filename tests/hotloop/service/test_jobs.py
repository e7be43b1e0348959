"""A request becomes a job, is judged in two phases, and is followed."""

import json
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Engine, select, update

from hotloop.core.transactions import reading, writing
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess
from hotloop.learn.remote.request import WholeRequest
from hotloop.service.course import jobs, worker, workers, works
from hotloop.service.course.jobs import QUEUE
from hotloop.service.course.settings import Counts
from hotloop.service.tables import jobs as job_rows
from hotloop.service.tables import opened as opened_tables
from hotloop.service.tables import works as work_rows
from hotloop.service.web.queue import LEASE, TRIES, WorkState

from ..course.attempts.conftest import Server, server
from ..waiting import until
from . import quick
from .conftest import School, request

__all__ = ["server"]

GPU = {"module": "fused_softmax", "task": "triton_forward"}
TASKS = ("fold", "verify", "dead_code")


@pytest.fixture(params=["sqlite", "postgresql"])
def school(request: pytest.FixtureRequest, opened: Callable[..., School]) -> School:
    """Runs a test with both supported databases."""
    if request.param == "sqlite":
        return opened()
    running: Server = request.getfixturevalue("server")
    return opened(database=running.new_database())


def verdicts(job: Any) -> dict[str, str]:
    return {
        check["check"]: check["verdict"] for record in job["records"] for check in record["checks"]
    }


def test_what_needs_no_gpu_is_done_after_one_phase(school: School) -> None:
    job = school.stored()
    found = school.job(job)
    assert (found["state"], found["phase"], found["position"], found["records"]) == (
        "open",
        "cpu",
        1,
        [],
    )
    assert school.judged() == 1
    done = school.job(job)
    assert (done["state"], done["phase"]) == ("done", None)
    assert set(verdicts(done).values()) == {"passed"}


@pytest.mark.slow
def test_a_gpus_checks_wait_for_a_queue_of_their_own(school: School) -> None:
    school.has_gpu()
    job = school.stored(**GPU)
    school.judged("cpu")
    half = school.job(job)
    assert (half["state"], half["phase"], half["position"]) == ("open", "gpu", 1)
    assert verdicts(half)["gpu_fast"] == "not_measured"
    assert verdicts(half)["correct"] == "passed"
    assert school.judged("gpu") == 1
    done = school.job(job)
    assert done["state"] == "done"
    assert set(verdicts(done).values()) == {"passed"}


@pytest.mark.slow
def test_without_a_gpu_they_stay_open_at_once(school: School) -> None:
    job = school.stored(**GPU)
    school.judged()
    done = school.job(job)
    assert done["state"] == "done"
    assert verdicts(done)["gpu_fast"] == "not_measured"


@pytest.mark.slow
def test_the_files_are_deleted_once_it_is_done(school: School) -> None:
    school.stored()
    school.judged()
    with reading(school.service.engine) as connection:
        assert connection.execute(select(job_rows.c.request)).scalars().all() == [""]


@pytest.mark.slow
def test_the_same_key_is_the_same_job(school: School) -> None:
    key = "k" * 20
    first, second = (school.put(key=key).json() for _ in range(2))
    assert first == second
    assert school.judged() == 1
    # After it was done, too: the answer may have been lost on the way.
    assert school.put(key=key).json() == first
    assert school.judged() == 0


def test_the_same_request_at_once_is_one_job(school: School) -> None:
    """As sent again by a client that had no answer, perhaps to another server."""
    engines = [school.service.engine, opened_again(school)]
    asked = WholeRequest.model_validate(request())
    key = "k" * 20
    with ThreadPoolExecutor(8) as pool:
        found = set(
            pool.map(lambda number: jobs.put(engines[number % 2], 1, key, asked), range(24))
        )
    engines[1].dispose()
    assert len(found) == 1
    assert school.judged() == 1


@pytest.mark.slow
def test_each_work_is_claimed_once_by_the_workers_of_two_servers(school: School) -> None:
    engines = [school.service.engine, opened_again(school)]
    stored = {school.stored(who, task=task) for who in ("ada", "bob") for task in TASKS}

    def claimed(number: int) -> list[str]:
        found: list[str] = []
        while (one := works.claim(engines[number % 2], "cpu", f"w{number}")) is not None:
            found.append(one.job)
        return found

    with ThreadPoolExecutor(6) as pool:
        found = [job for many in pool.map(claimed, range(6)) for job in many]
    engines[1].dispose()
    assert sorted(found) == sorted(stored)


def opened_again(school: School) -> Engine:
    """Return the service's database as another server has it."""
    given = school.service.settings
    return opened_tables(given.folder, given.database)


def test_a_key_with_another_body_is_refused(school: School) -> None:
    key = "k" * 20
    school.put(key=key)
    answer = school.put(key=key, task="verify")
    assert answer.status_code == 422
    assert "another request" in answer.json()["detail"]
    # Of another learner it is another key.
    assert school.put("bob", key=key, task="verify").status_code == 202


@pytest.mark.slow
def test_a_resubmission_replaces_what_still_waits_and_keeps_its_place(school: School) -> None:
    first = school.stored("ada")
    others = school.stored("bob")
    second = school.stored("ada")
    assert school.job(first)["state"] == "replaced"
    assert school.job(second)["position"] == 1
    assert school.job(others, "bob")["position"] == 2
    assert school.judged() == 2
    assert school.job(first)["records"] == []


@pytest.mark.slow
def test_another_task_and_what_runs_are_not_replaced(school: School) -> None:
    first = school.stored("ada")
    works.claim(school.service.engine, "cpu", "w")
    school.stored("ada", task="verify")
    school.stored("ada")
    assert school.job(first)["state"] == "open"
    assert school.job(first)["running"] is True


@pytest.mark.slow
def test_a_replaced_job_that_waits_for_a_gpu_keeps_what_is_known(school: School) -> None:
    school.has_gpu()
    first = school.stored(**GPU)
    school.judged("cpu")
    school.stored(**GPU)
    found = school.job(first)
    assert (found["state"], verdicts(found)["correct"]) == ("replaced", "passed")


@pytest.mark.slow
def test_a_waiting_job_is_cancelled(school: School) -> None:
    job = school.stored()
    assert school.ask("ada", "POST", f"/api/jobs/{job}/cancel").status_code == 204
    assert school.job(job)["state"] == "canceled"
    assert school.judged() == 0
    # Once more it is no error, and changes nothing.
    assert school.ask("ada", "POST", f"/api/jobs/{job}/cancel").status_code == 204


@pytest.mark.slow
def test_a_running_job_that_is_canceled_ends_its_judge(
    school: School, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "LET_END_S", 0.3)
    killed = threading.Event()

    class Process(JudgeProcess):
        def kill(self) -> None:
            killed.set()

    def slow(_held: Any, _process: Any, _say: Any) -> list[Any]:
        assert killed.wait(10)
        return [quick.record("ssa_passes", "fold")]

    job = school.stored()
    thread = threading.Thread(target=lambda: school.worker(judge=slow).one(Process()))
    thread.start()
    until(lambda: school.job(job)["running"], 10)
    school.ask("ada", "POST", f"/api/jobs/{job}/cancel")
    thread.join(10)
    assert killed.is_set()
    found = school.job(job)
    assert (found["state"], found["records"]) == ("canceled", [])


@pytest.mark.slow
def test_canceling_again_and_again_ends_no_judge_that_others_wait_for(school: School) -> None:
    """A judge that was ended takes seconds to start again."""
    ended: list[int] = []
    judged: list[str] = []

    class Process(JudgeProcess):
        def kill(self) -> None:
            ended.append(1)

    def some_time(held: Any, _process: Any, _say: Any) -> list[Any]:
        judged.append(held.job)
        if len(judged) <= 3:
            # Of ada, who cancels it and sends the next one at once.
            school.ask("ada", "POST", f"/api/jobs/{held.job}/cancel")
            school.stored("ada")
            time.sleep(3 * worker.BEAT_S)
        return [quick.record("ssa_passes", "fold")]

    first = school.stored("ada")
    other = school.stored("bob")
    one = school.worker(judge=some_time)
    while one.one(Process()):
        pass
    assert judged[:2] == [first, other], "who cancels goes ahead of nobody"
    assert not ended
    assert school.job(other, "bob")["state"] == "done"
    states = [school.job(job)["state"] for job in judged if job != other]
    assert states == ["canceled", "canceled", "done"]
    assert school.job(first)["records"] == []


@pytest.mark.slow
def test_what_is_being_done_is_told(school: School) -> None:
    going = threading.Event()

    def slow(_held: Any, _process: Any, say: Callable[[str], None]) -> list[Any]:
        say("measuring")
        going.wait(10)
        return [quick.record("ssa_passes", "fold")]

    job = school.stored()
    thread = threading.Thread(target=lambda: school.worker(judge=slow).one(JudgeProcess()))
    thread.start()
    until(lambda: school.job(job)["said"] == "measuring", 10)
    going.set()
    thread.join(10)
    assert school.job(job)["state"] == "done"


@pytest.mark.slow
def test_positions_and_what_is_expected(school: School) -> None:
    school.has_gpu()
    mine = [school.stored(who, **GPU) for who in ("ada", "bob")]
    school.judged("cpu")
    found = [school.job(job, who) for job, who in zip(mine, ("ada", "bob"), strict=True)]
    assert [(one["position"], one["waiting"]) for one in found] == [(1, 2), (2, 2)]
    assert found[1]["expected_s"] is None
    school.worker("gpu").one(JudgeProcess())
    with writing(school.service.engine) as connection:
        done = work_rows.c.phase == "gpu", work_rows.c.state == WorkState.DONE
        row = connection.execute(select(work_rows).where(*done)).one()
        ended = row.began + timedelta(seconds=60)
        connection.execute(update(work_rows).where(*done).values(ended=ended))
    assert school.job(mine[1], "bob")["expected_s"] == 0
    works.claim(school.service.engine, "gpu", "gpu-worker")
    later = school.stored("ada", **GPU)
    school.judged("cpu")
    assert 50 < school.job(later)["expected_s"] <= 60


@pytest.mark.slow
def test_too_many_open_jobs_are_refused(school: School, monkeypatch: Any) -> None:
    monkeypatch.setattr(jobs, "MOST_OPEN", 2)
    tasks = ["fold", "verify", "dead_code"]
    codes = [school.put(task=task).status_code for task in tasks]
    assert codes == [202, 202, 429]
    assert school.put("bob").status_code == 202


def test_open_jobs_with_too_many_files_are_refused(school: School, monkeypatch: Any) -> None:
    """What waits is stored; twenty jobs of the largest size would be a gigabyte of each learner."""
    monkeypatch.setattr(jobs, "MOST_OPEN_BYTES", 5000)
    files = {"lab.ipynb": "YWJj" * 750}
    first = school.stored(files=files)
    refused = school.put(task="verify", files=files)
    assert (refused.status_code, "wait for them" in refused.json()["detail"]) == (429, True)
    assert school.put("bob", files=files).status_code == 202
    # The same tasks again replace the first, and need no more room.
    again = school.stored(files=files)
    assert school.job(first)["state"] == "replaced"
    school.ask("ada", "POST", f"/api/jobs/{again}/cancel")
    assert school.put(task="verify", files=files).status_code == 202


@pytest.mark.slow
@pytest.mark.parametrize("phase", ["cpu", "gpu"])
def test_what_was_lost_three_times_stays_open_and_says_why(school: School, phase: str) -> None:
    school.has_gpu()
    job = school.stored(**GPU)
    if phase == "gpu":
        school.judged("cpu")
    for _ in range(TRIES):
        assert school.job(job)["state"] == "open"
        assert works.claim(school.service.engine, phase, "w") is not None  # type: ignore[arg-type]
        QUEUE.release(school.service.engine, "w")
    found = school.job(job)
    assert found["state"] == "done"
    assert "ended 3 times" in found["problem"]
    lost = {check for check, verdict in verdicts(found).items() if verdict == "judge_error"}
    assert lost == ({"gpu_correct", "gpu_fast"} if phase == "gpu" else {"judge"})
    assert all(r["earned"] == 0 for r in found["records"][0]["checks"] if r["check"] in lost)
    assert "fault of the service" in json.dumps(found["records"])


@pytest.mark.slow
def test_a_fault_of_ours_is_tried_again(school: School) -> None:
    def faulty(*_: Any) -> list[Any]:
        raise RuntimeError("the disk is full")

    job = school.stored()
    worker = school.worker(judge=faulty)
    for _ in range(TRIES):
        assert worker.one(JudgeProcess())
    found = school.job(job)
    assert (found["state"], found["problem"]) == ("done", "RuntimeError: the disk is full")


@pytest.mark.slow
def test_who_has_lost_a_work_stores_nothing(school: School) -> None:
    """A worker that was stopped for too long, and continues when another one has its work."""
    engine = school.service.engine
    job = school.stored()
    slow = works.claim(engine, "cpu", "slow")
    assert slow is not None
    with writing(engine) as connection:
        connection.execute(update(work_rows).values(beat=_long_ago(connection)))
    QUEUE.reclaim(engine)
    assert not works.beat(engine, "slow", "")
    assert school.judged() == 1
    wrong = quick.record("ssa_passes", "fold", Verdict.WRONG_ANSWER)
    assert not works.finish(engine, slow, "slow", [wrong])
    assert school.job(job)["records"][0]["verdict"] == "passed"


@pytest.mark.slow
def test_a_worker_that_is_told_to_end_takes_no_try(school: School) -> None:
    school.stored()
    for _ in range(5):
        assert works.claim(school.service.engine, "cpu", "w") is not None
        jobs.QUEUE.give_back(school.service.engine, "w")
    assert school.judged() == 1


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"hotloop": "0.0.1"}, "install the same release"),
        ({"module": "nothing"}, "There is no nothing.fold"),
        ({"tasks": []}, "at least 1 item"),
        ({"files": {"../up.py": ""}}, "its name has other characters"),
        ({"files": {"/etc/passwd": ""}}, "its name has other characters"),
        ({"files": {"a/../../b": ""}}, "its name has other characters"),
        ({"files": {"a\x00b": ""}}, "its name has other characters"),
        ({"files": {"a.py": "%%"}}, "is not base64"),
        ({"shell": "sh"}, "shell: a request does not say this"),
        ({"nsight": "yes"}, "nsight: Input should be a valid boolean"),
        ({"nsight": 1}, "nsight: Input should be a valid boolean"),
        ({"made_for": "ab"}, "made_for: String should match pattern"),
    ],
)
def test_a_request_that_is_none_is_not_stored(
    school: School, changes: dict[str, Any], said: str
) -> None:
    answer = school.put(**changes)
    assert answer.status_code == 422
    assert said in answer.json()["detail"]
    assert school.judged() == 0


class Dated:
    """The dates of a course in which only fused_softmax is due."""

    def __init__(self, at: datetime) -> None:
        self._at = at

    def due(self, module: str, _student: str) -> datetime | None:
        return self._at if module == "fused_softmax" else None


@pytest.mark.slow
def test_a_deadline_comes_from_the_course(school: School, monkeypatch: Any) -> None:
    monkeypatch.setattr(school.service, "dates", Dated(datetime(2031, 1, 1, tzinfo=UTC)))
    first = school.stored("ada")
    second = school.stored("bob", **GPU)
    assert school.job(second, "bob")["position"] == 1
    assert school.job(first)["position"] == 2


@pytest.mark.slow
def test_a_deadline_that_has_passed_puts_nothing_ahead(school: School, monkeypatch: Any) -> None:
    monkeypatch.setattr(school.service, "dates", Dated(datetime(2021, 1, 1, tzinfo=UTC)))
    first = school.stored("ada")
    second = school.stored("bob", **GPU)
    assert school.job(first)["position"] == 1
    assert school.job(second, "bob")["position"] == 2


def test_the_request_of_the_client_is_the_one_that_is_taken(school: School) -> None:
    assert school.put(**request(nsight=True, made_for="")).status_code == 202


def _long_ago(connection: Any) -> Any:
    beat = connection.execute(select(work_rows.c.beat)).scalar_one()
    return beat - LEASE - timedelta(seconds=1)


@pytest.mark.parametrize(("allowed", "cards"), [("", ["0", "1"]), ("2,GPU-5", ["2", "GPU-5"])])
def test_each_gpu_has_a_worker_of_its_own(
    school: School, monkeypatch: pytest.MonkeyPatch, allowed: str, cards: list[str]
) -> None:
    monkeypatch.setenv(workers.VISIBLE, allowed)
    found = workers.supervisors(school.service.engine, school.service.settings, Counts(0, 2))
    assert [one.environment[workers.VISIBLE] for one in found] == cards
    assert len({one.name for one in found}) == 2
    (cpu,) = workers.supervisors(school.service.engine, school.service.settings, Counts(1, 0))
    assert workers.VISIBLE not in cpu.environment


@pytest.mark.slow
def test_a_cluster_has_one_process_here_that_releases_what_all_its_workers_held(
    school: School,
) -> None:
    job = school.stored()
    chosen = replace(school.service.settings, ray="ray://head:10001")
    (driver,) = workers.supervisors(school.service.engine, chosen, Counts(2, 1))
    name = driver.command[driver.command.index("--name") + 1]
    works.claim(school.service.engine, "cpu", f"{name}-cpu1")
    assert school.job(job)["running"] is True
    driver.ended()
    assert school.job(job)["running"] is False
