"""Check quality as a team knows it: what comes with the module, and what the team has measured."""

from __future__ import annotations

from pathlib import Path

from hotloop.curriculum import Module, Run, Task
from hotloop.takehome.quality import check_quality
from hotloop.takehome.report import CheckQuality
from hotloop.takehome.team import Team
from hotloop.yaml_lines import CurriculumError, load

FOLDER = "calibration"


def of_task(team: Team, module: Module, task: Task) -> CheckQuality | None:
    """What is known of the task's checks."""
    return check_quality(module, task, measured(team, module.id))


def measured(team: Team, module: str) -> list[Run]:
    """What the team has measured itself; a file that cannot be read counts as none."""
    path = path_of(team, module)
    if not path.is_file():
        return []
    try:
        return [load(path, Run)]
    except CurriculumError:
        return []


def path_of(team: Team, module: str) -> Path:
    """Where `hotloop takehome calibrate --measure` writes it."""
    return team.folder / FOLDER / f"{module}.json"
