"""Interfaces for an ATS, from the invitation to the result, against stubs of both ends."""

import json
import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from pydantic import ValidationError
from sqlalchemy import select, update
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.transactions import reading, writing
from hotloop.core.yaml_lines import CurriculumError
from hotloop.service.settings import own_folder
from hotloop.service.tables import ats_candidates, ats_deliveries
from hotloop.service.takehome.ats import events, sending
from hotloop.service.takehome.ats import settings as ats_settings
from hotloop.service.takehome.ats.settings import (
    AtsSettings,
    Greenhouse,
    Mail,
    Webhook,
    new_key,
    new_secret,
)
from hotloop.service.web.queue import WorkState
from hotloop.takehome import scorecard

from .ats_stubs import Mails, Receiver, mail_server, receiver
from .office import Browser, Office
from .reported import filled, reported

PERSON = {
    "first_name": "Ada",
    "last_name": "Quirinya",
    "email": "ada@example.org",
    "greenhouse_profile_url": "https://app.greenhouse.io/people/1?application_id=2",
    "phone_number": None,
    "resume_url": "https://example.org/cv",
}


@pytest.fixture
def hooks() -> Iterator[Receiver]:
    with receiver() as seen:
        yield seen


@pytest.fixture
def greenhouse() -> Iterator[Receiver]:
    with receiver() as seen:
        yield seen


@pytest.fixture
def mails() -> Iterator[Mails]:
    with mail_server() as seen:
        yield seen


@pytest.fixture
def ats(office: Office, hooks: Receiver, mails: Mails) -> AtsSettings:
    """All interfaces, at the stubs."""
    office.portal.ats = AtsSettings(
        api_key=new_key(),
        greenhouse=Greenhouse(key=new_key(), callback_hosts=["127.0.0.1"]),
        webhook=Webhook(url=f"{hooks.url}/hook", secret=new_secret()),
        mail=Mail(host="127.0.0.1", port=mails.port, sender="jobs@example.org"),
    )
    return office.portal.ats


@pytest.fixture
def api(office: Office, ats: AtsSettings) -> Browser:
    """A client of the portal's own API."""
    browser = Browser(office.portal, "192.0.2.7")
    browser.client.headers["Authorization"] = f"Bearer {ats.api_key}"
    return browser


@pytest.fixture
def partner(office: Office, ats: AtsSettings) -> Browser:
    """Greenhouse, as a client."""
    assert ats.greenhouse is not None
    browser = Browser(office.portal, "192.0.2.8")
    browser.client.headers["Authorization"] = sending.basic(ats.greenhouse.key)
    return browser


def post(browser: Browser, path: str, document: object) -> Any:
    return browser.client.post(path, json=document)


def pack_of(office: Office, name: str) -> UUID:
    with reading(office.portal.engine) as connection:
        query = select(ats_candidates.c.pack).where(ats_candidates.c.id == name)
        return UUID(connection.execute(query).scalar_one())


def finish(office: Office, work: Callable[..., bytes], pack: UUID, folder: Path) -> None:
    """Hand in, grade and mark a pack."""
    office.packs = (pack, office.packs[1])
    submission = reported(office, work(office), folder)
    office.portal.queue.add(pack, submission.digest, WorkState.DONE)


