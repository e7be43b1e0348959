"""Settings of the service."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pydantic import AwareDatetime, Field

from hotloop.core.document import Strict
from hotloop.core.yaml_lines import load
from hotloop.learn.remote.job import Phase
from hotloop.service.web.settings import Settings as OfSite

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
class Rates:
    """Rate limits, in the notation of the library `limits`.

    put: jobs and hand-ins, per person. stream: new streams and single looks at a job, per person.
    unknown: invalid tokens and invitations, per address. page: all requests, per address; a class
    may share one.
    """

    put: str = "60/10 minutes"
    stream: str = "120/10 minutes"
    unknown: str = "30/10 minutes"
    page: str = "6000/minute"


@dataclass(frozen=True)
class Counts:
    """How many works are judged at once in each phase."""

    cpu: int
    gpu: int

    def names(self, name: str, phase: Phase) -> list[str]:
        """Return the names of a phase's workers."""
        return [f"{name}-{phase}{number}" for number in range(getattr(self, phase))]


@dataclass(frozen=True)
class Settings(OfSite):
    """folder: of the service. course: nbgrader course for hand-ins; None for none.

    ray: address of the cluster that judges; empty for this machine. uploads: most at once.
    streams_each, streams: most streams at once, of one person and of all people; the rest of
        `MOST_CONNECTIONS` is for requests.
    """

    folder: Path = Path("hotloop-service")
    course: Path | None = None
    ray: str = ""
    uploads: int = 40
    streams_each: int = 6
    streams: int = 400
    rates: Rates = field(default_factory=Rates)
