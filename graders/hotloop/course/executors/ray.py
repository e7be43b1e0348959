"""Executes on the nodes of a Ray cluster, or of a local one that is started for the batch.

Submissions and verdicts are transferred as data: nodes do not see folders of this machine, and
results are JSON text. Each node must have this version of Hotloop, with a sandbox. A grading uses
one CPU and the memory of a notebook and its judge, but not a node's GPU. If checks remain that need
a GPU and a node has one, a second grading of only these checks uses it. Speed measurements have
their node to themselves by its lease (`judge/lease.py`): run one node per machine.

A grading whose node or process is lost is tried again, up to three times.
"""

import json
import logging
import platform
import sys
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from hotloop.course.attempts.attempt import Attempt
from hotloop.course.execution import Terms
from hotloop.course.executors import Lost, Outcome, Outcomes, Tell, Work
from hotloop.course.executors.local import attempt
from hotloop.course.gpu_rungs import open_on_gpu
from hotloop.course.ray_cluster import ClusterUnavailable, alive, connected, has_gpu, last_line
from hotloop.judge.grader_digest import grader_digest

RETRIES = 3
JUDGE_BYTES = 2 << 30
"""Memory of judge and baseline, in addition to the notebook's."""
AHEAD = 2
"""Gradings submitted beyond those that can run, so that a free node does not wait."""

_POLL_S = 0.25
_LOOK_S = 5.0

log = logging.getLogger("hotloop.course")


@dataclass(frozen=True)
class Ray:
    """Executes on a cluster. address: "auto", "host:port", "ray://host:port" or "local".

    "local" starts a cluster on this machine that ends with the batch.
    """

    address: str = "local"
    retries: int = RETRIES

    def run(self, works: Iterable[Work], terms: Terms, tell: Tell) -> Generator[Outcomes]:
        """Yield groups of outcomes.

        Raises ClusterUnavailable if the cluster cannot be reached or is lost.
        """
        with connected(self.address) as ray:
            batch = _Batch(ray, terms, tell, self.retries)
            try:
                yield from batch.run(works)
            except ConnectionError as error:
                raise ClusterUnavailable(
                    f"The Ray cluster does not answer any more ({error}): what is booked stays, "
                    "and grading again goes on from there."
                ) from error
            finally:
                batch.cancel()

    def has_gpu(self) -> bool:
        """True if a node of the connected cluster has a GPU."""
        ray: Any = sys.modules.get("ray")
        return ray is not None and ray.is_initialized() and has_gpu(alive(ray))


@dataclass(frozen=True)
class _Try:
    work: Work
    lost: int = 0


class _Batch:
    """Gradings on the cluster. `ray` is the connected module."""

    def __init__(self, ray: Any, terms: Terms, tell: Tell, retries: int) -> None:
        self._ray = ray
        self._tell = tell
        self._retries = retries
        self._terms = terms
        self._nodes = _Nodes(ray, terms.memory_bytes + JUDGE_BYTES)
        # Ray's own retries are neither reported nor counted per node.
        self._execute = ray.remote(max_retries=0)(execute_on_node)
        self._steps = ray.remote(num_cpus=0, max_restarts=-1)(Steps).remote()
        self._news = self._steps.take.remote()
        self._running: dict[Any, _Try] = {}

    def run(self, works: Iterable[Work]) -> Iterator[Outcomes]:
        waiting = iter(works)
        while self._fill(waiting):
            done, _ = self._ray.wait(list(self._running), timeout=_POLL_S)
            self._pass_on()
            if ended := [outcome for each in done for outcome in self._settle(each)]:
                yield ended

    def cancel(self) -> None:
        """Cancel running gradings without waiting for them."""
        for reference in self._running:
            with suppress(Exception):
                self._ray.cancel(reference, force=True)
        with suppress(Exception):
            self._ray.kill(self._steps, no_restart=True)

    def _fill(self, waiting: Iterator[Work]) -> bool:
        """Submit as much as the cluster has room for; return False when all is done."""
        while len(self._running) < self._nodes.room():
            work = next(waiting, None)
            if work is None:
                break
            self._submit(_Try(work))
        return bool(self._running)

    def _submit(self, one: _Try) -> None:
        wanted = self._nodes.wanted(one.work)
        function = self._execute.options(**wanted)
        grader = grader_digest(one.work.hand_in.module)
        terms = self._terms if one.work.earlier is not None else replace(self._terms, device="cpu")
        self._running[function.remote(one.work, terms, self._steps, grader)] = one

    def _settle(self, reference: Any) -> Iterator[Outcome]:
        one = self._running.pop(reference)
        errors = self._ray.exceptions
        try:
            outcome = _read(self._ray.get(reference))
            if not self._is_for_gpu(one.work, outcome):
                yield one.work.key, outcome
                return
            self._tell(one.work.key, "", "waiting for a GPU")
            self._submit(_Try(replace(one.work, earlier=outcome)))
        except errors.RayTaskError as error:
            # Raised on the node before or after the grading; another node would fail too.
            log.error("%s: %s", one.work.key, error)
            lost = Lost(f"A node could not grade it: {last_line(error)}")
            yield one.work.key, _unstored(one.work) or lost
        except errors.RayError as error:
            log.warning("%s was lost with its node: %s", one.work.key, error)
            if one.lost == self._retries:
                lost = Lost(_lost_sentence(one.lost + 1, error))
                yield one.work.key, _unstored(one.work) or lost
                return
            again = replace(one, lost=one.lost + 1)
            self._tell(one.work.key, "", f"its node was lost; try {again.lost + 1}")
            self._submit(again)

    def _is_for_gpu(self, work: Work, outcome: Attempt | Lost) -> bool:
        if isinstance(outcome, Lost) or work.earlier is not None:
            return False
        return self._nodes.has_gpu() and bool(open_on_gpu(outcome))

    def _pass_on(self) -> None:
        """Report the nodes' progress.

        If the node that collects it is lost, only progress is lost.
        """
        with suppress(self._ray.exceptions.RayError):
            if not self._ray.wait([self._news], timeout=0)[0]:
                return
            news, self._news = self._news, self._steps.take.remote()
            under_way = {one.work.key for one in self._running.values()}
            for key, task, text in self._ray.get(news):
                if key in under_way:
                    self._tell(key, task, text)


