"""Attacks on the service; each must fail."""

import gzip
import json
import re
import secrets
import select
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select as query

from hotloop.core.transactions import reading
from hotloop.learn.remote.request import MAX_BYTES
from hotloop.service.app import served
from hotloop.service.course import people
from hotloop.service.tables import invitations, tokens
from hotloop.service.web.accounts import AccountError
from hotloop.service.web.headers import ALWAYS

from .conftest import OFTEN, School, request
from .web.serving import listening

PATHS = [("GET", ""), ("GET", "/events"), ("POST", "/cancel")]


@pytest.mark.slow
@pytest.mark.parametrize(("method", "path"), PATHS)
def test_somebody_elses_job_is_none(school: School, method: str, path: str) -> None:
    job = school.stored("ada")
    for who in ("bob", "grace"):
        answer = school.ask(who, method, f"/api/jobs/{job}{path}")
        assert answer.status_code == 404
        # As for one that was never there.
        nowhere = "00000000-0000-4000-8000-000000000000"
        assert answer.json() == school.ask(who, method, f"/api/jobs/{nowhere}{path}").json()
    assert school.job(job)["state"] == "open"


@pytest.mark.parametrize(("method", "path"), PATHS)
@pytest.mark.parametrize("token", ["", "x", "x" * 43, "é" * 43, "' OR 1=1 --"])
def test_without_a_token_nothing_is_served(
    school: School, method: str, path: str, token: str
) -> None:
    job = school.stored("ada")
    headers = {"Authorization": f"Bearer {token}".encode()} if token else {}
    answer = school.ask("", method, f"/api/jobs/{job}{path}", headers=headers)
    assert answer.status_code == 401


@pytest.mark.slow
def test_the_digest_of_a_token_is_no_token(school: School) -> None:
    with reading(school.service.engine) as connection:
        stored = connection.execute(query(tokens.c.digest)).scalars().all()
        stored += connection.execute(query(invitations.c.digest)).scalars().all()
    for digest in stored:
        assert school.ask(digest, "GET", "/api/jobs/x").status_code == 401
    dump = Path(school.service.settings.folder, "service.db").read_bytes()
    assert not any(token.encode() in dump for token in school.tokens.values())


@pytest.mark.parametrize("secret", ["", "x" * 43, "x" * 101, "%00", "../../x"])
def test_a_forged_invitation_is_none(school: School, secret: str) -> None:
    answer = school.ask("", "POST", "/api/login", json={"invitation": secret})
    assert answer.status_code in (410, 422)


@pytest.mark.slow
def test_an_invitation_works_once_and_until_its_end(school: School) -> None:
    once = people.invite(school.service.engine, "carol")
    over = people.invite(school.service.engine, "carol", stay=timedelta(seconds=-1))
    codes = [
        school.ask("", "POST", "/api/login", json={"invitation": secret}).status_code
        for secret in (once, once, over)
    ]
    assert codes == [200, 410, 410]


def test_a_learner_is_not_made_an_instructor(school: School) -> None:
    with pytest.raises(AccountError, match="ada is learner already"):
        people.invite(school.service.engine, "ada", "instructor")


@pytest.mark.parametrize("name", ["", "../up", "a/b", "a+b", "a b", "-a", ".a", "ä", "x" * 61])
def test_a_name_that_would_be_a_path_is_none(school: School, name: str) -> None:
    with pytest.raises(AccountError, match="is no name"):
        people.invite(school.service.engine, name)


@pytest.mark.slow
def test_guessing_is_ended(opened: Callable[..., School]) -> None:
    school = opened(rates=replace(OFTEN, unknown="3/hour"))
    guesses = [school.ask("x" * 43, "GET", "/api/jobs/x") for _ in range(5)]
    assert [one.status_code for one in guesses] == [401, 401, 401, 429, 429]
    assert int(guesses[-1].headers["Retry-After"]) > 0
    # Who is known is served as before, from the same address.
    assert school.put("ada").status_code == 202


@pytest.mark.slow
def test_a_flood_of_one_learner_is_ended_and_others_are_served(
    opened: Callable[..., School],
) -> None:
    school = opened(rates=replace(OFTEN, put="5/hour"))
    codes = [school.put("ada").status_code for _ in range(7)]
    assert codes == [202] * 5 + [429] * 2
    assert school.put("bob").status_code == 202


