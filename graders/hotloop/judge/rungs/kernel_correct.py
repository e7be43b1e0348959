"""Rung: the answers are right, and they are the kernels' own."""

from dataclasses import dataclass

from hotloop.judge.rungs.kernel_calls import KernelCalls
from hotloop.judge.session import Session


@dataclass(frozen=True)
class KernelCorrect:
    """Every case is right, and is right again when the launched kernels compute it alone.

    A launcher that leaves the work to a library call, in any kind of case, has no kernels to show
    there, or ones that give another answer when nothing else of the file runs.
    """

    calls: KernelCalls
    after: tuple[str, ...] = ()

    def __call__(self, session: Session) -> str:
        """All calls first, because their sentences help most; then the kernels alone."""
        judged = self.calls.judged(session)
        alone = "all" if judged.replayed == judged.cases else str(judged.replayed)
        sentence = (
            f"Right on all {judged.cases} hidden cases, and on new values of {alone} of them "
            "by the kernels alone."
        )
        evidence = {"cases": judged.cases, "replayed": judged.replayed}
        session.note(**evidence)
        return sentence
