"""A class at the judging service: `python tests/benchmarks/serve_load.py [PART]...`.

wait: all learners check at once, with the real judge; how long is it until the CPU verdict arrives,
and how many CPU seconds does a check take, from which another machine can be sized? order: each
learner sends two jobs that need a GPU; do they take turns, and are the reported positions right?
kills: workers and the service itself are killed while learners check; how many jobs are lost, how
many judged twice? overhead: how much longer than on this machine does a check over loopback take,
besides the judging; and the same with a judge that takes no time. cancels: how much longer does a
check take while somebody else cancels jobs that are being judged, again and again?

In `order` and `kills` the judge is a stand-in that sleeps (tests/hotloop/service/quick.py):
this machine has no GPU, and the service is what is measured.
"""

import argparse
import json
import os
import secrets
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any

from sqlalchemy import func, select

from hotloop import __version__
from hotloop.core.record import Record
from hotloop.core.transactions import reading
from hotloop.judge.client import JudgeProcess
from hotloop.judge.device import device_name
from hotloop.learn.remote.client import ServiceClient, ask
from hotloop.learn.remote.request import RemoteRequest, packed
from hotloop.service.course import people
from hotloop.service.tables import jobs, opened, works
from hotloop.service.web.queue import WorkState
from hotloop.tasks import render
from hotloop.tasks.local_judging import judge_submission

HERE = Path(__file__).parent
QUICK = HERE.parent / "hotloop" / "remote" / "service" / "quick.py"
RESULTS = HERE / "results"
ASKED_WAIT_S, ASKED_OVERHEAD_S, ASKED_CANCELS = 20.0, 0.3, 2.5
CPU = ("ssa_passes", "fold")
GPU = ("fused_softmax", ("triton_forward", "triton_masked"))