# --- Greenhouse -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_greenhouse_from_the_list_to_the_result(
    office: Office,
    partner: Browser,
    greenhouse: Receiver,
    mails: Mails,
    ats: AtsSettings,
    member: Browser,
    work: Callable[..., bytes],
    tmp_path: Path,
) -> None:
    assert partner.get("/api/greenhouse/list_tests").json() == [
        {"partner_test_id": "gpu_engineer", "partner_test_name": "GPU engineer, inference"}
    ]
    callback = f"{greenhouse.url}/take_home_tests/12345"
    test = {"partner_test_id": "gpu_engineer", "candidate": PERSON, "url": callback}
    answer = post(partner, "/api/greenhouse/send_test", test)
    assert answer.status_code == 200, answer.text
    (name,) = answer.json().values()
    pack = pack_of(office, name)
    record = office.team.pack(pack)
    # The candidate gets the link by mail, and it works.
    (mail,) = mails.texts
    assert "To: ada@example.org" in mail
    (link,) = re.findall(r"http://127.0.0.1:8000(/c/[\w-]{43})", mail)
    assert "does not start your time" in Browser(office.portal, "192.0.2.30").get(link).text
    # Asked for again, nothing is made or sent.
    assert post(partner, "/api/greenhouse/send_test", test).json() == answer.json()
    assert (len(office.team.packs()), len(mails.texts)) == (3, 1)

    def status() -> Any:
        query = f"/api/greenhouse/test_status?partner_interview_id={name}"
        return partner.get(query).json()

    assert status() == {"partner_status": "invited", "metadata": {}}
    finish(office, work, pack, tmp_path)
    office.portal.tell(ats)
    assert status()["partner_status"] == "graded"
    assert greenhouse.requests == []
    # Until the marks are filed nothing in the ATS says whose work it is.
    told = json.dumps([status(), *(body.decode() for *_, body in greenhouse.requests)])
    assert record.pseudonym not in told
    assert str(pack) not in told
    assert member.get(f"/ats/{name}").status_code == 409

    scorecard.file(office.team, pack, filled(office.team, pack), "rita")
    office.portal.tell(ats)
    ((method, path, headers, body),) = greenhouse.requests
    assert (method, path, body) == ("PATCH", "/take_home_tests/12345", b"")
    assert ats.greenhouse is not None
    assert headers["authorization"] == sending.basic(ats.greenhouse.key)
    found = status()
    assert found["partner_status"] == "complete"
    assert 0 < found["partner_score"] <= 100
    assert found["metadata"]["Decisions"] == "hold"
    page = found["partner_profile_url"].removeprefix(office.portal.settings.origin)
    assert member.get(page).headers["location"] == f"/candidates/{pack}"
    office.portal.tell(ats)
    assert len(greenhouse.requests) == 1


@pytest.mark.slow
def test_without_a_mail_nothing_is_kept(
    office: Office, partner: Browser, mails: Mails, greenhouse: Receiver
) -> None:
    mails.is_full = True
    test = {"partner_test_id": "gpu_engineer", "candidate": PERSON, "url": greenhouse.url}
    answer = post(partner, "/api/greenhouse/send_test", test)
    assert (answer.status_code, "ada@" in answer.text) == (503, False)
    assert len(office.team.packs()) == 2
    mails.is_full = False
    assert post(partner, "/api/greenhouse/send_test", test).status_code == 200


@pytest.mark.slow
def test_without_a_mail_server_the_webhook_asks_for_the_mail(
    office: Office, partner: Browser, ats: AtsSettings, hooks: Receiver, mails: Mails
) -> None:
    office.portal.ats = ats.model_copy(update={"mail": None})
    test = {"partner_test_id": "gpu_engineer", "candidate": PERSON}
    assert post(partner, "/api/greenhouse/send_test", test).status_code == 200
    office.portal.tell(office.portal.ats)
    assert ats.webhook is not None
    (asked,) = [one for one in hooks.events(ats.webhook.secret) if one["type"] == "candidate.link"]
    assert asked["data"]["email"] == "ada@example.org"
    assert "/c/" in asked["data"]["link"]
    with reading(office.portal.engine) as connection:
        kept = connection.execute(select(ats_deliveries.c.body)).scalars().all()
    assert set(kept) == {""}, "what was delivered is not kept"
    office.portal.ats = ats.model_copy(update={"mail": None, "webhook": None})
    other = {**test, "candidate": {**PERSON, "greenhouse_profile_url": "https://x/2"}}
    assert post(partner, "/api/greenhouse/send_test", other).status_code == 503
    assert mails.texts == []


@pytest.mark.parametrize(
    "url",
    ["http://app.greenhouse.io/x", "https://greenhouse.io.evil.example/x", "file:///etc/passwd"],
)
def test_results_are_announced_to_greenhouse_only(url: str) -> None:
    own = Greenhouse(key=new_key())
    assert not sending.is_allowed(own, url)
    assert sending.is_allowed(own, "https://app.greenhouse.io/integrations/take_home_tests/1")


def test_an_address_elsewhere_is_refused(office: Office, partner: Browser) -> None:
    test = {"partner_test_id": "gpu_engineer", "candidate": PERSON, "url": "https://evil.example/"}
    assert post(partner, "/api/greenhouse/send_test", test).status_code == 422
    assert len(office.team.packs()) == 2


def test_what_greenhouse_did_not_understand_is_in_the_log(office: Office, partner: Browser) -> None:
    fault = {
        "api_call": "test_status",
        "errors": ["partner_profile_url is missing"],
        "candidate_email": "ada@example.org",
    }
    answer = post(partner, "/api/greenhouse/response_error", fault)
    assert (answer.status_code, answer.json()) == (200, {"status": 200})
    said = office.audit()[-1]
    assert said == "greenhouse: did not understand test_status: partner_profile_url is missing"


# --- the portal's own API -------------------------------------------------------------------------


