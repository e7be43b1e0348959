"""What is said of a task's kernels: proved, a counterexample, or tested, with the reason."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

PROVED = "proved"
COUNTEREXAMPLE = "counterexample"
TESTED = "tested"


@dataclass(frozen=True)
class Counterexample:
    """Sizes at which an access leaves its tensor, or two programs meet, and how to run it.

    values: of the contract's symbols. launches: as `judge.launch_plan` reads them; `scratch`
    likewise. Nobody is told before it has failed for real.
    """

    values: Mapping[str, int]
    launches: Sequence[Mapping[str, Any]]
    scratch: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Claim:
    """What holds of a property of one kernel.

    about: "bounds" or "races". result: PROVED, COUNTEREXAMPLE or TESTED; the last with its reason.
    read: the whole kernel was followed.
    """

    kernel: str
    about: str
    result: str
    reason: str = ""
    line: int | None = None
    counterexample: Counterexample | None = None
    read: bool = True


@dataclass(frozen=True)
class Report:
    """All claims of a task. seconds: what it took on a core, and of that each kernel."""

    claims: Sequence[Claim]
    seconds: float = 0.0
    kernel_seconds: Mapping[str, float] = field(default_factory=dict[str, float])

    def to_message(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Self:
        """Read what `to_message` returned."""
        claims: list[Claim] = []
        for each in message["claims"]:
            example = each["counterexample"]
            values: dict[str, Any] = {**each}
            values["counterexample"] = None if example is None else Counterexample(**example)
            claims.append(Claim(**values))
        return cls(claims, message["seconds"], message["kernel_seconds"])
