"""Executes on the nodes of a Ray cluster, or of one that is started here for the batch.

Submissions travel to the nodes and verdicts back as data: nodes see no folder of this machine, and
what comes back is JSON text. Each node must have this very Hotloop, with a sandbox. A grading takes
one CPU, and the memory of a notebook and its judge; it leaves a node's GPU alone. Where rungs are
left that need one, and a node has one, a second grading, of these rungs alone, takes it. What
measures speed has its node to itself, by the node's own lease (`judge/lease.py`): one node a
machine.

A grading whose node or process is lost is tried again, at most three times.
"""

import importlib
import json
import logging
import os
import platform
import signal
import socket
import sys
import threading
import time
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Any, cast

from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import Attempt
from hotloop.course.attempts.grader import grader_digest
from hotloop.course.execution import Terms
from hotloop.course.executors import Lost, Outcome, Tell, Work
from hotloop.course.executors.local import attempt
from hotloop.course.gpu_rungs import open_on_gpu

RETRIES = 3
JUDGE_BYTES = 2 << 30
"""What judge and baseline take beside the notebook's own memory."""
OBJECT_STORE_BYTES = 200 << 20
"""Of a cluster that is started here: what travels is small."""
AHEAD = 2
"""Gradings that wait at the cluster beyond those that can run: a free node must not wait for us."""

_NO_RAY = "Not graded: Ray is not installed: pip install 'hotloop[ray]'"
_POLL_S = 0.25
_LOOK_S = 5.0
_ANSWER_S = 20.0
_QUIET = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # A node's gradings find its cards as they do without Ray, and the lease parts them.
    "RAY_EXPERIMENTAL_NOSET_CUDA_VISIBLE_DEVICES": "1",
}

log = logging.getLogger("hotloop.course")


class ClusterUnavailable(UserError):
    """There is no Ray, or no cluster answers; the message says what to do."""


@dataclass(frozen=True)
class Ray:
    """address: of a cluster ("auto", "host:port", "ray://host:port"), or "local" for one that is
    started here and ends with the batch.
    """

    address: str = "local"
    retries: int = RETRIES

    def run(self, works: Iterable[Work], terms: Terms, tell: Tell) -> Generator[Outcome]:
        """What came of each. ClusterUnavailable when the cluster is not there, or no longer."""
        with _connected(self.address) as ray:
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
        """True where a node of the connected cluster has one."""
        ray: Any = sys.modules.get("ray")
        return ray is not None and ray.is_initialized() and _has_gpu(_alive(ray))


@dataclass(frozen=True)
class _Try:
    work: Work
    lost: int = 0


class _Batch:
    """Gradings at the cluster. `ray` is the module, connected."""

    def __init__(self, ray: Any, terms: Terms, tell: Tell, retries: int) -> None:
        self._ray = ray
        self._tell = tell
        self._retries = retries
        self._terms = terms
        self._nodes = _Nodes(ray, terms.memory_bytes + JUDGE_BYTES)
        # Ray's own retries are of no use: they are not told, and not counted by node.
        self._execute = ray.remote(max_retries=0)(execute_on_node)
        self._steps = ray.remote(num_cpus=0, max_restarts=-1)(Steps).remote()
        self._news = self._steps.take.remote()
        self._running: dict[Any, _Try] = {}

    def run(self, works: Iterable[Work]) -> Iterator[Outcome]:
        waiting = iter(works)
        while self._fill(waiting):
            done, _ = self._ray.wait(list(self._running), timeout=_POLL_S)
            self._pass_on()
            for reference in done:
                yield from self._settle(reference)

    def cancel(self) -> None:
        """End what is still under way; nobody waits for it."""
        for reference in self._running:
            with suppress(Exception):
                self._ray.cancel(reference, force=True)
        with suppress(Exception):
            self._ray.kill(self._steps, no_restart=True)

    def _fill(self, waiting: Iterator[Work]) -> bool:
        """Hand over as much as the cluster has room for; False when all is done."""
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
            # Raised on the node, before or after the grading: no other node would do better.
            log.error("%s: %s", one.work.key, error)
            lost = Lost(f"A node could not grade it: {_last_line(error)}")
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
        """Tell what the nodes are doing. Only progress is lost with the node that collects it."""
        with suppress(self._ray.exceptions.RayError):
            if not self._ray.wait([self._news], timeout=0)[0]:
                return
            news, self._news = self._news, self._steps.take.remote()
            under_way = {one.work.key for one in self._running.values()}
            for key, task, text in self._ray.get(news):
                if key in under_way:
                    self._tell(key, task, text)


