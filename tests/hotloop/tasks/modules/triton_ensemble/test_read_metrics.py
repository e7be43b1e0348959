"""Both checks over a worker: each calls a function of its own, over the protocol."""

import json
import math
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from hotloop.core import paths
from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.judge.check import judge_checks
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.sandbox.freezer import SignalFreezer
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.modules.triton_ensemble import tasks
from hotloop.tasks.modules.triton_ensemble.metric_deltas import figures_of
from hotloop.tasks.task_spec import task_spec
from hotloop.worker.serve import serve

from ....sessions import new_session

KNOWN: dict[str, dict[str, Any]] = json.loads(
    (paths.curriculum() / "triton_ensemble/recordings/deployments.json").read_text(encoding="utf-8")
)
Judge = Callable[[dict[str, Any]], dict[str, CheckRecord]]


def figures(*readings: Any) -> Any:
    return vars(figures_of(*readings))


def diagnosis() -> Any:
    return {
        name: {
            "cause": known["cause"],
            "model": known["model"],
            "evidence": next(iter(known["evidence"])),
            "share": next(iter(known["evidence"].values())),
        }
        for name, known in KNOWN.items()
    }


@pytest.fixture
def judged() -> Iterator[Judge]:
    """Judges with a worker in a thread of this process: tests the protocol, not the sandbox."""
    with ExitStack() as ending:

        def run(names: dict[str, Any]) -> dict[str, CheckRecord]:
            ours, theirs = socket.socketpair()
            thread = threading.Thread(target=serve, args=(theirs, names))
            thread.start()
            ending.callback(thread.join, 10)
            link = WorkerConnection(ours, SignalFreezer(2**22 - 1), trusted=False)
            session = new_session(
                candidate=tasks.read_metrics.candidate(
                    task_spec(load_module("triton_ensemble"), "read_metrics")
                ),
                budget_s=60,
                connect=lambda: link,
            )
            ending.callback(session.close)
            return {
                record.check: record for record in judge_checks(tasks.read_metrics.checks, session)
            }

        yield run


def test_both_functions_are_asked(judged: Judge) -> None:
    records = judged({"figures": figures, "diagnosis": diagnosis})
    assert [record.verdict for record in records.values()] == [Verdict.PASSED] * 2
    assert records["correct"].sentence == "Right on all 8 hidden questions."


def test_one_may_be_right_without_the_other(judged: Judge) -> None:
    def not_yet(*_readings: Any) -> Any:
        raise NotImplementedError

    records = judged({"figures": not_yet, "diagnosis": diagnosis})
    assert records["correct"].sentence.startswith("Not attempted yet")
    assert records["diagnosis"].verdict is Verdict.PASSED
    records = judged({"figures": figures})
    assert records["correct"].verdict is Verdict.PASSED
    assert records["diagnosis"].verdict not in {Verdict.PASSED, Verdict.JUDGE_ERROR}
    assert "diagnosis" in records["diagnosis"].sentence


@pytest.mark.parametrize("junk", [None, math.nan, 10**400, "many", [[]], {"requests": math.inf}])
def test_junk_is_a_wrong_answer_and_no_fault_of_the_judge(judged: Judge, junk: Any) -> None:
    for record in judged({"figures": lambda *_: junk, "diagnosis": lambda: junk}).values():
        assert record.verdict in {Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR}, record.sentence
        assert record.sentence