@pytest.mark.slow
def test_the_own_api_from_the_role_to_the_result(
    office: Office,
    api: Browser,
    hooks: Receiver,
    ats: AtsSettings,
    work: Callable[..., bytes],
    tmp_path: Path,
) -> None:
    (role,) = api.get("/api/takehome/v1/roles").json()
    assert role["id"] == "gpu_engineer"
    invitation = {"role": role["id"], "name": "Ada Quirinya", "external_id": "app-7"}
    answer = post(api, "/api/takehome/v1/candidates", invitation)
    assert answer.status_code == 201
    invited = answer.json()
    again = post(api, "/api/takehome/v1/candidates", {**invitation, "name": "A. Q."})
    assert (again.status_code, again.json()) == (200, invited)
    pack = pack_of(office, invited["id"])
    stranger = Browser(office.portal, "192.0.2.31")
    page = invited["link"].removeprefix(office.portal.settings.origin)
    assert stranger.post(f"{page}/pack").status_code == 200

    one = f"/api/takehome/v1/candidates/{invited['id']}"
    assert api.get(one).json()["status"] == "started"
    finish(office, work, pack, tmp_path)
    looked = api.get(one).json()
    assert (looked["status"], looked["result"]) == ("graded", None)
    office.portal.tell(ats)
    scorecard.file(office.team, pack, filled(office.team, pack), "rita")
    found = api.get(one).json()
    assert found["status"] == "reviewed"
    assert found["result"]["pseudonym"] == office.team.pack(pack).pseudonym
    assert found["result"]["decisions"] == ["hold"]
    office.portal.tell(ats)
    assert api.client.delete(one).status_code == 204
    assert api.get(one).status_code == 404
    with pytest.raises(Exception, match="forgotten"):
        office.team.pack(pack)
    office.portal.tell(ats)
    office.portal.tell(ats)
    # Signed, in order, each once; by the id that the ATS knows.
    assert ats.webhook is not None
    mine = [
        event
        for event in hooks.events(ats.webhook.secret)
        if event["data"]["candidate"] == invited["id"]
    ]
    steps = ["invited", "started", "submitted", "graded", "reviewed", "deleted"]
    assert [event["type"] for event in mine] == [f"candidate.{step}" for step in steps]
    before = json.dumps(mine[:4])
    assert found["result"]["pseudonym"] not in before
    assert str(pack) not in before
    assert mine[0]["data"]["external_id"] == "app-7"
    assert mine[4]["data"]["decisions"] == ["hold"]


def test_without_the_key_nothing_is_served(office: Office, ats: AtsSettings) -> None:
    stranger = Browser(office.portal, "192.0.2.9")
    assert ats.greenhouse is not None
    calls = [
        ("GET", "/api/takehome/v1/roles"),
        ("POST", "/api/takehome/v1/candidates"),
        ("GET", "/api/takehome/v1/candidates/x"),
        ("DELETE", "/api/takehome/v1/candidates/x"),
        ("GET", "/api/greenhouse/list_tests"),
        ("POST", "/api/greenhouse/send_test"),
        ("GET", "/api/greenhouse/test_status?partner_interview_id=x"),
        ("POST", "/api/greenhouse/response_error"),
    ]
    swapped = (sending.basic(str(ats.api_key)), f"Bearer {ats.greenhouse.key}")
    for given in ("", "Bearer ", "Bearer x", "Basic x", sending.basic(""), *swapped):
        for method, path in calls:
            headers = {"Authorization": given} if given else {}
            answer = stranger.client.request(method, path, headers=headers, json={})
            is_other = given.startswith("Bearer") == ("greenhouse" in path)
            if given in swapped and is_other:
                continue
            assert answer.status_code in (401, 422), (given, path)
            assert "detail" in answer.json()
    assert len(office.team.packs()) == 2


@pytest.mark.parametrize(
    "change",
    [{"role": "nobody"}, {"name": ""}, {"name": "\u202e"}, {"external_id": ""}, {"role": 3}],
)
def test_a_wrong_invitation_makes_nothing(
    office: Office, api: Browser, change: dict[str, Any]
) -> None:
    right = {"role": "gpu_engineer", "name": "Ada", "external_id": "1"}
    answer = post(api, "/api/takehome/v1/candidates", {**right, **change})
    assert answer.status_code == 422
    assert len(office.team.packs()) == 2


def test_the_api_is_described_as_openapi_and_as_a_page(office: Office, api: Browser) -> None:
    document = api.get("/api/takehome/openapi.json").json()
    assert document["openapi"].startswith("3.1")
    paths = {(method, path) for path, methods in document["paths"].items() for method in methods}
    assert len(paths) == 8
    assert "event" in document["webhooks"]
    answer = api.get("/api/takehome")
    assert "<script" not in answer.text
    for _, path in paths:
        assert path in answer.text


