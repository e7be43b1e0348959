"""The judge's verdicts, and the exceptions that end a check with one."""

from enum import StrEnum


class Verdict(StrEnum):
    """The judge's verdict on a check or on a task, in the order of the design page.

    UNDECIDED, NOT_MEASURED and JUDGE_ERROR leave the points open; of the others, PASSED earns all,
    PARTIAL a share and the rest none.
    """

    PASSED = "passed"
    PARTIAL = "partial"
    WRONG_ANSWER = "wrong_answer"
    TOO_SLOW = "too_slow"
    UNDECIDED = "undecided"
    COMPILE_ERROR = "compile_error"
    RUNTIME_ERROR = "runtime_error"
    TIMEOUT = "timeout"
    MEMORY_LIMIT = "memory_limit"
    OUTPUT_LIMIT = "output_limit"
    IMPLAUSIBLE = "implausible"
    TAMPERED = "tampered"
    NOT_MEASURED = "not_measured"
    JUDGE_ERROR = "judge_error"

    @property
    def pending(self) -> bool:
        """Return True if the learner's points stay open instead of being lost."""
        return self in _PENDING


_PENDING = frozenset({Verdict.UNDECIDED, Verdict.NOT_MEASURED, Verdict.JUDGE_ERROR})


class Ruling(Exception):
    """Ends a check with a verdict.

    Can be raised anywhere below a check.

    verdict: of the check, in its record. sentence: tells the learner what to do next.
    """

    def __init__(self, verdict: Verdict, sentence: str) -> None:
        super().__init__(f"{verdict}: {sentence}")
        self.verdict = verdict
        self.sentence = sentence
        self.about: object = None
        """The case or question that the verdict is about. It stays in the judge's process."""


class Partly(Ruling):
    """Ends a check with a share of its points: PARTIAL, or TOO_SLOW if the share is 0.

    earned: share of the points, 0 to 1. sentence: what the learner is told.
    """

    def __init__(self, earned: float, sentence: str) -> None:
        super().__init__(Verdict.PARTIAL if earned else Verdict.TOO_SLOW, sentence)
        self.earned = earned


class Raised(Ruling):
    """The candidate's function raised an exception, of any type.

    It is the right answer where a check asks for an error.
    """


class NotInterpreted(Ruling):
    """A kernel uses what Triton compiles and its interpreter cannot run.

    It earns nothing, as anybody could choose to write that. A check that gives no points may say
    `not_measured` instead.
    """

    def __init__(self, sentence: str) -> None:
        super().__init__(Verdict.RUNTIME_ERROR, sentence)
