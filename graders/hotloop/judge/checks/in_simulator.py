"""Where a CUDA kernel's cases are computed without a GPU: the simulator."""

from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec

from hotloop.core.extras import NO_SOLVER
from hotloop.core.verdict import Ruling
from hotloop.judge.calls import CallSpec
from hotloop.judge.candidate import CUDA, Kind
from hotloop.judge.checks.correct import Case, Require, Running
from hotloop.judge.cuda_kernel import CudaLaunch, sentence, simulator
from hotloop.judge.session import Session

ORDER = "reverse"
"""Thread order of the simulator: the last thread runs first. A missing barrier often leaves the
result correct, as on a GPU; finding races is the task of `CudaClean`."""


@dataclass(frozen=True)
class InSimulator:
    """The simulator, which also reports accesses outside of the tensors.

    after: as in `OnGpu`.
    """

    launch: CudaLaunch
    after: tuple[str, ...] = ()
    case_timeout_s: float = 30.0

    @property
    def can_judge(self) -> frozenset[Kind]:
        """As of `Check`."""
        return CUDA

    @contextmanager
    def running(self, session: Session, timeout_s: float) -> Generator[Running]:
        """Yield the kernel, compiled once for all checks."""
        simulated = simulator(self.launch, session)
        calls: list[CallSpec] = []

        def run(case: Case, require: Require) -> None:
            calls.append(case.spec)
            ran = simulated.run(case, session.timeout(timeout_s), ORDER)
            try:
                require(ran.answer)
            except Ruling as ruling:
                if not ran.findings:
                    raise
                # The first finding may be the cause of the wrong answer.
                found = sentence(ran.findings[0])
                raise Ruling(ruling.verdict, f"{ruling.sentence} And {found}") from None

        def proved() -> str:
            if find_spec("z3") is None:
                session.note(proofs=NO_SOLVER)
                return ""
            from hotloop.judge.checks.cuda_kernel_proof import told  # a page has nothing of it

            return told(self.launch, calls, simulated, session)

        yield Running(run, ", in the simulator", more=proved)
