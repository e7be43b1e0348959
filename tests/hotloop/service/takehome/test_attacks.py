"""Attacks by a hostile visitor, candidate or site; each is only refused, without other effects."""

import re
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from argon2 import PasswordHasher, Type

from hotloop.service.settings import UPLOAD_BYTES, ServiceSettings
from hotloop.service.takehome import links, passwords
from hotloop.service.takehome.routes import candidate, candidates
from hotloop.service.web import accounts
from hotloop.service.web.accounts import AccountError
from hotloop.service.web.headers import ALWAYS
from hotloop.service.web.rates import address
from hotloop.takehome.pack import make_pack
from hotloop.takehome.team import Team

from .office import MEMBER, OFTEN, PASSWORD, Browser, Office, field, listening, zip_of

SCRIPT = "<script>alert(1)</script>"
MARKUP = "\"'><img src=x onerror=alert(1)>{{7*7}}"
SENT = [
    ("/candidates", {"role": "gpu_engineer", "name": "Mallory"}),
    ("/candidates/{pack}/link", {}),
    ("/candidates/{pack}/withdraw", {}),
    ("/candidates/{pack}/extend", {"day": "2031-01-01"}),
    ("/candidates/{pack}/grade", {}),
    ("/candidates/{pack}/reveal", {}),
    ("/candidates/{pack}/scorecard", {"decision": "advance"}),
    ("/candidates/{pack}/forget", {"pseudonym": "{pseudonym}"}),
    ("/account/password", {"old": PASSWORD, "new": "x" * 20, "again": "x" * 20}),
    ("/logout", {}),
]
"""All forms that change something of the team's."""


def filled(office: Office, path: str, data: dict[str, str]) -> tuple[str, dict[str, str]]:
    record = office.team.pack(office.packs[0])
    words = {"pack": str(record.pack), "pseudonym": record.pseudonym}
    return path.format(**words), {key: text.format(**words) for key, text in data.items()}


def state(office: Office) -> dict[str, bytes]:
    """Return everything in the team's folder except logs and the database."""
    folder = office.team.folder
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and path.parent.name != "portal" and path.name != "audit.jsonl"
    }


# --- forms that come from elsewhere ---------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize(("path", "data"), SENT)
def test_a_form_without_its_token_does_nothing(
    office: Office, member: Browser, path: str, data: dict[str, str]
) -> None:
    other = Browser(office.portal)
    other.log_in()
    before, link = state(office), office.token()
    path, data = filled(office, path, data)
    for token in (None, "", "x", other.csrf()):
        given = data if token is None else {**data, "csrf": token}
        assert member.post(path, given).status_code == 403
    assert state(office) == before
    assert office.token() == link
    assert member.get("/candidates").status_code == 200


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://elsewhere.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_a_form_of_another_site_does_nothing(
    office: Office, member: Browser, headers: dict[str, str]
) -> None:
    data = {"csrf": member.csrf(), "role": "gpu_engineer", "name": "Mallory"}
    assert member.post("/candidates", data, headers=headers).status_code == 403
    assert member.post(f"{office.page()}/pack", headers=headers).status_code == 403
    assert len(office.team.packs()) == 2
    assert office.team.pack(office.packs[0]).started is None


@pytest.mark.slow
def test_our_own_origin_may(office: Office, member: Browser) -> None:
    data = {"csrf": member.csrf(), "role": "gpu_engineer", "name": "Katherine"}
    headers = {"Origin": "http://127.0.0.1:8000", "Sec-Fetch-Site": "same-origin"}
    assert member.post("/candidates", data, headers=headers).status_code == 303


def test_nobody_logs_another_browser_in(office: Office) -> None:
    attacker, victim = Browser(office.portal), Browser(office.portal)
    token = field(attacker.get("/login").text, "token")
    victim.get("/login")
    data = {"name": MEMBER, "password": PASSWORD, "token": token}
    assert victim.post("/login", data).status_code == 403
    assert victim.post("/login", {**data, "token": ""}).status_code == 403
    assert victim.get("/candidates").status_code == 303


