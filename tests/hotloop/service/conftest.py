"""A service with two learners and an instructor."""

import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the group `serve` is not installed")

from starlette.testclient import TestClient

from hotloop import __version__
from hotloop.judge.client import JudgeProcess
from hotloop.learn.remote.request import packed
from hotloop.service.app import served
from hotloop.service.course import people, works
from hotloop.service.course.service import Service
from hotloop.service.course.worker import QueueWorker
from hotloop.service.settings import Rates, ServiceSettings

from . import quick

OFTEN = Rates(*["100000/minute"] * 8)
"""Rate limits that tests of other things do not reach."""


@dataclass
class School:
    """A service, and its users' tokens."""

    service: Service
    tokens: dict[str, str]
    _client: TestClient = field(init=False)

    def __post_init__(self) -> None:
        self._client = TestClient(
            served(self.service),
            base_url=self.service.settings.origin,
            raise_server_exceptions=False,
            follow_redirects=False,
        )

    def ask(self, who: str, method: str, path: str, **more: Any) -> Any:
        """Send a request. who: a name, or a token."""
        headers = more.pop("headers", {})
        token = self.tokens.get(who, who)
        bearer = {"Authorization": f"Bearer {token}"} if token else {}
        return self._client.request(method, path, headers={**bearer, **headers}, **more)

    def put(self, who: str = "ada", key: str = "", **changes: Any) -> Any:
        key = key or secrets.token_hex(16)
        headers = {"Idempotency-Key": key}
        return self.ask(who, "POST", "/api/jobs", json=request(**changes), headers=headers)

    def stored(self, who: str = "ada", **changes: Any) -> str:
        answer = self.put(who, **changes)
        assert answer.status_code == 202, answer.text
        return answer.json()["id"]

    def job(self, job: str, who: str = "ada") -> Any:
        return self.ask(who, "GET", f"/api/jobs/{job}").json()

    def worker(self, phase: str = "cpu", name: str = "", judge: Any = quick.judge) -> QueueWorker:
        return QueueWorker(self.service.engine, name or f"{phase}-worker", phase, judge)  # type: ignore[arg-type]

    def judged(self, phase: str = "cpu") -> int:
        """Judge all works that wait for a phase; return their number."""
        worker, count = self.worker(phase), 0
        while worker.one(JudgeProcess()):
            count += 1
        return count

    def has_gpu(self) -> None:
        """Register a worker with a GPU."""
        works.here(self.service.engine, "gpu-worker", "gpu", "box")


def request(module: str = "ssa_passes", task: str = "fold", **changes: Any) -> dict[str, Any]:
    asked: dict[str, Any] = {
        "hotloop": __version__,
        "module": module,
        "tasks": [task],
        "files": packed({"lab.ipynb": b"{}"}),
    }
    return {**asked, **changes}


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Callable[..., School]]:
    """Returns a function that opens a service with the given settings."""
    made: list[Service] = []

    def open_service(**settings: Any) -> School:
        chosen = replace(
            ServiceSettings(folder=tmp_path / f"service{len(made)}", rates=OFTEN), **settings
        )
        service = Service.open(chosen)
        made.append(service)
        tokens: dict[str, str] = {}
        for name, role in (("ada", "learner"), ("bob", "learner"), ("grace", "instructor")):
            accepted = people.accept(service.engine, people.invite(service.engine, name, role))  # type: ignore[arg-type]
            assert accepted is not None
            tokens[name] = accepted[1]
        return School(service, tokens)

    yield open_service
    for service in made:
        service.close()


@pytest.fixture
def school(opened: Callable[..., School]) -> School:
    return opened()
