"""What module.yaml says of a task, as far as the judge must know it.

The judge reads no YAML: whoever starts it puts this into the `Job`.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from hotloop.judge.levels import Level


@dataclass(frozen=True)
class RungSpec:
    """One rung of a task."""

    needs: tuple[str, ...] = ()
    """Optional groups of packages, and `compiler` for g++: without one nothing is measured."""

    levels: tuple[Level, ...] = ()
    """What a speed-up earns, as a share of the rung's points."""

    by_device: Mapping[str, tuple[Level, ...]] = field(default_factory=dict[str, tuple[Level, ...]])
    """Of devices that have other levels, by the name that records give them."""

    gpu: bool = False
    """It runs on a GPU."""


@dataclass(frozen=True)
class TaskSpec:
    """One task that is judged."""

    entry: str
    """The function, kernel or operator that is called."""

    files: tuple[str, ...]
    """What the learner edits; `entry` is in the last one."""

    rungs: Mapping[str, RungSpec] = field(default_factory=dict[str, RungSpec])

    module_needs: tuple[str, ...] = ()
    """Groups of packages that most of the module's tasks need: worth importing once for all."""

    def uses_gpu(self, only: Collection[str] | None = None) -> bool:
        """True when one of its rungs, or of those named, runs on a GPU."""
        return any(r.gpu for name, r in self.rungs.items() if only is None or name in only)

    @property
    def file(self) -> str | None:
        """The file beside the notebook that is judged; None where it is the notebook itself."""
        last = self.files[-1]
        return None if last.endswith(".ipynb") else last

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Self:
        """Read what `dataclasses.asdict` wrote. ValueError for anything else."""
        try:
            rungs = {name: _rung(rung) for name, rung in message["rungs"].items()}
            return cls(
                str(message["entry"]),
                tuple(message["files"]),
                rungs,
                tuple(message["module_needs"]),
            )
        except (AttributeError, KeyError, TypeError) as error:
            raise ValueError(f"this is no description of a task: {error!r}") from None


def _rung(message: Mapping[str, Any]) -> RungSpec:
    by_device = {str(device): _levels(found) for device, found in message["by_device"].items()}
    levels = _levels(message["levels"])
    return RungSpec(tuple(message["needs"]), levels, by_device, bool(message["gpu"]))


def _levels(message: Any) -> tuple[Level, ...]:
    return tuple(Level(**level) for level in message)
