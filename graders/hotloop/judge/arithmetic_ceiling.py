"""Measured peak of this CPU in floating-point operations per second."""

from pathlib import Path

from hotloop.core.wire import Message, as_list, as_message
from hotloop.judge.fault import JudgeFault
from hotloop.judge.launcher import worker_cores
from hotloop.judge.scheduling import join
from hotloop.judge.session import Session

FILE = Path(__file__).parent / "trusted" / "cpu_limits.py"
FUNCTION = "matmul_flops_per_second"
TIMEOUT_S = 60.0


def flops_per_second(session: Session) -> float:
    """Return the FLOP/s of a matrix product in a trusted worker, with the candidate's thread count.

    Raises JudgeFault if the worker returns no positive number.
    """
    link = session.trusted(FILE.parent)
    try:
        join(link, set(worker_cores(session.launcher.threads)))
        link.resolve(FUNCTION, FILE.name, TIMEOUT_S)
        call: Message = {"args": [], "returns": None}
        plan: Message = {"op": "plan", "calls": [call], "framework": "torch", "style": "json"}
        link.request(plan, TIMEOUT_S)
        returned = as_list(link.request({"op": "run"}, TIMEOUT_S).get("returned"))
    finally:
        link.close()
    first = as_message(returned[0]) if returned else None
    value = first.get("json") if first is not None else None
    if not isinstance(value, float) or not value > 0:
        raise JudgeFault(f"{FUNCTION} answered {value!r}, not a positive number")
    return value
