"""Rung: a CUDA kernel gives correct answers to hidden inputs in the simulator."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from hotloop.core.verdict import Ruling
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.cuda_kernel import CudaLaunch, Simulated, sentence, simulator
from hotloop.judge.fault import made
from hotloop.judge.rungs.correct import Case, require_agreement, ruling_about
from hotloop.judge.session import Session

ORDER = "reverse"
"""Thread order of the simulator: the last thread runs first. A missing barrier often leaves the
result correct, as on a GPU; finding races is the task of `CudaClean`."""


@dataclass(frozen=True)
class CudaCorrect:
    """Every case must agree with a float64 reference, without accesses outside the tensors.

    cases, reference, tolerance: as in `Correct`.
    """

    launch: CudaLaunch
    cases: Callable[[np.random.Generator], Iterable[Case]]
    reference: Callable[..., Floats]
    tolerance: Callable[[Case], Tolerance]
    after: tuple[str, ...] = ()
    case_timeout_s: float = 30.0

    def __call__(self, session: Session) -> str:
        """Compile once and run every case; raise Ruling at the first wrong answer."""
        passed = 0
        simulated = simulator(self.launch, session)
        for case in made(self.cases(session.rng())):
            with ruling_about(case):
                ran = simulated.run(case, session.timeout(self.case_timeout_s), ORDER)
                self._require_right(case, ran)
            passed += 1
        session.note(cases=passed)
        return f"Right on all {passed} hidden cases, in the simulator."

    def _require_right(self, case: Case, ran: Simulated) -> None:
        """Raise Ruling for a wrong answer; append the first finding, which may be the cause."""
        try:
            require_agreement(case, ran.answer, self.reference, self.tolerance(case))
        except Ruling as ruling:
            if not ran.findings:
                raise
            found = sentence(ran.findings[0])
            raise Ruling(ruling.verdict, f"{ruling.sentence} And {found}") from None
