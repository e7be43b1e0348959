"""What a judging leaves undecided, and the record once that was judged again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hotloop.judge.record import Record, RungRecord, summarize
from hotloop.judge.verdict import Verdict


def undecided(record: Record) -> list[str]:
    """The rungs that another measurement can decide."""
    return [rung.rung for rung in record.rungs if rung.verdict is Verdict.UNDECIDED]


def with_rungs(record: Record, later: Sequence[RungRecord]) -> Record:
    """The record with what was judged again in place of what was open."""
    again = {rung.rung: rung for rung in later}
    rungs = tuple(again.get(rung.rung, rung) for rung in record.rungs)
    verdict, sentence = summarize(rungs)
    return replace(record, rungs=rungs, verdict=verdict, sentence=sentence)
