"""Judges the service's queue on the nodes of a Ray cluster.

`hotloop course serve --ray` starts `python -m hotloop.service.nodes` and keeps it running.
For each work that may be judged at once, a thread here claims it, as a worker of this machine does,
and an actor on a node judges it. Work is sent to the node, and records come back as JSON text: a
node has no access to the database or to a folder of this machine. It needs this same release of
Hotloop, and a sandbox. A work whose node is lost waits again.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, Self, get_args

from sqlalchemy import Engine

from hotloop.core.record import Record
from hotloop.course.ray_cluster import connected
from hotloop.judge.client import JudgeProcess
from hotloop.learn.remote.job import Phase
from hotloop.learn.remote.request import WholeRequest, parsed
from hotloop.service import judging
from hotloop.service.jobs import QUEUE
from hotloop.service.settings import Counts
from hotloop.service.tables import opened
from hotloop.service.web.supervisor import end_with_site
from hotloop.service.worker import DATABASE, Stopped, Worker, judge
from hotloop.service.works import Claimed

POLL_S = 0.1
LISTENING, JUDGING = "listening", "judging"
"""Concurrency groups of an actor: each has its own thread, which lives as long as the actor."""

log = logging.getLogger("hotloop.service")


class Judge:
    """An actor on a node, with a judge that stays warm between works."""

    def __init__(self) -> None:
        self._said = ""
        self._process = JudgeProcess()

    def judge(self, held: Claimed) -> str:
        """Return the records after this phase as JSON text. Raises UserError if releases differ."""
        judging.require_known(parsed(WholeRequest, held.document.encode()))
        found = judge(held, self._process, self._say)
        return json.dumps([record.to_json() for record in found])

    def said(self) -> str:
        """Return the judge's latest progress text."""
        return self._said

    def _say(self, text: str) -> None:
        self._said = text


@dataclass
class Node:
    """Where one work at a time is judged: an actor on any node with free resources."""

    ray: Any
    phase: Phase
    ending: threading.Event
    _actor: Any = None
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def judge(self, held: Claimed, say: Callable[[str], None]) -> list[Record]:
        """As `worker.judge`. Raises Ray's errors if the node is lost or the actor was killed."""
        actor = self._started()
        say("waiting for a node")
        judged = actor.judge.options(concurrency_group=JUDGING).remote(held)
        heard = actor.said.options(concurrency_group=LISTENING).remote()
        try:
            while judged not in (done := self.ray.wait([judged, heard], timeout=POLL_S)[0]):
                if self.ending.is_set():
                    self.kill()
                if done:
                    say(self.ray.get(heard))
                    time.sleep(POLL_S)
                    heard = actor.said.options(concurrency_group=LISTENING).remote()
            return [Record.from_json(one) for one in json.loads(self.ray.get(judged))]
        except self.ray.exceptions.RayActorError:
            self.kill()
            raise

    def kill(self) -> None:
        """End the actor, with its judge and all processes that the judge started."""
        with self._lock:
            if self._actor is not None:
                with suppress(Exception):
                    self.ray.kill(self._actor)
            self._actor = None

    def _started(self) -> Any:
        with self._lock:
            if self._actor is None:
                made = self.ray.remote(concurrency_groups={LISTENING: 1, JUDGING: 1})(Judge)
                gpus = 1 if self.phase == "gpu" else 0
                self._actor = made.options(num_cpus=1, num_gpus=gpus).remote()
            return self._actor

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


def _judge(held: Claimed, node: Any, say: Callable[[str], None]) -> list[Record]:
    return node.judge(held, say)


def run(engine: Engine, ray: Any, name: str, counts: Counts, ending: threading.Event) -> None:
    """Judge until `ending` is set; works that are being judged then wait again."""
    workers = [
        Worker(engine, own, phase, _judge, partial(Node, ray, phase, ending), ending)
        for phase in get_args(Phase)
        for own in counts.names(name, phase)
    ]
    threads = [threading.Thread(target=_run, args=(one,), name=one.name) for one in workers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _run(worker: Worker) -> None:
    try:
        worker.run()
    except Stopped:
        QUEUE.give_back(worker.engine, worker.name)
    finally:
        # End this process if one thread failed; its supervisor starts it again.
        worker.asked.set()


def command(folder: Path, name: str, address: str, counts: Counts) -> list[str]:
    """Return the command that starts this process."""
    words = [str(folder), "--name", name, "--ray", address]
    words += ["--cpu", str(counts.cpu), "--gpu", str(counts.gpu)]
    return [sys.executable, "-m", "hotloop.service.nodes", *words]


def main() -> None:
    """Judge until this process is told to end, or its parent ends."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--name", required=True)
    parser.add_argument("--ray", required=True)
    for phase in get_args(Phase):
        parser.add_argument(f"--{phase}", type=int, required=True)
    given = parser.parse_args()
    end_with_site()
    logging.basicConfig(format="%(asctime)s nodes: %(message)s", level=logging.WARNING)
    engine = opened(given.folder, os.environ.pop(DATABASE, ""))
    ending = threading.Event()

    def stop(_signal: int, _frame: FrameType | None) -> None:
        ending.set()

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    with connected(given.ray) as ray:
        run(engine, ray, given.name, Counts(given.cpu, given.gpu), ending)


if __name__ == "__main__":
    main()
