"""A process for vetted kernels, without the learner's Python."""

from collections.abc import Generator, Mapping
from contextlib import contextmanager

from hotloop.judge.link import Link
from hotloop.judge.session import Session


@contextmanager
def kernel_process(
    session: Session, program: str, environment: Mapping[str, str]
) -> Generator[Link]:
    """`hotloop.worker.<program>` in a sandbox of its own."""
    module = ("-m", f"hotloop.worker.{program}")
    link = session.trusted(None, environment, module, runs_kernels=True)
    try:
        yield link
    finally:
        link.close()
