"""How the service is run."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from pydantic import AwareDatetime, Field

from hotloop.problem import Strict
from hotloop.remote.job import Phase
from hotloop.web.settings import Settings as OfSite
from hotloop.yaml_lines import load

CLASS = "class.yaml"


class Class(Strict):
    """What an instructor says of the class, in `class.yaml` in the service's folder.

    deadlines: by module; until then its checks come before those of modules that are due later.
    """

    deadlines: dict[str, AwareDatetime] = Field(default_factory=dict[str, AwareDatetime])

    @classmethod
    def of(cls, folder: Path) -> Class:
        """The file's, or a class without any. CurriculumError for a file that is none."""
        path = folder / CLASS
        return load(path, cls) if path.is_file() else cls()


@dataclass(frozen=True)
class Rates:
    """How often something may be asked for, as the library `limits` writes it.

    put: jobs and hand-ins of one person. stream: of one person, and single looks at a job. unknown:
    tokens and invitations that do not exist, by address. page: anything at all, by address, which a
    class may share.
    """

    put: str = "60/10 minutes"
    stream: str = "120/10 minutes"
    unknown: str = "30/10 minutes"
    page: str = "6000/minute"


@dataclass(frozen=True)
class Counts:
    """How much is judged at once, of each phase."""

    cpu: int
    gpu: int

    def names(self, name: str, phase: Phase) -> list[str]:
        """Of the workers of a phase."""
        return [f"{name}-{phase}{number}" for number in range(getattr(self, phase))]


@dataclass(frozen=True)
class Settings(OfSite):
    """folder: of the service. course: of the nbgrader course that work is handed in to, if any.
    ray: address of the cluster that judges; empty for this machine. uploads: at once.
    streams_each, streams: at once, of one person and of all; the rest of `MOST_CONNECTIONS` is for
    requests.
    """

    folder: Path = Path("hotloop-service")
    course: Path | None = None
    ray: str = ""
    uploads: int = 40
    streams_each: int = 6
    streams: int = 400
    rates: Rates = field(default_factory=Rates)