class _Nodes:
    """The cluster's resources, refreshed every few seconds, because nodes come and go."""

    def __init__(self, ray: Any, memory_bytes: int) -> None:
        self._ray = ray
        self._memory_bytes = memory_bytes
        self._looked = -_LOOK_S
        self._found: list[Mapping[str, float]] = []

    def room(self) -> int:
        """Return the number of gradings to have submitted at once."""
        return AHEAD + int(sum(node["CPU"] for node in self._grading()))

    def wanted(self, work: Work) -> dict[str, Any]:
        """Return the resources for one grading, limited to the memory of the largest node."""
        nodes = self._grading()
        largest = max((node.get("memory", 0.0) for node in nodes), default=0.0)
        memory = min(self._memory_bytes, int(largest)) if largest else self._memory_bytes
        gpus = 0 if work.earlier is None else 1
        return {"num_cpus": 1, "num_gpus": gpus, "memory": memory}

    def has_gpu(self) -> bool:
        """True if a second grading would find a GPU."""
        return has_gpu(self._grading())

    def _grading(self) -> list[Mapping[str, float]]:
        if time.monotonic() - self._looked >= _LOOK_S:
            self._looked = time.monotonic()
            self._found = alive(self._ray)
        return self._found


def _unstored(work: Work) -> Attempt | None:
    """Return the unstored results without a GPU, which would be lost; None if they are stored."""
    return work.earlier if work.earlier is not None and work.earlier.id is None else None


def _lost_sentence(times: int, error: Exception) -> str:
    return f"Its node was lost {times} times ({type(error).__name__}). Grade it again."


# --- on a node ------------------------------------------------------------------------------------


class Steps:
    """A Ray actor that collects the progress of all nodes until it is read."""

    def __init__(self) -> None:
        self._steps: list[tuple[str, str, str]] = []

    def add(self, key: str, task: str, text: str) -> None:
        """Record one step of a grading."""
        self._steps.append((key, task, text))

    def take(self) -> list[tuple[str, str, str]]:
        """Return all steps since the last call."""
        taken, self._steps = self._steps, []
        return taken


def execute_on_node(work: Work, terms: Terms, steps: Any, grader: str) -> str:
    """Execute one submission; return its outcome as JSON text.

    steps: a `Steps` actor. grader: the required grader digest; a node with another one returns
    "lost".
    """
    if grader_digest(work.hand_in.module) != grader:
        return json.dumps({"lost": f"{platform.node()} has another version of Hotloop."})

    def tell(key: str, task: str, text: str) -> None:
        steps.add.remote(key, task, text)

    tell(work.key, "", "starting")
    outcome = attempt(work, terms, tell)
    if isinstance(outcome, Lost):
        return json.dumps({"lost": outcome.reason})
    return json.dumps({"attempt": outcome.to_json()})


def _read(text: str) -> Attempt | Lost:
    document = json.loads(text)
    if "lost" in document:
        return Lost(document["lost"])
    return Attempt.from_json(document["attempt"])
