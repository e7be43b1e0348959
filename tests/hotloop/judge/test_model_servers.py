"""Servers for checks: whose fault it is when one does not start, or does not answer."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.serving import preflight
from hotloop.engines.serving.environment import ServingEnvironment
from hotloop.engines.serving.inference import texts
from hotloop.engines.serving.server import ServerFailed, TritonServer
from hotloop.engines.serving.trial import RepositoryTrial
from hotloop.engines.serving.unavailable import ServingUnavailable
from hotloop.judge import model_servers
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_checks
from hotloop.judge.checks.serves import Serves
from hotloop.judge.checks.valid_model_repository import ValidModelRepository
from hotloop.judge.inference_request import Exchange, Inquiry, Said
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.load_window import LoadedServer
from hotloop.judge.session import Session
from hotloop.sandbox.confinement import SubmissionRefused
from hotloop.tasks.modules.triton_ensemble.compositions import UNTUNED

SessionOver = Callable[..., Session]
FINE, BUSY, BROKEN = (
    RepositoryTrial("none", 2.0, ""),
    RepositoryTrial("none", 25.0, ""),
    RepositoryTrial("none", 0.0, "no shm"),
)


class Failing:
    """A server that is not ready, for a given reason."""

    def __init__(self, reason: str, *, alive: bool, death: Verdict | None = None) -> None:
        self.environment = object()
        self.events: list[str] = []
        self.reason, self.alive, self.death = reason, alive, death

    def wait_ready(self) -> float:
        raise ServerFailed(self.reason, "the log", self.death)

    def stop(self) -> None:
        self.alive = False
        self.events.append("stopped")


@pytest.fixture
def trials(monkeypatch: pytest.MonkeyPatch) -> Callable[[Failing, RepositoryTrial], None]:
    """Returns a function that sets the result of a trial with another server."""

    def say(server: Failing, tried: RepositoryTrial) -> None:
        def run(_environment: object) -> RepositoryTrial:
            server.events.append("trial")
            return tried

        monkeypatch.setattr(model_servers.trial, "run", run)

    return say


def waited(server: Failing, session: Session, **more: bool) -> Ruling:
    with pytest.raises(Ruling) as caught:
        model_servers.wait_ready(cast(TritonServer, cast(Any, server)), session, **more)
    return caught.value


# --- not ready ------------------------------------------------------------------------------------


def test_a_server_that_ends_while_others_start_is_the_candidates(
    session_over: SessionOver, trials: Callable[..., None]
) -> None:
    server = Failing("model bert: no such\x07 file", alive=False)
    trials(server, FINE)
    found = waited(server, session_over())
    assert found.verdict is Verdict.RUNTIME_ERROR
    assert found.sentence == "The server did not come up: model bert: no such file"


def test_the_trial_is_made_when_the_candidates_server_is_gone(
    session_over: SessionOver, trials: Callable[..., None]
) -> None:
    """Otherwise a server that uses all CPUs while it starts would make the trial fail too."""
    server = Failing("not ready within 45 s", alive=True)
    trials(server, FINE)
    assert waited(server, session_over()).verdict is Verdict.RUNTIME_ERROR
    assert server.events == ["stopped", "trial"]


def test_where_no_server_starts_it_is_the_judges(
    session_over: SessionOver, trials: Callable[..., None]
) -> None:
    server = Failing("not ready within 45 s", alive=True)
    trials(server, BROKEN)
    with pytest.raises(JudgeFault, match="no server starts here: no shm"):
        model_servers.wait_ready(cast(TritonServer, cast(Any, server)), session_over())


@pytest.mark.parametrize(
    ("alive", "verdict"), [(True, Verdict.UNDECIDED), (False, Verdict.RUNTIME_ERROR)]
)
def test_a_busy_machine_leaves_one_that_was_late_undecided(
    session_over: SessionOver, trials: Callable[..., None], alive: bool, verdict: Verdict
) -> None:
    """A server that has ended was not late."""
    server = Failing("not ready within 45 s", alive=alive)
    trials(server, BUSY)
    assert waited(server, session_over()).verdict is verdict


@pytest.mark.parametrize(
    "death", [Verdict.MEMORY_LIMIT, Verdict.OUTPUT_LIMIT, Verdict.TIMEOUT], ids=str
)
def test_a_limit_that_ended_it_is_named(session_over: SessionOver, death: Verdict) -> None:
    assert waited(Failing("ended", alive=False, death=death), session_over()).verdict is death


def test_our_own_repository_that_fails_is_ours(session_over: SessionOver) -> None:
    server = Failing("no such file", alive=False, death=Verdict.MEMORY_LIMIT)
    with pytest.raises(JudgeFault, match="our own repository failed: no such file"):
        model_servers.wait_ready(
            cast(TritonServer, cast(Any, server)), session_over(), trusted=True
        )


# --- not started ----------------------------------------------------------------------------------


def test_without_the_environment_nothing_is_measured_and_the_mend_is_named(
    session_over: SessionOver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOTLOOP_SERVING", str(tmp_path))
    with pytest.raises(ServingUnavailable):
        preflight.require()
    session = session_over().about(Candidate("topics", "config.pbtxt"))
    [record] = judge_checks({"serves": Serves(UNTUNED.put_together, no_questions)}, session)
    assert (record.verdict, record.earned) == (Verdict.NOT_MEASURED, 0.0)
    assert record.sentence.startswith("Not served here: ")
    assert "hotloop doctor --install tritonserver" in record.sentence


@pytest.mark.parametrize("trusted", [True, False])
def test_a_repository_that_is_too_large(
    session_over: SessionOver, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, trusted: bool
) -> None:
    def refuses(*_: object) -> TritonServer:
        raise SubmissionRefused("more than 64 MiB")

    monkeypatch.setattr(model_servers, "TritonServer", refuses)
    monkeypatch.setattr(model_servers, "require_environment", lambda _session: None)
    with pytest.raises(SubmissionRefused if trusted else Ruling, match="64 MiB") as caught:
        model_servers.start(tmp_path, session_over(), trusted=trusted)
    assert trusted or cast(Ruling, caught.value).verdict is Verdict.OUTPUT_LIMIT


# --- no answer ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "alive", "death", "verdict", "said"),
    [
        (TimeoutError(), True, None, Verdict.TIMEOUT, "in time"),
        (TimeoutError(), False, Verdict.MEMORY_LIMIT, Verdict.MEMORY_LIMIT, "memory"),
        (ConnectionError("reset"), True, None, Verdict.RUNTIME_ERROR, "No proper answer came: res"),
        (ConnectionError("reset"), False, None, Verdict.RUNTIME_ERROR, "ended while it was asked"),
        (ConnectionError("x"), False, Verdict.OUTPUT_LIMIT, Verdict.OUTPUT_LIMIT, "printed more"),
        (ValueError("no \x1b[0mHTTP"), True, None, Verdict.RUNTIME_ERROR, "came: no [0mHTTP"),
        (ValueError("x" * 9000), True, None, Verdict.RUNTIME_ERROR, "came: xxx"),
    ],
)
def test_what_a_missing_answer_means(
    monkeypatch: pytest.MonkeyPatch,
    error: Exception,
    alive: bool,
    death: Verdict | None,
    verdict: Verdict,
    said: str,
) -> None:
    monkeypatch.setattr(model_servers, "_GONE_S", 0.1)
    server = cast(TritonServer, cast(Any, Failing("", alive=alive, death=death)))
    found = model_servers.no_answer(server, error)
    assert found.verdict is verdict
    assert said in found.sentence
    assert len(found.sentence) < 500


# --- real servers ---------------------------------------------------------------------------------


def no_questions(_session: Session) -> Iterator[Inquiry]:
    yield from ()


def right(said: Said) -> str | None:
    return None if isinstance(said, dict) and "TOPIC" in said else f"it said {said}"


def one_text(_session: Session) -> Iterator[Inquiry]:
    yield Inquiry("one text", (Exchange("topics", {"TEXT": texts(["a lock"])}, right),))


def judged(session: Session, change: Callable[[Path], object], **more: Any) -> CheckRecord:
    """Judge the reference repository with a change, as a candidate's."""

    def repository(session: Session) -> Path:
        folder = UNTUNED.put_together(session)
        change(folder)
        return folder

    checks = {
        "sound": ValidModelRepository(repository),
        "serves": Serves(repository, one_text, after=("sound",), **more),
    }
    return judge_checks(checks, session.about(Candidate("topics", "config.pbtxt")))[-1]


