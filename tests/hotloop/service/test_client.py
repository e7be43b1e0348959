"""`hotloop check --on https://…`: the client, with a real server and a fast fake judge."""

import http.server
import json
import socket
import stat
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.record import Record
from hotloop.core.user_error import UserError
from hotloop.learn.remote import place, resumable_request
from hotloop.learn.remote.client import ServiceClient, Unreachable, ask, sentence
from hotloop.learn.remote.job import RemoteJob
from hotloop.learn.remote.request import RemoteRequest
from hotloop.service.app import served
from hotloop.service.course import people
from hotloop.tasks.render import submission

from . import quick
from .conftest import School, request
from .web.serving import listening


@pytest.fixture(autouse=True)
def own_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv(place.SERVER, raising=False)


@contextmanager
def judging(school: School, judge: Any = quick.judge) -> Iterator[None]:
    """Run a worker of each phase."""
    workers = [school.worker(phase, judge=judge) for phase in ("cpu", "gpu")]
    threads = [threading.Thread(target=worker.run) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        for worker, thread in zip(workers, threads, strict=True):
            worker.ending.set()
            thread.join(10)


@pytest.fixture
def url(school: School) -> Iterator[str]:
    with listening(served(school.service)) as port:
        yield f"http://127.0.0.1:{port}"


@pytest.fixture
def server(school: School, url: str) -> ServiceClient:
    return ServiceClient(url, school.tokens["ada"], patience_s=5.0)


def asked(**changes: Any) -> RemoteRequest:
    return RemoteRequest.model_validate(request(**changes))


def work(folder: Path) -> Path:
    for name, content in submission("ssa_passes").items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def said(code: int, found: Any) -> tuple[int, list[tuple[str, ...]]]:
    """Return a check's exit code and checks."""
    checks = found["tasks"][0]["record"]["checks"]
    return code, [(r["check"], r["verdict"], r["sentence"]) for r in checks]


def run(*words: str) -> tuple[int, Any]:
    done = CliRunner().invoke(app, [*words, "--json"])
    return done.exit_code, json.loads(done.stdout)


@pytest.mark.slow
def test_records_come_back_and_everything_on_the_way_is_told(
    school: School, server: ServiceClient
) -> None:
    said: list[str] = []
    school.has_gpu()
    with judging(school):
        records = ask(
            server, asked(module="fused_softmax", tasks=["triton_forward"]), "k" * 20, said.append
        )
    assert [r.task for r in records] == ["triton_forward"]
    assert {check.verdict.value for check in records[0].checks} == {"passed"}
    assert "no answer" not in " ".join(said)


@pytest.mark.slow
def test_a_login_and_a_check(school: School, url: str, tmp_path: Path) -> None:
    invitation = people.invite(school.service.engine, "carol")
    code, found = run("login", f"{url}/join/{invitation}")
    assert (code, found) == (0, {"server": url, "name": "carol", "role": "learner"})
    assert stat.S_IMODE(place.path().stat().st_mode) == 0o600
    with judging(school):
        code, found = run("check", "ssa_passes.fold", str(work(tmp_path / "work")))
    (row,) = found["tasks"]
    assert (code, row["verdict"], row["points"]) == (0, "passed", row["possible"])
    # The link worked once.
    assert "was used" in run("login", f"{url}/join/{invitation}")[1]["error"]


@pytest.mark.sandbox
@pytest.mark.slow
def test_a_check_without_a_gpu_is_the_same_as_here(
    school: School, url: str, tmp_path: Path
) -> None:
    from hotloop.service.course.worker import judge

    place.remember(url, school.tokens["ada"])
    folder = str(work(tmp_path / "work"))
    with judging(school, judge):
        there = run("check", "ssa_passes.fold", folder, "--on", url)
    here = run("check", "ssa_passes.fold", folder, "--on", "here")
    shown = [
        (
            code,
            [(r["check"], r["verdict"]) for r in found["tasks"][0]["record"]["checks"]],
        )
        for code, found in (there, here)
    ]
    assert shown[0] == shown[1]


@pytest.mark.slow
def test_who_is_not_logged_in_is_told_how(url: str, tmp_path: Path) -> None:
    code, found = run("check", "ssa_passes.fold", str(work(tmp_path / "work")), "--on", url)
    assert code == 2
    assert "run `hotloop login`" in found["error"]


@pytest.mark.slow
def test_the_environment_names_a_service(
    school: School, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert place.chosen() == ""
    place.remember(url, "t")
    assert place.chosen() == url
    monkeypatch.setenv(place.SERVER, "https://other")
    assert place.chosen() == "https://other"
    assert place.chosen("here") == ""


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://example.org", "is not encrypted"),
        ("https://ada:secret@example.org", "is no address"),
        ("ftp://example.org", "is no address"),
        ("https://", "is no address"),
        ("https://host:x", "Port could not be"),
    ],
)
def test_a_token_goes_to_no_such_address(url: str, said: str) -> None:
    with pytest.raises(UserError, match=said):
        place.origin(url)


@pytest.mark.slow
def test_a_token_follows_no_redirect() -> None:
    seen: list[str] = []

    class Elsewhere(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(self.path)
            self.send_response(307)
            self.send_header("Location", "/stolen")
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Elsewhere) as other:
        threading.Thread(target=other.serve_forever, daemon=True).start()
        with pytest.raises(UserError, match="It answers with 307"):
            ServiceClient(f"http://127.0.0.1:{other.server_port}", "token").put(
                asked(), "k" * 20, print
            )
        other.shutdown()
    assert seen == ["/api/jobs"]


