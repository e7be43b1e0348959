"""Modules, questions and records that tests make up."""

from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop import curriculum
from hotloop.curriculum import Module


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the learner's records."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path / "data" / "hotloop"


@pytest.fixture
def module() -> Callable[..., Module]:
    """Makes a module that asks for others."""
    pattern = curriculum.modules()[0]

    def made(name: str, *before: str, tier: str = "beginner") -> Module:
        prerequisites = pattern.prerequisites.model_copy(update={"modules": list(before)})
        changes = {"id": name, "tier": tier, "prerequisites": prerequisites}
        return pattern.model_copy(update=changes)

    return made
