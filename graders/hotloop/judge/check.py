"""How a module tells the judge what a task is: who is judged, and by which rungs.

A check file (`hotloop/checks/<module>.py`, or a package of that name) holds one function a task,
named like the task, that returns a `Check`. Nothing else registers it: the judge finds module and
task by name. A function may have one parameter, the `Variant` that a candidate of a take-home has;
names of callables are none of its affair: the session knows what the candidate calls them.
"""

from __future__ import annotations

import importlib
import inspect
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import cast

from hotloop import extras
from hotloop.judge.candidate import Candidate
from hotloop.judge.rung import Rung
from hotloop.judge.rung import is_timed as times
from hotloop.variants.variant import Variant, plain


@dataclass(frozen=True)
class Check:
    """A task as the judge sees it.

    rungs: judged in order; module.yaml gives their points.
    programs: what this machine must have for any of them, by name of the executable and of the
        Debian package it comes in. extras: likewise, Hotloop's optional groups of packages. Without
        one nothing is measured, and no points are lost.
    """

    candidate: Candidate
    rungs: Mapping[str, Rung]
    programs: Mapping[str, str] = field(default_factory=dict[str, str])
    extras: tuple[str, ...] = ()


def find(module: str, task: str, variant: Variant | None = None) -> Check:
    """The check of `module.task`. KeyError names what is missing."""
    if not module.isidentifier():
        raise KeyError(f"{module!r} is no module's name")
    try:
        checks = importlib.import_module(f"hotloop.checks.{module}")
    except ModuleNotFoundError as error:
        if error.name != f"hotloop.checks.{module}":
            raise
        raise KeyError(f"no checks for a module called {module!r}") from None
    function = getattr(checks, task, None)
    if not callable(function) or getattr(function, "__module__", "") != checks.__name__:
        raise KeyError(f"module {module!r} has no task called {task!r}")
    if not inspect.signature(function).parameters:
        return cast(Callable[[], Check], function)()
    return cast(Callable[[Variant], Check], function)(variant or plain(module))


def is_timed(check: Check, only: frozenset[str] | None = None) -> bool:
    """True when one of the rungs that are asked for times a worker on a CPU."""
    return any(times(rung) for name, rung in check.rungs.items() if only is None or name in only)


def lacking(check: Check) -> str | None:
    """What this machine lacks for the check, and the remedy; None if it lacks nothing."""
    for program, package in check.programs.items():
        if shutil.which(program) is None:
            return f"{program} is missing on this machine: sudo apt-get install {package}"
    for extra in check.extras:
        if missing := extras.missing(extra):
            return f"{missing[0]} is missing on this machine: {extras.remedy(extra)}"
    return None
