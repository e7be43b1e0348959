"""Practice verdicts: which tasks have one, judging a folder, and what a page needs for one."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hotloop.core import paths
from hotloop.core.extras import SIMULATOR
from hotloop.core.variant import Variant
from hotloop.tasks import curriculum
from hotloop.tasks.problem import JudgedTask, TaskSet, TaskT

if TYPE_CHECKING:
    from hotloop.core.record import Record

_BUDGET_S = 300.0
_PACKAGE = Path(__file__).resolve().parents[1]
_IMPORTS = """
import importlib, json, sys
for name in ("hotloop.judge.practice", *sys.argv[1:]):
    importlib.import_module(name)
ours = [module for name, module in sys.modules.items() if name.partition(".")[0] == "hotloop"]
print(json.dumps(sorted(module.__file__ for module in ours)))
"""


def kernels(problem: TaskSet[TaskT]) -> list[TaskT]:
    """Return the tasks that have practice verdicts: CUDA kernels with checks in the simulator."""
    return [task for task in problem.tasks if _is_kernel(problem, task)]


def _is_kernel(problem: TaskSet[Any], task: JudgedTask) -> bool:
    return task.files[-1].endswith(".cu") and any(
        SIMULATOR in problem.needs_of(check) and not check.needs_gpu for check in task.checks
    )


def judge_folder(
    root: Path,
    module: str,
    tasks: Iterable[str],
    *,
    on_progress: Callable[[str], None] = lambda _text: None,
    variant: Variant | None = None,
    seed: str = "",
) -> dict[str, Record]:
    """Return the practice verdicts by task, for a folder with the learner's files.

    seed: as in `Job`. The package group has been asked for.
    """
    from hotloop.judge import practice  # needs numpy
    from hotloop.judge.job import Job
    from hotloop.tasks.task_spec import task_spec

    problem = curriculum.load_module(module)
    records: dict[str, Record] = {}
    for task in tasks:
        job = Job(
            module,
            task,
            task_spec(problem, task),
            isolation=practice.ISOLATION,
            budget_s=_BUDGET_S,
            variant=None if variant is None else variant.to_json(),
            given=_handed_out(module, problem.task(task).files),
            seed=seed,
        )
        records[task] = practice.judge(job, _contents(root, job.spec.files), on_progress)
    return records


def _contents(folder: Path, names: Iterable[str]) -> dict[str, bytes]:
    paths_by_name = {name: folder / name for name in names}
    return {name: path.read_bytes() for name, path in paths_by_name.items() if path.is_file()}


def _handed_out(module: str, names: Iterable[str]) -> dict[str, str]:
    """Return the SHA-256 of each file as the module's exercise has it."""
    files = _contents(paths.exercises() / module, names)
    return {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}


# --- in a page ------------------------------------------------------------------------------------


def description(key: str) -> dict[str, Any]:
    """Return the task `module.task` as plain data: for a page, which reads no YAML.

    `spec` and `given` go into a request of `hotloop.judge.practice.answer`, as they are. `files`:
    what the learner begins with. `points`: of each check.
    """
    from hotloop.tasks.task_spec import task_spec

    module, _, name = key.partition(".")
    problem = curriculum.load_module(module)
    task = problem.task(name)
    handed_out = _contents(paths.exercises() / module, task.files)
    return {
        "task": key,
        "title": task.title,
        "goal": task.goal,
        "files": {file: content.decode() for file, content in handed_out.items()},
        "points": {check.id: check.points for check in task.checks},
        "spec": asdict(task_spec(problem, name)),
        "given": _handed_out(module, task.files),
    }


def package_files(modules: Iterable[str]) -> list[Path]:
    """Return the files of Hotloop's package that judging tasks of these modules reads in a page.

    The simulator is whole, since a page has another engine and compiler than this machine.
    """
    names = [f"hotloop.tasks.modules.{module}.tasks" for module in modules]
    command = [sys.executable, "-c", _IMPORTS, *names]
    done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
    imported: list[str] = json.loads(done.stdout)
    data = [_PACKAGE / "tasks" / "authoring.pyi"]
    for folder in (_PACKAGE / "engines" / "simulate", _PACKAGE / "worker" / "include"):
        data += [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc"]
    return sorted({*map(Path, imported), *data})
