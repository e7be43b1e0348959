"""Problems of public sets on a fake GPU: a problem written for the tests, and submissions."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hotloop.author.external import forms, on_gpu, tasks
from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_check
from hotloop.judge.checks import gpu_fast
from hotloop.judge.gpu import length, window
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.ceiling import Ceiling
from hotloop.judge.levels import Level
from hotloop.judge.session import Session
from hotloop.judge.spec import CheckSpec, TaskSpec
from hotloop.judge.speed import Pace

from ...sessions import new_session

pytestmark = pytest.mark.timeout(300)

LEVELS = (Level(1.5, 0.5), Level(2.0, 1.0))
STARTED = """
import sys
sys.path.insert(0, {folder!r})
torch.compile = lambda function: function

def softmax(): ...
"""
SPEC = TaskSpec("kernelbench", ("submission.py",), {"r": CheckSpec(levels=LEVELS)})

PROBLEM = """
import time
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        time.sleep({seconds})
        return {result}

def get_inputs():
    return [torch.rand(32, 48)]

def get_init_inputs():
    return []
"""
SOFTMAX = PROBLEM.format(result="torch.softmax(x, -1)", seconds=0)
TWO = PROBLEM.format(result="(x.sum(-1), x.argmax(-1))", seconds=0)
FAILED = (Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR)
"""Inputs are mapped read-only: a candidate that writes to them fails."""
SLOW_S = 0.05
SLOW = PROBLEM.format(result="torch.softmax(x, -1)", seconds=SLOW_S)
SUBMISSION = """
import time
import torch

class ModelNew(torch.nn.Module):
    def forward(self, x):
        {body}
