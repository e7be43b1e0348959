"""On a real Ray cluster of several node processes, one of which is killed while it grades."""

import importlib
import json
import platform
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import replace
from itertools import chain
from pathlib import Path
from types import SimpleNamespace

import pytest

from hotloop.core import paths
from hotloop.course import ray_cluster
from hotloop.course.attempts.attempt import Attempt
from hotloop.course.executors import ExecutorWork, Lost
from hotloop.course.executors import ray as ray_executor
from hotloop.course.executors.ray import Ray
from hotloop.course.hand_in import HandIn
from hotloop.course.notebook_run import Terms
from hotloop.course.ray_cluster import ClusterUnavailable
from hotloop.tasks import curriculum

from ...waiting import is_alive, until

pytest.importorskip("ray", reason="Ray is not installed: pip install 'hotloop[ray]'")

import ray

from ...ray_nodes import STORE_BYTES, Nodes, Unhurried

pytestmark = pytest.mark.timeout(600)
ON_A_NODE = """
import importlib.util
import os
import signal
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from hotloop.core import paths
from hotloop.core.verdict import Verdict
from hotloop.course.isolation import Isolation
from hotloop.sandbox.unconfined import launch_plain

paths.root = lambda: Path({data!r})
tempfile.tempdir = {temporary!r}
spec = importlib.util.spec_from_file_location("tiny_course", {conftest!r})
tiny_course = importlib.util.module_from_spec(spec)
sys.modules["tiny_course"] = tiny_course
spec.loader.exec_module(tiny_course)
WITNESS = Path({witness!r})


class Judge(tiny_course.SmallJudge):
    '''Writes down where it judges; then does what the submission's file asks for.'''

    def judge(self, job, on_progress=lambda text: None, **more):
        asked = (Path(str(job.files)) / "ask").read_text().split()
        with (WITNESS / asked[0]).open("a") as witness:
            print(os.environ["RAY_NODE_NAME_FOR_TEST"], os.getpid(), file=witness, flush=True)
        first = len((WITNESS / asked[0]).read_text().splitlines()) == 1
        if asked[1] == "die" or (asked[1] == "die_once" and first):
            os.kill(os.getpid(), signal.SIGKILL)
        if asked[1] == "nap":
            time.sleep(5)
        with (WITNESS / f"{{asked[0]}}.jobs").open("a") as witness:
            checks = ",".join(job.checks or ["all"])
            print(os.environ["RAY_NODE_NAME_FOR_TEST"], checks, job.device, file=witness)
        if asked[1] == "wait" or (asked[1] == "wait_once" and first):
            time.sleep(600)
        record = super().judge(job, on_progress, **more)
        if job.device == "cpu":
            return record
        checks = (
            replace(check, verdict=Verdict.PASSED, earned=1.0)
            if check.verdict is Verdict.NOT_MEASURED
            else check
            for check in record.checks
        )
        return replace(record, checks=tuple(checks))


def unconfined():
    return Isolation("none", launch_plain)
"""


@pytest.fixture
def nodes(node_module: SimpleNamespace) -> Iterator[Nodes]:
    made = Nodes()
    yield made
    ray.shutdown()
    made.cluster.shutdown()


