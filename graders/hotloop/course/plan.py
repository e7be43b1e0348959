"""Which submissions of a course need to be executed, and which are graded as they stand."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from hotloop.core.verdict import Verdict
from hotloop.course import records
from hotloop.course.attempts.grader import environment
from hotloop.course.standing import is_dropped
from hotloop.course.submission import Release, collect

NOT_SETTLED = frozenset({Verdict.UNDECIDED, Verdict.JUDGE_ERROR})
"""What another measurement may settle. What this machine could not measure, another one may; all
else stays as it is, however often it is measured."""


@dataclass(frozen=True)
class Item:
    """One submission in a batch."""

    student: str
    module: str
    tasks: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """How it is named in logs, and between processes."""
        return f"{self.student}/{self.module}"

    @staticmethod
    def of(key: str) -> tuple[str, str]:
        """Learner and module of a key."""
        student, _, module = key.rpartition("/")
        return student, module


@dataclass(frozen=True)
class Planned:
    """A submission that is to be executed. stale: an earlier grade speaks of something else.

    The submission itself is read when its turn comes: a class's files need not fit into memory.
    """

    item: Item
    stale: bool


def plan(
    root: Path, items: Collection[Item], releases: Mapping[str, Release], *, again: bool = False
) -> Iterator[Planned]:
    """Those of `items` that are to be executed. again: all of them, dropped ones too."""
    for item in items:
        submission = collect(root, item.student, releases[item.module], item.tasks)
        published = records.latest(root, item.student, item.module)
        same = published is not None and published.submission_digest == submission.digest
        settled = same and published is not None and _settled(published)
        if not again and (
            settled or is_dropped(root, item.student, item.module, submission.digest)
        ):
            continue
        yield Planned(item, stale=published is not None)


def _settled(grading: records.Grading) -> bool:
    verdicts = {rung.verdict for record in grading.records.values() for rung in record.rungs}
    if Verdict.NOT_MEASURED in verdicts and _elsewhere(grading):
        return False
    return not verdicts & NOT_SETTLED


def _elsewhere(grading: records.Grading) -> bool:
    """True where it was executed on another machine than this, or with other libraries."""
    found = [record.circumstances.isolation for record in grading.records.values()]
    here = environment(found[0] if found else None)
    return grading.environment is not None and grading.environment.digest != here.digest
