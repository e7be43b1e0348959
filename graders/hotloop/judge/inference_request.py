"""Requests to a candidate's server, and comparison of the answers."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar

from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.serving.inference import Array, Client, InferenceFailed
from hotloop.engines.serving.server import TritonServer
from hotloop.judge.author_guard import Authored
from hotloop.judge.model_servers import no_answer

Said = Mapping[str, Array] | InferenceFailed


@dataclass(frozen=True)
class Exchange(Authored):
    """One request. Texts are object arrays of bytes.

    mismatch: checks the answer, which may be an error; returns the beginning of a sentence, or None
        if it is correct.
    """

    reads_answer: ClassVar[frozenset[str]] = frozenset({"mismatch"})
    model: str
    inputs: Mapping[str, Array]
    mismatch: Callable[[Said], str | None]
    version: str = ""
    outputs: Sequence[str] = ()


@dataclass(frozen=True)
class Inquiry(Authored):
    """Requests that are sent at the same time. label: their name in messages to the learner."""

    label: str
    exchanges: tuple[Exchange, ...]

    def __post_init__(self) -> None:
        """Raise ValueError if nothing is requested: every server would pass."""
        super().__post_init__()
        if not self.exchanges:
            raise ValueError(f"the inquiry {self.label!r} has no requests")


def ask(server: TritonServer, inquiry: Inquiry, timeout_s: float) -> None:
    """Send the requests and check all answers. Raises Ruling at the first wrong or missing one."""
    with ThreadPoolExecutor(len(inquiry.exchanges)) as pool:
        futures = [pool.submit(_infer, server, e, timeout_s) for e in inquiry.exchanges]
        failures = [future.exception() for future in futures]
    for failure in failures:
        if failure is None:
            continue
        if isinstance(failure, OSError | ValueError):
            raise no_answer(server, failure)
        raise failure
    for exchange, future in zip(inquiry.exchanges, futures, strict=True):
        mismatch = exchange.mismatch(future.result())
        if mismatch is not None:
            raise Ruling(Verdict.WRONG_ANSWER, f"{inquiry.label}: {mismatch}.")


def _infer(server: TritonServer, exchange: Exchange, timeout_s: float) -> Said:
    with Client(server, timeout_s) as client:
        try:
            return client.infer(
                exchange.model, exchange.inputs, version=exchange.version, outputs=exchange.outputs
            )
        except InferenceFailed as error:
            return error
