"""Tells a mistake from an exercise that nobody has begun.

Some files are handed out as the learner is to fill them, and do not parse before: an empty
configuration, a kernel without a body. Of them a compiler's complaint says nothing yet.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from hotloop import paths
from hotloop.judge.files import SubmissionFiles
from hotloop.judge.record import RungRecord
from hotloop.judge.verdict import Ruling, Verdict


def without_blame(
    rungs: Sequence[RungRecord], module: str, files: SubmissionFiles
) -> tuple[RungRecord, ...]:
    """The rungs, where "does not compile" is said only of what somebody has worked on."""
    blamed = any(rung.verdict is Verdict.COMPILE_ERROR for rung in rungs)
    if not blamed or not _as_handed_out(module, files):
        return tuple(rungs)
    names = sorted(files.read)
    which = f"`{names[0]}` is as it was" if len(names) == 1 else "its files are as they were"
    return tuple(_renamed(rungs, f"Not attempted yet: {which} handed out."))


def _renamed(rungs: Iterable[RungRecord], said: str) -> Iterable[RungRecord]:
    for rung in rungs:
        if rung.verdict is Verdict.COMPILE_ERROR:
            yield replace(rung, verdict=Verdict.WRONG_ANSWER, sentence=said, evidence={})
        else:
            yield rung


def _as_handed_out(module: str, files: SubmissionFiles) -> bool:
    """True when all that was read of the submission is byte for byte the exercise's."""
    exercise = SubmissionFiles(paths.exercises() / module)
    try:
        return bool(files.read) and all(
            files.content(name) == exercise.content(name) for name in sorted(files.read)
        )
    except Ruling:  # one of the two lacks it
        return False
