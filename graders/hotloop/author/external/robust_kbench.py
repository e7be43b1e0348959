"""Reads a task of robust-kbench: `func_forward.py` or `func_backward.py`, and its settings.

    tasks/layernorm/func_forward.py, with config_forward.json beside it
    tasks/layernorm/func_backward.py, with config_backward.json

Source: https://github.com/SakanaAI/robust-kbench, robust_kbench/config_task.py.
"""

import itertools
import json
import re
import shutil
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from hotloop.core.user_error import UserError

PROBLEM, TESTS = "problem.py", "hotloop_tests.json"
MOST = 4
"""Most settings that are judged; they are spread evenly over those of the task."""
MORE = ("normal", "integers", "spikes")
"""Kinds of inputs besides the problem's own."""
_FILE = re.compile(r"func_(forward|backward)\.py")


class Settings(BaseModel):
    """Keywords of the model and of its inputs; `shared` ones are of both."""

    single_init_configs: list[dict[str, Any]]
    single_input_configs: list[dict[str, Any]]
    single_shared_configs: list[dict[str, Any]]
    multi_init_configs: list[dict[str, Any]] = []
    multi_input_configs: list[dict[str, Any]] = []
    multi_shared_configs: list[dict[str, Any]] = []


def matches(path: Path) -> bool:
    """Return whether a path is such a task."""
    return _FILE.fullmatch(path.name) is not None and _settings_file(path).is_file()


def title(path: Path) -> str:
    """Return its name in reports: `layernorm_backward`, `level_1_task_3_forward`."""
    above = path.parent.parent.name
    level = f"{above}_" if above.startswith("level") else ""
    return f"{level}{path.parent.name}_{_direction(path)}"


def copy(path: Path, target: Path) -> None:
    """Copy the task's file, and write its calls as JSON. Raises UserError for other settings."""
    shutil.copyfile(path, target / PROBLEM)
    (target / TESTS).write_text(json.dumps(calls(path)))


def own_code(path: Path) -> str:
    """Return the task's own code as a submission. Raises UserError for a backward task."""
    if _direction(path) == "backward":
        raise UserError(f"{path} has no `backward_fn` of its own: PyTorch's autograd decides.")
    return path.read_text(encoding="utf-8")


def calls(path: Path) -> list[dict[str, Any]]:
    """Return direction, kind of inputs, and keywords of each call."""
    file = _settings_file(path)
    try:
        settings = Settings.model_validate_json(file.read_text(encoding="utf-8"))
    except ValidationError as error:
        raise UserError(f"{file} is not in robust-kbench's form: {error}") from None
    single = _product(
        settings.single_init_configs,
        settings.single_input_configs,
        settings.single_shared_configs,
    )
    several = _product(
        settings.multi_init_configs, settings.multi_input_configs, settings.multi_shared_configs
    )
    every = single + [each for each in several if each not in single]
    last = len(every) - 1
    if last < 0:
        raise UserError(f"{file} has no settings.")
    picked = [every[each] for each in sorted({round(last * n / (MOST - 1)) for n in range(MOST)})]
    # The problem's own inputs twice at least, so that a kept answer shows.
    own = picked if len(picked) > 1 else picked * 2
    kinds = [("given", each) for each in own]
    kinds += [(kind, own[at % len(own)]) for at, kind in enumerate(MORE)]
    return [{"direction": _direction(path), "kind": kind, **each} for kind, each in kinds]


def _product(*lists: list[dict[str, Any]]) -> list[dict[str, Any]]:
    combined = itertools.product(*lists)
    return [{"init": {**a, **c}, "input": {**b, **c}} for a, b, c in combined]


def _direction(path: Path) -> str:
    return path.stem.removeprefix("func_")


def _settings_file(path: Path) -> Path:
    return path.with_name(f"config_{_direction(path)}.json")
