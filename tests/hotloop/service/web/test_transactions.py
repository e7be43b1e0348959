"""Transactions of sites, on both supported databases."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from sqlalchemy import Engine, func, select, update
from sqlalchemy.exc import DBAPIError

from hotloop.core.transactions import reading, writing
from hotloop.service.web import accounts, database
from hotloop.service.web.accounts import sessions

from ...course.attempts.conftest import Server, server

__all__ = ["server"]

TABLES = [accounts.accounts, sessions]
Opened = Callable[[], Engine]


@pytest.fixture(params=["sqlite", "postgresql"])
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Opened]:
    """Returns a function that connects to one database, as another server does."""
    url = ""
    if request.param == "postgresql":
        running: Server = request.getfixturevalue("server")
        url = running.new_database()
    made: list[Engine] = []

    def connect() -> Engine:
        made.append(database.connect(url, tmp_path / "site.db", "site", 1, TABLES))
        return made[-1]

    yield connect
    for engine in made:
        engine.dispose()


def test_servers_that_start_at_once_make_the_tables_once(opened: Opened) -> None:
    with ThreadPoolExecutor(6) as pool:
        engines = list(pool.map(lambda _: opened(), range(6)))
    accounts.add(engines[0], "ada", "learner")
    assert [accounts.names(engine) for engine in engines] == [["ada"]] * 6


def test_what_is_read_before_writing_is_still_true(opened: Opened) -> None:
    """As a queue needs it: a work that was seen waiting is claimed once."""
    engines = [opened() for _ in range(2)]
    account = accounts.add(engines[0], "ada", "0")
    role = accounts.accounts.c.role

    def count_up(number: int) -> None:
        with writing(engines[number % 2]) as connection:
            found = connection.execute(select(role)).scalar_one()
            more = update(accounts.accounts).where(accounts.accounts.c.id == account)
            connection.execute(more.values(role=str(int(found) + 1)))

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(count_up, range(40)))
    with reading(engines[0]) as connection:
        assert connection.execute(select(role)).scalar_one() == "40"


def test_all_that_is_read_is_of_one_moment(opened: Opened) -> None:
    first, second = opened(), opened()
    count = select(func.count()).select_from(accounts.accounts)
    with reading(first) as connection:
        assert connection.execute(count).scalar_one() == 0
        accounts.add(second, "ada", "learner")
        assert connection.execute(count).scalar_one() == 0
    with reading(first) as connection:
        assert connection.execute(count).scalar_one() == 1


def test_a_server_that_is_stopped_within_a_transaction_keeps_no_other_from_writing(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    soon = "idle_in_transaction_session_timeout = 300"
    assert soon.partition(" =")[0] in " ".join(database._ON_SERVER)
    monkeypatch.setattr(database, "_ON_SERVER", ("lock_timeout = 20000", soon))
    url = server.new_database()
    stopped, other = (database.connect(url, tmp_path, "site", 1, TABLES) for _ in range(2))

    def continues_too_late() -> None:
        with writing(stopped) as connection:
            connection.execute(select(accounts.accounts.c.id))
            accounts.add(other, "ada", "learner")
            connection.execute(select(accounts.accounts.c.id))

    with pytest.raises(DBAPIError):
        continues_too_late()
    assert accounts.names(stopped) == ["ada"]
    for engine in (stopped, other):
        engine.dispose()
