"""`hotloop course serve --ray`: the same queue, judged on the nodes of a real Ray cluster."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import pytest
from sqlalchemy import select
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.transactions import reading
from hotloop.course.ray_cluster import connected
from hotloop.learn.remote.request import packed
from hotloop.service.course import nodes, worker
from hotloop.service.course.settings import Counts
from hotloop.service.tables import works as work_rows
from hotloop.tasks.render import submission, untouched

from ..waiting import until
from .conftest import School

FILES = packed(submission("ssa_passes"))
LONG_S = 240
"""Nodes of a cluster start slowly."""


def test_without_ray_the_command_that_installs_it_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    words = [
        "course",
        "serve",
        "--folder",
        str(tmp_path / "service"),
        "--ray",
        "ray://127.0.0.1:1",
        "--json",
    ]
    done = CliRunner().invoke(app, words)
    assert done.exit_code == 2
    assert "pip install 'hotloop[ray]'" in done.stdout


@contextmanager
def judging_on(address: str, school: School) -> Iterator[None]:
    ending = threading.Event()
    with connected(address) as ray:
        arguments = (school.service.engine, ray, "here", Counts(2, 0), ending)
        driver = threading.Thread(target=nodes.run, args=arguments)
        driver.start()
        try:
            yield
        finally:
            ending.set()
            driver.join(60)
    assert not driver.is_alive()


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(600)
def test_a_cluster_judges_what_is_lost_with_a_node_again(school: School, cluster: str) -> None:
    right, wrong = (
        school.stored("ada", files=FILES),
        school.stored("bob", files=packed(untouched("ssa_passes"))),
    )
    with judging_on(cluster, school):
        until(lambda: school.job(right)["running"] or school.job(right)["state"] == "done", LONG_S)
        until(lambda: actors(), LONG_S)
        actors()[0].kill()
        until(
            lambda: school.job(right)["state"] == school.job(wrong, "bob")["state"] == "done",
            LONG_S,
        )
    (record,), (other,) = school.job(right)["records"], school.job(wrong, "bob")["records"]
    assert (record["verdict"], record["circumstances"]["isolation"]) == ("passed", "bubblewrap")
    assert other["verdict"] == "wrong_answer"
    with reading(school.service.engine) as connection:
        tries = connection.execute(select(work_rows.c.tries)).scalars().all()
    assert sorted(tries) == [1, 2]
    assert not actors()


@pytest.mark.slow
@pytest.mark.sandbox
@pytest.mark.timeout(600)
def test_a_canceled_job_and_an_end_on_request_leave_nothing_at_work(
    school: School, cluster: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with judging_on(cluster, school):
        job = school.stored("ada", files=FILES)
        until(lambda: actors(), LONG_S)
        monkeypatch.setattr(worker, "LET_END_S", 0.0)
        school.ask("ada", "POST", f"/api/jobs/{job}/cancel")
        until(lambda: not actors(), LONG_S)
        left = school.stored("ada", task="verify", files=FILES)
        until(lambda: school.job(left)["running"], LONG_S)
    found = school.job(left)
    # It waits again, as if nobody had tried.
    assert (found["state"], found["running"], found["position"]) == ("open", False, 1)
    assert not actors()


def actors() -> list[Any]:
    """Return the processes on nodes that judge."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if (process.info["cmdline"] or [""])[0].startswith("ray::judge_on_node")
        and process.status() != psutil.STATUS_ZOMBIE
    ]
