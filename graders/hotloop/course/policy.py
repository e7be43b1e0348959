"""A course's `hotloop.yaml`: when learners may see feedback, and the class's variant.

    variant: autumn 2030
    feedback: after_due_date
    modules:
      fused_softmax: {feedback: at_once}

Due dates are nbgrader's, of the assignment; a learner's extension moves them.
"""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, cast

from nbgrader.api import Gradebook, MissingEntry
from pydantic import AfterValidator, Field, model_validator

from hotloop.core.document import Strict
from hotloop.core.yaml_lines import load
from hotloop.tasks import curriculum

FILE = "hotloop.yaml"


class When(StrEnum):
    """When feedback is visible."""

    AT_ONCE = "at_once"
    AFTER_DUE_DATE = "after_due_date"
    NEVER = "never"


def _known(module: str) -> str:
    """Check a module's name: a typo must not silently select the course's rule."""
    known = [each.id for each in curriculum.modules()]
    if module not in known:
        raise ValueError(f"there is no module {module!r}; there are {', '.join(known)}")
    return module


class ModulePolicy(Strict):
    """Settings of one module."""

    feedback: When


class Policy(Strict):
    """Content of `hotloop.yaml`. Without it, feedback is visible at once, as in nbgrader.

    variant: a word from which constants and names of all modules are drawn, so that another class's
    answers do not match; "" for the published modules.
    """

    feedback: When = When.AT_ONCE
    variant: str = ""
    modules: dict[Annotated[str, AfterValidator(_known)], ModulePolicy] = Field(
        default_factory=dict[str, ModulePolicy]
    )

    @model_validator(mode="before")
    @classmethod
    def _of_nothing(cls, data: Any) -> Any:
        """Accept a file that has only comments."""
        return {} if data is None else data

    def of(self, module: str) -> When:
        """Return the rule for one module."""
        own = self.modules.get(module)
        return own.feedback if own is not None else self.feedback


@dataclass(frozen=True)
class Decision:
    """Whether a learner may see the feedback on one submission, and why."""

    visible: bool
    reason: str


def load_policy(root: Path) -> Policy:
    """Load the policy of the course at `root`. Raises CurriculumError with file and line."""
    path = root / FILE
    return load(path, Policy) if path.is_file() else Policy()


def decide(when: When, due: datetime | None, now: datetime) -> Decision:
    """Decide visibility. due, now: naive UTC, as in nbgrader.

    A missing date never passes, since feedback cannot be taken back.
    """
    if when is When.AT_ONCE:
        return Decision(True, "feedback is visible at once")
    if when is When.NEVER:
        return Decision(False, "feedback is never visible")
    if due is None:
        return Decision(False, "feedback waits for a due date, and the assignment has none")
    date = f"{due:%Y-%m-%d %H:%M} UTC"
    if now <= due:
        return Decision(False, f"feedback waits for the due date, {date}")
    return Decision(True, f"the due date, {date}, has passed")


def decide_for(
    policy: Policy, gradebook: Gradebook, module: str, student: str, now: datetime | None = None
) -> Decision:
    """Decide whether `student` may see the feedback on `module` now, by the gradebook's dates."""
    try:
        submission = cast(Any, gradebook).find_submission(module, student)
    except MissingEntry:
        return Decision(False, "the gradebook has no such submission")
    return decide(policy.of(module), due_date(submission), now or utc_now())


def due_date(submission: Any) -> datetime | None:
    """Return a submission's due date with its extension; None without a date.

    nbgrader's own `duedate` fails for an extension without a date, and at the end of time.
    """
    due: datetime | None = submission.assignment.duedate
    extension: timedelta = submission.extension or timedelta()
    return min(due, datetime.max - extension) + extension if due is not None else None


def seconds_late(submission: Any) -> float:
    """Return the lateness in seconds; 0 without a due date or timestamp."""
    return seconds_late_at(submission, submission.timestamp)


def seconds_late_at(submission: Any, at: datetime | None) -> float:
    """Return what the lateness would be of a hand-in at a time, naive UTC; None is no time."""
    due = due_date(submission)
    return max(0.0, (at - due).total_seconds()) if due is not None and at is not None else 0.0


def utc_now() -> datetime:
    """Return the current time as naive UTC, as in nbgrader's gradebook."""
    return datetime.now(UTC).replace(tzinfo=None)