class Service:
    """A service in processes of its own, and its learners' tokens."""

    def __init__(self, folder: Path, learners: int) -> None:
        self.folder, self.trace = folder / "service", folder / "trace"
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        engine = opened(self.folder)
        self.tokens = [_token(engine, f"learner{number}") for number in range(learners)]
        engine.dispose()
        self.process: subprocess.Popen[bytes] | None = None

    def start(self, *command: str) -> None:
        self.process = subprocess.Popen([sys.executable, *command], stdout=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with suppress(OSError):
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            time.sleep(0.05)

    def real(self, jobs: int) -> None:
        """Start it with the real judge."""
        words = [
            "-m",
            "hotloop.cli",
            "course",
            "serve",
            "--folder",
            str(self.folder),
            "--gpus",
            "0",
        ]
        self.start(*words, "--port", str(self.port), "--jobs", str(jobs))

    def quick(self, seconds: float, cpu: int) -> None:
        """Start it with the stand-in judge, and one worker for the GPU."""
        words = [self.folder, self.port, seconds, self.trace, cpu, 1]
        self.start(str(QUICK), "serve", *map(str, words))

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()

    def working(self) -> list[int]:
        """Return the processes that judge at this moment, according to the database."""
        engine = opened(self.folder)
        with reading(engine) as connection:
            running = select(works.c.worker).where(works.c.state == WorkState.RUNNING)
            names = {name.encode() for name in connection.execute(running).scalars()}
        engine.dispose()
        found: list[int] = []
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                if names & set(entry.read_bytes().split(b"\0")):
                    found.append(int(entry.parent.name))
        return found

    def done(self) -> int:
        """How many jobs are."""
        query = select(func.count()).where(jobs.c.state == "done")
        engine = opened(self.folder)
        with reading(engine) as connection:
            found = connection.execute(query).scalar_one()
        engine.dispose()
        return found

    def cpu_s(self) -> dict[str, float]:
        """Return the CPU seconds so far, of the service and of its judging processes."""
        assert self.process is not None
        judging = sum(_cpu_s(child) for child in _below(self.process.pid))
        return {"service": _cpu_s(self.process.pid), "judging": judging}

    def server(self, learner: int) -> ServiceClient:
        return ServiceClient(f"http://127.0.0.1:{self.port}", self.tokens[learner])

    def lines(self) -> list[tuple[str, str, str]]:
        """Return the events as (what, job, phase), in order."""
        return [tuple(line.split()) for line in self.trace.read_text().splitlines()]  # type: ignore[misc]


def _below(process: int) -> list[int]:
    """Return the ids of a process's descendants."""
    listed = Path(f"/proc/{process}/task").glob("*/children")
    children = [int(word) for path in listed for word in path.read_text().split()]
    return [*children, *(found for child in children for found in _below(child))]


def _cpu_s(process: int) -> float:
    """Return the CPU seconds of a process and of its children that have ended."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def running(learners: int, start: Callable[[Service], None]) -> Iterator[Service]:
    with tempfile.TemporaryDirectory(prefix="hotloop-serve-") as folder:
        service = Service(Path(folder), learners)
        start(service)
        try:
            yield service
        finally:
            service.kill()


def _token(engine: Any, name: str) -> str:
    accepted = people.accept(engine, people.invite(engine, name))
    assert accepted is not None
    return accepted[1]


def request(module: str, task: str, note: str = "") -> RemoteRequest:
    """Return a request for the reference, with a file that makes requests differ."""
    files = packed({**render.submission(module), "note.txt": note.encode()})
    return RemoteRequest(hotloop=__version__, module=module, tasks=[task], files=files)


def quiet(_text: str) -> None:
    pass


def wait(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the seconds until a verdict, with all learners at once."""
    asked = request(*CPU)

    def one(service: Service, learner: int) -> float:
        server = service.server(learner)
        together.wait()
        began = time.monotonic()
        job = server.put(asked, secrets.token_hex(16), quiet)
        found = list(server.follow(job, quiet))[-1]
        assert found.state == "done"
        assert found.records[0]["verdict"] == "passed"
        return time.monotonic() - began

    together = threading.Barrier(options.learners)
    with (
        running(options.learners + 1, lambda service: service.real(options.jobs)) as service,
        ThreadPoolExecutor(options.learners) as pool,
    ):
        # One check first, so that the service is started and loaded from disk.
        ask(service.server(options.learners), asked, secrets.token_hex(16), quiet)
        before, began = service.cpu_s(), time.monotonic()
        took = list(pool.map(lambda n: one(service, n), range(options.learners)))
        wall, after = time.monotonic() - began, service.cpu_s()
    median = statistics.median(took)
    each = {who: (after[who] - before[who]) / options.learners for who in after}
    return {
        "learners": options.learners,
        "jobs": options.jobs,
        "task": ".".join(CPU),
        "median_s": round(median, 1),
        "longest_s": round(max(took), 1),
        "learners_a_minute": round(60 * options.learners / wall, 1),
        **{f"{who}_cpu_s_a_check": round(seconds, 2) for who, seconds in each.items()},
        "checks_a_core_minute": round(60 / sum(each.values())),
        "share_of_the_machine": round(
            sum(each.values()) * options.learners / wall / len(os.sched_getaffinity(0)), 2
        ),
        "asked_s": ASKED_WAIT_S,
        "as_asked": median <= ASKED_WAIT_S,
    }


def order(options: argparse.Namespace) -> dict[str, Any]:
    """Return the order in which the GPU worker judged jobs, and the positions learners saw."""
    module, tasks = GPU
    told: dict[str, list[int]] = {}
    owner: dict[str, int] = {}

    def one(service: Service, learner: int) -> None:
        server = service.server(learner)
        together.wait()
        mine = [server.put(request(module, t), secrets.token_hex(16), quiet) for t in tasks]
        for job in mine:
            owner[job] = learner
            told[job] = [
                found.position
                for found in server.follow(job, quiet)
                if found.phase == "gpu" and found.position is not None
            ]

    together = threading.Barrier(options.learners)
    with running(options.learners, lambda service: service.quick(0.2, options.jobs)) as service:
        with ThreadPoolExecutor(options.learners) as pool:
            list(pool.map(lambda n: one(service, n), range(options.learners)))
        turns = [
            owner[job] for what, job, phase in service.lines() if (what, phase) == ("begin", "gpu")
        ]
    ahead = _ahead(turns)
    wrong = [job for job, seen in told.items() if seen != sorted(seen, reverse=True)]
    return {
        "learners": options.learners,
        "jobs": len(turns),
        "most_turns_ahead": ahead,
        "positions_that_grew": len(wrong),
        "positions_told": sum(map(len, told.values())),
        "as_asked": ahead <= 1 and len(turns) == 2 * options.learners,
    }


def _ahead(turns: list[int]) -> int:
    """Return the most turns that a learner was ahead of another whose work still waited."""
    left, had, most = Counter(turns), Counter[int](), 0
    for learner in turns:
        had[learner] += 1
        left[learner] -= 1
        behind = [had[other] for other, count in left.items() if count > 0]
        most = max([most, *(had[learner] - 1 - count for count in behind)])
    return most


def kills(options: argparse.Namespace) -> dict[str, Any]:
    """Count jobs lost and jobs judged twice."""
    random, learners = Random(options.seed), 6
    module, tasks = GPU
    each = options.checks // learners
    wrong: list[str] = []

    def one(service: Service, learner: int) -> None:
        server = service.server(learner)
        for number in range(each):
            asked = request(module, tasks[0], f"{learner}: {number}")
            job = server.put(asked, secrets.token_hex(16), quiet)
            found = list(server.follow(job, quiet))[-1]
            checks = {check["verdict"] for record in found.records for check in record["checks"]}
            if (found.state, checks) != ("done", {"passed"}):
                wrong.append(job)

    killed = Counter[str]()
    with running(learners, lambda service: service.quick(0.2, options.jobs)) as service:
        with ThreadPoolExecutor(learners) as pool:
            futures = [pool.submit(one, service, number) for number in range(learners)]
            while killed.total() < options.kills and not all(f.done() for f in futures):
                time.sleep(random.uniform(0.2, 0.8))
                # All along, and not only while the first checks are judged.
                if service.done() * options.kills < killed.total() * each * learners:
                    continue
                found = service.working()
                if found and killed.total() % 10 == 9:
                    service.kill()
                    service.quick(0.2, options.jobs)
                    killed["service"] += 1
                elif found:
                    with suppress(ProcessLookupError):
                        os.kill(random.choice(found), signal.SIGKILL)
                        killed["worker"] += 1
            for future in futures:
                future.result()
        stored = Counter((job, phase) for what, job, phase in service.lines() if what == "stored")
        done = service.done()
        engine = opened(service.folder)
        with reading(engine) as connection:
            given_up = connection.execute(
                select(func.count()).where(works.c.state == WorkState.LOST)
            ).scalar_one()
            again = connection.execute(select(func.count()).where(works.c.tries > 1)).scalar_one()
        engine.dispose()
    twice = sum(count > 1 for count in stored.values())
    checks = each * learners
    return {
        "checks": checks,
        "killed_workers": killed["worker"],
        "killed_services": killed["service"],
        "judged_again": again,
        "lost": checks - done + len(wrong) - given_up,
        "twice": twice,
        "given_up_after_three_tries": given_up,
        "as_asked": done == checks and len(wrong) == given_up and not twice,
    }


def overhead(options: argparse.Namespace) -> dict[str, Any]:
    """Measure the time of a check besides the judging itself, over loopback and here in turn.

    Each uses a judge that has started already. The record has the judging time: other load on the
    machine then matters little.
    """
    asked = request(*CPU)
    beside: dict[str, list[float]] = {"there": [], "here": [], "alone": []}

    def there(server: ServiceClient) -> Record:
        return ask(server, asked, secrets.token_hex(16), quiet)[0]

    def here(judge: JudgeProcess) -> Record:
        return judge_submission(asked.contents(), CPU[0], [CPU[1]], judge=judge)[CPU[1]]

    def measure(where: str, check: Callable[[], Record]) -> None:
        began = time.monotonic()
        found = check()
        assert found.verdict == "passed"
        beside[where].append(time.monotonic() - began - found.circumstances.seconds)

    with running(1, lambda service: service.real(1)) as service, JudgeProcess() as judge:
        server = service.server(0)
        there(server), here(judge)
        for _ in range(options.repeats):
            measure("there", lambda: there(server))
            measure("here", lambda: here(judge))
    with running(1, lambda service: service.quick(0.0, 1)) as service:
        server = service.server(0)
        there(server)
        for _ in range(options.repeats):
            measure("alone", lambda: there(server))
    more = [t - h for t, h in zip(beside["there"], beside["here"], strict=True)]
    median = statistics.median(more)
    return {
        "repeats": options.repeats,
        "task": ".".join(CPU),
        "overhead_s": round(median, 3),
        "longest_s": round(max(more), 3),
        "local_s": round(statistics.median(beside["here"]), 3),
        "service_alone_s": round(statistics.median(beside["alone"]), 3),
        "asked_s": ASKED_OVERHEAD_S,
        "as_asked": median <= ASKED_OVERHEAD_S,
    }


def cancels(options: argparse.Namespace) -> dict[str, Any]:
    """Measure a learner's checks alone, and while another one sends and cancels jobs in a loop."""
    asked = request(*CPU)
    over = threading.Event()
    canceled: list[str] = []

    def one(server: ServiceClient) -> float:
        began = time.monotonic()
        ask(server, asked, secrets.token_hex(16), quiet)
        return time.monotonic() - began

    def in_a_loop(server: ServiceClient) -> None:
        while not over.is_set():
            job = server.put(asked, secrets.token_hex(16), quiet)
            for found in server.follow(job, quiet):
                if found.running and found.state == "open":
                    server.cancel(job)
                    canceled.append(job)

    with running(2, lambda service: service.real(1)) as service:
        server = service.server(0)
        one(server)
        alone = [one(server) for _ in range(options.repeats)]
        other = threading.Thread(target=in_a_loop, args=(service.server(1),))
        other.start()
        beside = [one(server) for _ in range(options.repeats)]
        over.set()
        other.join()
    medians = [statistics.median(took) for took in (alone, beside)]
    return {
        "repeats": options.repeats,
        "task": ".".join(CPU),
        "canceled_while_judged": len(canceled),
        "alone_s": round(medians[0], 2),
        "beside_s": round(medians[1], 2),
        "longest_beside_s": round(max(beside), 2),
        "ratio": round(medians[1] / medians[0], 2),
        # One judging of the other's, which may just have begun, and one's own.
        "asked_ratio": ASKED_CANCELS,
        "as_asked": medians[1] <= ASKED_CANCELS * medians[0],
    }


PARTS = {"wait": wait, "order": order, "kills": kills, "overhead": overhead, "cancels": cancels}


def main() -> None:
    """Measure and print; exit code 1 if a requirement is not met."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []], help="all if not given")
    parser.add_argument("--learners", type=int, default=60)
    parser.add_argument("--jobs", type=int, default=2, help="processes that judge on the CPU")
    parser.add_argument("--checks", type=int, default=150)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="write it into results/")
    options = parser.parse_args()
    kept = RESULTS / "serve_load.json"
    found: dict[str, Any] = {
        # Parts that are not measured now keep their recorded results.
        **(json.loads(kept.read_text()) if options.keep and kept.exists() else {}),
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "device": device_name(),
        "cores": len(os.sched_getaffinity(0)),
    }
    for part in options.parts or PARTS:
        about = {"date": found["date"], "load_before": round(os.getloadavg()[0], 1)}
        found[part] = {**PARTS[part](options), **about}
        print(part, json.dumps(found[part]), flush=True)
    if options.keep:
        kept.write_text(json.dumps(found, indent=1) + "\n")
    sys.exit(not all(found[part]["as_asked"] for part in options.parts or PARTS))


if __name__ == "__main__":
    main()
