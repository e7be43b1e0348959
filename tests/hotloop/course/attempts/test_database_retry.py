"""Waits for a database that is busy, full or restarting; after a timeout says what to do."""

import os
import sqlite3
import stat
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook
from sqlalchemy import event, text
from sqlalchemy.exc import IntegrityError

from hotloop.course.attempts.attempt import Attempt, Kind
from hotloop.course.attempts.connection import BUSY_MS, LONGEST_LOCK_MS, wait_for_locks
from hotloop.course.attempts.database_retry import StoreUnavailable, patiently
from hotloop.course.attempts.store import Store

from .events import note

Make = Callable[..., Attempt]
LATER = datetime(2026, 1, 3, tzinfo=UTC)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "gradebook.db"


def engine_of(store: Store) -> Any:
    return store._engine  # pyright: ignore[reportPrivateUsage]


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_lock_is_waited_out(path: Path, attempt: Make, mode: str) -> None:
    store = Store(f"sqlite:///{path}")
    store.add(attempt())
    other = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
    other.execute(f"BEGIN {mode}")
    release = threading.Timer(2.5, lambda: other.execute("ROLLBACK"))
    release.start()
    start = time.monotonic()
    kept = store.add(attempt(graded=LATER))
    assert time.monotonic() - start > 2
    release.join()
    other.close()
    assert [a.id for a in store.history("ada", "tiny")] == [1, kept.id]


@pytest.mark.slow
def test_a_lock_that_stays_is_said(path: Path, attempt: Make) -> None:
    store = Store(f"sqlite:///{path}", patience_s=1.5)
    store.add(attempt())
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreUnavailable, match="stayed locked by another program"):
        store.add(attempt(graded=LATER))
    assert len(store.history("ada", "tiny")) == 1
    other.execute("ROLLBACK")
    other.close()
    assert store.add(attempt(graded=LATER)).id == 2


@pytest.mark.slow
def test_a_full_disk_loses_nothing(path: Path, attempt: Make) -> None:
    store = Store(f"sqlite:///{path}", patience_s=0.5)
    kept = store.add(attempt())
    pages = path.stat().st_size // 4096
    engine = engine_of(store)

    def limit(connection: Any, _record: Any) -> None:
        connection.execute(f"PRAGMA max_page_count = {pages}")

    event.listen(engine, "connect", limit)
    big = attempt(graded=LATER, notes=[os.urandom(200_000).hex()])
    with pytest.raises(StoreUnavailable, match="Make room and run the command again"):
        store.add(big)
    assert store.history("ada", "tiny") == [kept]
    event.remove(engine, "connect", limit)
    assert store.add(big).notes == big.notes


@pytest.mark.slow
def test_a_full_disk_that_is_emptied_is_waited_out(path: Path, attempt: Make) -> None:
    store = Store(f"sqlite:///{path}")
    store.add(attempt())
    room = [path.stat().st_size // 4096]

    def limit(connection: Any, _record: Any) -> None:
        connection.execute(f"PRAGMA max_page_count = {room[0]}")

    event.listen(engine_of(store), "connect", limit)
    release = threading.Timer(1.5, lambda: room.__setitem__(0, 100_000))
    release.start()
    big = attempt(graded=LATER, notes=[os.urandom(200_000).hex()])
    assert store.add(big).notes == big.notes
    release.join()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write whatever a file's mode is")
def test_a_file_that_may_not_be_written_is_said_at_once(path: Path, attempt: Make) -> None:
    store = Store(f"sqlite:///{path}")
    kept = store.add(attempt())
    path.chmod(stat.S_IRUSR)
    start = time.monotonic()
    with pytest.raises(StoreUnavailable, match="may not be written by this account"):
        store.add(attempt(graded=LATER))
    assert time.monotonic() - start < 5
    assert store.history("ada", "tiny") == [kept]


def test_a_fault_of_ours_is_no_reason_to_wait(path: Path, attempt: Make) -> None:
    store = Store(f"sqlite:///{path}")
    start = time.monotonic()
    with pytest.raises(IntegrityError):
        store.add(attempt(student=None))
    assert time.monotonic() - start < 30


def test_what_needs_no_database_is_done_once() -> None:
    calls: list[int] = []

    def act() -> str:
        calls.append(1)
        return "done"

    assert patiently(act, 0.0) == "done"
    assert len(calls) == 1


@pytest.mark.parametrize("how", ["fast", "immediate"])
def test_a_server_that_is_restarted_is_waited_for(server: Any, attempt: Make, how: str) -> None:
    store = Store(server.new_database())
    kept = note(store, Kind.PUBLISHED, store.add(attempt()))
    server.stop(how)
    restart = threading.Timer(2.0, server.start)
    restart.start()
    newer = store.add(attempt(graded=LATER))
    note(store, Kind.PUBLISHED, newer)
    restart.join()
    assert [e.attempt_id for e in store.events()] == [kept.attempt_id, newer.id]


def test_a_server_restarted_while_attempts_are_stored(server: Any, attempt: Make) -> None:
    """Each is stored once, and published once, whenever the server is stopped."""
    store = Store(server.new_database())
    store.events()
    errors: list[BaseException] = []

    def write() -> None:
        try:
            for number in range(150):
                note(store, Kind.PUBLISHED, store.add(attempt(digest=f"{number:03}")))
        except BaseException as error:
            errors.append(error)
            raise

    writer = threading.Thread(target=write)
    writer.start()
    for how in ("fast", "immediate", "immediate"):
        time.sleep(0.7)
        server.stop(how)
        server.start()
    writer.join(120)
    assert errors == []
    assert [a.digest for a in store.history("ada", "tiny")] == [f"{n:03}" for n in range(150)]
    named = [e.attempt_id for e in store.events()]
    assert len(named) == len(set(named)) == 150


def test_a_server_that_stays_away_is_said(server: Any, attempt: Make) -> None:
    store = Store(server.new_database(), patience_s=1.0)
    store.add(attempt())
    server.stop()
    try:
        with pytest.raises(StoreUnavailable, match="does not answer"):
            store.history("ada", "tiny")
    finally:
        server.start()
    assert len(store.history("ada", "tiny")) == 1


def test_a_database_that_is_not_there_is_said_at_once(server: Any) -> None:
    start = time.monotonic()
    with pytest.raises(StoreUnavailable, match="does not know the database"):
        Store(server.url("nowhere")).events()
    assert time.monotonic() - start < 10


def test_nbgrader_waits_for_a_lock_too(path: Path) -> None:
    wait_for_locks()
    store = Store(f"sqlite:///{path}")
    store.events()
    with Gradebook(f"sqlite:///{path}") as gradebook:
        pragma = text("PRAGMA busy_timeout")
        assert gradebook.db.execute(pragma).scalar_one() == LONGEST_LOCK_MS
    assert store.read(lambda c: c.execute(text("PRAGMA busy_timeout")).scalar_one()) == BUSY_MS
