"""Modules, questions and records made up by the tests."""

from collections.abc import Callable

import pytest

from hotloop.tasks import curriculum
from hotloop.tasks.curriculum import Module


@pytest.fixture
def module() -> Callable[..., Module]:
    """Returns a function that makes a module with prerequisites."""
    pattern = curriculum.modules()[0]

    def made(name: str, *before: str, tier: str = "beginner") -> Module:
        prerequisites = pattern.prerequisites.model_copy(update={"modules": list(before)})
        changes = {"id": name, "tier": tier, "prerequisites": prerequisites}
        return pattern.model_copy(update=changes)

    return made