# --- sessions and passwords -----------------------------------------------------------------------


def test_a_session_that_was_there_before_the_login_is_none_after_it(office: Office) -> None:
    for planted in ("planted-by-an-attacker", "x" * 43):
        attacker, victim = Browser(office.portal), Browser(office.portal)
        victim.client.cookies.set("hotloop", planted, domain="127.0.0.1", path="/")
        said = victim.log_in().headers.get_list("set-cookie")
        (session,) = [one for one in said if one.startswith("hotloop=")]
        assert planted not in session
        attacker.client.cookies.set("hotloop", planted)
        assert attacker.get("/candidates").status_code == 303


def test_logging_in_anew_ends_the_session_before(office: Office, member: Browser) -> None:
    thief = Browser(office.portal)
    thief.client.cookies.update(member.client.cookies)
    token = member.client.cookies["hotloop"]
    signed = office.portal.strangers.dumps("nonce")
    member.client.cookies.set("hotloop-form", "nonce")
    data = {"name": MEMBER, "password": PASSWORD, "token": signed}
    assert member.post("/login", data).status_code == 303
    assert token not in [cookie.value for cookie in member.client.cookies.jar]
    assert thief.get("/candidates").status_code == 303


def test_a_session_ends_by_itself(office: Office) -> None:
    engine, now = office.portal.engine, datetime.now(UTC)
    account = passwords.check(engine, MEMBER, PASSWORD)
    assert account is not None
    token = accounts.log_in(engine, account, now=now)
    assert accounts.member(engine, token, now + accounts.IDLE / 2) is not None
    # It was used in between, and still expires.
    assert accounts.member(engine, token, now + accounts.IDLE * 1.4) is not None
    assert accounts.member(engine, token, now + accounts.IDLE * 2.6) is None
    again = accounts.log_in(engine, account, now=now)
    assert accounts.member(engine, again, now + accounts.LONGEST + timedelta(minutes=1)) is None


def test_the_cookie_is_out_of_reach(opened: Callable[..., Office]) -> None:
    office = opened(base_url="https://portal.example")
    cookie = Browser(office.portal).log_in().headers["set-cookie"]
    assert cookie.startswith("__Host-hotloop=")
    for word in ("HttpOnly", "Secure", "SameSite=lax", "Path=/"):
        assert word in cookie


def test_a_database_that_leaks_opens_nothing(office: Office, member: Browser) -> None:
    token, link = member.client.cookies["hotloop"], office.token()
    office.portal.close()
    folder = office.team.folder / "portal"
    leaked = b"".join(path.read_bytes() for path in folder.glob("service.db*"))
    for secret in (token, link, PASSWORD):
        assert secret.encode() not in leaked
    assert b"$argon2id$" in leaked


@pytest.mark.parametrize(
    ("rate", "addresses", "names"),
    [("name", 1, 1), ("account", 7, 1), ("login", 1, 7)],
    ids=["one password after the other", "from many addresses", "on many names"],
)
def test_passwords_are_not_tried_without_end(
    opened: Callable[..., Office], rate: str, addresses: int, names: int
) -> None:
    office = opened(rates=replace(OFTEN, **{rate: "5/hour"}))
    attackers = [Browser(office.portal, f"203.0.113.{n}") for n in range(addresses)]
    said = [
        attackers[n % addresses].log_in(MEMBER if names == 1 else f"name{n}", f"guess {n}")
        for n in range(7)
    ]
    assert [one.status_code for one in said] == [401] * 5 + [429] * 2
    # Nor by those who know it by then.
    again = attackers[0].log_in()
    assert again.status_code == 429
    assert int(again.headers["retry-after"]) > 0


