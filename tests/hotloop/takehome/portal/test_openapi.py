"""Requests drawn from the portal's own description: whatever they hold, no page fails."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from hotloop.takehome.portal.app import application
from hotloop.takehome.portal.headers import ALWAYS

from .office import Browser, Office

pytest.importorskip("schemathesis", reason="the group `dev` is not installed")

EXAMPLES = 8
"""Of right and as many of wrong requests, for each of some thirty pages."""


@pytest.mark.parametrize("mode", ["positive", "negative"])
def test_no_page_fails(office: Office, member: Browser, mode: str) -> None:
    operations = [result.ok() for result in described(office).get_all_operations()]
    assert len(operations) > 25
    for operation in operations:
        answers = tried(operation, mode, office, member)
        assert answers, operation.label
    for pack in office.packs:
        # Nothing that was drawn can have been a pseudonym.
        assert office.team.pack(pack).pack == pack


def tried(operation: Any, mode: str, office: Office, member: Browser) -> list[int]:
    """Draws requests and sends them, as a member of the team would; the answers."""
    from schemathesis import GenerationMode

    answers: list[int] = []
    csrf = member.csrf() if member.get("/account").status_code == 200 else ""

    @settings(
        max_examples=EXAMPLES,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
        database=None,
        derandomize=True,
    )
    @given(case=operation.as_strategy(generation_mode=GenerationMode(mode)))
    def send(case: Any) -> None:
        if isinstance(case.body, dict):
            case.body["csrf"] = csrf
        sent = case.as_transport_kwargs(base_url=office.portal.settings.origin)
        answer = member.client.request(**_as_sent(sent))
        answers.append(answer.status_code)
        assert answer.status_code < 500, answer.text
        for name in ALWAYS.keys() - {"Cache-Control", "Content-Security-Policy"}:
            assert answer.headers[name] == ALWAYS[name]

    try:
        send()
    except Exception as error:
        if "Unsatisfiable" not in type(error).__name__:
            raise
        # There is no wrong request for a page without parameters.
        answers.append(0)
    return answers


def _as_sent(drawn: dict[str, Any]) -> dict[str, Any]:
    """What would go over the wire: it was drawn for the library `requests`."""
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


def described(office: Office) -> Any:
    """The description; packs and links are mostly those that there are."""
    import schemathesis

    document = application(office.portal).openapi()
    for operations in document["paths"].values():
        for operation in operations.values():
            for parameter in operation.get("parameters", []):
                if parameter["name"] == "pack":
                    parameter["schema"] = {"enum": [str(pack) for pack in office.packs]}
                if parameter["name"] == "token":
                    parameter["schema"] = {"enum": [office.token(), "x" * 43]}
    return schemathesis.openapi.from_dict(document)
