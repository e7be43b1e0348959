"""A CUDA kernel has no data races or other faults, even if its result happens to be right."""

from dataclasses import dataclass, field
from typing import ClassVar

from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.simulate.orders import ORDERS
from hotloop.judge.author_guard import Check
from hotloop.judge.candidate import CUDA, Kind
from hotloop.judge.checks.correct import Truth, ruling_about
from hotloop.judge.cuda_kernel import CudaLaunch, sentence, simulator
from hotloop.judge.session import Session


@dataclass(frozen=True)
class CudaClean(Check):
    """The simulator reports no finding in any thread order, and each answer is correct.

    truth: as in `Correct`, for small cases.
    """

    fits: ClassVar[frozenset[Kind]] = CUDA
    launch: CudaLaunch
    truth: Truth
    after: tuple[str, ...] | None = field(default=("correct",), kw_only=True)
    case_timeout_s: float = 30.0

    def __call__(self, session: Session) -> str:
        """Run every case in every thread order; raise Ruling at the first finding."""
        runs = 0
        simulated = simulator(self.launch, session)
        for case in self.truth.cases(session.rng()):
            require = self.truth.require(case)
            for order in ORDERS:
                with ruling_about(case):
                    ran = simulated.run(case, session.timeout(self.case_timeout_s), order)
                    if ran.findings:
                        raise Ruling(Verdict.WRONG_ANSWER, sentence(ran.findings[0]))
                    require(ran.answer)
                runs += 1
        session.note(runs=runs)
        return f"No race and no other fault in {runs} runs, in {len(ORDERS)} orders of threads."
