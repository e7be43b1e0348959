"""Run a learner's measurement, and ask the judge for each of its steps.

The learner's function runs in a thread, which waits while the judge does a step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any

from hotloop.worker.files import load_module

RUNS: list[Run] = []


class Run:
    """A measurement that is going on."""

    def __init__(self, measure: Callable[[Run], Any]) -> None:
        self._requests: SimpleQueue[list[Any] | BaseException] = SimpleQueue()
        self._answers: SimpleQueue[tuple[float, str]] = SimpleQueue()
        self._lock = Lock()
        Thread(target=self._measure, args=(measure,), daemon=True).start()

    def ask(self, *request: Any) -> float:
        """Have the judge do a step, and return its number. Raises RuntimeError if it refuses."""
        with self._lock:
            self._requests.put(list(request))
            number, refusal = self._answers.get()
        if refusal:
            raise RuntimeError(refusal)
        return number

    def request(self) -> list[Any]:
        """Return the next step, or ["returned", …]. Raises what the learner's code raised."""
        request = self._requests.get()
        if isinstance(request, BaseException):
            raise request
        return request

    def answer(self, number: float, refusal: str) -> None:
        """Answer the last request."""
        self._answers.put((number, refusal))

    def _measure(self, measure: Callable[[Run], Any]) -> None:
        try:
            self._requests.put(["returned", measure(self)])
        except BaseException as error:  # noqa: BLE001 - a learner's SystemExit is its failure, too
            self._requests.put(error)


@dataclass(frozen=True)
class Process:
    """A process of the judge's machine."""

    run: Run
    number: float

    def call(self) -> None:
        """Answer one call. Raises RuntimeError if the process has ended."""
        self.run.ask("call", self.number)

    def end(self) -> None:
        """End the process."""
        self.run.ask("end", self.number)


def begin(path: str, name: str, processes: int, calls: int) -> list[Any]:
    """Start the learner's function `name`; return its first step."""
    function = getattr(load_module(Path(path).stem, Path(path)), name)

    def measure(run: Run) -> Any:
        def start(way: str, kept: str) -> Process:
            if not isinstance(way, str) or not isinstance(kept, str):
                raise TypeError("way and kept are strings: the name of a way, and of a folder")
            return Process(run, run.ask("start", way, kept))

        def build() -> None:
            run.ask("build")

        def clock() -> float:
            return run.ask("clock")

        return function(start, build, clock, processes, calls)

    RUNS[:] = [Run(measure)]
    return RUNS[0].request()


def go_on(number: float, refusal: str) -> list[Any]:
    """Answer the last step; return the next one."""
    RUNS[0].answer(number, refusal)
    return RUNS[0].request()
