"""Measured service times, from which the simulation draws. None is written by hand."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from random import Random

from pydantic import BaseModel, ConfigDict


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Stage(_Strict):
    """The judging of one task: seconds beside other gradings, then seconds alone on the device."""

    shared_s: float
    exclusive_s: float


class TaskTimes(_Strict):
    """Judgings of right answers to a task, and of answers that fail it."""

    right: list[Stage]
    failed: list[Stage]


class ServiceTimes(_Strict):
    """A file of measured times.

    around_s: seconds of a submission besides judging: reading it, its kernel, its cells, booking.
    Measured with whole gradings of notebooks whose tasks take milliseconds.
    """

    device: str
    date: str
    module: str
    around_s: list[float]
    tasks: dict[str, TaskTimes]

    @classmethod
    def load(cls, path: Path) -> ServiceTimes:
        """Read a file. Raises FileNotFoundError if nothing has been measured yet."""
        return cls.model_validate_json(path.read_text(encoding="utf-8"))

    def visit(self, rng: Random, share_right: float) -> list[Stage]:
        """Draw one submission's stages; each one is a measured one."""
        stages = [Stage(shared_s=rng.choice(self.around_s), exclusive_s=0.0)]
        for task in self.tasks.values():
            right = not task.failed or rng.random() < share_right
            stages.append(rng.choice(task.right if right else task.failed))
        return stages


def correctness_only(stages: Sequence[Stage]) -> list[Stage]:
    """Return the stages without their measurements of speed."""
    return [Stage(shared_s=stage.shared_s, exclusive_s=0.0) for stage in stages]
