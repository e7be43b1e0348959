"""What a step of the self-test says."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Found:
    """A step that is in order. said: one line. figures: plain data, units in the names."""

    said: str
    figures: dict[str, Any] = field(default_factory=dict[str, Any])


class Broken(Exception):
    """A step that is not. what: a sentence; fix: what to do; figures: as far as there are any."""

    def __init__(self, what: str, fix: str, **figures: Any) -> None:
        super().__init__(what)
        self.what = what
        self.fix = fix
        self.figures = figures
