"""One SQL dialect for all engines of a process: as right as SQLite's own, initialized once."""

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Column, Engine, Integer, MetaData, Table, create_engine, inspect, select

from hotloop.course.gradebook_dialect import OneSqlite, gradebook_url

TABLE = Table("numbers", MetaData(), Column("n", Integer))


def engine(path: Path) -> Engine:
    return create_engine(gradebook_url(f"sqlite:///{path}"))


def stored(of: Engine) -> list[int]:
    with of.connect() as connection:
        return list(connection.execute(select(TABLE.c.n).order_by(TABLE.c.n)).scalars())


def test_only_files_of_sqlite_are_opened_so() -> None:
    for url in ("postgresql+psycopg://u:p@h/db", "sqlite://", "sqlite+aiosqlite:///x.db"):
        assert gradebook_url(url) == url
    assert gradebook_url("sqlite:////a/b.db") == "sqlite+hotloop:////a/b.db"


def test_engines_share_a_dialect_and_what_it_compiled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = engine(tmp_path / "a.db"), engine(tmp_path / "b.db")
    assert first.dialect is second.dialect
    for number, each in enumerate((first, second)):
        TABLE.create(each)
        with each.begin() as connection:
            connection.execute(TABLE.insert().values(n=number))
    assert (stored(first), stored(second)) == ([0], [1])

    def compiled_again(*_: Any, **__: Any) -> Any:
        raise AssertionError("a known statement was compiled again")

    monkeypatch.setattr(OneSqlite, "statement_compiler", compiled_again)
    assert stored(engine(tmp_path / "b.db")) == [1]


def test_a_table_that_comes_later_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    assert not inspect(engine(path)).has_table("numbers")
    TABLE.create(engine(path))
    assert inspect(engine(path)).has_table("numbers")


def test_another_file_in_the_same_place_is_asked_anew(tmp_path: Path) -> None:
    path = tmp_path / "a.db"
    TABLE.metadata.create_all(engine(path))
    path.rename(tmp_path / "old.db")
    TABLE.metadata.create_all(engine(path))
    assert stored(engine(path)) == []
