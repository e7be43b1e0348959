"""What a judging leaves undecided, and the record once that was judged again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from hotloop.judge.record import Record, RungRecord, summarize
from hotloop.judge.verdict import Verdict


def settled(record: Record, again: Callable[[list[str]], Record]) -> Record:
    """The record, with what is undecided judged once more. again: has these rungs judged."""
    left = [rung.rung for rung in record.rungs if rung.verdict is Verdict.UNDECIDED]
    return with_rungs(record, again(left).rungs) if left else record


def with_rungs(record: Record, later: Sequence[RungRecord]) -> Record:
    """The record with what was judged again in place of what was open."""
    again = {rung.rung: rung for rung in later}
    rungs = tuple(again.get(rung.rung, rung) for rung in record.rungs)
    verdict, sentence = summarize(rungs)
    return replace(record, rungs=rungs, verdict=verdict, sentence=sentence)
