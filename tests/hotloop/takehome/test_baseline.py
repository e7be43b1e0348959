"""What a model alone scores: asked over HTTP, judged by the same judge, stored, and reported."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.intervals import Interval
from hotloop.core.verdict import Verdict
from hotloop.takehome import baseline, chat
from hotloop.takehome.baseline import ModelAttempt, ModelBaseline, Points
from hotloop.takehome.chat import Chat, ChatError, Message
from hotloop.takehome.report import TakehomeReport
from hotloop.takehome.report_page import page
from hotloop.takehome.starter import starter_files
from hotloop.takehome.submission import Submission
from hotloop.tasks import render
from hotloop.tasks.notebook_cells import readable_cells
from hotloop.tasks.variants import Variant, draw

from .conftest import Hired
from .made_reports import all_of, report_on

KEY = "HOTLOOP_TEST_KEY"
ASK = [Message(role="user", content="Write a kernel.")]
Answer = Callable[[dict[str, Any], int], tuple[int, dict[str, str], str]]


def completion(text: str) -> str:
    return json.dumps({"id": "x", "choices": [{"index": 0, "message": {"content": text}}]})


@contextmanager
def stand_in(answer: Answer) -> Iterator[tuple[str, list[Any]]]:
    """Run a server with scripted answers; yield its address and its requests, with the keys."""
    asked: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            asked.append((self.path, self.headers.get("Authorization"), body))
            status, headers, text = answer(body, len(asked))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_args: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/v1", asked
        finally:
            server.shutdown()
            thread.join()


@pytest.mark.slow
def test_the_key_comes_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "secret")
    with stand_in(lambda _body, _number: (200, {}, completion("Done."))) as (url, asked):
        assert Chat(url, "small-1", KEY).reply(ASK) == "Done."
    assert asked == [
        (
            "/v1/chat/completions",
            "Bearer secret",
            {"model": "small-1", "messages": [{"role": "user", "content": "Write a kernel."}]},
        )
    ]


@pytest.mark.slow
def test_no_key_is_sent_where_none_is_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    with stand_in(lambda _body, _number: (200, {}, completion("Done."))) as (url, asked):
        Chat(url, "small-1", KEY).reply(ASK)
    assert asked[0][1] is None


@pytest.mark.slow
def test_a_busy_server_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    waited: list[float] = []
    monkeypatch.setattr(chat.time, "sleep", waited.append)

    def busy(_body: dict[str, Any], number: int) -> tuple[int, dict[str, str], str]:
        return (429, {"Retry-After": "7"}, "slow") if number < 3 else (200, {}, completion("Done."))

    with stand_in(busy) as (url, asked):
        assert Chat(url, "small-1", KEY).reply(ASK) == "Done."
        assert len(asked) == 3
    assert waited == [7, 7]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("status", "headers", "text", "says", "times"),
    [
        (401, {}, "no", f"set the environment variable {KEY}", 1),
        (400, {}, "unknown model", "HTTP 400: unknown model", 1),
        (200, {}, "<html>", "no chat completion", 1),
        (200, {}, '{"choices": []}', "no chat completion", 1),
        (503, {}, "down", "HTTP 503: down", chat.TRIES),
    ],
)
def test_what_is_no_answer_is_told(
    status: int,
    headers: dict[str, str],
    text: str,
    says: str,
    times: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(chat.time, "sleep", lambda _seconds: None)
    with stand_in(lambda _body, _number: (status, headers, text)) as (url, asked):
        with pytest.raises(ChatError, match=says):
            Chat(url, "small-1", KEY).reply(ASK)
        assert len(asked) == times


@pytest.mark.slow
def test_a_key_goes_to_no_other_host(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "secret")
    with stand_in(lambda _body, _number: (200, {}, completion("x"))) as (elsewhere, taken):
        moved = {"Location": elsewhere + "/chat/completions"}
        with (
            stand_in(lambda _body, _number: (302, moved, "")) as (url, _asked),
            pytest.raises(ChatError, match="HTTP 302"),
        ):
            Chat(url, "small-1", KEY).reply(ASK)
    assert taken == []


def test_what_is_no_address_is_refused() -> None:
    with pytest.raises(ChatError, match="no endpoint"):
        Chat("api.example.org", "small-1", KEY)


# --- what is told and taken -----------------------------------------------------------------------


def given(hired: Hired) -> dict[str, bytes]:
    role = hired.team.role("gpu_engineer")
    variant = hired.team.variant(hired.packs[0].manifest.pack)
    return starter_files(role.definition(), [task.task for task in role.tasks], variant)


def test_the_model_is_told_what_a_candidate_is_told_and_no_name(hired: Hired) -> None:
    from .conftest import NAMES

    (message,) = baseline.prompt(hired.team.role("gpu_engineer"), given(hired))
    assert "=== FILE softmax_triton.py ===" in message.content
    assert "=== CELL online_pass ===" in message.content
    assert "=== CELL explain" not in message.content
    for secret in (*NAMES, *(pack.pseudonym for pack in hired.packs)):
        assert secret not in message.content


def test_files_and_cells_are_taken_and_nothing_else(hired: Hired) -> None:
    role = hired.team.role("gpu_engineer")
    work = given(hired)
    before = dict(work)
    reply = (
        "Here.\n=== FILE softmax_triton.py ===\n```python\nx = 1\n```\n=== END ===\n"
        "=== CELL online_pass ===\ny = 2\n=== END ===\n"
        "=== FILE ../../etc/passwd ===\nroot\n=== END ===\n"
        "=== CELL explain ===\nWords.\n=== END ===\n"
        "=== FILE variant.json ===\n{}\n=== END ===\n"
    )
    assert baseline.take(reply, role, work) == 2
    assert work["softmax_triton.py"] == b"x = 1\n"
    cells = {cell.grade_id: cell.source for cell in readable_cells(work["lab.ipynb"])}
    assert cells["online_pass_solution"] == "y = 2"
    assert {n for n in work if work[n] != before.get(n)} == {"softmax_triton.py", "lab.ipynb"}
    assert baseline.take("I cannot help with that.", role, work) == 0
    # What is as it was is no work.
    assert baseline.take(reply, role, work) == 0


# --- where a candidate stands ---------------------------------------------------------------------

TASKS = ("online_pass", "triton_forward")


def series(*shares: float, model: str = "small-1") -> ModelBaseline:
    """Return attempts that earned these shares of the points measured on a CPU."""
    from hotloop.judge.grader_digest import grader_digest
    from hotloop.tasks.curriculum import load_module

    module = load_module("fused_softmax")
    attempts = [
        ModelAttempt(
            tasks={
                name: {
                    check.id: Points(
                        points=Interval(low=0, high=check.points)
                        if check.needs_gpu
                        else Interval.exactly(share * check.points),
                        possible=check.points,
                    )
                    for check in module.task(name).checks
                }
                for name in TASKS
            },
            pieces=2,
        )
        for share in shares
    ]
    return ModelBaseline(
        model=model,
        host="127.0.0.1",
        made=datetime(2030, 1, 1, tzinfo=UTC),
        hotloop="0.1.0",
        module="fused_softmax",
        grader_digest=grader_digest("fused_softmax"),
        turns=1,
        attempts=attempts,
    )


def refused(one: ModelBaseline, count: int) -> ModelBaseline:
    """Return the series with so many further attempts in which no code was written."""
    nothing = ModelAttempt(tasks=series(0.0).attempts[0].tasks, pieces=0)
    return one.model_copy(update={"attempts": [*one.attempts, *[nothing] * count]})


def test_an_attempt_without_code_has_no_result_and_is_no_low_score() -> None:
    weights = dict.fromkeys(TASKS, 1.0)
    assert refused(series(1.0), 3).scores(weights) == series(1.0).scores(weights)
    assert not refused(series(1.0), 9).is_hard(TASKS[0])
    only_refused = refused(series(1.0), 4).model_copy(
        update={
            "attempts": [
                attempt for attempt in refused(series(1.0), 4).attempts if not attempt.pieces
            ]
        }
    )
    assert only_refused.scores(weights) == []
    assert not only_refused.is_hard(TASKS[0])


@pytest.mark.slow
def test_an_open_scale_is_drawn_with_candidate_and_model(own_team: Hired, tmp_path: Path) -> None:
    from .made_reports import handed_in

    submission: Submission = handed_in(own_team.team, own_team.packs[0], tmp_path / "w")
    one = series(0.2)
    attempt = one.attempts[0].model_copy(update={"scales": {"online_pass": 0.35}})
    model = one.model_copy(update={"attempts": [attempt]})
    baseline.keep(own_team.team, "gpu_engineer", refused(model, 2))
    records = {name: all_of(name, Verdict.PASSED) for name in TASKS}
    first, *others = records["online_pass"].checks
    marks = {"naive": {"score": 0, "value": 80000}, "lower bound": {"score": 1, "value": 1500}}
    scale = {"unit": "cycles", "value": 4800, "score": 0.7, "marks": marks}
    checks = (replace(first, evidence={"open_scale": scale}), *others)
    records["online_pass"] = replace(records["online_pass"], checks=checks)
    text = page(report_on(own_team.team, submission, records))
    for words in ("candidate</text>", "4800 cycles", "small-1 alone</text>", "0.35"):
        assert words in text
    assert "2 further attempts had no result" in text


@pytest.fixture
def report(own_team: Hired, tmp_path: Path) -> Callable[..., TakehomeReport]:
    from .made_reports import handed_in

    submission: Submission = handed_in(own_team.team, own_team.packs[0], tmp_path / "w")

    def on(verdict: Verdict, *found: ModelBaseline) -> TakehomeReport:
        for one in found:
            baseline.keep(own_team.team, "gpu_engineer", one)
        records = {name: all_of(name, verdict) for name in TASKS}
        return report_on(own_team.team, submission, records)

    return on


@pytest.mark.slow
def test_the_report_says_where_a_candidate_stands(report: Callable[..., TakehomeReport]) -> None:
    (above,) = report(Verdict.PASSED, series(0.2, 0.5, 0.1)).baselines
    assert (above.position, above.span.high, above.own.low) == ("above", pytest.approx(50), 100)
    # A check that no machine has measured distinguishes no candidates.
    assert "triton_forward.gpu_fast" in above.left_out
    assert "online_pass.correct" not in above.left_out
    found = report(Verdict.WRONG_ANSWER)
    assert found.baselines[0].position == "below"
    assert "below all attempts of an assistant alone" in page(found)
    (within,) = report(Verdict.PASSED, series(0.2, 1.0)).baselines
    assert within.position == "within"
    assert "in at most 1 of 3 cases" in page(report(Verdict.PASSED))


@pytest.mark.slow
def test_each_model_has_its_last_series(report: Callable[..., TakehomeReport]) -> None:
    report(Verdict.PASSED, series(0.9), series(0.1), series(0.3, model="large-1"))
    found = report(Verdict.PASSED).baselines
    assert [(one.model, round(one.span.high)) for one in found] == [
        ("small-1", 10),
        ("large-1", 30),
    ]


@pytest.mark.slow
def test_only_enough_failures_show_that_a_task_is_hard(
    report: Callable[..., TakehomeReport],
) -> None:
    assert report(Verdict.PASSED, series(*[0.0] * 3)).baselines[0].hard == []
    assert report(Verdict.PASSED, series(*[0.0] * 4)).baselines[0].hard == list(TASKS)
    assert report(Verdict.PASSED, series(*[0.0] * 4, 0.9)).baselines[0].hard == []
    assert "hard for small-1" in page(report(Verdict.PASSED, series(*[0.0] * 5)))


@pytest.mark.slow
def test_other_tasks_place_nobody(report: Callable[..., TakehomeReport]) -> None:
    one = series(0.5)
    part = {"online_pass": one.attempts[0].tasks["online_pass"]}
    fewer = one.model_copy(update={"attempts": [ModelAttempt(tasks=part, pieces=1)]})
    found = report(Verdict.PASSED, fewer)
    assert found.baselines == []
    assert "hotloop takehome baseline gpu_engineer" in page(found)


def test_a_damaged_file_is_told(own_team: Hired) -> None:
    own_team.team.role_path("gpu_engineer").with_name(baseline.NAME).write_text('{"format": 1}')
    with pytest.raises(Exception, match="is damaged"):
        baseline.read(own_team.team, "gpu_engineer")


# --- the command ----------------------------------------------------------------------------------


def run(hired: Hired, *words: str) -> Any:
    path = hired.team.role_path("gpu_engineer")
    if "triton_forward" in (text := path.read_text()):
        path.write_text(text.replace("  - {task: triton_forward, weight: 3, minutes: 90}\n", ""))
    common = ["takehome", "baseline", "gpu_engineer", "--team", str(hired.team.folder), *words]
    return CliRunner().invoke(app, [*common, "--model", "small-1", "--key-env", KEY], input="n\n")


@pytest.mark.slow
def test_nothing_is_sent_without_consent(own_team: Hired) -> None:
    with stand_in(lambda _body, _number: (200, {}, completion("x"))) as (url, asked):
        done = run(own_team, "--endpoint", url)
        assert done.exit_code == 2
        assert "Nothing was sent." in done.output
        assert asked == []


@pytest.mark.slow
def test_a_model_is_judged_as_a_candidate_is(
    own_team: Hired, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusal has no result; the published solution is another variant's; the last is right."""
    variant = draw("fused_softmax", b"k" * 32, "calm-ibex-12")
    monkeypatch.setattr(baseline, "draw", lambda *_args: variant)

    def solution(of: Variant | None) -> str:
        files = render.submission("fused_softmax", variant=of)
        cells = {c.grade_id: c.source for c in readable_cells(files["lab.ipynb"])}
        return f"=== CELL online_pass ===\n{cells['online_pass_solution']}\n=== END ==="

    script = ["I cannot help with that.", solution(None), solution(variant)]
    with stand_in(lambda _body, n: (200, {}, completion(script[n - 1]))) as (url, asked):
        done = run(own_team, "--endpoint", url, "--attempts", "3", "--yes", "--json")
    assert done.exit_code == 0, done.output
    scores = [score["high"] for score in json.loads(done.stdout)["scores"]]
    assert scores == [0, 100]
    assert len(asked) == 3
    (kept,) = baseline.read(own_team.team, "gpu_engineer")
    assert [attempt.pieces for attempt in kept.attempts] == [0, 1, 1]
    assert any("sent the texts" in str(line.document) for line in own_team.team.audited())