def test_a_flood_of_pages_is_ended(opened: Callable[..., School]) -> None:
    school = opened(rates=replace(OFTEN, page="5/hour"))
    codes = [school.ask("", "POST", "/api/login", json={}).status_code for _ in range(7)]
    assert codes == [422] * 5 + [429] * 2


def test_streams_are_counted(opened: Callable[..., School]) -> None:
    school = opened(rates=replace(OFTEN, stream="2/hour"))
    job = school.stored()
    school.judged()
    path = f"/api/jobs/{job}/events"
    assert [school.ask("ada", "GET", path).status_code for _ in range(3)] == [200, 200, 429]


def test_looks_are_counted(opened: Callable[..., School]) -> None:
    """Each reads the queue of everybody."""
    school = opened(rates=replace(OFTEN, stream="2/hour"))
    job, other = school.stored("ada"), school.stored("bob")
    path = f"/api/jobs/{job}"
    assert [school.ask("ada", "GET", path).status_code for _ in range(3)] == [200, 200, 429]
    assert school.ask("bob", "GET", f"/api/jobs/{other}").status_code == 200


@pytest.mark.slow
def test_streams_at_once_are_few(opened: Callable[..., School]) -> None:
    school = opened(streams_each=1)
    job = school.stored()
    with listening(served(school.service)) as port, _stream(school, port, job):
        head = _answer(school, port, f"GET /api/jobs/{job}/events")
        assert b" 429 " in head.partition(b"\r\n")[0]
        assert school.service.streams.total() == 1
    # The place is free again once nobody listens.
    assert school.service.streams.total() == 0


@pytest.mark.slow
def test_streams_of_all_leave_room_for_requests(opened: Callable[..., School]) -> None:
    school = opened(streams=1)
    job, other = school.stored("ada"), school.stored("bob")
    with listening(served(school.service)) as port, _stream(school, port, job):
        head = _answer(school, port, f"GET /api/jobs/{other}/events", who="bob")
        assert b" 503 " in head.partition(b"\r\n")[0]
        assert b"retry-after" in head.lower()
        assert b" 200 " in _answer(school, port, f"GET /api/jobs/{other}", who="bob")


