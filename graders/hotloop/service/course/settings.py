"""A class's own settings, and how many works are judged at once."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import AwareDatetime, Field

from hotloop.core.document import Strict
from hotloop.core.yaml_lines import load
from hotloop.learn.remote.job import Phase

CLASS = "class.yaml"


class Class(Strict):
    """The instructor's settings of a class: `class.yaml` in the service's folder.

    deadlines: by module. Works of the module with the earliest deadline are judged first; one that
        has passed does not count.
    """

    deadlines: dict[str, AwareDatetime] = Field(default_factory=dict[str, AwareDatetime])

    @classmethod
    def of(cls, folder: Path) -> Class:
        """Load the file; defaults if there is none. Raises CurriculumError if it is invalid."""
        path = folder / CLASS
        return load(path, cls) if path.is_file() else cls()


@dataclass(frozen=True)
class Counts:
    """How many works are judged at once in each phase."""

    cpu: int
    gpu: int

    def names(self, name: str, phase: Phase) -> list[str]:
        """Return the names of a phase's workers."""
        return [f"{name}-{phase}{number}" for number in range(getattr(self, phase))]
