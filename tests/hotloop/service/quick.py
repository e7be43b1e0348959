"""A judge that only waits, and a service with it as a separate process:

    python quick.py serve FOLDER PORT SECONDS TRACE CPU GPU
    python quick.py worker FOLDER NAME PHASE SECONDS TRACE

The database's URL is in the environment, as it is for the real one. The service prints a line once
it listens. A worker adds a line to the file TRACE when it begins a work, and another one when the
work's records are stored.
"""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from hotloop.core.record import CheckRecord, Circumstances, Record, summarize
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess
from hotloop.learn.remote.request import WholeRequest
from hotloop.service.app import served
from hotloop.service.course import works
from hotloop.service.course.jobs import QUEUE
from hotloop.service.course.service import Service
from hotloop.service.course.worker import QueueWorker
from hotloop.service.course.works import Claimed
from hotloop.service.settings import Rates, ServiceSettings
from hotloop.service.tables import opened
from hotloop.service.web.listening import listening, run
from hotloop.service.web.process import DATABASE
from hotloop.service.web.supervisor import Supervisor, end_with_site
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.judged_again import needing_gpu, open_on_gpu, settled_on_gpu

URL = os.environ.get(DATABASE, "")


def record(module: str, task: str, verdict_on_gpu: Verdict = Verdict.NOT_MEASURED) -> Record:
    """Return a record in which all checks without a GPU pass."""
    needing = needing_gpu(module, task)
    checks = tuple(
        CheckRecord(r.id, verdict_on_gpu if r.id in needing else Verdict.PASSED, "Said.", 1.0)
        for r in load_module(module).task(task).checks
    )
    checks = tuple(replace(r, earned=0.0) if r.verdict.pending else r for r in checks)
    verdict, sentence = summarize(checks)
    about = Circumstances("", "", "", "", "", {}, "", "", "", 0.0)
    return Record(module, task, verdict, sentence, checks, about)


def judge(
    held: Claimed,
    _process: JudgeProcess,
    say: Callable[[str], None],
    *,
    seconds: float = 0.0,
    trace: Path | None = None,
) -> list[Record]:
    """As `worker.judge`, but only sleeps."""
    note(trace, f"begin {held.job} {held.phase}")
    say("measuring")
    time.sleep(seconds)
    asked = WholeRequest.model_validate_json(held.document)
    if held.phase == "cpu":
        return [record(asked.module, task) for task in asked.tasks]
    found = [one for one, _ in open_on_gpu(held.records)]
    return [settled_on_gpu(r, record(r.module, r.task, Verdict.PASSED)) for r in found]


def note(trace: Path | None, line: str) -> None:
    if trace is not None:
        with trace.open("a") as stream:
            stream.write(line + "\n")


def worker(folder: str, name: str, phase: str, seconds: str, trace: str) -> None:
    end_with_site()
    finish = works.finish

    def traced(engine, held, name, found):  # type: ignore[no-untyped-def]
        stored = finish(engine, held, name, found)
        if stored:
            note(Path(trace), f"stored {held.job} {held.phase}")
        return stored

    works.finish = traced
    own = partial(judge, seconds=float(seconds), trace=Path(trace))
    QueueWorker(opened(Path(folder), URL), name, phase, own).run()  # type: ignore[arg-type]


def serve(folder: str, port: str, seconds: str, trace: str, cpu: str, gpu: str) -> None:
    often = Rates(*["100000/minute"] * 8)
    url = f"http://127.0.0.1:{port}"
    chosen = ServiceSettings(base_url=url, database=URL, folder=Path(folder), rates=often)
    service = Service.open(chosen)
    counts = {"cpu": int(cpu), "gpu": int(gpu)}
    beside: list[Supervisor] = []
    for phase, count in counts.items():
        for number in range(count):
            name = f"{phase}{number}-{time.time_ns()}"
            if phase == "gpu":
                works.here(service.engine, name, "gpu", "box")
            command = [sys.executable, __file__, "worker", folder, name, phase, seconds, trace]
            ended = partial(QUEUE.release, service.engine, name)
            beside.append(Supervisor(name, command, ended=ended, pause_s=0.1))
    listens = listening("127.0.0.1", int(port))
    print("listening", flush=True)
    run(served(service), listens, beside)


if __name__ == "__main__":
    {"serve": serve, "worker": worker}[sys.argv[1]](*sys.argv[2:])
