"""What the judge writes about one task of one submission: the only thing that earns points.

Plain dataclasses, so that the judge runs with nothing but numpy. `to_json` and `from_json` are the
file format; unknown keys are refused.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self

from hotloop.core.verdict import Verdict

FORMAT = 1

NOT_REACHED = "Skipped until"
NOT_ATTEMPTED = "Not attempted"
"""How the sentence of a rung begins that was not judged, because one before it did not pass."""

LONGEST_SENTENCE = 600
"""Names that a candidate chose stand in sentences: no record may grow by them."""

JUDGING_SECONDS = "judging_seconds"
"""Key in a rung's evidence: how long judging it took, the wait for its turn to measure included."""


@dataclass(frozen=True)
class RungRecord:
    """One rung of the evidence ladder.

    earned: share of the rung's points, 0 to 1; always 0 while the verdict is pending.
    instrumented: the figure was taken in a process that also held other learner code.
    evidence: plain data for the feedback page (figures, units in the key names).
    """

    rung: str
    verdict: Verdict
    sentence: str
    earned: float = 0.0
    instrumented: bool = False
    evidence: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        if len(self.sentence) > LONGEST_SENTENCE:
            object.__setattr__(self, "sentence", self.sentence[: LONGEST_SENTENCE - 1] + "…")


@dataclass(frozen=True)
class Circumstances:
    """Under what the verdict was reached; enough to repeat it and to defend it.

    variant: digest of the candidate's variant; empty in a course, and in records from before there
        were any.
    """

    submission_digest: str
    grader_version: str
    module_digest: str
    device: str
    driver: str
    libraries: Mapping[str, str]
    seed: str
    isolation: str
    started: str
    seconds: float
    variant: str = ""


@dataclass(frozen=True)
class Record:
    """The judge's statement about one task."""

    module: str
    task: str
    verdict: Verdict
    sentence: str
    rungs: Sequence[RungRecord]
    circumstances: Circumstances
    format: int = FORMAT

    @property
    def pending(self) -> bool:
        """True when at least one rung is still open."""
        return any(rung.verdict.pending for rung in self.rungs)

    def rung(self, name: str) -> RungRecord:
        """The rung called `name`; KeyError if this task has none of that name."""
        for rung in self.rungs:
            if rung.rung == name:
                return rung
        raise KeyError(name)

    def to_json(self) -> dict[str, Any]:
        """A document of plain JSON types."""
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote. ValueError names a key that is missing or unknown."""
        _require_keys(document, cls, "record")
        if document["format"] != FORMAT:
            raise ValueError(f"record format {document['format']!r} is not {FORMAT}")
        rungs: list[RungRecord] = []
        for entry in document["rungs"]:
            _require_keys(entry, RungRecord, "rung")
            rungs.append(_rung(entry))
        _require_keys(document["circumstances"], Circumstances, "circumstances", {"variant"})
        return cls(
            module=document["module"],
            task=document["task"],
            verdict=Verdict(document["verdict"]),
            sentence=document["sentence"],
            rungs=tuple(rungs),
            circumstances=Circumstances(**document["circumstances"]),
        )


def summarize(rungs: Sequence[RungRecord]) -> tuple[Verdict, str]:
    """The task's verdict and sentence from those of its rungs, in ladder order.

    A failure outranks an open rung, because it is what the learner can act on.
    """
    failed = [r for r in rungs if r.verdict is not Verdict.PASSED and not r.verdict.pending]
    pending = [r for r in rungs if r.verdict.pending]
    if not failed and not pending:
        return Verdict.PASSED, rungs[-1].sentence
    earned = any(r.earned > 0 for r in rungs)
    if not failed and earned:
        names = ", ".join(r.rung for r in pending)
        return Verdict.PARTIAL, f"Passed everything this machine can measure. Pending: {names}."
    first = failed[0] if failed else pending[0]
    return (Verdict.PARTIAL if earned else first.verdict), first.sentence


def _rung(entry: Mapping[str, Any]) -> RungRecord:
    values: dict[str, Any] = dict(entry)
    values["verdict"] = Verdict(entry["verdict"])
    return RungRecord(**values)


def _require_keys(
    document: Mapping[str, Any], model: type[Any], what: str, later: Set[str] = frozenset()
) -> None:
    """later: keys that older documents lack."""
    expected = {f.name for f in fields(model)}
    given = set(document)
    if unknown := sorted(given - expected):
        raise ValueError(f"{what} has unknown keys: {', '.join(unknown)}")
    if missing := sorted(expected - given - later):
        raise ValueError(f"{what} lacks keys: {', '.join(missing)}")