def test_who_guesses_keeps_no_member_out(opened: Callable[..., Office]) -> None:
    office = opened(rates=replace(OFTEN, name="3/hour"))
    attacker, member = Browser(office.portal, "203.0.113.9"), Browser(office.portal)
    said = [attacker.log_in(password=f"guess number {n}").status_code for n in range(4)]
    assert said == [401, 401, 401, 429]
    assert member.log_in().status_code == 303
    # Nor does the member's login reset the attacker's limit.
    assert attacker.log_in(password="another guess").status_code == 429


def test_what_a_stranger_typed_is_in_no_log(office: Office, stranger: Browser) -> None:
    for typed in ("ada.lovelace", "hunter2-in-the-wrong-field", "candidate", SCRIPT):
        assert stranger.log_in(typed, "wrong password!!").status_code == 401
    assert stranger.log_in(password="wrong password!!").status_code == 401
    assert office.audit()[-5:] == ["somebody: was not let in"] * 4 + [f"{MEMBER}: was not let in"]


@pytest.mark.parametrize("name", sorted(passwords.ACTORS))
def test_no_member_is_called_like_others_in_the_log(office: Office, name: str) -> None:
    with pytest.raises(AccountError, match="calls others"):
        passwords.add(office.portal.engine, name, PASSWORD)


def test_a_name_that_does_not_exist_looks_like_one_that_does(
    office: Office, stranger: Browser
) -> None:
    there = stranger.log_in(password="wrong wrong wrong")
    missing = stranger.log_in(name="nobody", password="wrong wrong wrong")
    assert there.status_code == missing.status_code == 401
    page, other = (one.text.replace(field(one.text, "token"), "") for one in (there, missing))
    assert page == other


def test_a_home_network_is_one_address() -> None:
    assert address("2001:db8:1:2:3::4") == address("2001:db8:1:2:ffff::1")
    assert address("2001:db8:1:2::4") != address("2001:db8:1:3::4")
    assert address("192.0.2.1") != address("192.0.2.2")


# --- links ----------------------------------------------------------------------------------------


def test_links_cannot_be_guessed(office: Office, stranger: Browser) -> None:
    tokens = {office.token(0), office.token(1)}
    for number in range(20):
        links.make(office.portal.engine, office.portal.secret, office.packs[0], _later())
        tokens.add(office.token(0))
        assert len(tokens) == number + 3
    assert all(links.TOKEN.fullmatch(token) for token in tokens)
    right = office.token(0)
    near = [right[:-1], right + "A", right.swapcase(), right[1:] + right[0], "A" * 43, "%00", "'"]
    for token in [*near, str(office.packs[0]), office.team.pack(office.packs[0]).pseudonym]:
        if token != right:
            assert stranger.get(f"/c/{token}").status_code == 404


def test_guessing_is_slowed_down(opened: Callable[..., Office]) -> None:
    office = opened(rates=replace(OFTEN, unknown="3/hour"))
    attacker = Browser(office.portal)
    said = [attacker.get(f"/c/{'A' * 42}{n}").status_code for n in range(5)]
    assert said == [404, 404, 404, 429, 429]
    # A candidate with the same address and a link is not locked out.
    assert attacker.get(office.page()).status_code == 200


def test_a_link_whose_time_is_over_opens_nothing(
    office: Office, stranger: Browser, work: Callable[..., bytes]
) -> None:
    content = work(office)
    past = datetime.now(UTC) - timedelta(seconds=1)
    links.prolong(office.portal.engine, office.packs[0], past)
    page = office.page()
    before = state(office)
    assert stranger.get(page).status_code == 410
    assert stranger.post(f"{page}/pack").status_code == 410
    assert stranger.upload(page, content).status_code == 410
    assert state(office) == before


def test_work_that_comes_too_late_is_not_taken(
    office: Office, stranger: Browser, work: Callable[..., bytes]
) -> None:
    content = work(office)
    office.team.start(office.packs[0], datetime.now(UTC) - timedelta(hours=73))
    assert stranger.upload(office.page(), content).status_code == 410
    assert stranger.post(f"{office.page()}/pack").status_code == 410
    assert office.team.submissions(office.packs[0]) == []