def in_model(name: str, old: str, new: str) -> Callable[[Path], object]:
    def change(folder: Path) -> None:
        file = folder / name / "1" / "model.py"
        text = file.read_text()
        assert old in text
        file.write_text(text.replace(old, new))

    return change


HANG = "import time\n        time.sleep(1000)"
FAILURES: dict[str, tuple[Callable[[Path], object], Verdict, str]] = {
    "a wrong name in a configuration": (
        lambda folder: (folder / "bert" / "config.pbtxt").write_text('name: "brt"\n'),
        Verdict.COMPILE_ERROR,
        "Skipped until",
    ),
    "a model that fails at load": (
        in_model("preprocess", "file = ", "raise OSError('no such tokenizer')\n        file = "),
        Verdict.RUNTIME_ERROR,
        "did not come up: .*no such tokenizer",
    ),
    "a model that does not compile": (
        in_model("postprocess", "def execute", "def execute("),
        Verdict.COMPILE_ERROR,
        "Skipped until `sound` passes",
    ),
    "an exception in execute": (
        in_model("postprocess", "return [named", "return [self.unknown or named"),
        Verdict.WRONG_ANSWER,
        "one text: it said .*unknown",
    ),
    "a model that never answers": (
        in_model("postprocess", "return [named", f"{HANG}\n        return [named"),
        Verdict.TIMEOUT,
        "did not answer in time",
    ),
    "a model that prints without end": (
        in_model("postprocess", "return [named", "print('x' * (8 << 20))\n        return [named"),
        Verdict.OUTPUT_LIMIT,
        "printed more",
    ),
    "a model that takes all memory": (
        in_model("postprocess", "return [named", "b'x' * (6 << 30)\n        return [named"),
        Verdict.MEMORY_LIMIT,
        "more memory",
    ),
}


