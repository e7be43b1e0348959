"""Where a batch of gradings is, for whoever waits."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Progress:
    """Where a batch is: `done` of `total` submissions are, and this one is being graded."""

    student: str
    module: str
    task: str
    text: str
    done: int
    total: int
