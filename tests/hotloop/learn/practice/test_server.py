"""The server of the practice page: which requests it answers, and what it writes."""

import http.client
import json
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.record import NOT_ATTEMPTED, Circumstances, Record
from hotloop.core.verdict import Verdict
from hotloop.learn.practice import store, verdicts
from hotloop.learn.practice.server import PracticeServer
from hotloop.learn.practice.state import PracticeRecord, Review
from hotloop.tasks.problem import Score

ReviewOf = Callable[..., Review]


class Client:
    """Sends requests like a browser, or like another program."""

    def __init__(self, server: PracticeServer) -> None:
        self.server = server
        self.host = urlsplit(server.address).netloc
        self.origin = f"http://{self.host}"

    def ask(
        self, path: str, method: str = "GET", body: str = "", **headers: str
    ) -> tuple[int, str, http.client.HTTPMessage]:
        """headers: with `_` for `-`."""
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_address[1])
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body=body.encode() or None, headers=sent)
        answer = connection.getresponse()
        found = answer.status, answer.read().decode(), answer.headers
        connection.close()
        return found

    def put(self, text: str, **headers: str) -> tuple[int, str, http.client.HTTPMessage]:
        sent = {"Origin": self.origin, **headers}
        if "If_Match" not in sent:
            sent["If_Match"] = store.read().version
        return self.ask(f"/{self.server.secret}/record", "PUT", text, **sent)


@pytest.fixture
def client(home: Path) -> Iterator[Client]:
    with PracticeServer("index.html#track=dl_compilers") as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield Client(server)
        server.shutdown()
        thread.join()


def text(*reviews: Review) -> str:
    return PracticeRecord(reviews=list(reviews)).model_dump_json()


@pytest.mark.slow
def test_a_page_loads_only_what_is_served(client: Client) -> None:
    root = f"/{client.server.secret}"
    for page in ("index.html", "placement.html"):
        status, html, headers = client.ask(f"{root}/{page}")
        assert status == 200
        assert headers["Content-Type"] == "text/html; charset=utf-8"
        assert "default-src 'self'" in headers["Content-Security-Policy"]
        loaded = [part.partition('"')[0] for part in html.split('src="')[1:]]
        assert len(loaded) > 10
        for name in (*loaded, "local/local.css", "practice.css"):
            assert client.ask(f"{root}/{name}")[0] == 200, name
    question = client.ask(f"{root}/data/fused_softmax/why_subtract_the_maximum.en.js")[1]
    assert question.startswith('hotloop.texts.known["fused_softmax.why_subtract_the_maximum/en"]')


@pytest.mark.slow
def test_the_page_says_what_the_terminal_says_is_next_and_each_tasks_state(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(verdicts.OFF, raising=False)
    circumstances = Circumstances("", "", "", "", "", {}, "", "none", "", 1.0)
    untouched = f"{NOT_ATTEMPTED} yet."
    for task, verdict, sentence in (
        ("axpy", Verdict.PASSED, "Right."),
        ("row_sums", Verdict.WRONG_ANSWER, untouched),
    ):
        record = Record("first_kernels", task, verdict, sentence, (), circumstances)
        points = 10.0 if verdict is Verdict.PASSED else 0.0
        verdicts.note(record, Score(points, 0, 10), "notebook", own=True)
    script = client.ask(f"/{client.server.secret}/next.js")[1]
    _, following, states = re.split(r"hotloop\.\w+ = ", script)
    told = json.loads(CliRunner().invoke(app, ["progress", "--json"]).stdout)
    assert json.loads(following.rstrip(";\n")) == told["next"]
    assert json.loads(states.rstrip(";\n")) == {
        "first_kernels.axpy": "passed",
        "first_kernels.row_sums": "not started",
    }


@pytest.mark.slow
@pytest.mark.parametrize("name", ["", "/", "wrong/record", "wrong/index.html", "%s/../store.py"])
def test_without_the_secret_nothing_is_there(client: Client, name: str) -> None:
    path = f"/{name}".replace("%s", client.server.secret)
    assert client.ask(path)[0] == 404
    assert client.ask(path, "PUT", text(), Origin=client.origin)[0] in {400, 404}
    assert not store.path().exists()


@pytest.mark.slow
def test_the_ticket_leads_to_the_page_once(client: Client) -> None:
    path = urlsplit(client.server.ticket).path
    status, _, headers = client.ask(path)
    assert (status, headers["Location"]) == (
        303, f"/{client.server.secret}/index.html#track=dl_compilers",
    )  # fmt: skip
    assert client.ask(path)[0] == 404
    assert client.server.secret not in client.server.ticket


@pytest.mark.slow
@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "127.0.0.1.evil.example:1"])
def test_a_foreign_name_for_this_machine_is_refused(client: Client, host: str) -> None:
    path = f"/{client.server.secret}/record"
    assert client.ask(path, Host=host)[0] == 403
    assert client.ask(path, "PUT", text(), Host=host, Origin=f"http://{host}")[0] == 403


