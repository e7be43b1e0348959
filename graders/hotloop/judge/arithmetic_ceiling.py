"""Measured peak of this CPU in floating-point operations per second."""

from pathlib import Path

from hotloop.judge.gpu.ceiling import ask_number
from hotloop.judge.launcher import worker_cores
from hotloop.judge.scheduling import join
from hotloop.judge.session import Session

FILE = Path(__file__).parent / "trusted" / "cpu_limits.py"


def flops_per_second(session: Session) -> float:
    """Return the FLOP/s of a matrix product in a trusted worker, with the candidate's thread count.

    Raises JudgeFault if the worker returns no positive number.
    """
    worker = session.trusted(FILE.parent)
    try:
        join(worker, set(worker_cores(session.launcher.threads)))
        return ask_number(worker, "matmul_flops_per_second", FILE.name)
    finally:
        worker.close()
