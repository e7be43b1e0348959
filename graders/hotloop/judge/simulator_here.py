"""The simulator as a part of the judge's own process: no other process, no socket, no sandbox.

What the learner wrote becomes WebAssembly, which reaches nothing but its own memory, and the engine
ends it when its time is over. It answers the same requests as the worker (`Simulator`), and what
passes between them is made of plain data in the same way. Only practice verdicts come from here:
compiler and simulator, which read the learner's file, have no other wall around them.
"""

import time
from collections.abc import Mapping
from typing import Any

from hotloop.core import wire
from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.simulate import cache
from hotloop.engines.simulate.worker import SimulatorWorker
from hotloop.judge.budget import Budget
from hotloop.judge.buffers import Buffer, OwnMemory
from hotloop.judge.worker_connection import LATE, failure


class SimulatorHere:
    """A `Simulator` without a process. budget: the task's time."""

    memory: type[Buffer] = OwnMemory

    def __init__(self, budget: Budget) -> None:
        self._budget = budget
        # What is built is found again by the path of its source, too: the second check is faster.
        folder = cache.folder() / "sources"
        folder.mkdir(exist_ok=True)
        self._worker = SimulatorWorker(folder)

    def map(self, buffers: Mapping[int, Buffer]) -> None:
        """As of `Simulator`."""
        self._worker.lend({number: b.bytes.data for number, b in buffers.items()})

    def request(self, message: wire.Message, timeout_s: float) -> wire.Message:
        """As of `Simulator`. A launch ends in time by itself; what compiles is late afterwards."""
        started = time.monotonic()
        with self._budget.waiting():
            reply = _passed_on(self._worker.answer(_passed_on(message), []))
        if reply.get("ok") is not True:
            raise failure(reply)
        if time.monotonic() - started > timeout_s:
            raise Ruling(Verdict.TIMEOUT, f"It did not finish in time: {LATE}")
        return reply

    def close(self) -> None:
        """As of `Simulator`."""
        self._worker.lend({})


def _passed_on(message: Mapping[str, Any]) -> wire.Message:
    """Return a message as it arrives from another process."""
    try:
        return wire.decode(wire.encode(dict(message))[wire.LENGTH.size :])
    except (TypeError, ValueError) as error:
        text = f"What it gave cannot be passed on: {error}."
        raise Ruling(Verdict.OUTPUT_LIMIT, text) from None