class _Nodes:
    """What the cluster has, looked at again every few seconds, because nodes come and go."""

    def __init__(self, ray: Any, memory_bytes: int) -> None:
        self._ray = ray
        self._memory_bytes = memory_bytes
        self._looked = -_LOOK_S
        self._found: list[Mapping[str, float]] = []

    def room(self) -> int:
        """Gradings that may be handed over at once."""
        return AHEAD + int(sum(node["CPU"] for node in self._grading()))

    def wanted(self, work: Work) -> dict[str, Any]:
        """The resources of one grading. Where no node is large enough, that of the largest."""
        nodes = self._grading()
        largest = max((node.get("memory", 0.0) for node in nodes), default=0.0)
        memory = min(self._memory_bytes, int(largest)) if largest else self._memory_bytes
        gpus = 0 if work.earlier is None else 1
        return {"num_cpus": 1, "num_gpus": gpus, "memory": memory}

    def has_gpu(self) -> bool:
        """Whether a second grading would find one."""
        return _has_gpu(self._grading())

    def _grading(self) -> list[Mapping[str, float]]:
        if time.monotonic() - self._looked >= _LOOK_S:
            self._looked = time.monotonic()
            self._found = _alive(self._ray)
        return self._found


def _alive(ray: Any) -> list[Mapping[str, float]]:
    """The resources of the nodes that can grade."""
    nodes = cast("list[dict[str, Any]]", ray.nodes())
    alive = [node["Resources"] for node in nodes if node["Alive"]]
    return [resources for resources in alive if resources.get("CPU", 0.0) >= 1]


def _has_gpu(nodes: Iterable[Mapping[str, float]]) -> bool:
    return any(node.get("GPU", 0.0) >= 1 for node in nodes)


def _unstored(work: Work) -> Attempt | None:
    """What is known without a GPU, and would be lost; None for an attempt that is stored."""
    return work.earlier if work.earlier is not None and work.earlier.id is None else None


def _lost_sentence(times: int, error: Exception) -> str:
    return f"Its node was lost {times} times ({type(error).__name__}). Grade it again."


def _last_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [type(error).__name__])[-1][:400]


@contextmanager
def _connected(address: str) -> Generator[Any]:
    """The module `ray`, connected. A connection of the caller's own is used, and left open."""
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    try:
        ray: Any = importlib.import_module("ray")
    except ImportError:
        raise ClusterUnavailable(_NO_RAY) from None
    if ray.is_initialized():
        yield ray
        return
    _connect(ray, address)
    try:
        yield ray
    finally:
        ray.shutdown()


def _connect(ray: Any, address: str) -> None:
    _look(address)
    how: dict[str, Any] = {"address": address}
    if address == "local":
        how |= {"include_dashboard": False, "object_store_memory": OBJECT_STORE_BYTES}
    # Nodes say through `tell` what they do; what they print goes to Ray's logs.
    how |= {"log_to_driver": False, "logging_level": logging.ERROR}
    try:
        with _own_end():
            ray.init(runtime_env={"env_vars": _QUIET}, **how)
    except Exception as error:
        # Of no kind of its own is what Ray says of a node that has not started within its 30 s.
        raise _unavailable(address, _last_line(error)) from error


def _unavailable(address: str, reason: str) -> ClusterUnavailable:
    return ClusterUnavailable(f"Not graded: no Ray cluster at {address}: {reason}")


@contextmanager
def _own_end() -> Generator[None]:
    """What the caller does when it is told to end is what happens: Ray puts its own in that place,
    which may abort the process.
    """
    own = signal.getsignal(signal.SIGTERM)
    yield
    if callable(own) and threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, own)


def _look(address: str) -> None:
    """Ray itself waits minutes for a head that is not there."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return
    deadline = time.monotonic() + _ANSWER_S
    while True:
        try:
            socket.create_connection((host.strip("[]"), int(port)), _ANSWER_S).close()
            return
        except OSError as error:
            if time.monotonic() > deadline:
                raise _unavailable(address, str(error)) from error
        # A head that is being started listens a while later.
        time.sleep(_POLL_S)


# --- on a node ------------------------------------------------------------------------------------


class Steps:
    """Collects what all nodes are doing, until it is asked for; an actor."""

    def __init__(self) -> None:
        self._steps: list[tuple[str, str, str]] = []

    def add(self, key: str, task: str, text: str) -> None:
        """One step of a grading."""
        self._steps.append((key, task, text))

    def take(self) -> list[tuple[str, str, str]]:
        """All since the last time."""
        taken, self._steps = self._steps, []
        return taken


def execute_on_node(work: Work, terms: Terms, steps: Any, grader: str) -> str:
    """Execute one submission and say what came of it, as JSON text.

    steps: an actor, `Steps`. grader: the digest of the grader whose verdicts are asked for.
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
