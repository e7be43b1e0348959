"""TensorRT engines that a candidate has built: what they need, and the worker that runs one.

No run of an engine on a GPU is recorded yet; elsewhere the rungs say what is missing.
"""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from pathlib import Path

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.candidate import Candidate
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.workers import candidate_worker, trusted_worker
from hotloop.judge.link import Link
from hotloop.judge.program import Process, Program
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session

FILE = Path(__file__).parent / "trusted" / "engine_runner.py"
RUNNER = Program({FILE.name: FILE}, FILE.name)
BUILDER_BYTES = 12 << 30
"""Of the host's memory. TensorRT keeps the weights several times over while it tries kernels."""

REMEDY = "on a machine with an NVIDIA GPU: python -m pip install tensorrt"


def require_tensorrt() -> None:
    """Ruling NOT_MEASURED where no engine can be built."""
    if find_spec("tensorrt") is None:
        raise Ruling(Verdict.NOT_MEASURED, f"TensorRT is not installed here: {REMEDY}")


def builder(session: Session, card: Card) -> AbstractContextManager[Link]:
    """The candidate's worker, in which it builds the engine."""
    return candidate_worker(session, card, BUILDER_BYTES)


@contextmanager
def running(
    build: Callable[[Session, Card], bytes],
    session: Session,
    card: Card,
    runner: Program = RUNNER,
    function: str = "run",
) -> Generator[tuple[Link, Candidate]]:
    """A worker of ours that has loaded the candidate's engine, and what runs it on a batch.

    build: has the candidate build it, once for all rungs of the task. The worker is confined as a
    candidate's is, since an engine is code, and holds nothing else.
    runner: loads it by `load` and runs it by `function`; another one for what is no engine.
    """
    engine = session.once("the engine", lambda: build(session, card))
    with trusted_worker(session, session.staged(runner.files), card) as link:
        # What fails from here on is the candidate's: its engine is what runs.
        link.trusted = False
        process = Process(runner, link, session)
        process.ask("load", GivenFile("network.engine", engine))
        process.resolve(function)
        yield link, process.as_candidate(function)
