"""Whatever is killed at whatever moment: no job is lost, and none is stored twice."""

import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import Engine, select

from hotloop.core.transactions import reading
from hotloop.learn.remote.client import ServiceClient, ask
from hotloop.learn.remote.request import RemoteRequest, packed
from hotloop.service.course import people
from hotloop.service.tables import jobs, opened, works
from hotloop.service.web.process import DATABASE
from hotloop.service.web.queue import WorkState

from ..course.attempts.conftest import Server as PostgreSQL
from ..course.attempts.conftest import server
from ..waiting import until
from . import quick
from .conftest import request

__all__ = ["server"]

GPU = {"module": "fused_softmax", "tasks": ["triton_forward"]}
LEARNERS = ("ada", "bob", "carol")


@dataclass
class Running:
    """A service in separate processes, which can be killed and started again."""

    folder: Path
    port: int
    database: str = ""
    seconds: float = 0.1
    tokens: dict[str, str] = field(default_factory=dict[str, str])
    process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def trace(self) -> Path:
        return self.folder / "trace"

    def start(self) -> None:
        words = ["serve", self.folder, self.port, self.seconds, self.trace, 1, 1]
        command = [sys.executable, quick.__file__, *map(str, words)]
        environment = {**os.environ, DATABASE: self.database}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "listening\n"

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()

    def workers(self) -> list[int]:
        """Return the workers' processes."""
        found: list[int] = []
        for entry in Path("/proc").glob("[0-9]*/cmdline"):
            with suppress(OSError):
                words = entry.read_bytes().split(b"\0")
                if b"worker" in words and str(self.folder).encode() in words:
                    found.append(int(entry.parent.name))
        return found

    def engine(self) -> Engine:
        return opened(self.folder, self.database)

    def server(self, who: str) -> ServiceClient:
        return ServiceClient(self.url, self.tokens[who], patience_s=60.0)


@pytest.fixture(params=["sqlite", "postgresql"])
def running(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Running]:
    database = ""
    if request.param == "postgresql":
        database = request.getfixturevalue("server").new_database()
    found = made(tmp_path / "service", database)
    join(found)
    yield from started(found)


@pytest.fixture
def both(server: PostgreSQL, tmp_path: Path) -> Iterator[list[Running]]:
    """Two servers on one database, each with a folder and workers of its own."""
    database = server.new_database()
    found = [made(tmp_path / name, database, 0.5) for name in ("first", "second")]
    join(*found)
    yield from started(*found)  # type: ignore[misc]


def made(folder: Path, database: str, seconds: float = 0.1) -> Running:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return Running(folder, free.getsockname()[1], database, seconds)


def join(*servers: Running) -> None:
    """Make the learners' accounts, which are the same on all servers."""
    engine = servers[0].engine()
    for name in LEARNERS:
        accepted = people.accept(engine, people.invite(engine, name))
        assert accepted is not None
        for one in servers:
            one.tokens[name] = accepted[1]
    engine.dispose()


def started(*servers: Running) -> Iterator[Any]:
    for one in servers:
        one.start()
    until(lambda: all(len(one.workers()) == 2 for one in servers))
    yield servers[0] if len(servers) == 1 else list(servers)
    for one in servers:
        one.kill()


def asked(number: int) -> RemoteRequest:
    """Return a different request for each number, of a module with GPU checks."""
    return RemoteRequest.model_validate(
        request(**GPU, files=packed({"lab.ipynb": str(number).encode()}))
    )


def settled(expected: int, *servers: Running) -> None:
    """Check that every job has ended with all its records, each stored once for each phase."""
    stored = Counter(
        line
        for one in servers
        for line in one.trace.read_text().splitlines()
        if line.startswith("stored")
    )
    assert all(count == 1 for count in stored.values()), stored
    engine = servers[0].engine()
    with reading(engine) as connection:
        states = connection.execute(select(jobs.c.state)).scalars().all()
        left = connection.execute(select(works.c.state, works.c.problem)).all()
    engine.dispose()
    assert states == ["done"] * expected
    assert {row.state for row in left} == {WorkState.DONE}, left
    assert len(left) == 2 * expected


def lines(running: Running, what: str) -> int:
    """Count an event in the trace."""
    return running.trace.read_text().count(what) if running.trace.exists() else 0


