"""Requests generated from the service's OpenAPI description cause no error of the service."""

import secrets
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable

from hotloop.service.app import application
from hotloop.service.web.headers import ALWAYS

from .conftest import School

schemathesis = pytest.importorskip("schemathesis", reason="the group `dev` is not installed")

EXAMPLES = 15
"""Examples of each kind, for each operation."""


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["positive", "negative"])
def test_no_request_is_a_fault(school: School, mode: str) -> None:
    job = school.stored()
    school.judged()
    found = operations(school, job)
    assert len(found) >= 7
    for operation in found:
        statuses = tried(school, operation, mode)
        assert all(status < 500 for status in statuses), operation.label
        if mode == "positive" and operation.label.startswith("GET /api/jobs"):
            assert 200 in statuses, operation.label


def operations(school: School, job: str) -> list[Any]:
    """Return the operations; half of the job ids are the existing job's."""
    document = application(school.service).openapi()
    for path in document["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", []):
                if parameter["name"] == "job":
                    parameter["schema"] = {"enum": [job, secrets.token_hex(16)]}
    description = schemathesis.openapi.from_dict(document)
    return [result.ok() for result in description.get_all_operations()]


def tried(school: School, operation: Any, mode: str) -> list[int]:
    statuses: list[int] = []

    @settings(
        max_examples=EXAMPLES,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
        database=None,
        derandomize=True,
    )
    @given(case=operation.as_strategy(generation_mode=schemathesis.GenerationMode(mode)))
    def send(case: Any) -> None:
        import requests

        drawn = case.as_transport_kwargs(base_url=school.service.settings.origin)
        known = ("method", "url", "params", "headers", "data", "files", "json")
        sent = requests.Request(**{key: drawn[key] for key in known if key in drawn}).prepare()
        headers = {
            name: value
            for name, value in sent.headers.items()
            if name not in ("Content-Length", "Authorization")
        }
        answer = school.ask(
            "ada", str(sent.method), str(sent.url), content=sent.body, headers=headers
        )
        statuses.append(answer.status_code)
        for name in ALWAYS.keys() - {"Cache-Control"}:
            assert answer.headers[name] == ALWAYS[name]

    try:
        send()
    except Unsatisfiable:
        assert statuses == []
    return statuses
