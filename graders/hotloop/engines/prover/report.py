"""What is said of a task's kernels: proved, a counterexample, or tested, with the reason."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Self

PROVED = "proved"
COUNTEREXAMPLE = "counterexample"
TESTED = "tested"


@dataclass(frozen=True)
class Tensor:
    """A tensor of a counterexample's launches. scratch: its number if the launcher made it."""

    argument: int | None = None
    scratch: int | None = None


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
    """

    kernel: str
    about: str
    result: str
    reason: str = ""
    line: int | None = None
    counterexample: Counterexample | None = None


@dataclass(frozen=True)
class Report:
    """All claims of a task, by kernel. launches: of each path, to compare with recorded ones."""

    claims: Sequence[Claim]
    seconds: float = 0.0
    agrees: bool = True
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def to_message(self) -> dict[str, Any]:
        """Return plain data."""
        return asdict(self)

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Self:
        """Read what `to_message` returned."""
        claims: list[Claim] = []
        for each in message["claims"]:
            found = each["counterexample"]
            example = None if found is None else Counterexample(**found)
            claims.append(Claim(**{**each, "counterexample": example}))
        return cls(claims, message["seconds"], message["agrees"], message["extra"])
