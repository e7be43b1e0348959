"""Judges the service's queue on the nodes of a Ray cluster.

`hotloop course serve --ray` starts `python -m hotloop.service.course.nodes` and keeps it running.
For each work that may be judged at once, a thread here claims it, as a worker of this machine does,
and a task on a node judges it. Work is sent to the node, and records come back as JSON text: a
node has no access to the database or to a folder of this machine. It needs this same release of
Hotloop, and a sandbox. A work whose node is lost waits again.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self, get_args

from sqlalchemy import Engine

from hotloop.core.record import Record
from hotloop.course.executors import Lost
from hotloop.course.ray_cluster import connected
from hotloop.course.ray_tasks import Tasks, node_judge
from hotloop.learn.remote.job import Phase
from hotloop.learn.remote.request import WholeRequest, parsed
from hotloop.service import judging
from hotloop.service.course.jobs import QUEUE
from hotloop.service.course.settings import Counts
from hotloop.service.course.worker import QueueWorker, judge
from hotloop.service.course.works import Claimed
from hotloop.service.web import process
from hotloop.service.web.process import Stopped

POLL_S = 0.1


class NodeLost(Exception):
    """A work was not judged: its node was lost, or has another release, or the work was ended."""


@dataclass
class RayNode:
    """Where a worker's work is judged: any node with free resources. key: the worker's name."""

    key: str
    phase: Phase
    tasks: Tasks
    progress: dict[str, Callable[[str], None]]
    ending: threading.Event

    def judge(self, held: Claimed, say: Callable[[str], None]) -> list[Record]:
        """As `worker.judge`. Raises NodeLost if the node was lost or the work was ended."""
        self.progress[self.key] = say
        say("waiting for a node")
        gpus = 1 if self.phase == "gpu" else 0
        self.tasks.submit(self.key, judge_on_node, held, self.key, num_cpus=1, num_gpus=gpus)
        while True:
            if self.ending.is_set():
                self.kill()
            for _, ended in self.tasks.ended(POLL_S, self.key):
                if isinstance(ended, Lost):
                    raise NodeLost(ended.reason)
                return [Record.from_json(one) for one in json.loads(ended)]

    def kill(self) -> None:
        """End the work, with its judge and all processes that the judge started."""
        self.tasks.cancel(self.key)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


def judge_on_node(held: Claimed, key: str, steps: Any) -> str:
    """Return the records after this phase as JSON text. Raises UserError if releases differ.

    steps: a `Steps` actor.
    """
    judging.require_known(parsed(WholeRequest, held.document.encode()))
    records = judge(held, node_judge(), lambda text: steps.add.remote(key, "", text))
    return json.dumps([record.to_json() for record in records])


def run(engine: Engine, ray: Any, name: str, counts: Counts, ending: threading.Event) -> None:
    """Judge until `ending` is set; works that are being judged then wait again."""
    progress: dict[str, Callable[[str], None]] = {}
    # A lost work waits in the queue again, which counts its tries.
    tasks = Tasks(ray, lambda key, _task, text: progress[key](text), retries=0)
    workers = [
        QueueWorker(
            engine,
            own,
            phase,
            _judge,
            partial(RayNode, own, phase, tasks, progress, ending),
            ending,
        )
        for phase in get_args(Phase)
        for own in counts.names(name, phase)
    ]
    threads = [threading.Thread(target=_run, args=(one,), name=one.name) for one in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    tasks.close()


def _judge(held: Claimed, node: Any, say: Callable[[str], None]) -> list[Record]:
    return node.judge(held, say)


def _run(worker: QueueWorker) -> None:
    try:
        worker.run()
    except Stopped:
        QUEUE.give_back(worker.engine, worker.name)
    finally:
        # End this process if one thread failed; its supervisor starts it again.
        worker.ending.set()


def command(folder: Path, name: str, address: str, counts: Counts) -> list[str]:
    """Return the command that starts this process."""
    words = [str(folder), "--name", name, "--ray", address]
    words += ["--cpu", str(counts.cpu), "--gpu", str(counts.gpu)]
    return [sys.executable, "-m", "hotloop.service.course.nodes", *words]


def main() -> None:
    """Judge until this process is told to end, or its parent ends."""
    parser = process.arguments(__doc__)
    parser.add_argument("--ray", required=True)
    for phase in get_args(Phase):
        parser.add_argument(f"--{phase}", type=int, required=True)
    arguments = parser.parse_args()
    engine = process.begin("nodes", arguments.folder)
    ending = threading.Event()
    process.end_by_signal(ending, interrupt=False)
    with connected(arguments.ray) as ray:
        run(engine, ray, arguments.name, Counts(arguments.cpu, arguments.gpu), ending)


if __name__ == "__main__":
    main()
