"""Requests generated from the portal's OpenAPI description: no page fails, valid ones succeed."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from hotloop.service.app import application
from hotloop.service.web.headers import ALWAYS
from hotloop.service.web.queue import WorkState
from hotloop.takehome import scorecard

from .office import MEMBER, PASSWORD, Browser, Office, field
from .reported import filled, reported

pytest.importorskip("schemathesis", reason="the group `dev` is not installed")

EXAMPLES = 12
"""Examples of each kind of request, for each of some thirty pages."""

LAST = (
    "POST /candidates/{pack}/link",
    "POST /candidates/{pack}/withdraw",
    "POST /candidates/{pack}/forget",
)
"""Each ends what other requests need: these run in this order, after all others."""

WITHOUT_LOGIN = ("/site.css", "/health", "/login", "/c/")


@pytest.fixture
def busy(office: Office, work: Callable[..., bytes], tmp_path: Path) -> Office:
    """The first candidate has a report and a filed scorecard; the second one has a link."""
    submission = reported(office, work(office), tmp_path)
    office.portal.queue.add(office.packs[0], submission.digest, WorkState.DONE)
    scorecard.file(office.team, office.packs[0], filled(office.team, office.packs[0]), "rita")
    return office


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["positive", "negative"])
def test_no_page_fails(busy: Office, mode: str) -> None:
    for operation in operations(described(busy)):
        answers = tried(operation, mode, busy)
        # A page without parameters has no wrong request.
        assert answers or (mode == "negative" and not takes_something(operation)), operation.label
    for pack in busy.packs:
        # No generated value can be a pseudonym.
        assert busy.team.pack(pack).pack == pack


@pytest.mark.slow
def test_what_is_right_is_served(busy: Office, work: Callable[..., bytes]) -> None:
    """With values that only this office has, such as its packs, each page does its job."""
    for operation in operations(described(busy, known(busy))):
        upload = work(busy, 1) if operation.path.endswith("/submission") else b""
        answers = tried(operation, "positive", busy, upload)
        assert any(200 <= status < 400 for status in answers), (operation.label, answers)
    left = {record.pack for record in busy.team.packs()}
    assert not left.issuperset(busy.packs), "the last page deletes those whose pseudonym is drawn"


def operations(description: Any) -> list[Any]:
    found = [result.ok() for result in description.get_all_operations()]
    assert len(found) > 25
    return sorted(found, key=lambda one: LAST.index(one.label) if one.label in LAST else -1)


def takes_something(operation: Any) -> bool:
    return bool(operation.body) or any(True for _ in operation.iter_parameters())


def tried(operation: Any, mode: str, office: Office, upload: bytes = b"") -> list[int]:
    """Generate requests and send them as a member of the team; return the status codes.

    upload: handed in instead of generated content.
    """
    from hypothesis.errors import Unsatisfiable
    from schemathesis import GenerationMode

    answers: list[int] = []
    browser = Browser(office.portal)

    @settings(
        max_examples=EXAMPLES,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
        database=None,
        derandomize=True,
    )
    @given(case=operation.as_strategy(generation_mode=GenerationMode(mode)))
    def send(case: Any) -> None:
        fields = _of_forms(browser, operation)
        if isinstance(case.body, dict):
            case.body |= fields
            if upload:
                case.body["submission"] = upload
        elif fields and not operation.body:
            case.body, case.media_type = fields, "application/x-www-form-urlencoded"
        sent = case.as_transport_kwargs(base_url=office.portal.settings.origin)
        answer = browser.client.request(**_as_sent(sent))
        assert answer.status_code < 500, answer.text
        for name in ALWAYS.keys() - {"Cache-Control", "Content-Security-Policy"}:
            assert answer.headers[name] == ALWAYS[name]
        if operation.method == "get":
            # Otherwise all pages would pass for a user who is not logged in.
            assert answer.headers.get("location") != "/login"
        answers.append(answer.status_code)

    try:
        send()
    except Unsatisfiable:
        assert answers == []
    return answers


def _of_forms(browser: Browser, operation: Any) -> dict[str, str]:
    """Log in if necessary, again after a request has ended the session.

    Returns the hidden fields of a page's form.
    """
    if operation.label == "POST /login":
        browser.client.cookies.clear()
        return {"token": field(browser.get("/login").text, "token")}
    if operation.path.startswith(WITHOUT_LOGIN):
        return {}
    if browser.get("/account").status_code != 200:
        assert browser.log_in().status_code == 303
    return {"csrf": browser.csrf()} if operation.method == "post" else {}


def _as_sent(drawn: dict[str, Any]) -> dict[str, Any]:
    """Return what would be sent: the request was generated for the library `requests`."""
    import requests

    known = ("method", "url", "params", "headers", "data", "files", "json")
    request = requests.Request(**{key: drawn[key] for key in known if key in drawn}).prepare()
    headers = {name: value for name, value in request.headers.items() if name != "Content-Length"}
    return {
        "method": request.method,
        "url": request.url,
        "content": request.body,
        "headers": headers,
    }


def known(office: Office) -> dict[str, dict[str, list[str]]]:
    """Return by page the valid values of form fields that no description can list."""
    pseudonyms = [office.team.pack(pack).pseudonym for pack in office.packs]
    return {
        "/login": {"name": [MEMBER], "password": [PASSWORD]},
        "/candidates": {"role": ["gpu_engineer"], "name": ["Ada", "Grace"]},
        "/candidates/{pack}/extend": {"day": [f"{datetime.now(UTC) + timedelta(days=9):%Y-%m-%d}"]},
        "/candidates/{pack}/forget": {"pseudonym": pseudonyms},
        "/candidates/{pack}/scorecard": {
            "report": [scorecard.report_digest(office.team, office.packs[0])],
            "decision": ["hold"],
            "mark.overall": ["3"],
            "note.overall": ["Said why."],
        },
        "/candidates/{pack}/feedback": {"text": ["Well done."], "measured": ["false"]},
        "/account/password": {"old": [PASSWORD], "new": [PASSWORD], "again": [PASSWORD]},
    }


def described(office: Office, known: dict[str, dict[str, list[str]]] | None = None) -> Any:
    """Return the schema; packs and links are mostly existing ones.

    known: the values for fields of some pages' forms.
    """
    import schemathesis

    document = application(office.portal).openapi()
    for path, page in document["paths"].items():
        for operation in page.values():
            for parameter in operation.get("parameters", []):
                if parameter["name"] == "pack":
                    parameter["schema"] = {"enum": [str(pack) for pack in office.packs]}
                if parameter["name"] == "token":
                    parameter["schema"] = {"enum": [office.token(1), "x" * 43]}
        if known and path in known:
            _narrow(document, page["post"], known[path])
    return schemathesis.openapi.from_dict(document)


def _narrow(document: Any, operation: Any, fields: dict[str, list[str]]) -> None:
    """Restrict the form's fields to these values."""
    schema = operation["requestBody"]["content"]["application/x-www-form-urlencoded"]["schema"]
    if "$ref" in schema:
        schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
    schema["properties"] |= {name: {"enum": values} for name, values in fields.items()}
    schema["required"] = sorted({*schema.get("required", []), *fields})
