"""Hotloop's tables are created beside nbgrader's."""

import re
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from nbgrader.api import Gradebook
from sqlalchemy import create_engine, inspect, text

from hotloop.core.transactions import writing
from hotloop.course.attempts import tables
from hotloop.course.attempts.attempt import Attempt
from hotloop.course.attempts.connection import connect, shown
from hotloop.course.attempts.database_retry import StoreUnavailable
from hotloop.course.attempts.schema import make_tables
from hotloop.course.attempts.store import Store

OURS = re.compile("hotloop_")


def schema(url: str) -> dict[str, Any]:
    """Return the tables with their columns, and the content of nbgrader's version table."""
    engine = create_engine(url)
    with engine.connect() as connection:
        inspector = inspect(connection)
        found: dict[str, Any] = {
            name: [(c["name"], str(c["type"]), c["nullable"]) for c in inspector.get_columns(name)]
            for name in sorted(inspector.get_table_names())
        }
        if "alembic_version" in found:
            query = text("SELECT version_num FROM alembic_version")
            found["alembic_version"] = connection.execute(query).scalars().all()
    engine.dispose()
    return found


def theirs(found: dict[str, Any]) -> dict[str, Any]:
    return {name: about for name, about in found.items() if not OURS.match(name)}


def ours(found: dict[str, Any]) -> dict[str, Any]:
    return {name: about for name, about in found.items() if OURS.match(name)}


def test_an_empty_database_becomes_a_gradebook_with_our_tables(url: str) -> None:
    make_tables(connect(url))
    found = schema(url)
    assert set(ours(found)) == set(tables.METADATA.tables)
    with Gradebook(url, "course") as gradebook:
        gradebook.add_student("ada")
        assert [student.id for student in gradebook.students] == ["ada"]
    assert schema(url) == found


@pytest.mark.slow
def test_it_is_the_gradebook_that_nbgrader_would_have_made(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    make_tables(connect(url))
    own = f"sqlite:///{tmp_path / 'own.db'}"
    Gradebook(own).close()
    made, expected = theirs(schema(url)), schema(own)
    assert made["alembic_version"] == expected["alembic_version"]
    assert set(made) == set(expected)
    for name in set(made) - {"alembic_version"}:
        assert [c[0] for c in made[name]] == [c[0] for c in expected[name]]


@pytest.mark.slow
def test_a_gradebook_of_nbgraders_stays_as_it_is(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    with Gradebook(url, "course") as gradebook:
        gradebook.add_student("ada")
    before = schema(url)
    make_tables(connect(url))
    after = schema(url)
    assert theirs(after) == before
    assert set(after) - set(before) == set(tables.METADATA.tables)
    with Gradebook(url, "course") as gradebook:
        assert [student.id for student in gradebook.students] == ["ada"]


def test_a_second_time_does_nothing(url: str) -> None:
    engine = connect(url)
    make_tables(engine)
    before = schema(url)
    make_tables(engine)
    assert schema(url) == before


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE hotloop_events ADD COLUMN more INTEGER",
        "ALTER TABLE hotloop_events DROP COLUMN batch",
        "DROP TABLE hotloop_forgetting",
        "CREATE TABLE hotloop_others (n INTEGER)",
    ],
)
def test_a_database_of_another_version_is_not_touched(url: str, change: str) -> None:
    engine = connect(url)
    make_tables(engine)
    with writing(engine) as connection:
        connection.execute(text(change))
    before = schema(url)
    with pytest.raises(StoreUnavailable, match="another version of Hotloop: install that one"):
        Store(url).events()
    assert schema(url) == before


def test_a_database_that_was_replaced_gets_its_tables_again(
    tmp_path: Path, attempt: Callable[..., Attempt]
) -> None:
    path = tmp_path / "gradebook.db"
    store = Store(f"sqlite:///{path}")
    store.add(attempt())
    path.unlink()
    assert store.history("ada", "tiny") == []
    assert store.add(attempt()).id == 1


@pytest.mark.slow
def test_nbgraders_own_upgrade_still_works(tmp_path: Path) -> None:
    path = tmp_path / "gradebook.db"
    make_tables(connect(f"sqlite:///{path}"))
    before = schema(f"sqlite:///{path}")
    command = [sys.executable, "-W", "ignore", "-m", "nbgrader", "db", "upgrade"]
    done = subprocess.run(
        [*command, f"--db=sqlite:///{path}"],
        cwd=tmp_path,
        env={"PATH": f"{Path(sys.executable).parent}:/usr/bin:/bin", "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert schema(f"sqlite:///{path}") == before
    [backup] = tmp_path.glob("gradebook.db.*")
    with sqlite3.connect(backup) as connection:
        assert connection.execute("SELECT count(*) FROM hotloop_attempts").fetchone() == (0,)


def test_the_journal_stays_as_nbgrader_has_it(tmp_path: Path) -> None:
    path = tmp_path / "gradebook.db"
    make_tables(connect(f"sqlite:///{path}"))
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)


def test_no_password_is_shown() -> None:
    assert shown("sqlite:////a/gradebook.db") == "/a/gradebook.db"
    assert shown("postgresql+psycopg://u:secret@h/db") == "postgresql+psycopg://u:***@h/db"


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("nonsense", "no database's URL"),
        ("nosuch://x/y", "no database's URL"),
        ("mysql+pymysql://x/y", "pip install"),
        ("sqlite:////nowhere/at/all.db", "its folder exists"),
    ],
)
def test_what_cannot_be_opened_says_what_to_do(url: str, said: str) -> None:
    with pytest.raises(StoreUnavailable, match=said):
        Store(url).events()
