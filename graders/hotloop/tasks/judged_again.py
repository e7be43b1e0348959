"""Rungs that a judging left undecided, and the record after they were judged again."""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache

from hotloop.core.record import Record, summarize
from hotloop.core.verdict import Verdict
from hotloop.tasks.curriculum import load_module

SECOND_SEED = "judged_again_with_seed"
SECOND_DEVICE = "judged_again_on"
"""Keys in a rung's evidence; the record's own seed and device are those of the first judging."""


def settled(record: Record, again: Callable[[list[str]], Record]) -> Record:
    """Return the record, with undecided rungs judged once more. again: judges the named rungs."""
    left = [rung.rung for rung in record.rungs if rung.verdict is Verdict.UNDECIDED]
    return with_rungs(record, again(left)) if left else record


def with_rungs(record: Record, later: Record) -> Record:
    """Return the record with its rungs replaced by those of `later` with the same names.

    Raises ValueError if `later` was judged with another variant, or one with a seed that was given.
    """
    before, after = record.circumstances, later.circumstances
    if (before.variant, before.seeded) != (after.variant, after.seeded):
        raise ValueError(f"{record.task} was judged again with another variant or a given seed")
    told = {SECOND_SEED: later.circumstances.seed}
    if later.circumstances.device != record.circumstances.device:
        told[SECOND_DEVICE] = later.circumstances.device
    again = {r.rung: replace(r, evidence={**r.evidence, **told}) for r in later.rungs}
    rungs = tuple(again.get(rung.rung, rung) for rung in record.rungs)
    verdict, sentence = summarize(rungs)
    return replace(record, rungs=rungs, verdict=verdict, sentence=sentence)


def open_on_gpu(records: Iterable[Record]) -> list[tuple[Record, list[str]]]:
    """Return the records that a machine with a GPU could complete, each with those rungs."""
    found = [(record, _open_on_gpu(record)) for record in records]
    return [(record, rungs) for record, rungs in found if rungs]


def settled_on_gpu(record: Record, later: Record) -> Record:
    """Return the record with its open GPU rungs replaced by those of `later`."""
    (_, rungs), *_ = open_on_gpu([record])
    only = tuple(rung for rung in later.rungs if rung.rung in rungs)
    return with_rungs(record, replace(later, rungs=only))


@cache
def needing_gpu(module: str, task: str) -> frozenset[str]:
    """Return the rungs of a task that need a GPU; none if the task no longer exists."""
    tasks = {one.id: one.rungs for one in load_module(module).tasks}
    return frozenset(rung.id for rung in tasks.get(task, ()) if rung.needs_gpu)


def seeds(record: Record) -> str:
    """Return the record's seed, and that of each rung that was judged again, as text."""
    others = {rung.rung: rung.evidence.get(SECOND_SEED) for rung in record.rungs}
    also = [f"{rung} again with {seed}" for rung, seed in others.items() if seed]
    return "; ".join(filter(None, [record.circumstances.seed, *also]))


def _open_on_gpu(record: Record) -> list[str]:
    needing = needing_gpu(record.module, record.task)
    return [r.rung for r in record.rungs if r.verdict.pending and r.rung in needing]
