"""The course's own `hotloop.yaml`: when a learner may see feedback, and which variant is asked.

    variant: autumn 2030
    feedback: after_due_date
    modules:
      fused_softmax: {feedback: at_once}

Due dates are nbgrader's, of the assignment, and a learner's extension moves them.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, cast

from nbgrader.api import Gradebook, MissingEntry
from pydantic import AfterValidator, Field, model_validator

from hotloop import curriculum
from hotloop.problem import Strict
from hotloop.yaml_lines import load

FILE = "hotloop.yaml"


class When(StrEnum):
    """When feedback is visible."""

    AT_ONCE = "at_once"
    AFTER_DUE_DATE = "after_due_date"
    NEVER = "never"


def _known(module: str) -> str:
    """A misspelt module must not fall back to the course's own rule in silence."""
    known = [each.id for each in curriculum.modules()]
    if module not in known:
        raise ValueError(f"there is no module {module!r}; there are {', '.join(known)}")
    return module


class ModulePolicy(Strict):
    """What is different for one module."""

    feedback: When


class Policy(Strict):
    """`hotloop.yaml`. Without one, feedback is visible at once, as nbgrader has it.

    variant: a word from which constants and names of all modules are drawn, so that the answers of
    another class do not fit; empty for the modules as they are published.
    """

    feedback: When = When.AT_ONCE
    variant: str = ""
    modules: dict[Annotated[str, AfterValidator(_known)], ModulePolicy] = Field(
        default_factory=dict[str, ModulePolicy]
    )

    @model_validator(mode="before")
    @classmethod
    def _of_nothing(cls, data: Any) -> Any:
        """A file of comments alone."""
        return {} if data is None else data

    def of(self, module: str) -> When:
        """The rule for one module."""
        own = self.modules.get(module)
        return own.feedback if own is not None else self.feedback


@dataclass(frozen=True)
class Decision:
    """Whether a learner may see the feedback on one submission, and why."""

    visible: bool
    reason: str


def load_policy(root: Path) -> Policy:
    """The policy of the course at `root`. CurriculumError names the file and the line."""
    path = root / FILE
    return load(path, Policy) if path.is_file() else Policy()


def decide(when: When, due: datetime | None, now: datetime) -> Decision:
    """`due` and `now`: UTC, both without a time zone, as nbgrader keeps them.

    A date that nobody has set does not pass: what was shown cannot be taken back.
    """
    if when is When.AT_ONCE:
        return Decision(True, "feedback is visible at once")
    if when is When.NEVER:
        return Decision(False, "feedback is never visible")
    if due is None:
        return Decision(False, "feedback waits for a due date, and the assignment has none")
    said = f"{due:%Y-%m-%d %H:%M} UTC"
    if now <= due:
        return Decision(False, f"feedback waits for the due date, {said}")
    return Decision(True, f"the due date, {said}, has passed")


def decide_for(
    policy: Policy, gradebook: Gradebook, module: str, student: str, now: datetime | None = None
) -> Decision:
    """Whether `student` may see the feedback on `module` now, by the open gradebook's dates."""
    try:
        submission = cast(Any, gradebook).find_submission(module, student)
    except MissingEntry:
        return Decision(False, "the gradebook has no such submission")
    return decide(policy.of(module), due_date(submission), now or utc_now())


def due_date(submission: Any) -> datetime | None:
    """When a submission in the gradebook is due, its extension included; None for no date.

    nbgrader's own `duedate` fails where there is an extension and no date.
    """
    due: datetime | None = submission.assignment.duedate
    return due + (submission.extension or timedelta()) if due is not None else None


def seconds_late(submission: Any) -> float:
    """How much too late it came; 0 where it has no date, or nobody noted when it came."""
    due = due_date(submission)
    if due is None or submission.timestamp is None:
        return 0.0
    return max(0.0, (submission.timestamp - due).total_seconds())


def utc_now() -> datetime:
    """The time as nbgrader's gradebook has it: UTC without a time zone."""
    return datetime.now(UTC).replace(tzinfo=None)
