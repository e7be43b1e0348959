"""Functions that run on the nodes of a Ray cluster: gradings, a class's works, a suite's problems.

A function is sent with plain data, and returns JSON text. One whose node or process is lost runs
again, a few times.
"""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from hotloop.course.executors import Lost, Tell
from hotloop.course.ray_cluster import last_line
from hotloop.judge.client import JudgeProcess

RETRIES = 3
"""How often a task is started again after its node or process was lost."""

log = logging.getLogger("hotloop.course")


@dataclass(frozen=True)
class RayTask:
    """One call. lost: how often its node or process was lost.

    function: gets `arguments`, and last a `Steps` actor for its progress. resources: as in Ray's
    `options`, such as num_cpus.
    """

    key: str
    function: Callable[..., str]
    arguments: tuple[Any, ...]
    resources: dict[str, Any]
    lost: int = 0


class Tasks:
    """Tasks on a cluster, for one thread or several. ray: the connected module."""

    def __init__(self, ray: Any, tell: Tell, retries: int = RETRIES) -> None:
        self._ray = ray
        self._tell = tell
        self._retries = retries
        self._remote: dict[Callable[..., str], Any] = {}
        self._steps = ray.remote(num_cpus=0, max_restarts=-1)(Steps).remote()
        self._news = self._steps.take.remote()
        self._listening = threading.Lock()
        self._running: dict[Any, RayTask] = {}

    def __len__(self) -> int:
        """Return the number of tasks that run or wait for a node."""
        return len(self._running)

    def submit(
        self, key: str, function: Callable[..., str], *arguments: Any, **resources: Any
    ) -> None:
        """Start a task on the first node that has the resources. Arguments as in `RayTask`."""
        self._start(RayTask(key, function, arguments, resources))

    def ended(self, timeout_s: float, key: str | None = None) -> Iterator[tuple[str, str | Lost]]:
        """Yield what tasks returned that end within `timeout_s`. key: only of this task.

        A task is lost if its function raised an error, as another node would fail too, or if its
        node or process was lost more than `retries` times.
        """
        running = [(ref, task) for ref, task in list(self._running.items())]
        waited = [ref for ref, task in running if key in (None, task.key)]
        done: list[Any] = self._ray.wait(waited, timeout=timeout_s)[0] if waited else []
        self._pass_on()
        for reference in done:
            task = self._running.pop(reference)
            outcome = self._outcome(task, reference)
            if outcome is not None:
                yield task.key, outcome

    def cancel(self, key: str | None = None) -> None:
        """End tasks with their processes, without waiting for them. key: of one task; None: all."""
        for reference, task in list(self._running.items()):
            if key in (None, task.key):
                with suppress(Exception):
                    self._ray.cancel(reference, force=True)

    def close(self) -> None:
        """End all tasks, and the collection of progress."""
        self.cancel()
        with suppress(Exception):
            self._ray.kill(self._steps, no_restart=True)

    def _start(self, task: RayTask) -> None:
        if task.function not in self._remote:
            # Ray's own retries are neither reported nor counted per node.
            self._remote[task.function] = self._ray.remote(max_retries=0)(task.function)
        function = self._remote[task.function].options(**task.resources)
        self._running[function.remote(*task.arguments, self._steps)] = task

    def _outcome(self, task: RayTask, reference: Any) -> str | Lost | None:
        """Return how a task ended; None if it was started again."""
        errors = self._ray.exceptions
        try:
            return self._ray.get(reference)
        except errors.RayTaskError as error:
            log.error("%s: %s", task.key, error)
            return Lost(f"A node could not grade it: {last_line(error)}")
        except errors.RayError as error:
            log.warning("%s was lost with its node: %s", task.key, error)
            again = replace(task, lost=task.lost + 1)
            if again.lost > self._retries:
                how_often = f"{again.lost} times ({type(error).__name__})"
                return Lost(f"Its node was lost {how_often}. Grade it again.")
            self._tell(task.key, "", f"its node was lost; try {again.lost + 1}")
            self._start(again)
            return None

    def _pass_on(self) -> None:
        """Report the nodes' progress.

        If the node that collects it is lost, only progress is lost.
        """
        if not self._listening.acquire(blocking=False):
            return
        try:
            with suppress(self._ray.exceptions.RayError):
                if not self._ray.wait([self._news], timeout=0)[0]:
                    return
                news, self._news = self._news, self._steps.take.remote()
                under_way = {task.key for task in list(self._running.values())}
                for key, task, text in self._ray.get(news):
                    if key in under_way:
                        self._tell(key, task, text)
        finally:
            self._listening.release()


# --- on a node ------------------------------------------------------------------------------------


class Steps:
    """A Ray actor that collects the progress of all nodes until it is read."""

    def __init__(self) -> None:
        self._steps: list[tuple[str, str, str]] = []

    def add(self, key: str, task: str, text: str) -> None:
        """Record one step of a task."""
        self._steps.append((key, task, text))

    def take(self) -> list[tuple[str, str, str]]:
        """Return all steps since the last call."""
        taken, self._steps = self._steps, []
        return taken


@functools.cache
def node_judge() -> JudgeProcess:
    """Return the judge of this process on a node; it stays warm until Ray ends the process."""
    return JudgeProcess()
