"""A task as the judge sees it: its checks, and how the candidate is called.

A module's `tasks.py` defines one `TaskChecks` for each task, under the name that module.yaml uses;
no other registration is needed. Entry, files, needs, levels, limits and points stay in module.yaml.
"""

import hashlib
import importlib
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, is_dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import cast

from hotloop.judge.author_guard import Check
from hotloop.judge.candidate import CUDA, OF_DATA, Candidate, Framework, Kind, Style
from hotloop.judge.check import CheckFunction, as_check
from hotloop.judge.spec import TaskSpec

_OF_DATA = "`hl.Answers` or `hl.RaisesErrorForData`"
_SIMULATED = "`hl.Correct` on `hl.InSimulator`"
_KINDS: Mapping[Kind, tuple[str, str, str]] = {
    "json": ("a function that returns plain data", "returns_data", _OF_DATA),
    "return": ("a function that returns a tensor", "returns_tensor", "`hl.Correct`"),
    "destination": ("a function that fills a tensor", "fills_tensor", "`hl.Correct`"),
    "operator": ("an operator in CUDA C++", "operator", "`hl.Correct`"),
    "cuda": ("a CUDA kernel with its launcher", "cuda_kernel", _SIMULATED),
    "simulated": ("a CUDA kernel without a launcher", "cuda_kernel", _SIMULATED),
}
"""Each kind in words, the function below that makes a task of it, and a check that fits it."""

_STYLES: Mapping[Kind, Style] = {
    "json": "json",
    "return": "return",
    "destination": "destination",
    "operator": "return",
    "cuda": "destination",
    "simulated": "destination",
}

CHECKS = Path(__file__).parents[1] / "tasks" / "modules"


@dataclass(frozen=True)
class TaskChecks:
    """One task. checks: judged in this order. See `Candidate` for the last fields."""

    checks: Mapping[str, Check]
    kind: Kind = "json"
    framework: Framework = "torch"
    launched_by: Path | None = None

    def __post_init__(self) -> None:
        """Refuse here, where it is the check's fault, checks that cannot judge this task.

        Raises TypeError for no checks at all, since every answer would pass, for a check of
        candidates of another kind, and for one that comes after a check that is not before it.
        """
        if not self.checks:
            raise TypeError("a task has at least one check")
        names = list(self.checks)
        for number, (name, check) in enumerate(self.checks.items()):
            self._require_fit(name, check)
            for before in check.prerequisites:
                if before not in names[:number]:
                    raise TypeError(
                        f"the check {name!r} comes after {before!r}, and the checks before it are "
                        f"{names[:number]}: name those that must pass first by `after=(…,)`, or "
                        "none by `after=()`"
                    )

    def _require_fit(self, name: str, check: Check) -> None:
        kind = self._kind_for(check)
        if kind in check.can_judge:
            return
        fitting = [of for other, of in _KINDS.items() if other in check.can_judge]
        makers = dict.fromkeys(f"`hl.{maker}`" for _, maker, _ in fitting)
        words, _, instead = _KINDS[kind]
        raise TypeError(
            f"the check {name!r}, {type(check).__name__}, is for "
            f"{_either(one for one, _, _ in fitting)}, and here it is given {words}: make the task "
            f"by {_either(makers)}, or take a check of another class, such as {instead}"
        )

    def _kind_for(self, check: Check) -> Kind:
        """Return what the check judges: the task's candidate, or another function of its file."""
        if self.kind in CUDA:
            return self.kind
        if check.entry is not None and check.style is None and check.can_judge == OF_DATA:
            return "json"
        return self.kind if check.style is None or self.kind == "operator" else check.style

    @property
    def style(self) -> Style:
        """How the candidate is called."""
        return _STYLES[self.kind]

    def candidate(self, spec: TaskSpec) -> Candidate:
        """Return the function, kernel or operator to judge."""
        operator = self.kind == "operator"
        return Candidate(
            spec.entry, spec.file, self.style, self.framework, operator, self.launched_by
        )

    def is_timed(self, only: frozenset[str] | None = None) -> bool:
        """Return True if one of the checks in `only` (None: any check) times a worker on a CPU."""
        return any(
            check.timed for name, check in self.checks.items() if only is None or name in only
        )


