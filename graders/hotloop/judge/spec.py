"""The part of module.yaml that the judge needs about a task.

The judge does not read YAML: its caller puts this into the `Job`.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from hotloop.core.variant import Value
from hotloop.judge.levels import CountLimit, Level


@dataclass(frozen=True)
class CheckSpec:
    """One check of a task."""

    needs: tuple[str, ...] = ()
    """Optional package groups, and `compiler` for g++; without them the check is not measured.
    """

    levels: tuple[Level, ...] = ()
    """Speedups, or ratios of counts, with the share of the check's points that each earns."""

    by_device: Mapping[str, tuple[Level, ...]] = field(default_factory=dict[str, tuple[Level, ...]])
    """Levels for specific devices, by the device name in records."""

    gpu: bool = False
    """True if the check runs on a GPU."""

    limits: tuple[CountLimit, ...] = ()
    """Largest counts, with the share of the check's points that each earns."""

    reachable: float | None = None
    """Speedup of the check's strong baseline on the machine of `levels`, if it has one."""

    unfit: str = ""
    """Why this machine cannot decide the check, as a sentence; empty if it can."""


@dataclass(frozen=True)
class TaskSpec:
    """One judged task."""

    entry: str
    """The function, kernel or operator that the judge calls."""

    files: tuple[str, ...]
    """The files that the learner edits; `entry` is in the last one."""

    checks: Mapping[str, CheckSpec] = field(default_factory=dict[str, CheckSpec])

    cases: tuple[Mapping[str, Value], ...] = ()
    """Shapes of the hidden cases, by name; empty if the checks generate them."""

    module_needs: tuple[str, ...] = ()
    """Package groups that most of the module's tasks need; the worker zygote imports them once."""

    def uses_gpu(self, only: Collection[str] | None = None) -> bool:
        """Return True if one of the checks in `only` (None: any check) runs on a GPU."""
        return any(check.gpu for name, check in self.checks.items() if only is None or name in only)

    @property
    def file(self) -> str | None:
        """The judged file beside the notebook; None if the task is in the notebook itself."""
        last = self.files[-1]
        return None if last.endswith(".ipynb") else last

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Self:
        """Read the output of `dataclasses.asdict`. Raises ValueError for anything else."""
        try:
            checks = {name: _check(check) for name, check in message["checks"].items()}
            return cls(
                str(message["entry"]),
                tuple(message["files"]),
                checks,
                tuple(dict(case) for case in message["cases"]),
                tuple(message["module_needs"]),
            )
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"this is no description of a task: {error!r}") from None


def _check(message: Mapping[str, Any]) -> CheckSpec:
    by_device = {str(device): _levels(levels) for device, levels in message["by_device"].items()}
    return CheckSpec(
        tuple(message["needs"]),
        _levels(message["levels"]),
        by_device,
        bool(message["gpu"]),
        tuple(CountLimit(**limit) for limit in message["limits"]),
        message["reachable"],
        str(message["unfit"]),
    )


def _levels(message: Any) -> tuple[Level, ...]:
    return tuple(Level(**level) for level in message)