@pytest.mark.slow
def test_a_tunnel_may_have_another_port(client: Client) -> None:
    path = f"/{client.server.secret}/record"
    assert client.ask(path, Host="localhost:8123")[0] == 200


@pytest.mark.slow
@pytest.mark.parametrize("origin", ["http://evil.example", "http://127.0.0.1:1", "null"])
def test_another_page_is_refused(client: Client, origin: str, review: ReviewOf) -> None:
    assert client.ask(f"/{client.server.secret}/record", Origin=origin)[0] == 403
    assert client.put(text(review()), Origin=origin)[0] == 403
    assert not store.path().exists()


@pytest.mark.slow
def test_who_does_not_say_its_origin_writes_nothing(client: Client, review: ReviewOf) -> None:
    path = f"/{client.server.secret}/record"
    assert client.ask(path, "PUT", text(review()), If_Match=store.read().version)[0] == 403
    assert not store.path().exists()


@pytest.mark.slow
def test_a_record_is_written_and_read(client: Client, review: ReviewOf) -> None:
    status, _, headers = client.put(text(review()))
    assert (status, headers["ETag"]) == (200, store.read().version)
    status, told, again = client.ask(f"/{client.server.secret}/record")
    assert (status, told, again["ETag"]) == (200, text(review()), headers["ETag"])
    assert client.put(text(), If_Match='"earlier"')[0] == 412
    assert store.read().text == text(review())


@pytest.mark.slow
def test_what_is_no_record_is_refused(client: Client, review: ReviewOf) -> None:
    client.put(text(review()))
    for bad in ('{"reviews": 1}', "{", "\N{SNOWMAN}"):
        assert client.put(bad)[0] == 400
    root, sent = f"/{client.server.secret}", {"Origin": client.origin}
    assert client.ask(f"{root}/record", "PUT", "x", **sent, Content_Length="99999999")[0] == 400
    assert client.ask(f"{root}/index.html", "PUT", "x", **sent)[0] == 400
    assert store.read().text == text(review())


@pytest.mark.slow
def test_a_damaged_file_is_said_and_stays(client: Client, review: ReviewOf) -> None:
    version = store.read().version
    store.path().parent.mkdir(parents=True)
    store.path().write_text("{")
    for name in ("index.html", "record"):
        status, told, _ = client.ask(f"/{client.server.secret}/{name}")
        assert (status, "practice.json:" in told) == (409, True)
    assert client.put(text(review()), If_Match=version)[0] == 409
    assert store.path().read_text() == "{"


@pytest.mark.slow
def test_a_folder_that_cannot_be_written_is_said(client: Client, review: ReviewOf) -> None:
    store.path().parent.parent.mkdir(parents=True)
    store.path().parent.write_text("no folder")
    status, told, _ = client.ask(
        f"/{client.server.secret}/record", "PUT", text(review()), Origin=client.origin
    )
    assert (status, "practice.json" in told) == (500, True)


@pytest.mark.slow
def test_only_files_of_the_page_are_served(client: Client) -> None:
    for name in ("../server.py", "state.py", "local", "data", ""):
        assert client.ask(f"/{client.server.secret}/{name}")[0] == 404