def test_a_slow_line_costs_nobody_their_work(
    office: Office,
    stranger: Browser,
    work: Callable[..., bytes],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The start of the upload counts, and the body is read after that."""
    content, pack = work(office), office.packs[0]
    began = datetime.now(UTC)
    take = candidate.take

    def at_last(*given: Any) -> None:
        office.team.start(pack, began - timedelta(hours=72))
        take(*given)

    monkeypatch.setattr(candidate, "take", at_last)
    monkeypatch.setattr(candidate, "datetime", At(began - timedelta(milliseconds=1)))
    assert stranger.upload(office.page(), content).status_code == 303
    (kept,) = office.team.pack(pack).submitted
    assert kept.received < began


@dataclass(frozen=True)
class At:
    """A clock that does not move."""

    moment: datetime

    def now(self, _zone: object) -> datetime:
        return self.moment


def test_a_candidate_sees_no_other_and_nothing_of_the_team(
    office: Office, stranger: Browser, work: Callable[..., bytes]
) -> None:
    stranger.upload(office.page(), work(office))
    page = office.page()
    shown = stranger.get(page).text
    other = office.team.pack(office.packs[1])
    for secret in (other.pseudonym, str(other.pack), str(office.packs[0]), MEMBER, "score"):
        assert secret not in shown.replace("Take-home exercises", "")
    for path in ("report", "report.json", "scorecard", "../report", "submission.zip", "audit"):
        assert stranger.get(f"{page}/{path}").status_code in (404, 405)


def test_work_on_another_pack_is_not_taken(
    office: Office, stranger: Browser, work: Callable[..., bytes]
) -> None:
    answer = stranger.upload(office.page(0), work(office, 1))
    assert answer.status_code == 422
    assert "another pack" in answer.text
    for pack in office.packs:
        assert office.team.submissions(pack) == []
    assert office.portal.queue.all() == {}


@pytest.mark.slow
def test_a_pack_of_another_team_is_not_taken(
    office: Office, opened: Callable[..., Office], stranger: Browser, tmp_path: Path
) -> None:
    forger = Team.create(tmp_path / "forger")
    path = forger.role_path("gpu_engineer")
    path.parent.mkdir(parents=True)
    path.write_bytes(office.team.role_path("gpu_engineer").read_bytes())
    made = make_pack(forger, forger.role("gpu_engineer"), "M", now=datetime.now(UTC))
    manifest = (forger.pack_folder(made.manifest.pack) / "manifest.json").read_bytes()
    answer = stranger.upload(office.page(), zip_of({"manifest.json": manifest}))
    assert answer.status_code == 422
    assert office.portal.queue.all() == {}


# --- uploads --------------------------------------------------------------------------------------

NO_SUBMISSIONS = [
    b"",
    b"no zip",
    b"PK\x05\x06" + bytes(18),
    zip_of({"../../evil.py": b"x"}),
    zip_of({"/etc/cron.d/evil": b"x"}),
    zip_of({"manifest.json": b"{}"}),
    zip_of({"manifest.json": b'{"manifest": ' * 10_000}),
    zip_of({"files/a.py": bytes(64)}),
]


@pytest.mark.parametrize("content", NO_SUBMISSIONS)
def test_what_is_no_submission_is_not_kept(
    office: Office, stranger: Browser, content: bytes
) -> None:
    before = state(office)
    answer = stranger.upload(office.page(), content)
    assert 400 <= answer.status_code < 500
    assert state(office) == before
    assert office.portal.queue.all() == {}
    assert list((office.team.folder / "portal").glob("*.zip")) == []


@pytest.mark.parametrize(
    "name",
    [
        "../../../roles/evil/takehome.yaml",
        "/etc/passwd",
        "..\\..\\evil.zip",
        "a\0b.zip",
        "evil.zip\r\nSet-Cookie: hotloop=x",
        SCRIPT,
        "=cmd|' /C calc'!A0",
        "x" * 500,
    ],
)
def test_the_name_of_an_uploaded_file_means_nothing(
    office: Office, stranger: Browser, work: Callable[..., bytes], name: str
) -> None:
    before = set(state(office))
    answer = stranger.upload(office.page(), work(office), name=name)
    assert answer.status_code == 303
    new = set(state(office)) - before
    digest = office.team.pack(office.packs[0]).submitted[0].digest
    assert new - {".lock"} == {f"submissions/{office.packs[0]}/{digest}.zip"}
    assert "set-cookie" not in answer.headers


@pytest.mark.slow
def test_an_upload_that_is_too_large_is_not_read(office: Office) -> None:
    with listening(office.portal) as port:
        for headers, body in (
            (f"Content-Length: {UPLOAD_BYTES + 1}", b""),
            ("Transfer-Encoding: chunked", _chunks(UPLOAD_BYTES + (1 << 20))),
        ):
            said = _raw(port, f"POST {office.page()}/submission", headers, body)
            assert b" 413 " in said.partition(b"\r\n")[0]
            assert b"content-type: text/html" in said.lower()
            assert b"content-security-policy: " in said.lower()
            assert b"The file is larger than 16 MiB, and was not read" in said
            assert f'<a href="{office.page()}">Back</a>'.encode() in said
    assert office.team.submissions(office.packs[0]) == []


def test_a_form_that_is_too_large_is_not_read(office: Office, member: Browser) -> None:
    data = {"csrf": member.csrf(), "role": "gpu_engineer", "name": "x" * 300_000}
    assert member.post("/candidates", data).status_code == 413
    answer = Browser(office.portal).post("/login", {"name": "x" * 300_000})
    assert answer.status_code == 413
    assert "That is larger than this page takes." in answer.text
    assert answer.headers["content-type"].startswith("text/html")


def test_a_form_with_too_many_fields_is_not_read(office: Office, member: Browser) -> None:
    data = {f"field{number}": "x" for number in range(2000)}
    assert member.post("/candidates", {**data, "csrf": member.csrf()}).status_code == 400
    files = [(f"f{n}", (f"{n}.zip", b"x")) for n in range(50)]
    assert member.post(f"{office.page()}/submission", files=files).status_code == 400


@pytest.mark.slow
def test_a_slow_upload_is_given_up(opened: Callable[..., Office]) -> None:
    office = opened(upload_s=0.5, form_s=0.5)
    with listening(office.portal) as port:
        for path in (f"{office.page()}/submission", "/login"):
            began = time.monotonic()
            said = _raw(port, f"POST {path}", "Content-Length: 1000", b"--x")
            assert b" 408 " in said.partition(b"\r\n")[0]
            assert b"connection: close" in said.lower()
            assert time.monotonic() - began < 10
    assert office.portal.site.uploading == set()


@pytest.mark.slow
def test_slow_uploads_leave_room_for_others(opened: Callable[..., Office]) -> None:
    office = opened(upload_s=20)
    with listening(office.portal) as port:
        slow = socket.create_connection(("127.0.0.1", port))
        head = _head(f"POST {office.page()}/submission", "Content-Length: 1000")
        slow.sendall(head + b"--x")
        time.sleep(0.2)
        assert b" 200 " in _raw(port, "GET /health", "Content-Length: 0", b"")
        # The same link twice at once takes one place, not two.
        said = _raw(port, f"POST {office.page()}/submission", "Content-Length: 10", b"")
        assert b" 429 " in said.partition(b"\r\n")[0]
        slow.close()


def test_uploads_are_counted_by_link(
    opened: Callable[..., Office], work: Callable[..., bytes]
) -> None:
    office = opened(rates=replace(OFTEN, upload="3/hour"))
    attacker = Browser(office.portal)
    said = [attacker.upload(office.page(), b"no zip").status_code for _ in range(5)]
    assert said == [422, 422, 422, 429, 429]
    assert attacker.upload(office.page(1), work(office, 1)).status_code == 303


def test_two_hand_ins_at_once_are_one(office: Office, work: Callable[..., bytes]) -> None:
    contents = [work(office), work(office, extra={"softmax_triton.py": "# other\n"})]

    def hand_in(content: bytes) -> int:
        return Browser(office.portal).upload(office.page(), content).status_code

    with ThreadPoolExecutor(2) as pool:
        said = sorted(pool.map(hand_in, contents))
    assert said[0] == 303
    assert said[1] in (409, 429)
    assert len(office.team.submissions(office.packs[0])) == 1
    assert len(office.portal.queue.all()) == 1


# --- pages and what is written into them ----------------------------------------------------------


@pytest.mark.slow
def test_markup_in_a_name_stays_text(office: Office, member: Browser) -> None:
    answer = member.send("/candidates", role="gpu_engineer", name=SCRIPT + MARKUP)
    pack = office.team.packs()[-1].pack
    office.team.report_folder(pack)
    office.team.scorecard_path(pack).write_text("{}")
    pages = [
        answer.headers["location"],
        "/candidates",
        "/audit",
    ]
    for page in pages:
        assert "alert(1)" not in member.get(page).text
    shown = member.send(f"/candidates/{pack}/reveal").text
    assert "&lt;script&gt;" in shown
    assert SCRIPT not in shown
    assert "<img" not in shown
    assert "{{7*7}}" in shown


@pytest.mark.slow
@pytest.mark.parametrize("title", [SCRIPT, MARKUP.replace('"', '\\"')])
def test_markup_in_a_roles_title_stays_text(office: Office, member: Browser, title: str) -> None:
    path = office.team.role_path("gpu_engineer")
    text = path.read_text().replace("title: GPU engineer, inference", f'title: "{title}"')
    path.write_text(text)
    answer = member.send("/candidates", role="gpu_engineer", name="K")
    pack = office.team.packs()[-1].pack
    link = links.current(office.portal.engine, office.portal.secret, pack)
    assert link is not None
    for page in (answer.headers["location"], "/candidates", "/roles", f"/c/{link.token}"):
        shown = member.get(page).text
        assert "<script" not in shown
        assert "<img" not in shown
        assert "alert(1)" in shown


@pytest.mark.parametrize(
    "path",
    [
        f"/candidates?role={SCRIPT}",
        f"/compare?role={SCRIPT}",
        f"/candidates/{SCRIPT}",
        f"/c/{SCRIPT}",
        f"/{SCRIPT}",
    ],
)
def test_markup_in_an_address_stays_text(member: Browser, path: str) -> None:
    assert SCRIPT not in member.get(path).text


@pytest.mark.slow
def test_markup_in_a_login_stays_text(stranger: Browser) -> None:
    assert SCRIPT not in stranger.log_in(name=SCRIPT, password=SCRIPT).text


@pytest.mark.parametrize("begin", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1"])
def test_no_cell_of_a_table_is_a_formula(begin: str) -> None:
    assert candidates.harmless(begin) == f"'{begin}"
    assert candidates.harmless("plain = text") == "plain = text"


@pytest.mark.slow
def test_a_title_is_no_formula_in_the_table(office: Office, member: Browser) -> None:
    path = office.team.role_path("gpu_engineer")
    evil = "=HYPERLINK(1)"
    path.write_text(path.read_text().replace("GPU engineer, inference", f'"{evil}"'))
    member.send("/candidates", role="gpu_engineer", name="K")
    answer = member.get("/candidates.csv")
    assert f",'{evil}," in answer.text
    assert answer.headers["content-disposition"].startswith("attachment")


def test_a_report_cannot_run_anything(office: Office, member: Browser) -> None:
    pack = office.packs[0]
    folder = office.team.report_folder(pack)
    (folder / "report.html").write_text(SCRIPT)
    (folder / "report.json").write_text("{}")
    answer = member.get(f"/candidates/{pack}/report")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "sandbox" in policy.split("; ")
    assert "script-src" not in policy
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    as_json = member.get(f"/candidates/{pack}/report.json")
    assert as_json.headers["content-type"] == "application/json"
    assert as_json.headers["x-content-type-options"] == "nosniff"


def test_every_answer_has_the_strict_headers(office: Office, member: Browser) -> None:
    answers = [
        member.get("/candidates"),
        member.get("/nowhere"),
        member.get("/site.css"),
        member.get(office.page()),
        member.get("/login"),
        member.post("/candidates"),
        member.client.request("TRACE", "/candidates"),
        member.get("/candidates", headers={"Host": "elsewhere.example"}),
        member.post("/login", {"name": "x" * 300_000}),
        Browser(office.portal).get("/candidates"),
    ]
    for answer in answers:
        for name in ALWAYS.keys() - {"Cache-Control"}:
            assert answer.headers[name] == ALWAYS[name], answer.url
    policy = ALWAYS["Content-Security-Policy"]
    assert "script-src" not in policy
    assert "frame-ancestors 'none'" in policy
    assert member.get("/candidates").headers["cache-control"] == "no-store"
    assert member.get(office.page()).headers["cache-control"] == "no-store"


def test_a_fault_says_nothing_of_itself(
    office: Office, member: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise RuntimeError(f"a secret: {office.token()}")

    monkeypatch.setattr("hotloop.service.takehome.routes.team.page", fails)
    answer = member.get("/roles")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert answer.headers["content-security-policy"]


def test_another_hosts_name_is_refused(office: Office, stranger: Browser) -> None:
    answer = stranger.get("/login", headers={"Host": "elsewhere.example"})
    assert answer.status_code == 400
    answer = stranger.get("/candidates", headers={"X-Forwarded-Host": "elsewhere.example"})
    assert answer.headers["location"] == "/login"


# --- addresses ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "path",
    [
        "/../keys/signing.key",
        "/%2e%2e/keys/signing.key",
        "/candidates/..%2f..%2fkeys%2fsigning.key",
        "/candidates/../../keys/variants.key/report",
        "/c/..%2f..%2fkeys",
        "/site.css/../../keys/signing.key",
        "/site.css%00.html",
        "//etc/passwd",
        "/static/../../../etc/passwd",
        "/openapi.json",
        "/docs",
        "/redoc",
        "/.git/config",
    ],
)
def test_no_address_leads_to_a_file(office: Office, member: Browser, path: str) -> None:
    answer = member.client.request("GET", path)
    assert answer.status_code in (404, 405, 422)
    assert office.team.key.signing not in answer.content


@pytest.mark.parametrize("what", ["report", "report.json", "scorecard", "submission.zip", ""])
def test_a_number_that_is_no_pack_leads_nowhere(office: Office, member: Browser, what: str) -> None:
    for pack in (str(uuid4()), "1", "0" * 36, str(office.packs[0]).upper() + "x"):
        answer = member.get(f"/candidates/{pack}/{what}".rstrip("/"))
        assert answer.status_code in (404, 422), (pack, what)


def test_a_candidate_cannot_open_reports_with_their_number(
    office: Office, stranger: Browser
) -> None:
    pack = office.packs[0]
    (office.team.report_folder(pack) / "report.html").write_text("the report")
    for cookie in ("", office.token(), str(pack)):
        stranger.client.cookies.set("hotloop", cookie)
        answer = stranger.get(f"/candidates/{pack}/report")
        assert answer.status_code == 303
        assert "the report" not in answer.text


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS", "HEAD", "TRACE", "FOO"])
def test_another_method_does_nothing(office: Office, member: Browser, method: str) -> None:
    before = state(office)
    for path in ("/candidates", f"/candidates/{office.packs[0]}", office.page(), "/logout"):
        assert member.client.request(method, path).status_code == 405
    assert state(office) == before
    assert member.get("/candidates").status_code == 200


@pytest.mark.parametrize(("path", "data"), [one for one in SENT if one[0] != "/candidates"])
def test_what_changes_something_is_no_get(
    office: Office, member: Browser, path: str, data: dict[str, str]
) -> None:
    before, link = state(office), office.token()
    path, data = filled(office, path, data)
    answer = member.get(path, params={**data, "csrf": member.csrf()})
    assert answer.status_code in (200, 405, 409)
    assert (state(office), office.token()) == (before, link)


@pytest.mark.parametrize("override", ["X-HTTP-Method-Override", "X-Method-Override"])
def test_no_header_makes_another_method_of_one(
    office: Office, stranger: Browser, override: str
) -> None:
    assert stranger.get(f"{office.page()}/pack", headers={override: "POST"}).status_code == 405
    assert office.team.pack(office.packs[0]).started is None


def test_headers_cannot_be_smuggled_in(office: Office, member: Browser) -> None:
    answer = member.send("/candidates", role="gpu_engineer\r\nSet-Cookie: evil=1", name="Mallory")
    assert answer.status_code == 422
    answer = member.send("/candidates", role="gpu_engineer", name="M\r\nSet-Cookie: evil=1")
    assert "evil" not in str(answer.headers)
    answer = member.get("/candidates?role=x%0d%0aSet-Cookie:%20evil=1")
    assert "evil" not in str(answer.headers)


def test_too_many_requests_are_turned_away(opened: Callable[..., Office]) -> None:
    office = opened(rates=replace(OFTEN, page="5/hour"))
    attacker = Browser(office.portal)
    said = [attacker.get("/login").status_code for _ in range(7)]
    assert said == [200] * 5 + [429] * 2


@pytest.mark.parametrize(
    "url", ["ftp://host", "http://", "https://host/path", "host:80", "javascript:alert(1)"]
)
def test_links_are_made_for_real_addresses_only(url: str) -> None:
    with pytest.raises(ValueError, match="is not of the form"):
        ServiceSettings(base_url=url)


# --- raw requests ---------------------------------------------------------------------------------


def _later() -> datetime:
    return datetime.now(UTC) + timedelta(days=1)


def _head(request: str, headers: str) -> bytes:
    kind = "multipart/form-data; boundary=x"
    lines = [f"{request} HTTP/1.1", "Host: 127.0.0.1:8000", f"Content-Type: {kind}", headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _chunks(size: int) -> bytes:
    """Return a body in chunked encoding, without a declared length."""
    begin = b'--x\r\nContent-Disposition: form-data; name="submission"; filename="a.zip"\r\n\r\n'
    body = begin + bytes(size)
    return b"".join(
        b"%x\r\n%b\r\n" % (len(part), part)
        for part in (body[at : at + 65536] for at in range(0, len(body), 65536))
    )


def _raw(port: int, request: str, headers: str, body: bytes) -> bytes:
    """Return the server's answer, even if it has read only a part of the request."""
    with socket.create_connection(("127.0.0.1", port), timeout=15) as connection:
        connection.sendall(_head(request, headers))
        said = b""
        # It may close the connection before it has read everything.
        with suppress(OSError):
            connection.sendall(body)
        with suppress(OSError):
            while not _is_whole(said) and (part := connection.recv(65536)):
                said += part
    return said


def _is_whole(said: bytes) -> bool:
    head, end, body = said.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)content-length: *(\d+)", head)
    return bool(end) and (length is None or len(body) >= int(length[1]))


def test_passwords_are_hashed_as_they_must_be(costly: PasswordHasher) -> None:
    # OWASP's minimum for Argon2id.
    assert costly.type is Type.ID
    assert costly.memory_cost >= 19 * 1024
    assert costly.time_cost >= 2
