"""Checks that a judging left undecided, and the record after they were judged again."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache

from hotloop.core.record import Record, summarize
from hotloop.core.verdict import Verdict
from hotloop.tasks.curriculum import load_module

SECOND_SEED = "judged_again_with_seed"
SECOND_DEVICE = "judged_again_on"
"""Keys in a check's evidence; the record's own seed and device are those of the first judging."""


def settled(record: Record, again: Callable[[list[str]], Record]) -> Record:
    """Return the record, with undecided checks judged once more. again: judges the named checks."""
    undecided = [check.check for check in record.checks if check.verdict is Verdict.UNDECIDED]
    return with_checks(record, again(undecided)) if undecided else record


def with_checks(record: Record, later: Record) -> Record:
    """Return the record with its checks replaced by those of `later` with the same names.

    Raises ValueError if `later` was judged with another variant, or one with a seed that was given,
    or if one of the two is a practice verdict.
    """
    before, after = record.circumstances, later.circumstances
    if (before.variant, before.seeded) != (after.variant, after.seeded):
        raise ValueError(f"{record.task} was judged again with another variant or a given seed")
    if before.practice or after.practice:
        raise ValueError(f"{record.task} was judged for practice, which is never counted")
    evidence = {SECOND_SEED: after.seed}
    if after.device != before.device:
        evidence[SECOND_DEVICE] = after.device
    again = {r.check: replace(r, evidence={**r.evidence, **evidence}) for r in later.checks}
    checks = tuple(again.get(check.check, check) for check in record.checks)
    verdict, sentence = summarize(checks)
    return replace(record, checks=checks, verdict=verdict, sentence=sentence)


def open_on_gpu(records: Iterable[Record]) -> list[tuple[Record, list[str]]]:
    """Return the records that a machine with a GPU could complete, each with those checks."""
    open_records: list[tuple[Record, list[str]]] = []
    for record in records:
        on_gpu = needing_gpu(record.module, record.task)
        checks = [r.check for r in record.checks if r.verdict.pending and r.check in on_gpu]
        if checks:
            open_records.append((record, checks))
    return open_records


def settled_on_gpu(record: Record, later: Record) -> Record:
    """Return the record with its open GPU checks replaced by those of `later`."""
    (_, checks), *_ = open_on_gpu([record])
    only = tuple(check for check in later.checks if check.check in checks)
    return with_checks(record, replace(later, checks=only))


@cache
def needing_gpu(module: str, task: str) -> frozenset[str]:
    """Return the checks of a task that need a GPU; none if the task no longer exists."""
    tasks = {one.id: one.checks for one in load_module(module).tasks}
    return frozenset(check.id for check in tasks.get(task, ()) if check.needs_gpu)


def seeds(record: Record) -> str:
    """Return the record's seed, and that of each check that was judged again, as text."""
    others = {check.check: check.evidence.get(SECOND_SEED) for check in record.checks}
    also = [f"{check} again with {seed}" for check, seed in others.items() if seed]
    return "; ".join(filter(None, [record.circumstances.seed, *also]))
