"""Databases for attempts: a SQLite file, and a PostgreSQL server of the tests' own."""

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import create_engine, make_url, text

from hotloop.course.attempts.attempt import Attempt
from hotloop.course.attempts.store import Store

SPARE_USERS = ("postgres", "nobody")
"""PostgreSQL refuses to run as root; it then runs as one of these users."""


@dataclass
class Server:
    """A PostgreSQL server on a unix socket in `folder`."""

    folder: Path
    programs: Path
    made: int = 0

    def url(self, name: str = "postgres") -> str:
        return f"postgresql+psycopg://hotloop@/{name}?host={self.folder}"

    def new_database(self, like: str = "") -> str:
        """like: the URL of a database that is copied, whose connections are ended."""
        self.made += 1
        name = f"course_{self.made}"
        engine = create_engine(self.url(), isolation_level="AUTOCOMMIT")
        template = make_url(like).database if like else "template1"
        others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :name"
        with engine.connect() as connection:
            if like:
                connection.execute(text(others), {"name": template})
            connection.execute(text(f"CREATE DATABASE {name} TEMPLATE {template}"))
        engine.dispose()
        return self.url(name)

    def start(self) -> None:
        settings = f"-k {self.folder} -c listen_addresses='' -c fsync=off"
        self.run("pg_ctl", "-D", "data", "-w", "-l", "log", "-o", settings, "start")

    def stop(self, how: str = "fast") -> None:
        self.run("pg_ctl", "-D", "data", "-w", "-m", how, "stop")

    def run(self, program: str, *arguments: str) -> None:
        user = []
        if os.geteuid() == 0:
            user = ["runuser", "-u", spare_user(), "--"]
        command = [*user, str(self.programs / program), *arguments]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def spare_user() -> str:
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in SPARE_USERS if name in known)


def server_programs() -> Path | None:
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    # Debian does not put them on PATH.
    packaged = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return packaged[-1].parent if packaged else None


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    pytest.importorskip("psycopg", reason="psycopg is not installed: pip install '.[postgres]'")
    programs = server_programs()
    if programs is None:
        pytest.skip("there are no PostgreSQL server programs here: apt-get install postgresql")
    # Not in pytest's folder, as the path of a socket has a length limit.
    folder = Path(tempfile.mkdtemp(prefix="hotloop-pg-"))
    if os.geteuid() == 0:
        shutil.chown(folder, spare_user())
    made = Server(folder, programs)
    try:
        made.run("initdb", "-D", "data", "-A", "trust", "-U", "hotloop", "--no-sync")
        made.start()
        yield made
        made.stop("immediate")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """URL of an empty database, for both kinds of database."""
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'gradebook.db'}"
    return request.getfixturevalue("server").new_database()


@pytest.fixture
def store(url: str) -> Store:
    return Store(url)


@pytest.fixture
def attempt() -> Callable[..., Attempt]:
    """Makes attempts with the given fields changed."""

    def make(**differences: Any) -> Attempt:
        given: dict[str, Any] = {
            "student": "ada",
            "module": "tiny",
            "digest": "d" * 64,
            "grader": "g" * 64,
            "machine": {"cores": 2},
            "graded": datetime(2026, 1, 2, 3, 4, 5, 678901, UTC),
            "seconds": 1.25,
            "records": {},
            **differences,
        }
        return Attempt(**given)

    return make
