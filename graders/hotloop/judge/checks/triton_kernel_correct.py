"""The answers are correct, and the kernels compute them."""

from dataclasses import dataclass
from typing import ClassVar

from hotloop.core.extras import NO_SOLVER
from hotloop.core.verdict import Ruling
from hotloop.judge.author_guard import Check
from hotloop.judge.candidate import Kind
from hotloop.judge.checks.triton_kernel_calls import LAUNCHED, OutsideRuling, TritonKernelCalls
from hotloop.judge.checks.triton_kernel_proof import proofs
from hotloop.judge.race_ruling import RaceRuling
from hotloop.judge.session import Session


@dataclass(frozen=True)
class TritonKernelCorrect(Check):
    """Every case must be correct, and correct again when the recorded kernels run alone.

    A launcher that calls a library instead, in any kind of case, launches no kernels there, or
    kernels that give other answers when nothing else of the file runs. What is proved of the
    kernels for every size stands beside the verdict, and changes none.
    """

    fits: ClassVar[frozenset[Kind]] = LAUNCHED
    calls: TritonKernelCalls

    def __call__(self, session: Session) -> str:
        """Make all calls first, since their messages help most; then replay the kernels alone."""
        try:
            judged = self.calls.judged(session)
        except (OutsideRuling, RaceRuling) as fault:
            fault.sentence += self._smallest(session)
            raise
        alone = "all" if judged.replayed == judged.cases else str(judged.replayed)
        session.note(cases=judged.cases, replayed=judged.replayed)
        claims = proofs(session, judged.every)
        session.note(proofs=NO_SOLVER if claims is None else claims.evidence)
        return (
            f"Right on all {judged.cases} hidden cases, and on new values of {alone} of them "
            f"by the kernels alone.{'' if claims is None else claims.sentence}"
        )

    def _smallest(self, session: Session) -> str:
        """Return the smallest sizes at which the kernels fail, in a sentence, or ""."""
        try:
            cases = [case.spec for case in self.calls.truth.cases(session.rng())]
        except Ruling:
            return ""
        claims = proofs(session, [(spec, None) for spec in cases])
        return f" {claims.broken}" if claims is not None and claims.broken else ""