@pytest.mark.slow
def test_a_connection_that_asks_for_nothing_is_ended(
    school: School, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither silence nor a head that drips keeps a place that others need."""
    monkeypatch.setattr("hotloop.service.web.listening.REQUEST_S", 0.5)
    with listening(served(school.service)) as port:
        silent, drips = (socket.create_connection(("127.0.0.1", port), 10) for _ in range(2))
        with silent, drips:
            began = time.monotonic()
            ended: set[socket.socket] = set()
            while len(ended) < 2 and time.monotonic() - began < 10:
                with suppress(OSError):
                    drips.sendall(b"G")
                ended |= set(select.select({silent, drips} - ended, [], [], 0.05)[0])
            assert ended == {silent, drips}
        # One that asks again and again is served as long as it does.
        with socket.create_connection(("127.0.0.1", port), 10) as asks:
            for _ in range(4):
                asks.sendall(_head(port, "GET /api/jobs/x", ""))
                said = b""
                while not said.endswith(b"}") and (part := asks.recv(65536)):
                    said += part
                assert b" 401 " in said.partition(b"\r\n")[0]
                time.sleep(0.3)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "", "127.0.0.1@evil"])
def test_another_host_is_not_served(school: School, host: str) -> None:
    answer = school.ask("ada", "GET", "/openapi.json", headers={"Host": host})
    assert answer.status_code == 400


def test_another_sites_page_can_send_nothing(school: School) -> None:
    for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
        key = {"Idempotency-Key": secrets.token_hex(16), **headers}
        answer = school.ask("ada", "POST", "/api/jobs", json=request(), headers=key)
        assert answer.status_code == 403


@pytest.mark.slow
def test_every_answer_has_the_strict_headers(school: School) -> None:
    for method, path in (("GET", "/api/jobs/x"), ("GET", "/nothing"), ("POST", "/api/login")):
        answer = school.ask("", method, path)
        for name, value in ALWAYS.items():
            assert answer.headers[name] == value


@pytest.mark.parametrize("key", ["", "short", "x" * 65])
def test_a_key_of_another_length_is_refused(school: School, key: str) -> None:
    headers = {"Idempotency-Key": key} if key else {}
    answer = school.ask("ada", "POST", "/api/jobs", json=request(), headers=headers)
    assert answer.status_code == 422


@pytest.mark.parametrize(
    "body", [b"", b"[]", b"null", b"{", b'{"hotloop": ' + b"[" * 100_000, b"\xff\xfe", b"1e999"]
)
def test_a_body_that_is_no_request_is_refused(school: School, body: bytes) -> None:
    headers = {"Idempotency-Key": "k" * 20, "Content-Type": "application/json"}
    answer = school.ask("ada", "POST", "/api/jobs", content=body, headers=headers)
    assert answer.status_code == 422, answer.text
    assert school.judged() == 0


@pytest.mark.parametrize(
    ("names", "said"),
    [
        (("a", "a/b"), "a cannot be a file and a folder"),
        (("A/b", "a"), "a cannot be a file and a folder"),
        (("passes/x/y", "lab.ipynb", "passes"), "passes cannot be a file and a folder"),
        (("lab.ipynb", "Lab.ipynb"), "differ by capitals only"),
        (("x\u0301",), "other characters than letters"),
        (("a\\b",), "other characters than letters"),
    ],
)
def test_files_that_cannot_lie_in_one_folder_are_refused(
    school: School, names: tuple[str, ...], said: str
) -> None:
    """Laid out, they would be a fault of the service, three times."""
    answer = school.put("ada", files=dict.fromkeys(names, ""))
    assert (answer.status_code, said in answer.text) == (422, True), answer.text
    assert school.judged() == 0


def test_a_task_is_judged_once(school: School) -> None:
    """Nobody keeps a judge for hours with one request."""
    answer = school.put("ada", tasks=["fold"] * 2)
    assert (answer.status_code, "a task is named twice" in answer.text) == (422, True)
    assert school.put("ada", tasks=["fold", "verify"]).status_code == 202


@pytest.mark.slow
def test_millions_of_files_are_not_looked_at(
    school: School, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[str] = []
    monkeypatch.setattr("hotloop.learn.pack.limits.name_fault", looked.append)
    answer = school.put("ada", files={f"f{number}": "" for number in range(100_000)})
    assert (answer.status_code, "at most 200" in answer.text) == (422, True), answer.text
    assert len(looked) <= 201


def test_what_was_packed_is_not_unpacked(school: School) -> None:
    packed = gzip.compress(json.dumps(request()).encode())
    headers = {"Idempotency-Key": "k" * 20, "Content-Encoding": "gzip"}
    answer = school.ask("ada", "POST", "/api/jobs", content=packed, headers=headers)
    assert answer.status_code == 422


@pytest.mark.slow
def test_a_request_that_can_be_read_in_two_ways_is_refused(school: School) -> None:
    """Who is before the service must not see another request than the service does."""
    job = school.stored("ada")
    with listening(served(school.service)) as port:
        lengths = ("Content-Length: 2", "Content-Length: 40")
        assert b" 400 " in _answer(school, port, "POST /api/login", *lengths)
        assert b" 400 " in _answer(school, port, f"GET /api/jobs/{job}", "Host: 127.0.0.1")
        # The length does not count: what follows the last chunk is one more request, of nobody.
        smuggled = ("Content-Length: 4", "Transfer-Encoding: chunked")
        head = _head(port, "POST /api/login", "", *smuggled)
        with socket.create_connection(("127.0.0.1", port), 10) as connection:
            connection.sendall(head + b"0\r\n\r\n" + _head(port, f"GET /api/jobs/{job}", ""))
            said = b""
            while said.count(b"HTTP/1.1 ") < 2 and (part := connection.recv(65536)):
                said += part
        assert re.findall(rb"HTTP/1.1 (\d+)", said) in ([b"422", b"401"], [b"422"], [b"400"])


@pytest.mark.slow
def test_a_token_in_an_address_is_none_and_is_in_no_log(
    school: School, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    token, job = school.tokens["ada"], school.stored("ada")
    with listening(served(school.service)) as port:
        for name in ("token", "access_token", "authorization"):
            path = f"/api/jobs/{job}?{name}={token}"
            assert b" 401 " in _answer(school, port, f"GET {path}", who="")
    written = "".join(capfd.readouterr()) + caplog.text
    assert token not in written


@pytest.mark.slow
def test_a_body_that_is_too_large_is_not_read(school: School) -> None:
    with listening(served(school.service)) as port:
        length = f"Content-Length: {MAX_BYTES + 1}"
        head = _answer(school, port, "POST /api/jobs", length, f"Idempotency-Key: {'k' * 20}")
    assert b" 413 " in head.partition(b"\r\n")[0]


@pytest.mark.slow
def test_a_stranger_sends_no_large_body(school: School) -> None:
    """The token is checked before the body is read."""
    with listening(served(school.service)) as port:
        began = time.monotonic()
        with socket.create_connection(("127.0.0.1", port), 10) as connection:
            head = _head(port, "POST /api/jobs", "x" * 43, "Content-Length: 1000000")
            connection.sendall(head + b'{"files": ')
            assert b" 401 " in connection.recv(65536).partition(b"\r\n")[0]
        assert time.monotonic() - began < 5


@pytest.mark.slow
@pytest.mark.parametrize("path", ["/api/jobs", "/api/login"])
def test_a_body_that_drips_is_ended(opened: Callable[..., School], path: str) -> None:
    school = opened(form_s=0.5, stall_s=0.5, upload_rate=1_000_000.0)
    with listening(served(school.service)) as port:
        began = time.monotonic()
        with socket.create_connection(("127.0.0.1", port), 15) as connection:
            more = ("Content-Length: 100000", f"Idempotency-Key: {'k' * 20}")
            connection.sendall(_head(port, f"POST {path}", school.tokens["ada"], *more))
            said = b""
            with suppress(OSError):
                while not select.select([connection], [], [], 0.05)[0]:
                    connection.sendall(b" ")
                said = connection.recv(65536)
        assert b" 408 " in said.partition(b"\r\n")[0]
        assert time.monotonic() - began < 5


@pytest.mark.slow
def test_a_fault_tells_no_secret(school: School, monkeypatch: pytest.MonkeyPatch) -> None:
    def fault(*_: Any) -> Any:
        raise RuntimeError("the password is hunter2")

    monkeypatch.setattr("hotloop.service.course.jobs.find", fault)
    answer = school.ask("ada", "GET", "/api/jobs/00000000-0000-4000-8000-000000000000")
    assert answer.status_code == 500
    assert "hunter2" not in answer.text


@pytest.mark.slow
def test_what_a_worker_says_is_shown_as_it_is(school: School) -> None:
    """A progress line cannot inject an event into the stream."""
    job = school.stored()
    forged = 'x\n\nevent: state\ndata: {"id": "forged"}\n\n'

    def judge(_held: Any, _process: Any, say: Callable[[str], None]) -> list[Any]:
        say(forged)
        time.sleep(1)
        from . import quick

        return [quick.record("ssa_passes", "fold")]

    from hotloop.judge.client import JudgeProcess

    with listening(served(school.service)) as port, _stream(school, port, job) as stream:
        school.worker(judge=judge).one(JudgeProcess())
        said = b""
        while b'"done"' not in said:
            said += stream.recv(65536)
    documents = [
        json.loads(line[6:]) for line in said.decode().split("\n") if line.startswith("data: ")
    ]
    assert {one["id"] for one in documents} == {job}
    assert forged in {one["said"] for one in documents}


def _head(port: int, line: str, token: str, *more: str) -> bytes:
    lines = [
        f"{line} HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Authorization: Bearer {token}",
        "Content-Type: application/json",
        *more,
    ]
    return "\r\n".join([*lines, "", ""]).encode()


def _answer(school: School, port: int, line: str, *more: str, who: str = "ada") -> bytes:
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.sendall(_head(port, line, school.tokens.get(who, ""), *more))
        return connection.recv(65536)


def _stream(school: School, port: int, job: str) -> socket.socket:
    """Open a connection on which a stream has begun."""
    connection = socket.create_connection(("127.0.0.1", port), 10)
    connection.sendall(_head(port, f"GET /api/jobs/{job}/events", school.tokens["ada"]))
    assert b" 200 " in connection.recv(65536).partition(b"\r\n")[0]
    return connection
