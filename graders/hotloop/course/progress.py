"""Progress of a batch of gradings."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Progress:
    """Progress of a batch: `done` of `total` submissions, `failed` of them without a result.

    student, module, task, text: the latest step. running: submissions in progress. seconds_left:
    None until the first is done.
    """

    student: str
    module: str
    task: str
    text: str
    done: int
    total: int
    running: int = 1
    failed: int = 0
    seconds_left: float | None = None


@dataclass
class Batch:
    """Counts a batch's submissions and reports progress."""

    total: int
    on_progress: Callable[[Progress], None]
    done: int = 0
    failed: int = 0
    _running: set[str] = field(default_factory=set[str])
    _started: float = field(default_factory=time.monotonic)

    def step(self, key: str, task: str, text: str) -> None:
        """Report a step of a submission."""
        self._running.add(key)
        self._tell(key, task, text)

    def ended(self, key: str, *, failed: bool) -> None:
        """Report the end of a submission."""
        self._running.discard(key)
        self.done += 1
        self.failed += failed
        self._tell(key, "", "failed" if failed else "done")

    def left_alone(self) -> None:
        """Exclude a submission that is already settled."""
        self.total -= 1

    def _tell(self, key: str, task: str, text: str) -> None:
        student, _, module = key.rpartition("/")
        spent = time.monotonic() - self._started
        left = spent / self.done * (self.total - self.done) if self.done else None
        counts = (self.done, self.total, len(self._running), self.failed)
        self.on_progress(Progress(student, module, task, text, *counts, left))
