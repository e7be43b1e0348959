"""Rung: a CUDA kernel has no data races or other faults, even if its result happens to be right."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.simulate.orders import ORDERS
from hotloop.judge.authored import Check
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.cuda_kernel import CudaLaunch, sentence, simulator
from hotloop.judge.rungs.correct import Case, agreement, ruling_about
from hotloop.judge.session import Session


@dataclass(frozen=True)
class CudaClean(Check):
    """The simulator reports no finding in any thread order, and each answer is correct."""

    launch: CudaLaunch
    cases: Callable[[np.random.Generator], Iterable[Case]]
    reference: Callable[..., Floats]
    tolerance: Callable[[Case], Tolerance]
    after: tuple[str, ...] | None = field(default=("correct",), kw_only=True)
    case_timeout_s: float = 30.0

    def __call__(self, session: Session) -> str:
        """Run every case in every thread order; raise Ruling at the first finding."""
        runs = 0
        simulated = simulator(self.launch, session)
        for case in self.cases(session.rng()):
            require = agreement(case, self.reference, self.tolerance)
            for order in ORDERS:
                with ruling_about(case):
                    ran = simulated.run(case, session.timeout(self.case_timeout_s), order)
                    if ran.findings:
                        raise Ruling(Verdict.WRONG_ANSWER, sentence(ran.findings[0]))
                    require(ran.answer)
                runs += 1
        session.note(runs=runs)
        return f"No race and no other fault in {runs} runs, in {len(ORDERS)} orders of threads."