@pytest.mark.slow
def test_ctrl_c_cancels_the_job(school: School, server: ServiceClient) -> None:
    def interrupted(_text: str) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ask(server, asked(), "k" * 20, interrupted)
    job = school.put(key="k" * 20).json()["id"]
    assert school.job(job)["state"] == "canceled"


@pytest.mark.slow
def test_a_replaced_job_says_so(school: School, server: ServiceClient) -> None:
    def again(_text: str) -> None:
        school.stored("ada")

    with pytest.raises(UserError, match="You have sent the same tasks again"):
        ask(server, asked(), "k" * 20, again)


@pytest.mark.slow
def test_what_was_not_answered_is_joined_again(school: School, server: ServiceClient) -> None:
    """As after a kill: the key is in its file, and the same request gets the same job."""

    class Killed(BaseException):
        pass

    def killed(_text: str) -> None:
        raise Killed

    note = resumable_request._note(server, asked())
    key = resumable_request._key(note)
    with pytest.raises(Killed):
        ask(server, asked(), key, killed)
    with judging(school):
        found = resumable_request.ask(server, asked(), lambda _text: None)
    assert [r.task for r in found] == ["fold"]
    assert not note.exists()
    assert school.judged() == 0
    # What was answered is a new question.
    assert resumable_request._key(note) != key


@pytest.mark.slow
def test_a_service_that_is_not_there_is_waited_for_and_then_said() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    said: list[str] = []
    server = ServiceClient(f"http://127.0.0.1:{port}", "t", patience_s=0.5)
    began = time.monotonic()
    with pytest.raises(Unreachable, match="run the same command again"):
        server.put(asked(), "k" * 20, said.append)
    assert time.monotonic() - began >= 0.5
    assert "Connection refused" in said[0]


@pytest.mark.slow
def test_a_stream_that_drops_goes_on(school: School, server: ServiceClient) -> None:
    """A relay cuts the connection twice after a few bytes."""
    dropped: list[int] = []
    target = int(server.url.rpartition(":")[2])

    with relay(target, lambda: len(dropped) < 2, dropped.append) as port:
        through = ServiceClient(f"http://127.0.0.1:{port}", server.token, patience_s=10.0)
        job = server.put(asked(), "k" * 20, print)
        said: list[str] = []
        with judging(school, lambda h, p, s: (time.sleep(1), quick.judge(h, p, s))[1]):
            found = list(through.follow(job, said.append))
    assert found[-1].state == "done"
    assert len(dropped) == 2
    assert any("trying again" in text for text in said)


@contextmanager
def relay(target: int, cuts: Callable[[], bool], cut: Callable[[int], None]) -> Iterator[int]:
    """Relay connections; the ones to cut end after their first answer."""

    def passed(ours: socket.socket) -> None:
        with ours, socket.create_connection(("127.0.0.1", target)) as theirs:
            theirs.sendall(ours.recv(65536))
            ends = cuts()
            while part := theirs.recv(65536):
                ours.sendall(part)
                if ends:
                    cut(1)
                    return

    def accept(listener: socket.socket) -> None:
        while True:
            try:
                ours, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=passed, args=(ours,), daemon=True).start()

    listener = socket.create_server(("127.0.0.1", 0))
    threading.Thread(target=accept, args=(listener,), daemon=True).start()
    try:
        yield listener.getsockname()[1]
    finally:
        listener.close()


@pytest.mark.parametrize(
    ("job", "said"),
    [
        ({"phase": "cpu", "position": 2, "waiting": 5}, "waiting for a free process: 2 of 5"),
        (
            {"phase": "gpu", "position": 1, "waiting": 1, "expected_s": 300.0, "records": [{}]},
            "CPU checks are done; waiting for the GPU: 1 of 1, about 5 min",
        ),
        ({"phase": "cpu", "running": True, "said": "measuring"}, "measuring"),
    ],
)
def test_what_a_learner_reads_while_it_waits(job: dict[str, Any], said: str) -> None:
    about = {"id": "x", "state": "open", "submitted": "2030-01-01T00:00:00Z"}
    assert sentence(RemoteJob.model_validate({**about, **job})) == said


@pytest.mark.slow
def test_records_about_another_task_are_none(school: School, server: ServiceClient) -> None:
    def wrong(*_: Any) -> list[Record]:
        return [quick.record("ssa_passes", "verify")]

    school.stored("bob")
    with judging(school, wrong), pytest.raises(UserError, match="about other tasks"):
        ask(server, asked(), "k" * 20, lambda _text: None)


@pytest.mark.slow
def test_the_client_needs_no_server_packages() -> None:
    import subprocess
    import sys

    heavy = ("fastapi", "starlette", "sqlalchemy", "uvicorn", "torch", "numpy", "httpx", "nbgrader")
    blocked = "; ".join(f"sys.modules[{name!r}] = None" for name in heavy)
    program = f"import sys; {blocked}\nimport hotloop.learn.remote.resumable_request\nprint('fine')"
    done = subprocess.run(
        [sys.executable, "-c", program], check=False, capture_output=True, text=True
    )
    assert done.stdout.strip() == "fine", done.stderr