@pytest.mark.slow
def test_the_second_turn_is_told_what_the_judge_said(
    own_team: Hired, monkeypatch: pytest.MonkeyPatch
) -> None:
    variant = draw("fused_softmax", b"k" * 32, "calm-ibex-12")
    monkeypatch.setattr(baseline, "draw", lambda *_args: variant)
    right = render.submission("fused_softmax", variant=variant)
    cells = {c.grade_id: c.source for c in readable_cells(right["lab.ipynb"])}
    script = [
        "Nothing yet.",
        f"=== CELL online_pass ===\n{cells['online_pass_solution']}\n=== END ===",
    ]
    with stand_in(lambda _body, n: (200, {}, completion(script[n - 1]))) as (url, asked):
        words = ("--attempts", "1", "--turns", "2", "--yes", "--json")
        done = run(own_team, "--endpoint", url, *words)
    assert json.loads(done.stdout)["scores"] == [{"low": 100, "high": 100}]
    told = asked[1][2]["messages"]
    assert [message["role"] for message in told] == ["user", "assistant", "user"]
    assert "online_pass, correct: " in told[2]["content"]


@pytest.mark.slow
def test_what_was_attempted_before_an_error_is_kept(
    own_team: Hired, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = SimpleNamespace(records={"online_pass": all_of("online_pass")})
    monkeypatch.setattr(baseline, "execute", lambda *_args: found)
    answers: Answer = lambda _body, n: (200, {}, completion("x")) if n == 1 else (401, {}, "no")  # noqa: E731
    with stand_in(answers) as (url, _asked):
        done = run(own_team, "--endpoint", url, "--attempts", "3", "--yes", "--json")
    assert done.exit_code == 1
    document = json.loads(done.stdout)
    assert len(document["scores"]) == 1
    assert KEY in document["error"]


@pytest.mark.slow
@pytest.mark.sandbox
def test_a_scripted_assistant_has_a_score_on_the_open_scale_and_a_refusal_none(
    tmp_path: Path,
) -> None:
    folder = tmp_path / "team"
    start = ["takehome", "init", str(folder), "--module", "unknown_machine"]
    start += ["--company", "Example Inc.", "--contact", "hiring@example.org"]
    assert CliRunner().invoke(app, start).exit_code == 0
    role = folder / "roles" / "unknown_machine" / "takehome.yaml"
    text = re.sub(r"(?m)^  - \{task: .*\n", "", role.read_text(encoding="utf-8"))
    asked = "tasks:\n  - {task: pipeline, weight: 1, minutes: 60}\n"
    role.write_text(text.replace("tasks:\n", asked, 1), encoding="utf-8")

    def answer(body: dict[str, Any], number: int) -> tuple[int, dict[str, str], str]:
        if number == 1:
            return 200, {}, completion("I cannot help with that.")
        machine = re.search(r"(?m)^MACHINE = (\d+)", body["messages"][0]["content"])
        assert machine is not None
        code = (
            "from hotloop.engines.accelerator import walk as walks\n"
            f"SHAPE = walks.without_table(walks.draw({machine[1]}))\n"
            "def build(items):\n"
            "    return str(walks.naive(SHAPE, items))\n"
        )
        return 200, {}, completion(f"=== FILE pipeline.py ===\n{code}=== END ===\n")

    with stand_in(answer) as (url, _asked):
        command = [
            "takehome",
            "baseline",
            "unknown_machine",
            "--endpoint",
            url,
            "--model",
            "script",
        ]
        done = CliRunner().invoke(
            app, [*command, "--attempts", "2", "--yes", "--team", str(folder)]
        )
    assert done.exit_code == 0, done.output
    assert "No result, as no reply had a file or a cell: 1 of 2 attempts" in done.output
    kept = json.loads((role.parent / "baseline.json").read_text(encoding="utf-8"))
    refusal, work = kept["series"][0]["attempts"]
    assert (refusal["pieces"], work["pieces"]) == (0, 1)
    assert work["scales"] == {"pipeline": 0.0}
