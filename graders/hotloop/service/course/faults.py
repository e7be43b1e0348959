"""Records of tasks that could not be judged: a fault of the service, which costs no points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hotloop.core.record import CheckRecord, Record
from hotloop.core.verdict import Verdict
from hotloop.judge.client import lost
from hotloop.judge.job import Job
from hotloop.service.web.queue import TRIES
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.judged_again import open_on_gpu, with_checks
from hotloop.tasks.task_spec import task_spec

ENDED = f"The process that judged this ended {TRIES} times."
SILENT = f"The machine that judged this did not answer {TRIES} times."


def given_up(
    module: str, variant: str, tasks: Sequence[str], known: Sequence[Record], problem: str
) -> list[Record]:
    """Return records whose open points say that judging was given up.

    variant: digest of the job's. known: records of the phase before, whose verdicts stay.
    """
    sentence = f"{problem} That is a fault of the service and costs no points: check again."
    if not known:
        return [_lost(module, variant, task, sentence) for task in tasks]
    records: list[Record] = []
    for record, checks in open_on_gpu(known):
        lost_checks = tuple(CheckRecord(c, Verdict.JUDGE_ERROR, sentence) for c in checks)
        records.append(with_checks(record, replace(record, checks=lost_checks)))
    return records


def _lost(module: str, variant: str, task: str, sentence: str) -> Record:
    spec = task_spec(load_module(module), task)
    record = lost(Job(module, task, spec), RuntimeError(sentence))
    checks = tuple(replace(check, sentence=sentence) for check in record.checks)
    circumstances = replace(record.circumstances, variant=variant)
    return replace(record, sentence=sentence, checks=checks, circumstances=circumstances)