@pytest.mark.slow
@pytest.mark.serving
def test_our_repository_serves(installed: ServingEnvironment, session_over: SessionOver) -> None:
    record = judged(session_over(), lambda _folder: None)
    assert (record.verdict, record.earned) == (Verdict.PASSED, 1.0)
    assert record.evidence["requests"] == 1


@pytest.mark.serving
@pytest.mark.slow
@pytest.mark.parametrize("name", FAILURES)
def test_what_a_failure_of_the_candidates_becomes(
    installed: ServingEnvironment, session_over: SessionOver, name: str
) -> None:
    change, verdict, said = FAILURES[name]
    record = judged(session_over(), change, timeout_s=3.0 if verdict is Verdict.TIMEOUT else 20.0)
    assert (record.verdict, record.earned) == (verdict, 0.0)
    with pytest.raises(AssertionError, match=said):
        raise AssertionError(record.sentence)


@pytest.mark.slow
@pytest.mark.serving
def test_our_own_repository_that_does_not_load_is_a_fault(
    installed: ServingEnvironment, session_over: SessionOver
) -> None:
    session = session_over()
    folder = UNTUNED.put_together(session)
    (folder / "preprocess" / "1" / "tokenizer.json").write_text("none")
    with pytest.raises(JudgeFault, match="our own repository failed"):
        model_servers.over(folder, session, trusted=True)


@pytest.mark.slow
@pytest.mark.serving
def test_a_server_outlives_being_frozen_and_a_window_that_failed(
    installed: ServingEnvironment, session_over: SessionOver
) -> None:
    session = session_over()
    server = model_servers.over(UNTUNED.put_together(session), session, trusted=True)

    def unanswerable(_rng: np.random.Generator, flags: Any) -> Any:
        raise ValueError("no questions")

    side = LoadedServer(
        server, unanswerable, session.seeds, clients=2, requests=4, threads=1, trusted=True
    )
    at_rest = server.process.freezer.usage()
    assert server.process.freezer.usage() == at_rest, "it stands still"
    with pytest.raises(ValueError, match="no questions"):
        side.window([False] * 4)
    side.close()
    assert server.ready()
    session.close()
    assert not server.alive
