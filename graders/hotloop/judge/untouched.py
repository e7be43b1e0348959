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
from hotloop.variants.variant import Variant


def without_blame(
    rungs: Sequence[RungRecord],
    module: str,
    files: SubmissionFiles,
    variant: Variant | None = None,
) -> tuple[RungRecord, ...]:
    """The rungs, where "does not compile" is said only of what somebody has worked on.

    variant: in which it was handed out.
    """
    blamed = any(rung.verdict is Verdict.COMPILE_ERROR for rung in rungs)
    if not blamed or not _as_handed_out(module, files, variant):
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


def _as_handed_out(module: str, files: SubmissionFiles, variant: Variant | None) -> bool:
    """True when all that was read of the submission is byte for byte the exercise's."""
    names = sorted(files.read)
    try:
        handed_in = {name: files.content(name) for name in names}
        return bool(names) and handed_in == _exercise(module, names, variant)
    except Ruling:  # one of the two lacks it
        return False


def _exercise(module: str, names: Iterable[str], variant: Variant | None) -> dict[str, bytes]:
    if variant is None:
        plain = SubmissionFiles(paths.exercises() / module)
        return {name: plain.content(name) for name in names}
    # Without a variant the judge needs no library that reads a module's files.
    from hotloop.render import render

    given = render(module, variant)
    return {name: given[name] for name in names if name in given}