def _either(words: Iterable[str]) -> str:
    *others, last = words
    return f"{', '.join(others)} or {last}" if others else last


def _checks(checks: Mapping[str, CheckFunction]) -> dict[str, Check]:
    """Return the checks of a task. Raises TypeError for what is none, naming its place."""
    for name, check in checks.items():
        if isinstance(check, type):
            raise TypeError(
                f"the check {name!r} is the class {check.__name__}: make one, as in "
                f"`hl.{check.__name__}(…)`"
            )
        if not callable(check):
            raise TypeError(f"the check {name!r} is {check!r:.80}, expected a function")
        if isinstance(check, partial):
            if isinstance(cast(object, check.func), Check):
                raise TypeError(
                    f"the check {name!r} is a `partial`: give the function's arguments by `bind`"
                )
        elif is_dataclass(check) and not isinstance(check, Check):
            raise TypeError(f"{type(check).__name__} does not derive from `Check`")
    return {name: as_check(check) for name, check in checks.items()}


def returns_data(framework: Framework = "torch", /, **checks: CheckFunction) -> TaskChecks:
    """A task whose function returns plain JSON data."""
    return TaskChecks(_checks(checks), "json", framework)


def returns_tensor(framework: Framework = "torch", /, **checks: CheckFunction) -> TaskChecks:
    """A task whose function returns one tensor, which the worker copies into the judge's memory."""
    return TaskChecks(_checks(checks), "return", framework)


def fills_tensor(framework: Framework = "torch", /, **checks: CheckFunction) -> TaskChecks:
    """A task whose function fills its last argument, the judge's output tensor."""
    return TaskChecks(_checks(checks), "destination", framework)


def operator(**checks: CheckFunction) -> TaskChecks:
    """A task whose file builds a PyTorch operator from CUDA C++; the simulator replaces a GPU."""
    return TaskChecks(_checks(checks), "operator")


def cuda_kernel(launched_by: Path | None = None, /, **checks: CheckFunction) -> TaskChecks:
    """A task whose file holds a CUDA kernel.

    launched_by: CUDA file of the check that launches the kernel on a GPU; without it, all checks
        run the kernel in the simulator.
    """
    kind = "simulated" if launched_by is None else "cuda"
    return TaskChecks(_checks(checks), kind, launched_by=launched_by)


def find(module: str, name: str, source: Path | None = None) -> TaskChecks:
    """Return the task `module.name`. Raises KeyError, which names the missing module or task.

    source: folder of a problem outside the curriculum; its `tasks.py` is imported.
    """
    tasks = _of_checks(module) if source is None else _from_folder(source)
    task = getattr(tasks, name, None)
    if not isinstance(task, TaskChecks):
        what = "" if task is None else f": it is {task!r:.60}, and no task"
        raise KeyError(f"module {module!r} has no task called {name!r}{what}")
    return task


def folder_of(module: str, source: str | None) -> Path:
    """Return the folder of the module's `tasks.py`. source: as in `Job`."""
    return CHECKS / module if source is None else Path(source)


def _of_checks(module: str) -> ModuleType:
    if not module.isidentifier():
        raise KeyError(f"{module!r} is no module's name")
    path = f"hotloop.tasks.modules.{module}.tasks"
    try:
        return importlib.import_module(path)
    except ModuleNotFoundError as error:
        if error.name is None or not path.startswith(error.name):
            raise
        raise KeyError(f"no checks for a module called {module!r}") from None


def _from_folder(source: Path) -> ModuleType:
    """Import the folder's `tasks.py` in a package, so that it can use `from . import reference`."""
    package = "problem_" + hashlib.sha256(str(source.resolve()).encode()).hexdigest()[:16]
    if package not in sys.modules:
        sys.modules[package] = ModuleType(package)
        sys.modules[package].__path__ = [str(source)]
    return importlib.import_module(f"{package}.tasks")
