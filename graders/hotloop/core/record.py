"""The judge's result for one task of one submission: the only source of points.

Plain dataclasses, so that the judge needs no library but numpy. `to_json` and `from_json` define
the file format; unknown keys are rejected.
"""

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, fields
from typing import Any, Self

from hotloop.core.verdict import Verdict

FORMAT = 1

NOT_REACHED = "Skipped until"
NOT_ATTEMPTED = "Not attempted"
"""Start of the sentence of a check that was not judged because an earlier one did not pass."""

OUR_FAILURE = "The judge itself failed here; no points are lost, and the instructor has the log."
"""The sentence of a check, or of a task, that a failure of the judge ended."""

LONGEST_SENTENCE = 600
"""Characters. Sentences can contain names that the candidate chose, so their length is limited."""

JUDGING_SECONDS = "judging_seconds"
"""Evidence key: seconds that judging the check took, without the wait for its turn to measure."""


@dataclass(frozen=True)
class CheckRecord:
    """The result of one check.

    earned: share of the check's points, 0 to 1; always 0 while the verdict is pending.
    instrumented: the result was recorded in a process that also ran code of the learner.
    evidence: plain data for the feedback page (figures, with units in the key names).
    """

    check: str
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
    """The conditions of a verdict: enough to repeat it and to justify it.

    variant: digest of the candidate's or class's variant; "" for the module as it is published.
    seeded: the seed was given and not drawn, so the inputs were known beforehand.
    practice: judged in one process with the submission, without a sandbox, so it never counts.
    """

    submission_digest: str
    grader_version: str
    grader_digest: str
    device: str
    driver: str
    libraries: Mapping[str, str]
    seed: str
    isolation: str
    started: str
    seconds: float
    variant: str = ""
    seeded: bool = False
    practice: bool = False


@dataclass(frozen=True)
class Record:
    """The judge's result for one task."""

    module: str
    task: str
    verdict: Verdict
    sentence: str
    checks: Sequence[CheckRecord]
    circumstances: Circumstances
    format: int = FORMAT

    @property
    def pending(self) -> bool:
        """Return True if at least one check is pending."""
        return any(check.verdict.pending for check in self.checks)

    def check(self, name: str) -> CheckRecord:
        """Return the check called `name`. Raises KeyError if this task has none of that name."""
        for check in self.checks:
            if check.check == name:
                return check
        raise KeyError(name)

    def to_json(self) -> dict[str, Any]:
        """Return a document of plain JSON types."""
        checks = [dict(vars(check)) for check in self.checks]
        return {**vars(self), "checks": checks, "circumstances": dict(vars(self.circumstances))}

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> Self:
        """Read what `to_json` wrote. Raises ValueError that names a missing or unknown key."""
        _require_keys(document, cls, "record")
        if document["format"] != FORMAT:
            raise ValueError(f"record format {document['format']!r} is not {FORMAT}")
        checks: list[CheckRecord] = []
        for entry in document["checks"]:
            _require_keys(entry, CheckRecord, "check")
            values: dict[str, Any] = {**entry, "verdict": Verdict(entry["verdict"])}
            checks.append(CheckRecord(**values))
        later = {"variant", "seeded", "practice"}
        _require_keys(document["circumstances"], Circumstances, "circumstances", later)
        return cls(
            module=document["module"],
            task=document["task"],
            verdict=Verdict(document["verdict"]),
            sentence=document["sentence"],
            checks=tuple(checks),
            circumstances=Circumstances(**document["circumstances"]),
        )


def counts(record: Record, variant: str) -> bool:
    """Return whether a record may earn points, which everything asks that counts any.

    It is no practice verdict, and `is_about_given`. variant: as of that.
    """
    return is_about_given(record, variant) and not record.circumstances.practice


def is_about_given(record: Record, variant: str) -> bool:
    """Return whether a record says something of what its learner was given.

    It was judged with what the course or the take-home gave, and with inputs that nobody knew.
    variant: the digest of what was given, "" for the module as it is published.
    """
    return record.circumstances.variant == variant and not record.circumstances.seeded


def summarize(checks: Sequence[CheckRecord]) -> tuple[Verdict, str]:
    """Return the task's verdict and sentence from those of its checks, given in order.

    A failure takes precedence over a pending check, because the learner can act on it.
    """
    failed = [r for r in checks if r.verdict is not Verdict.PASSED and not r.verdict.pending]
    pending = [r for r in checks if r.verdict.pending]
    if not failed and not pending:
        return Verdict.PASSED, checks[-1].sentence
    earned = any(r.earned > 0 for r in checks)
    if not failed and earned:
        names = ", ".join(r.check for r in pending)
        measured = all(r.verdict is Verdict.NOT_MEASURED for r in pending)
        what = "everything this machine can measure" if measured else "all that was decided"
        return Verdict.PARTIAL, f"Passed {what}. Pending: {names}."
    first = failed[0] if failed else pending[0]
    return (Verdict.PARTIAL if earned else first.verdict), first.sentence


def _require_keys(
    document: Mapping[str, Any], model: type[Any], what: str, later: Set[str] = frozenset()
) -> None:
    """Raise ValueError if keys are missing or unknown. later: keys that older documents lack."""
    expected = {f.name for f in fields(model)}
    keys = set(document)
    if unknown := sorted(keys - expected):
        raise ValueError(f"{what} has unknown keys: {', '.join(unknown)}")
    if missing := sorted(expected - keys - later):
        raise ValueError(f"{what} lacks keys: {', '.join(missing)}")
