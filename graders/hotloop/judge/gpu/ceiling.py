"""The GPU's measured peaks, which give the fraction of the limit and the implausible speed."""

from dataclasses import dataclass
from pathlib import Path

from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.questions import ask_plainly
from hotloop.judge.worker_connection import WorkerConnection

FILE = Path(__file__).parent / "trusted" / "limits.py"
TIMEOUT_S = 120.0


@dataclass(frozen=True)
class Ceiling:
    """bytes_per_s: read plus written by a large copy.

    flops_per_s: of a 16-bit matmul, or None if not measured.
    """

    bytes_per_s: float
    flops_per_s: float | None = None


def measure(worker: WorkerConnection, *, matmul: bool = False) -> Ceiling:
    """Measure in a trusted worker that sees the folder of `FILE`, with no other work on the GPU."""
    moved = ask_number(worker, "copy_bytes_per_second", FILE.name)
    flops = ask_number(worker, "matmul_flops_per_second", FILE.name) if matmul else None
    return Ceiling(moved, flops)


def ask_number(worker: WorkerConnection, function: str, file: str) -> float:
    """Return the positive float that a trusted function without arguments returns.

    Raises JudgeFault for anything else.
    """
    worker.resolve(function, file, TIMEOUT_S)
    value = ask_plainly(worker, (), TIMEOUT_S)
    if not isinstance(value, float) or not value > 0:
        raise JudgeFault(f"{function} answered {value!r}, not a positive number")
    return value
