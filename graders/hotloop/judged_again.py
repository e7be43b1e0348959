"""What a judging leaves undecided, and the record once that was judged again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hotloop.core.record import Record, summarize
from hotloop.core.verdict import Verdict

SECOND_SEED = "judged_again_with_seed"
SECOND_DEVICE = "judged_again_on"
"""Keys in a rung's evidence: the record's own seed and device are those of the first time."""


def settled(record: Record, again: Callable[[list[str]], Record]) -> Record:
    """The record, with what is undecided judged once more. again: has these rungs judged."""
    left = [rung.rung for rung in record.rungs if rung.verdict is Verdict.UNDECIDED]
    return with_rungs(record, again(left)) if left else record


def with_rungs(record: Record, later: Record) -> Record:
    """The record with what was judged again in place of what was open."""
    told = {SECOND_SEED: later.circumstances.seed}
    if later.circumstances.device != record.circumstances.device:
        told[SECOND_DEVICE] = later.circumstances.device
    again = {r.rung: replace(r, evidence={**r.evidence, **told}) for r in later.rungs}
    rungs = tuple(again.get(rung.rung, rung) for rung in record.rungs)
    verdict, sentence = summarize(rungs)
    return replace(record, rungs=rungs, verdict=verdict, sentence=sentence)


def seeds(record: Record) -> str:
    """What its judging can be repeated with: the seed, and that of each rung that has another."""
    others = {rung.rung: rung.evidence.get(SECOND_SEED) for rung in record.rungs}
    also = [f"{rung} again with {seed}" for rung, seed in others.items() if seed]
    return "; ".join(filter(None, [record.circumstances.seed, *also]))
