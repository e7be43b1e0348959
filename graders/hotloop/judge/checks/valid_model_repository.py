"""The static check finds no problem in a model repository."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.serving.problem import RepositoryProblem
from hotloop.engines.serving.repository import PLATFORMS, read_config
from hotloop.judge.author_guard import Check
from hotloop.judge.candidate import OF_DATA, Kind
from hotloop.judge.model_servers import require_sound
from hotloop.judge.session import Session

ENSEMBLE = "ensemble"


@dataclass(frozen=True)
class ValidModelRepository(Check):
    """The static check finds no problem in the candidate's model repository for a Triton server.

    repository: builds the candidate's repository.

    backends: required models and the backend of each. An ENSEMBLE must run each of the other models
        exactly once. This is checked because a valid repository may lack required models.
    """

    fits: ClassVar[frozenset[Kind]] = OF_DATA
    reads_answer: ClassVar[frozenset[str]] = frozenset({"repository"})
    repository: Callable[[Session], Path]
    backends: Mapping[str, str] = field(default_factory=dict[str, str])

    def __call__(self, session: Session) -> str:
        """Check the repository without starting a server."""
        folder = self.repository(session)
        require_sound(folder)
        _require_asked_for(folder, self.backends)
        models = sum(1 for path in folder.iterdir() if path.is_dir())
        session.note(models=models)
        return f"The {models} models fit the server's rules, their files, and each other."


def _require_asked_for(folder: Path, backends: Mapping[str, str]) -> None:
    others = sorted(name for name, backend in backends.items() if backend != ENSEMBLE)
    for name, backend in backends.items():
        config = read_config(folder, name)
        if isinstance(config, RepositoryProblem):
            raise Ruling(Verdict.COMPILE_ERROR, str(config))
        own = config.backend or PLATFORMS.get(config.platform, "")
        if (ENSEMBLE if config.is_ensemble else own) != backend:
            said = f"{config.file}: {name} is to be run by {backend!r}."
            raise Ruling(Verdict.WRONG_ANSWER, said)
        if config.is_ensemble and sorted(step.model for step in config.steps) != others:
            said = f"{config.file}: its steps are to be {', '.join(others)}, each of them once."
            raise Ruling(Verdict.WRONG_ANSWER, said)
