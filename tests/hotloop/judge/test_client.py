"""A judge that dies, hangs up or is asked nonsense is our fault and never a zero."""

from __future__ import annotations

import os
import signal
from pathlib import Path

from hotloop.judge.client import JudgeProcess
from hotloop.judge.job import Job
from hotloop.judge.verdict import Verdict


def test_an_unknown_module_is_a_judge_error_with_no_points_lost() -> None:
    with JudgeProcess() as judge:
        record = judge.judge(Job("no_such_module", "task"))
        assert record.verdict is Verdict.JUDGE_ERROR
        assert record.pending
        assert judge.judge(Job("fused_softmax", "no_such_task")).verdict is Verdict.JUDGE_ERROR


def test_a_module_name_is_never_a_path_out_of_checks() -> None:
    with JudgeProcess() as judge:
        for name in ("..cli", "baselines.fused_softmax", "../x", "__init__"):
            assert judge.judge(Job(name, "copy")).verdict is Verdict.JUDGE_ERROR


def test_a_killed_judge_is_replaced() -> None:
    with JudgeProcess() as judge:
        judge.judge(Job("no_such_module", "task"))
        assert judge._process is not None
        os.kill(judge._process.pid, signal.SIGKILL)
        judge._process.wait()
        assert judge.judge(Job("no_such_module", "task")).verdict is Verdict.JUDGE_ERROR


def test_nobody_of_the_same_account_reads_the_judges_memory() -> None:
    with JudgeProcess() as judge:
        judge.judge(Job("no_such_module", "task"))
        assert judge._process is not None
        owner = Path(f"/proc/{judge._process.pid}/mem").stat().st_uid
        assert owner == 0  # not dumpable: its /proc files belong to root
