"""The portal's database on both supported systems: many clients at once, and nothing twice."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from uuid import UUID, uuid4

import pytest
from sqlalchemy import Engine

from hotloop.service import tables
from hotloop.service.takehome import links, passwords
from hotloop.service.takehome.queue import PortalQueue
from hotloop.service.web import accounts
from hotloop.service.web.accounts import AccountError
from hotloop.service.web.queue import WorkState

from ...course.attempts.conftest import Server, server

__all__ = ["server"]

PASSWORD = "a long enough password"
COUNT = 24


@pytest.fixture(params=["sqlite", "postgresql"])
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    url = ""
    if request.param == "postgresql":
        running: Server = request.getfixturevalue("server")
        url = running.new_database()
    found = tables.opened(tmp_path, url)
    yield found
    found.dispose()


@pytest.mark.slow
def test_each_submission_is_claimed_once(engine: Engine) -> None:
    queue = PortalQueue(engine)
    packs = [uuid4() for _ in range(COUNT)]
    with ThreadPoolExecutor(8) as pool:
        added = list(pool.map(lambda pack: queue.add(pack, "d" * 64), packs * 2))
        claimed = list(pool.map(lambda _: queue.claim("grader"), range(COUNT * 2)))
    assert sum(added) == COUNT
    found = [one.pack for one in claimed if one is not None]
    assert len(found) == len(set(found))
    # A worker that was refused while another one held the row asks again.
    while (one := queue.claim("grader")) is not None:
        found.append(one.pack)
    assert sorted(found) == sorted(packs)
    assert {one.state for one in queue.all().values()} == {WorkState.RUNNING}


def test_the_first_to_come_is_the_first_to_be_graded(engine: Engine) -> None:
    queue = PortalQueue(engine)
    packs = [UUID(int=number) for number in (3, 1, 2)]
    for pack in packs:
        queue.add(pack, "d" * 64)
    assert [queue.claim("grader").pack for _ in packs] == packs  # type: ignore[union-attr]


def test_one_name_is_one_account(engine: Engine) -> None:
    passwords.add(engine, "anna", PASSWORD)
    with pytest.raises(AccountError):
        passwords.add(engine, "anna", PASSWORD)
    account = passwords.check(engine, "anna", PASSWORD)
    assert account is not None
    token = accounts.log_in(engine, account)
    assert accounts.member(engine, token) is not None
    accounts.remove(engine, "anna")
    assert accounts.member(engine, token) is None


def test_a_pack_has_one_link(engine: Engine) -> None:
    pack, elsewhere = uuid4(), timezone(timedelta(hours=9))
    expires = datetime(2030, 1, 2, 3, 4, tzinfo=elsewhere)
    made = [links.make(engine, b"secret", pack, expires) for _ in range(2)]
    assert links.find(engine, made[0].token) is None
    found = links.find(engine, made[1].token)
    assert found == made[1]
    assert found.expires == datetime(2030, 1, 1, 18, 4, tzinfo=UTC)
    assert links.current(engine, b"secret", pack) == made[1]
    links.end(engine, pack)
    assert links.find(engine, made[1].token) is None


def test_a_second_start_finds_what_is_there(engine: Engine, tmp_path: Path) -> None:
    passwords.add(engine, "anna", PASSWORD)
    again = tables.opened(tmp_path, engine.url.render_as_string(hide_password=False))
    assert accounts.names(again) == ["anna"]
    again.dispose()
