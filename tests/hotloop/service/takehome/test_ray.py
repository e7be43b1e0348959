"""The portal's grader on a real Ray cluster."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.service.takehome.queue import QueuedSubmission
from hotloop.service.web.queue import WorkState
from hotloop.takehome.report import read_report

from ...waiting import until
from .office import Browser, Office

pytestmark = [pytest.mark.slow, pytest.mark.sandbox, pytest.mark.timeout(900)]


def test_a_node_grades_and_an_end_on_request_is_no_try(
    office: Office, work: Callable[..., bytes], tmp_path: Path, cluster: str
) -> None:
    stranger, content = Browser(office.portal), work(office)
    assert stranger.upload(office.page(), content).status_code == 303
    pack = office.packs[0]
    command = [sys.executable, "-m", "hotloop.service.takehome.grader"]
    command += [str(office.portal.settings.data), "--team", str(office.team.folder)]
    command += ["--name", "grader", "--ray", cluster]
    environment = {**os.environ, "RAY_USAGE_STATS_ENABLED": "0"}
    with (tmp_path / "log").open("wb") as log:
        grader = subprocess.Popen(command, env=environment, stderr=log)
    try:
        until(lambda: only(office).state in (WorkState.DONE, WorkState.LOST), 400, process=grader)
        assert (only(office).state, only(office).problem) == (WorkState.DONE, "")
        report = read_report(office.team.report_path(pack))
        assert report.submission.digest == only(office).digest
        assert report.environment.isolation == "bubblewrap"
        assert [task.task for task in report.tasks] == ["online_pass", "explain"]

        assert office.portal.queue.again(pack, only(office).digest)
        # It is taken from the queue by a process that is connected to the cluster.
        until(lambda: only(office).state is WorkState.RUNNING, 400, process=grader)
        grader.send_signal(signal.SIGTERM)
        assert grader.wait(60) == 0
    finally:
        grader.kill()
        grader.wait()
    one = only(office)
    assert (one.state, one.tries, one.graded) == (WorkState.WAITING, 0, 1)


def only(office: Office) -> QueuedSubmission:
    (one,) = office.portal.queue.all().values()
    return one
