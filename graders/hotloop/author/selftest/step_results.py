"""Results of a step of the self-test."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class StepResult:
    """Result of a step that passed.

    said: one line. figures: plain data, with units in the names.
    """

    said: str
    figures: dict[str, Any] = field(default_factory=dict[str, Any])


class StepFailed(Exception):
    """A step failed. what: a sentence; fix: what to do; figures: measured so far."""

    def __init__(self, what: str, fix: str, **figures: Any) -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix
        self.figures = figures