def test_without_ats_yaml_there_are_no_routes(office: Office) -> None:
    browser = Browser(office.portal)
    assert browser.get("/api/takehome/v1/roles").status_code == 404
    assert browser.get("/api/greenhouse/list_tests").status_code == 404


# --- deliveries -----------------------------------------------------------------------------------


def test_the_signature_is_the_one_of_the_specification() -> None:
    """The example of the reference libraries."""
    secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
    body = b'{"test": 2432232314}'
    found = sending.signature(secret, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, body)
    assert found == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_what_is_not_taken_is_sent_again_with_the_same_id(
    office: Office, ats: AtsSettings, hooks: Receiver
) -> None:
    hooks.statuses = [500, 302]
    office.portal.tell(ats)
    assert len(hooks.requests) == 2
    office.portal.tell(ats)
    assert len(hooks.requests) == 2, "not before a pause"
    make_due(office)
    office.portal.tell(ats)
    assert ats.webhook is not None
    assert len(hooks.requests) == 4
    assert len(hooks.events(ats.webhook.secret)) == 2
    make_due(office)
    office.portal.tell(ats)
    assert len(hooks.requests) == 4


def test_what_is_never_taken_is_given_up_and_said(
    office: Office, ats: AtsSettings, hooks: Receiver
) -> None:
    hooks.statuses = [503] * 40
    for _ in range(len(sending.PAUSES) + 3):
        office.portal.tell(ats)
        make_due(office)
    tries = len(sending.PAUSES) + 1
    assert len(hooks.requests) == 2 * tries
    with reading(office.portal.engine) as connection:
        rows = connection.execute(select(ats_deliveries)).all()
    assert [(row.due, row.problem) for row in rows] == [(None, "127.0.0.1 answers with 503.")] * 2
    hooks.statuses = []
    assert events.again(office.portal.engine) == 2
    office.portal.tell(ats)
    assert len(hooks.requests) == 2 * tries + 2


def make_due(office: Office) -> None:
    """Let all pauses pass."""
    waiting = ats_deliveries.c.due.is_not(None)
    with writing(office.portal.engine) as connection:
        past = datetime(2020, 1, 1, tzinfo=UTC)
        connection.execute(update(ats_deliveries).where(waiting).values(due=past))


# --- settings -------------------------------------------------------------------------------------


def test_settings_that_others_may_read_are_refused(tmp_path: Path) -> None:
    path = tmp_path / ats_settings.FILE
    path.write_text(f"api_key: {new_key()}\n")
    path.chmod(0o644)
    with pytest.raises(PermissionError, match="others may read it"):
        ats_settings.read(tmp_path)
    path.chmod(0o600)
    assert ats_settings.read(tmp_path) is not None
    path.write_text("api_key: short\n")
    with pytest.raises(CurriculumError, match="api_key"):
        ats_settings.read(tmp_path)


@pytest.mark.parametrize(
    ("url", "secret"),
    [
        ("http://ats.example.org/", None),
        ("ftp://ats.example.org/", None),
        ("https://ats.example.org/", "whsec_x"),
        ("https://ats.example.org/", "secret"),
        ("https://ats.example.org/", "whsec_" + "A" * 16),
    ],
)
def test_a_webhook_is_secure(url: str, secret: str | None) -> None:
    with pytest.raises(ValidationError):
        Webhook(url=url, secret=secret or new_secret())


def test_keys_are_made_by_command_and_printed_once(office: Office) -> None:
    words = ["takehome", "ats", "--team", str(office.team.folder), "--json"]

    def run(*more: str) -> Any:
        done = CliRunner().invoke(app, [*words, *more])
        return json.loads(done.stdout)

    assert run()["on"] == []
    made = run("--api", "--greenhouse", "--webhook", "https://ats.example.org/hook")
    assert made["made"].keys() == {"api_key", "greenhouse.key", "webhook.secret"}
    own = ats_settings.read(own_folder(office.team.folder))
    assert own is not None
    assert own.api_key == made["made"]["api_key"]
    assert run()["made"] == {}
    assert run("--api")["made"]["api_key"] != own.api_key
    kept = ats_settings.read(own_folder(office.team.folder))
    assert kept is not None
    assert kept.greenhouse == own.greenhouse
    assert "https" in run("--webhook", "http://ats.example.org/")["error"]
    assert office.audit()[-1].endswith("set up for an ATS: api_key")
