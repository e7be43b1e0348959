"""The gradebook's database is locked by another process, or its server is restarted."""

import argparse
import importlib.util
import os
import shutil
import subprocess
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy
from staged.clone import Clone
from staged.processes import below

from fault_scenarios.course import FaultyCourse, Found, Unable

LOCKED_S = 15.0
PATIENCE_S = 60
"""How long SQLite waits for its lock while the grader writes."""
LOCKS = 2
BEFORE_S = 3.0
"""Delay from a booked grading to the fault, so that other gradings are running then."""
_SERVER_USER = "postgres"


def locked(clone: Clone, folder: Path, arguments: argparse.Namespace) -> Found:
    """Lock the database against reads and writes for LOCKED_S, twice."""
    course = FaultyCourse(clone, folder, arguments.others, arguments.jobs)
    grader = course.start()
    for _ in range(LOCKS):
        course.await_work(grader)
        time.sleep(BEFORE_S)
        if grader.process.poll() is None:
            course.found.faults += 1
            _hold(course.url)
    return course.finish(grader)


def restarted(clone: Clone, folder: Path, arguments: argparse.Namespace) -> Found:
    """Restart the gradebook's PostgreSQL server, also as after a crash, and lock the database."""
    driver = next((name for name in ("psycopg", "psycopg2") if importlib.util.find_spec(name)), "")
    if not driver:
        raise Unable("no PostgreSQL driver for Python (psycopg) is installed")
    with _server(folder / "server") as server:
        url = f"postgresql+{driver}://{_SERVER_USER}@/{_SERVER_USER}?host={server.folder}"
        _configure(folder / "course", url)
        course = FaultyCourse(clone, folder, arguments.others, arguments.jobs)
        course.servers = server.processes
        if course.url != url:
            raise Unable("the grader does not keep its gradebook where the course's settings say")
        grader = course.start()
        for stop in ("fast", "immediate"):
            course.await_work(grader)
            time.sleep(BEFORE_S)
            course.found.faults += 1
            server.restart(stop)
        course.await_work(grader)
        time.sleep(BEFORE_S)
        if grader.process.poll() is None:
            course.found.faults += 1
            _hold(url)
        return course.finish(grader)


def _hold(url: str) -> None:
    sqlite = url.startswith("sqlite")
    engine = sqlalchemy.create_engine(url, connect_args={"timeout": PATIENCE_S} if sqlite else {})
    text = "begin exclusive" if sqlite else "lock table grade in access exclusive mode"
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql(text)
            time.sleep(LOCKED_S)
            connection.rollback()
    finally:
        engine.dispose()


def _configure(root: Path, url: str) -> None:
    """Write the course's settings with a database of its own, before the course is made."""
    root.mkdir()
    (root / "nbgrader_config.py").write_text(
        "from pathlib import Path\n"
        "from hotloop.course.config import configure\n"
        "c = get_config()\n"
        "configure(c, Path(__file__).parent, course_id='faults')\n"
        f"c.CourseDirectory.db_url = {url!r}\n"
    )


class _Server:
    """A PostgreSQL server on a unix socket in `folder`; runs while the context is entered."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self.folder, self._programs = folder, programs

    def control(self, *arguments: str) -> None:
        """Call pg_ctl, and wait until it is done."""
        self._call("pg_ctl", "-D", str(self.folder / "data"), "-w", *arguments)

    def restart(self, how: str) -> None:
        """Stop the server in pg_ctl's mode `how`, and start it again."""
        self.control("restart", "-m", how, "-l", str(self.folder / "log"))

    def processes(self) -> set[int]:
        """Return the server's processes, which are children of this process, as graders are."""
        try:
            first = int((self.folder / "data" / "postmaster.pid").read_text().split()[0])
        except (OSError, ValueError, IndexError):
            return set()
        return {first, *below(first)}

    def make(self) -> None:
        """Create its data and start it."""
        data = str(self.folder / "data")
        self._call("initdb", "-D", data, "-A", "trust", "-U", _SERVER_USER)
        settings = f"-k {self.folder} -c listen_addresses=''"
        self.control("start", "-l", str(self.folder / "log"), "-o", settings)

    def _call(self, program: str, *arguments: str) -> None:
        user = ["runuser", "-u", _SERVER_USER, "--"] if os.geteuid() == 0 else []
        command = [*user, str(self._programs / program), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, cwd="/", check=False)
        if done.returncode:
            raise Unable(f"{program} failed: {done.stderr.strip()[-200:]}")


@contextmanager
def _server(folder: Path) -> Generator[_Server]:
    found = shutil.which("pg_ctl")
    if found is None:
        raise Unable("there is no PostgreSQL server here (pg_ctl)")
    folder.mkdir()
    if os.geteuid() == 0:
        shutil.chown(folder, _SERVER_USER)
    for parent in folder.parents[:2]:
        parent.chmod(0o755)
    server = _Server(folder, Path(found).resolve().parent)
    server.make()
    try:
        yield server
    finally:
        server.control("stop", "-m", "immediate")