@pytest.fixture
def node_module(
    tmp_path: Path, prepared: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[SimpleNamespace]:
    """The module that nodes import, named by the terms, and the folder its judges write to."""
    name = f"on_a_node_{tmp_path.name}"
    short = tempfile.mkdtemp(prefix="ray-")
    witness = tmp_path / "witness"
    witness.mkdir()
    source = ON_A_NODE.format(
        data=str(prepared / "data"),
        temporary=short,
        conftest=str(Path(__file__).parents[1] / "conftest.py"),
        witness=str(witness),
    )
    (tmp_path / f"{name}.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    monkeypatch.setattr("ray._private.node.time", Unhurried())
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setattr("hotloop.core.paths.root", paths.root)
    monkeypatch.setattr(tempfile, "tempdir", tempfile.tempdir)
    module = importlib.import_module(name)
    curriculum.load_module.cache_clear()
    curriculum.curriculum.cache_clear()
    terms = Terms(isolation=module.unconfined, judge=module.Judge, memory_bytes=1 << 28)
    yield SimpleNamespace(terms=terms, witness=witness)
    del sys.modules[name]
    shutil.rmtree(short, ignore_errors=True)
    curriculum.load_module.cache_clear()
    curriculum.curriculum.cache_clear()


def work(key: str, asked: str = "pass") -> ExecutorWork:
    """A submission whose one task needs no kernel."""
    source = b"def work():\n    return 42\n"
    files = {"work.py": source, "ask": f"{key} {asked}".encode(), "lab.ipynb": b"{}"}
    judged = {"grade_id": "from_file", "grade": True, "solution": False}
    cell = {"cell_type": "code", "source": "check()", "metadata": {"nbgrader": judged}}
    notebook = {"cells": [cell]}
    return ExecutorWork(key, HandIn("ada", "tiny", files, notebook, tasks=("from_file",)))


def verdict(outcome: Attempt | Lost) -> str:
    assert isinstance(outcome, Attempt), outcome
    return str(outcome.records["from_file"].verdict)


def seen(node_module: SimpleNamespace, key: str) -> list[list[str]]:
    """Return node and process of each judging of it."""
    path = node_module.witness / key
    return [line.split() for line in path.read_text().splitlines()] if path.exists() else []


def ran(
    executor: Ray,
    works: Iterable[ExecutorWork],
    node_module: SimpleNamespace,
    told: list[tuple[str, str, str]] | None = None,
) -> dict[str, Attempt | Lost]:
    """Outcomes by key. told: gets the progress."""
    heard = told if told is not None else []
    outcomes = executor.run(works, node_module.terms, lambda *step: heard.append(step))
    return dict(chain.from_iterable(outcomes))


def untold(_key: str, _task: str, _text: str) -> None:
    pass


@pytest.mark.slow
def test_the_work_of_a_killed_node_is_done_by_another(
    nodes: Nodes, node_module: SimpleNamespace
) -> None:
    nodes.add("one")
    nodes.add("two")
    told: list[tuple[str, str, str]] = []

    def kill_the_grading_node() -> None:
        until(lambda: bool(seen(node_module, "ada")), 240)
        nodes.kill(seen(node_module, "ada")[0][0])

    killer = threading.Thread(target=kill_the_grading_node)
    killer.start()
    works = [work("ada", "wait_once"), *(work(key) for key in ("bob", "cyd", "dan"))]
    executor = Ray(nodes.cluster.address)
    try:
        outcomes = ran(executor, works, node_module, told)
    finally:
        killer.join()
    assert {key: verdict(outcome) for key, outcome in outcomes.items()} == dict.fromkeys(
        ("ada", "bob", "cyd", "dan"), "passed"
    )
    [first, second] = seen(node_module, "ada")
    assert first[0] != second[0]
    until(lambda: not is_alive(first[1]), 60)
    assert ("ada", "", "its node was lost; try 2") in told
    assert outcomes["bob"].digest == works[1].hand_in.digest


@pytest.mark.slow
def test_a_gpu_is_held_by_what_needs_one_only(nodes: Nodes, node_module: SimpleNamespace) -> None:
    nodes.add("cpu")
    told: list[tuple[str, str, str]] = []
    executor = Ray(nodes.cluster.address)

    def run(work: ExecutorWork) -> Attempt:
        outcomes = ran(executor, [work], node_module, told)
        found = outcomes[work.key]
        assert isinstance(found, Attempt), found
        return found

    first = run(on_a_gpu("ada"))
    assert checks_of(first) == {"correct": "passed", "gpu_correct": "not_measured"}
    assert jobs(node_module, "ada") == [["cpu", "all", "cpu"]]
    nodes.add("gpu", gpus=1)
    assert checks_of(run(replace(on_a_gpu("ada"), earlier=first)))["gpu_correct"] == "passed"
    assert jobs(node_module, "ada")[1:] == [["gpu", "gpu_correct"]]
    assert set(checks_of(run(on_a_gpu("bob"))).values()) == {"passed"}
    assert ("bob", "", "waiting for a GPU") in told
    [[_, *whole], second] = jobs(node_module, "bob")
    assert (whole, second) == (["all", "cpu"], ["gpu", "gpu_correct"])


def on_a_gpu(key: str) -> ExecutorWork:
    """A submission whose one task has a check that needs a GPU."""
    cells = [
        ("def gpu_answer():\n    return 42", {"grade_id": "given", "solution": True}),
        ("check()", {"grade_id": "gpu_answer", "grade": True, "solution": False}),
    ]
    notebook = {
        "cells": [
            {"cell_type": "code", "source": source, "metadata": {"nbgrader": about}}
            for source, about in cells
        ]
    }
    files = {"ask": f"{key} pass".encode(), "lab.ipynb": b"{}"}
    return ExecutorWork(key, HandIn("ada", "tiny", files, notebook, tasks=("gpu_answer",)))


def checks_of(attempt: Attempt) -> dict[str, str]:
    return {check.check: str(check.verdict) for check in attempt.records["gpu_answer"].checks}


def jobs(node_module: SimpleNamespace, key: str) -> list[list[str]]:
    """Return node, checks and device of each judging."""
    path = node_module.witness / f"{key}.jobs"
    return [line.split() for line in path.read_text().splitlines()]


@pytest.mark.slow
def test_what_ends_its_process_each_time_is_lost_alone_and_is_reported(
    nodes: Nodes, node_module: SimpleNamespace
) -> None:
    nodes.add("one")
    works = [work("ada", "die"), work("bob"), work("cyd", "die_once")]
    outcomes = ran(Ray(nodes.cluster.address), works, node_module)
    lost = outcomes["ada"]
    assert isinstance(lost, Lost)
    assert lost.reason.startswith("Its node was lost 4 times (")
    assert len(seen(node_module, "ada")) == 1 + ray_executor.RETRIES
    assert verdict(outcomes["bob"]) == verdict(outcomes["cyd"]) == "passed"
    assert len(seen(node_module, "cyd")) == 2


def test_a_node_with_another_grader_gives_no_verdict(node_module: SimpleNamespace) -> None:
    steps = SimpleNamespace(add=SimpleNamespace(remote=lambda *_step: None))
    told = ray_executor.execute_on_node(work("ada"), node_module.terms, "another", steps)
    assert json.loads(told) == {"lost": f"{platform.node()} has another version of Hotloop."}
    assert not seen(node_module, "ada")


@pytest.mark.slow
def test_a_batch_that_is_closed_leaves_nothing_at_work(
    nodes: Nodes, node_module: SimpleNamespace
) -> None:
    nodes.add("one")
    works = (work(key, asked) for key, asked in (("ada", "pass"), ("bob", "wait"), ("cyd", "wait")))
    with closing(Ray(nodes.cluster.address).run(works, node_module.terms, untold)) as outcomes:
        [(key, outcome)] = next(iter(outcomes))
        assert (key, verdict(outcome)) == ("ada", "passed")
        until(lambda: any(seen(node_module, k) for k in ("bob", "cyd")), 240)
    started = [pid for k in ("bob", "cyd") for _, pid in seen(node_module, k)]
    until(lambda: not any(map(is_alive, started)), 60)
    time.sleep(1.0)
    assert len(started) == len([s for k in ("bob", "cyd") for s in seen(node_module, k)]) == 1


@pytest.mark.slow
def test_a_cluster_of_this_machine_is_started_and_ended(
    node_module: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RAY_NODE_NAME_FOR_TEST", "local")
    monkeypatch.setattr(ray_cluster, "OBJECT_STORE_BYTES", STORE_BYTES)
    told: list[tuple[str, str, str]] = []
    works = [work("ada", "nap")]
    outcomes = ran(Ray(), works, node_module, told)
    assert verdict(outcomes["ada"]) == "passed"
    assert {("ada", "", "starting"), ("ada", "from_file", "judging")} <= set(told)
    assert not ray.is_initialized()
    [[_, pid]] = seen(node_module, "ada")
    until(lambda: not is_alive(pid), 60)


def test_a_cluster_that_is_not_there_is_said_to_be(node_module: SimpleNamespace) -> None:
    with pytest.raises(ClusterUnavailable, match=r"no Ray cluster at 127\.0\.0\.1:1"):
        list(Ray("127.0.0.1:1").run([work("ada")], node_module.terms, untold))


def test_without_ray_the_command_that_installs_it_is_said(
    node_module: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ClusterUnavailable, match=r"pip install 'hotloop\[ray\]'"):
        list(Ray().run([work("ada")], node_module.terms, untold))
