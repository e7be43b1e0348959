"""What is said to an attacker and by it: JSON lines, in which unknown keys are refused."""

from pathlib import PurePosixPath
from typing import Annotated

from pydantic import AfterValidator, Field

from hotloop.core.document import Identifier, Strict
from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.tasks.curriculum import TaskKey

LONGEST_FILE = 2_000_000
"""Characters. The judge's own limits for a submission are lower."""


def _is_inside(name: str) -> str:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or not path.name or "\0" in name:
        raise ValueError(f"{name!r} is no name of a file inside the submission's folder")
    return name


FileName = Annotated[str, Field(min_length=1, max_length=200), AfterValidator(_is_inside)]
Files = dict[FileName, Annotated[str, Field(max_length=LONGEST_FILE)]]
"""Texts by name. Under `lab.ipynb` stands the text of the task's cell in the notebook."""


class CheckResult(Strict):
    """The judge's result for one check. earned: share of its points."""

    check: str
    verdict: Verdict
    earned: float
    sentence: str

    @classmethod
    def of(cls, record: CheckRecord) -> "CheckResult":
        """Return the part of a check's record that an attacker sees."""
        return cls(
            check=record.check,
            verdict=record.verdict,
            earned=record.earned,
            sentence=record.sentence,
        )


class Attack(Strict):
    """The question to an attacker.

    attempt: counts from 0 for each task. seed: differs between attempts, and is the same when a run
    is repeated. files: what a learner starts from. reference: the same files with the task solved.
    checks: points by check, of those that are judged. entries: the function that each check calls.
    source: the folder of the judge's code. last: results of the attempt before; empty at the first.
    """

    task: TaskKey
    entry: str
    attempt: int
    seed: int
    files: Files
    reference: Files
    checks: dict[str, float]
    entries: dict[str, str]
    source: str
    last: list[CheckResult]


class Answer(Strict):
    """The attacker's answer.

    files: replace those of the exercise, or are added. why: what should earn points that are not
    deserved. honest: checks that these files pass rightly.
    """

    files: Files
    why: Annotated[str, Field(min_length=1, max_length=2000)]
    honest: list[Identifier] = Field(default_factory=list[Identifier])