def checks(each: int, *servers: Running) -> list[threading.Thread]:
    """Start learners who check one task after the other; all must get all records.

    They ask the servers in turn.
    """
    failures: list[BaseException] = []

    def one(who: str, first: int) -> None:
        try:
            for number in range(first, first + each):
                key = secrets.token_hex(16)
                server = servers[number % len(servers)].server(who)
                (record,) = ask(server, asked(number), key, lambda _text: None)
                assert {check.verdict.value for check in record.checks} == {"passed"}
        except BaseException as error:  # noqa: BLE001 - said by the thread that has started it
            failures.append(error)

    threads = [
        threading.Thread(target=one, args=(who, 1000 * number))
        for number, who in enumerate(LEARNERS)
    ]
    for thread in threads:
        thread.start()
        thread.failures = failures  # type: ignore[attr-defined]
    return threads


def joined(threads: list[threading.Thread]) -> None:
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive()
    assert threads[0].failures == []  # type: ignore[attr-defined]


@pytest.mark.slow
def test_workers_that_are_killed(running: Running) -> None:
    random = Random(1)
    threads = checks(6, running)
    for _ in range(4):
        before = lines(running, "begin")
        # While something is judged.
        until(lambda: lines(running, "begin") > before)  # noqa: B023 - asked at once
        time.sleep(random.uniform(0.0, running.seconds))
        for process in running.workers():
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
    joined(threads)
    engine = running.engine()
    with reading(engine) as connection:
        tries = connection.execute(select(works.c.tries)).scalars().all()
    engine.dispose()
    assert max(tries) > 1, "no work was cut off"
    settled(6 * len(LEARNERS), running)


@pytest.mark.slow
def test_a_service_that_is_killed(running: Running) -> None:
    random = Random(2)
    threads = checks(4, running)
    for _ in range(2):
        time.sleep(random.uniform(0.5, 2.0))
        running.kill()
        # Nobody is left who judges for a service that is gone.
        until(lambda: running.workers() == [])
        running.start()
    joined(threads)
    settled(4 * len(LEARNERS), running)


@pytest.mark.slow
def test_one_of_two_servers_on_one_database_is_killed(both: list[Running]) -> None:
    """Their workers judge what either has taken; what the killed one's held is judged again."""
    first, second = both
    threads = checks(6, first, second)
    # While each judges something.
    until(lambda: lines(first, "begin") > lines(first, "stored"))
    first.kill()
    until(lambda: lines(second, "begin") > lines(second, "stored"))
    for process in second.workers():
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
    until(lambda: first.workers() == [])
    first.start()
    joined(threads)
    engine = first.engine()
    with reading(engine) as connection:
        tries = connection.execute(select(works.c.tries)).scalars().all()
    engine.dispose()
    assert max(tries) > 1, "no work was cut off"
    settled(6 * len(LEARNERS), first, second)


@pytest.mark.slow
def test_a_client_that_is_killed(running: Running, tmp_path: Path) -> None:
    """The same command again gets the records of the job that the killed client started."""
    program = (
        "import sys\n"
        "from hotloop.learn.remote import resumable_request\n"
        "from hotloop.learn.remote.client import ServiceClient\n"
        "from hotloop.learn.remote.request import RemoteRequest, packed\n"
        "server = ServiceClient(sys.argv[1], sys.argv[2])\n"
        "asked = RemoteRequest.model_validate_json(sys.stdin.read())\n"
        "print(len(resumable_request.ask(server, asked, lambda text: print(text, flush=True))))\n"
    )
    environment = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "data")}
    command = [sys.executable, "-c", program, running.url, running.tokens["ada"]]
    for number in range(3):
        killed = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        assert killed.stdin is not None
        assert killed.stdout is not None
        with killed.stdin:
            killed.stdin.write(asked(number).model_dump_json())
        killed.stdout.readline()
        killed.kill()
        killed.wait()
        killed.stdout.close()
        again = subprocess.run(
            command,
            input=asked(number).model_dump_json(),
            capture_output=True,
            text=True,
            check=True,
            env=environment,
            timeout=60,
        )
        assert again.stdout.splitlines()[-1] == "1"
    settled(3, running)
