"""A process for vetted kernels that does not run the learner's Python code."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from hotloop.judge.session import Session
from hotloop.judge.worker_connection import WorkerConnection


@contextmanager
def kernel_process(
    session: Session, program: str, environment: Mapping[str, str]
) -> Generator[WorkerConnection]:
    """Run `hotloop.worker.<program>` in its own sandbox; end it when the `with` block exits."""
    module = ("-m", f"hotloop.worker.{program}")
    worker = session.trusted(None, environment, module, runs_kernels=True)
    try:
        yield worker
    finally:
        worker.close()
