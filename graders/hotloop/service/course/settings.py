"""How many works are judged at once."""

from __future__ import annotations

from dataclasses import dataclass

from hotloop.learn.remote.job import Phase


@dataclass(frozen=True)
class Counts:
    """How many works are judged at once in each phase."""

    cpu: int
    gpu: int

    def names(self, name: str, phase: Phase) -> list[str]:
        """Return the names of a phase's workers."""
        return [f"{name}-{phase}{number}" for number in range(getattr(self, phase))]