"""
RIGHT = "return torch.softmax(x, -1)"
WRONG = {
    "zeros": "return torch.zeros_like(x)",
    "half precision": "return torch.softmax(x.half(), -1).float()",
    "its input spoiled": "y = torch.softmax(x, -1); x.zero_(); return y",
    "another dtype": "return torch.softmax(x, -1).double()",
    "the first answer, kept": """global KEPT
        KEPT = globals().get("KEPT", torch.softmax(x, -1))
        return KEPT""",
    "one row": "y = torch.softmax(x, -1); y[7, 3] += 1e-4; return y",
}

Judge = Callable[..., CheckRecord]


@pytest.fixture
def session() -> Iterator[Session]:
    session = new_session(budget_s=200, device="cuda", spec=SPEC)
    yield session
    session.close()


@pytest.fixture
def judge(
    card: Card, start: Any, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Judge:
    """Judges a submission's text by a check of a problem's text."""
    card.free_bytes = card.driver.memory()[0]

    def in_folder(folder: Path, *, trusted: bool) -> Any:
        """Start a worker that finds its files in the folder, as in its sandbox."""
        worker = start(STARTED.format(folder=str(folder)), trusted=trusted).connection
        resolve = worker.resolve
        worker.resolve = lambda name, file, timeout_s, *_: resolve(
            name, str(folder / file), timeout_s
        )
        return worker

    @contextmanager
    def trusted(_session: Session, folder: Path, _card: Card) -> Iterator[Any]:
        own = tmp_path / f"ours{len([*tmp_path.iterdir()])}"
        shutil.copytree(folder, own)
        yield in_folder(own, trusted=True)

    def judged(problem: str, check: str, submission: str) -> CheckRecord:
        own = tmp_path / f"judged{len([*tmp_path.iterdir()])}"
        file, given, handed = own / "1_Problem.py", own / "given", own / "handed"
        for folder in (own, given, handed):
            folder.mkdir()
        file.write_text(problem)
        (given / "problem.py").write_text(problem)
        (own / "answer.py").write_text(submission)
        for name, text in forms.submission(forms.find(file), own / "answer.py").items():
            (handed / name).write_bytes(text)

        @contextmanager
        def candidate(asked: Session, _card: Card) -> Iterator[Any]:
            worker = in_folder(handed, trusted=False)
            worker.resolve(asked.name, asked.candidate.file, 30)
            yield worker

        for module in (on_gpu, gpu_fast):
            monkeypatch.setattr(module, "candidate_worker", candidate)
        made = tasks.kernelbench(given, graded=False).checks[check]
        if check != "gpu_correct":
            made = replace(made, pace=Pace(looks=(5, 10)))
        about = session.about(Candidate("kernelbench", "hotloop_adapter.py", "return"))
        return judge_check("r", made, about)

    for module in (on_gpu, gpu_fast):
        monkeypatch.setattr(module, "card_for", lambda _session: card)
        monkeypatch.setattr(module, "trusted_worker", trusted)
    monkeypatch.setattr(gpu_fast, "measure", lambda _link, **_options: Ceiling(1e12, 1e12))
    monkeypatch.setattr(length, "WINDOW_S", 0.001)
    monkeypatch.setattr(length, "L2_TIMES", 0)
    # Other tests may run in parallel; rulings on noise are tested elsewhere.
    monkeypatch.setattr(window, "FOREIGN_SHARE", 1.0)
    monkeypatch.setattr(gpu_fast, "CONTROL_TOLERANCE", 0.5)
    monkeypatch.setattr(gpu_fast, "take_off_protocol", lambda *_: 0.0)
    return judged


@pytest.mark.slow
def test_a_right_model(judge: Judge) -> None:
    record = judge(SOFTMAX, "gpu_correct", SUBMISSION.format(body=RIGHT))
    assert record.verdict is Verdict.PASSED, record.sentence
    assert record.evidence["cases"] == 5
    assert record.evidence["gpu"] == "Fake GPU 0"


@pytest.mark.slow
@pytest.mark.parametrize("body", WRONG.values(), ids=WRONG)
def test_a_wrong_model(body: str, judge: Judge) -> None:
    record = judge(SOFTMAX, "gpu_correct", SUBMISSION.format(body=body))
    assert record.verdict in FAILED, record.sentence


@pytest.mark.slow
def test_several_outputs(judge: Judge) -> None:
    record = judge(TWO, "gpu_correct", SUBMISSION.format(body="return x.sum(-1), x.argmax(-1)"))
    assert record.verdict is Verdict.PASSED, record.sentence
    for wrong in ("return x.sum(-1), x.argmin(-1)", "return x.sum(-1), x.argmax(-1).int()"):
        record = judge(TWO, "gpu_correct", SUBMISSION.format(body=wrong))
        assert record.verdict is not Verdict.PASSED, record.sentence


@pytest.mark.slow
@pytest.mark.parametrize("check", ["gpu_fast", "gpu_fast_compiled"])
def test_a_fast_model(check: str, judge: Judge) -> None:
    record = judge(
        SLOW, check, SUBMISSION.format(body=f"time.sleep({SLOW_S / 20})\n        {RIGHT}")
    )
    assert record.verdict is Verdict.PASSED, record.sentence
    assert record.evidence["ratio"] > 2
    low, high = record.evidence["interval"]
    assert low <= record.evidence["ratio"] <= high
    assert record.evidence["baseline"] == check.removeprefix("gpu_fast_").replace(
        "gpu_fast", "eager"
    )
    # One input, and the output with its copy, of float32.
    assert record.evidence["bytes_per_call"] == 4 * 4 * 32 * 48


@pytest.mark.slow
def test_a_model_as_slow_as_eager(judge: Judge) -> None:
    body = f"time.sleep({SLOW_S})\n        {RIGHT}"
    assert judge(SLOW, "gpu_fast", SUBMISSION.format(body=body)).verdict is Verdict.TOO_SLOW


@pytest.mark.slow
@pytest.mark.parametrize("wrong", ["zeros", "the first answer, kept", "its input spoiled"])
def test_wrong_in_a_timed_call(wrong: str, judge: Judge) -> None:
    record = judge(SLOW, "gpu_fast", SUBMISSION.format(body=WRONG[wrong]))
    assert record.verdict in FAILED, record.sentence


@pytest.mark.slow
def test_others_on_the_card(judge: Judge, fake: Any) -> None:
    fake.set(clients=9)
    record = judge(SOFTMAX, "gpu_correct", SUBMISSION.format(body=RIGHT))
    assert record.verdict is Verdict.UNDECIDED, record.sentence


@pytest.mark.usefixtures("no_card")
def test_without_a_card_nothing_is_measured(tmp_path: Path, session: Session) -> None:
    (tmp_path / "problem.py").write_text(SOFTMAX)
    checks = tasks.kernelbench(tmp_path, graded=False).checks
    assert [*checks] == ["correct", "own_kernels", "gpu_correct", "gpu_fast", "gpu_fast_compiled"]
    for name in [*checks][2:]:
        assert judge_check("r", checks[name], session).verdict is Verdict.NOT_MEASURED
