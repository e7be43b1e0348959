"""Executes on the nodes of a Ray cluster, or of a local one that is started for the batch.

Submissions and verdicts are transferred as data: nodes do not see folders of this machine, and
results are JSON text. Each node must have this version of Hotloop, with a sandbox. A grading uses
one CPU and the memory of a notebook and its judge, but not a node's GPU. If checks remain that need
a GPU and a node has one, a second grading of only these checks uses it. Speed measurements have
their node to themselves by its lease (`judge/lease.py`): run one node per machine.

A grading whose node or process is lost is tried again, up to three times.
"""

import json
import platform
import sys
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from hotloop.course.attempts.attempt import Attempt
from hotloop.course.executors import ExecutorWork, Lost, Outcome, Outcomes, Tell
from hotloop.course.executors.local import attempt
from hotloop.course.gpu_checks import open_on_gpu
from hotloop.course.notebook_run import Terms
from hotloop.course.ray_cluster import ClusterUnavailable, alive, connected, has_gpu
from hotloop.course.ray_tasks import RETRIES, Tasks
from hotloop.judge.grader_digest import grader_digest

JUDGE_BYTES = 2 << 30
"""Memory of judge and baseline, in addition to the notebook's."""
AHEAD = 2
"""Gradings submitted beyond those that can run, so that a free node does not wait."""

_POLL_S = 0.25
_LOOK_S = 5.0


@dataclass(frozen=True)
class Ray:
    """Executes on a cluster. address: "auto", "host:port", "ray://host:port" or "local".

    "local" starts a cluster on this machine that ends with the batch.
    """

    address: str = "local"
    retries: int = RETRIES

    def run(self, works: Iterable[ExecutorWork], terms: Terms, tell: Tell) -> Generator[Outcomes]:
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


class _Batch:
    """Gradings on the cluster. `ray` is the connected module."""

    def __init__(self, ray: Any, terms: Terms, tell: Tell, retries: int) -> None:
        self._tell = tell
        self._terms = terms
        self._nodes = _Nodes(ray, terms.memory_bytes + JUDGE_BYTES)
        self._tasks = Tasks(ray, tell, retries)
        self._running: dict[str, ExecutorWork] = {}

    def run(self, works: Iterable[ExecutorWork]) -> Iterator[Outcomes]:
        waiting = iter(works)
        while self._fill(waiting):
            if ended := [one for each in self._tasks.ended(_POLL_S) for one in self._settle(*each)]:
                yield ended

    def cancel(self) -> None:
        """Cancel running gradings without waiting for them."""
        self._tasks.close()

    def _fill(self, waiting: Iterator[ExecutorWork]) -> bool:
        """Submit as much as the cluster has room for; return False when all is done."""
        while len(self._tasks) < self._nodes.room():
            work = next(waiting, None)
            if work is None:
                break
            self._submit(work)
        return bool(self._tasks)

    def _submit(self, work: ExecutorWork) -> None:
        grader = grader_digest(work.hand_in.module)
        terms = self._terms if work.earlier is not None else replace(self._terms, device="cpu")
        self._running[work.key] = work
        wanted = self._nodes.wanted(work)
        self._tasks.submit(work.key, execute_on_node, work, terms, grader, **wanted)

    def _settle(self, key: str, ended: str | Lost) -> Iterator[Outcome]:
        work = self._running.pop(key)
        if isinstance(ended, Lost):
            # Results without a GPU that are not stored would be lost otherwise.
            earlier = work.earlier
            yield key, ended if earlier is None or earlier.id is not None else earlier
            return
        outcome = _read(ended)
        if (
            isinstance(outcome, Lost)
            or work.earlier is not None
            or not self._nodes.has_gpu()
            or not open_on_gpu(outcome)
        ):
            yield key, outcome
            return
        self._tell(key, "", "waiting for a GPU")
        self._submit(replace(work, earlier=outcome))


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

    def wanted(self, work: ExecutorWork) -> dict[str, Any]:
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


# --- on a node ------------------------------------------------------------------------------------


def execute_on_node(work: ExecutorWork, terms: Terms, grader: str, steps: Any) -> str:
    """Execute one submission; return its outcome as JSON text.

    grader: the required grader digest; a node with another one returns "lost". steps: a `Steps`
    actor.
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
