"""TensorRT engines that a candidate builds: requirements, and the worker that runs one.

No run of an engine on a GPU is recorded yet; without TensorRT, the checks say what is missing.
"""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from pathlib import Path

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.candidate import Candidate
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.workers import candidate_worker, trusted_worker
from hotloop.judge.program import Process, Program
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import WorkerConnection

FILE = Path(__file__).parent / "trusted" / "engine_runner.py"
RUNNER = Program({FILE.name: FILE}, FILE.name)
BUILDER_BYTES = 12 << 30
"""Limit of host memory. TensorRT keeps several copies of the weights while it tries kernels."""

REMEDY = "on a machine with an NVIDIA GPU: python -m pip install tensorrt"


def require_tensorrt() -> None:
    """Raise Ruling(NOT_MEASURED) if TensorRT is not installed."""
    if find_spec("tensorrt") is None:
        raise Ruling(Verdict.NOT_MEASURED, f"TensorRT is not installed here: {REMEDY}")


def builder(session: Session, card: Card) -> AbstractContextManager[WorkerConnection]:
    """Return the candidate's worker, in which it builds the engine."""
    return candidate_worker(session, card, BUILDER_BYTES)


@contextmanager
def running(
    build: Callable[[Session, Card], bytes],
    session: Session,
    card: Card,
    runner: Program = RUNNER,
    function: str = "run",
) -> Generator[tuple[WorkerConnection, Candidate]]:
    """Yield a trusted worker that has loaded the candidate's engine, and the function to call.

    build: has the candidate build the engine, once for all checks of the task. The worker is
        confined like a candidate's, since an engine is code, and holds nothing else.
    runner: loads the engine with `load` and runs it with `function`; pass another program for other
        formats.
    """
    engine = session.once("the engine", lambda: build(session, card))
    with trusted_worker(session, session.staged(runner.files), card) as worker:
        # From here on, failures are the candidate's, since its engine runs.
        worker.trusted = False
        process = Process(runner, worker, session)
        process.ask("load", GivenFile("network.engine", engine))
        process.resolve(function)
        yield worker, process.as_candidate(function)
