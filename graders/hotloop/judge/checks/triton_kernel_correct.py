"""The answers are correct, and the kernels compute them."""

from dataclasses import dataclass
from typing import ClassVar

from hotloop.judge.author_guard import Check
from hotloop.judge.candidate import Kind
from hotloop.judge.checks.triton_kernel_calls import LAUNCHED, TritonKernelCalls
from hotloop.judge.session import Session


@dataclass(frozen=True)
class TritonKernelCorrect(Check):
    """Every case must be correct, and correct again when the recorded kernels run alone.

    A launcher that calls a library instead, in any kind of case, launches no kernels there, or
    kernels that give other answers when nothing else of the file runs.
    """

    fits: ClassVar[frozenset[Kind]] = LAUNCHED
    calls: TritonKernelCalls

    def __call__(self, session: Session) -> str:
        """Make all calls first, since their messages help most; then replay the kernels alone."""
        judged = self.calls.judged(session)
        alone = "all" if judged.replayed == judged.cases else str(judged.replayed)
        session.note(cases=judged.cases, replayed=judged.replayed)
        return (
            f"Right on all {judged.cases} hidden cases, and on new values of {alone} of them "
            "by the kernels alone."
        )
