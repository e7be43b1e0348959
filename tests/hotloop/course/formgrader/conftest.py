"""Jupyter's server with formgrader on the tiny course, in a thread of this process."""

import asyncio
import json
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jupyter_server.serverapp import ServerApp

from hotloop.course.formgrader.extension import load

TOKEN = "only-for-this-test"


@dataclass(frozen=True)
class Answer:
    status: int
    text: str
    headers: Any

    @property
    def json(self) -> Any:
        return json.loads(self.text)


@dataclass(frozen=True)
class Desk:
    """Sends requests as an instructor's browser does."""

    course: Any
    port: int

    def ask(
        self, path: str, body: Any = None, method: str | None = None, token: str = TOKEN
    ) -> Answer:
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}/formgrader/{path}",
            data=None if body is None else json.dumps(body).encode(),
            headers={"Authorization": f"token {token}"},
            method=method,
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                return Answer(reply.status, reply.read().decode(), reply.headers)
        except urllib.error.HTTPError as error:
            with error:
                return Answer(error.code, error.read().decode(), error.headers)

    def get(self, path: str) -> Any:
        return self.ask(f"api/{path}").json

    def notebook(self, student: str) -> str:
        """Return the id of a learner's submitted notebook."""
        (row,) = self.get(f"student_notebook_submissions/{student}/tiny")
        return row["id"]

    def grades(self, student: str) -> dict[str, Any]:
        rows = self.get(f"grades?submission_id={self.notebook(student)}")
        return {row["name"]: row for row in rows}

    def put(self, grade: Any, **changes: Any) -> Answer:
        return self.ask(f"api/grade/{grade['id']}", {**grade, **changes}, "PUT")

    def page(self, student: str) -> str:
        return self.ask(f"submissions/{self.notebook(student)}/").text


@pytest.fixture
def desk(course: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Desk]:
    for name in ("CONFIG", "DATA", "RUNTIME"):
        monkeypatch.setenv(f"JUPYTER_{name}_DIR", str(tmp_path / "jupyter" / name.lower()))
    monkeypatch.chdir(course.root)
    app = ServerApp(
        root_dir=str(course.root), open_browser=False, allow_root=True, port=0, log_level="ERROR"
    )
    app.init_signal = lambda: None  # only the main thread may
    started = threading.Event()
    port: list[int] = []

    def serve() -> None:
        asyncio.set_event_loop(asyncio.new_event_loop())
        app.initialize([f"--IdentityProvider.token={TOKEN}"], find_extensions=False)
        load(app)
        port.append(app.port)
        app.io_loop.add_callback(started.set)
        app.io_loop.start()

    thread = threading.Thread(target=serve)
    thread.start()
    assert started.wait(30)
    yield Desk(course, port[0])
    app.io_loop.add_callback(app.http_server.stop)
    app.io_loop.add_callback(app.io_loop.stop)
    thread.join(30)
