"""Every check on a GPU can be decided within its time, as far as the host's work is concerned."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from hotloop.tasks import curriculum

SCRIPT = Path(__file__).parents[3] / "gpu" / "host_budget.py"
CHECKS = [
    f"{module.id}.{task.id}.{check.id}"
    for module in curriculum.modules()
    for task in module.tasks
    for check in task.checks
    if check.needs_gpu
]


@pytest.fixture(scope="module")
def script(load_file: Callable[[Path], ModuleType]) -> Any:
    return load_file(SCRIPT)


@pytest.fixture(scope="module")
def checks(script: Any) -> dict[str, Any]:
    return dict(script.checks())


@pytest.mark.slow
@pytest.mark.parametrize("name", CHECKS)
def test_the_judges_own_work_leaves_time_to_decide(
    script: Any, checks: dict[str, Any], name: str
) -> None:
    found = list(script.measured(name, checks[name]))
    print(script.table(found))
    assert found
    assert all(row.decidable for row in found), script.table(found)


@pytest.mark.slow
def test_what_takes_too_long_on_the_host_is_not_decidable(
    script: Any, checks: dict[str, Any]
) -> None:
    """As in the first version: rows of every call in float64 on one thread of the host."""
    check = checks["transformer_compilation.flash_forward.gpu_fast"]
    tight = replace(check, seconds=1.0)
    found = list(script.measured("flash", tight))
    assert not any(row.decidable for row in found)
    assert "NOT DECIDABLE" in script.table(found)
