"""What a `Correct` takes from its runner, and what it refuses to be made of."""

import time
from collections.abc import Generator
from contextlib import closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import judge_checks
from hotloop.judge.checks import correct, gpu_from_host
from hotloop.judge.checks.correct import Case, Correct, OnCpu, Runner, Truth, case
from hotloop.judge.checks.gpu_from_host import OnGpuFromHost
from hotloop.judge.checks.in_simulator import InSimulator
from hotloop.judge.checks.on_gpu import OnGpu
from hotloop.judge.compare import Tolerance, compare
from hotloop.judge.cuda_kernel import CudaLaunch
from hotloop.judge.oracle import Oracle
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import WorkerConnection

from ..sessions import new_session


def nothing(_rng: np.random.Generator) -> list[object]:
    return []


def same(x):
    return x


def exactly(_case: object) -> Tolerance:
    return Tolerance(0.0, 0.0)


def test_a_function_in_numpy_needs_a_tolerance() -> None:
    with pytest.raises(TypeError, match="needs `tolerance`"):
        Correct(Truth(nothing, same))
    Correct(Truth(nothing, Oracle({}, "oracle.py").function("train", lambda *_: None)))


def test_on_a_gpu_it_comes_after_the_check_on_the_cpu() -> None:
    assert Correct(Truth(nothing, same, exactly)).prerequisites == ()
    assert Correct(Truth(nothing, same, exactly), on=OnGpu()).prerequisites == ("correct",)
    assert Correct(Truth(nothing, same, exactly), on=OnGpu(), after=("twice",)).prerequisites == (
        "twice",
    )
    simulator = InSimulator(CudaLaunch((), block=32))
    assert Correct(Truth(nothing, same, exactly), on=simulator).prerequisites == ()


# --- what costs whom ------------------------------------------------------------------------------


def twice(x):
    return 2 * x


def of_ones(_rng: np.random.Generator) -> list[Case]:
    return [case(twice, np.ones(3))]


def closely(_case: Case) -> Tolerance:
    return Tolerance(1e-6, 1e-6)


def judged(check: Correct, folder: Path, body: str = "out.copy_(2 * x)") -> CheckRecord:
    """Judge `twice(x, *_, out)`; its body may use `os` and `threading`."""
    lines = (
        f"import os, threading, time\n\n\ndef twice(x, *more):\n    out = more[-1]\n    {body}\n"
    )
    (folder / "answer.py").write_text(lines)
    candidate = Candidate("twice", "answer.py", "destination")
    with closing(new_session(folder, candidate=candidate, budget_s=60)) as session:
        (record,) = judge_checks({"correct": check}, session)
    return record


@pytest.mark.slow
@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("out.copy_(2 * x)", Verdict.PASSED),
        ("out.copy_(x + 1.5)", Verdict.WRONG_ANSWER),
        ("pass", Verdict.WRONG_ANSWER),
        ("out.fill_(float('nan'))", Verdict.WRONG_ANSWER),
        ("out.copy_(2 * x); x.add_(1)", Verdict.WRONG_ANSWER),
        ("out.copy_(2 * x); os._exit(0)", Verdict.RUNTIME_ERROR),
        ("raise ValueError", Verdict.RUNTIME_ERROR),
    ],
)
def test_what_a_candidate_does_is_the_candidates(
    body: str, verdict: Verdict, tmp_path: Path
) -> None:
    assert judged(Correct(Truth(of_ones, twice, closely)), tmp_path, body).verdict is verdict


def raises(*_: object) -> Any:
    return 1 / 0


def with_plain(argument: Any) -> Any:
    return lambda _rng: [case(lambda x, _: x, np.ones(3), argument)]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("check", "said"),
    [
        (Correct(Truth(raises, twice, closely)), "ZeroDivisionError"),
        (
            Correct(Truth(of_ones, raises, closely)),
            "`reference` of Truth failed: ZeroDivisionError",
        ),
        (
            Correct(Truth(of_ones, twice, raises)),
            "`tolerance` of Truth failed: ZeroDivisionError",
        ),
        (
            Correct(Truth(of_ones, lambda x: x[:2], closely)),
            "the reference returned an array of shape (2,)",
        ),
        (Correct(Truth(lambda _rng: [], twice, closely)), "nothing to ask"),
        (
            Correct(
                Truth(
                    lambda _rng: [case(lambda x, n: n * x, np.ones(3), np.int64(2))], twice, closely
                )
            ),  # type: ignore[arg-type]
            "is no argument of a case",
        ),
        (
            Correct(Truth(lambda _rng: [case(lambda x, n: x, np.ones(3), np.inf)], twice, closely)),
            "is no argument of a case",
        ),
    ],
)
def test_what_a_check_does_wrong_costs_no_points(check: Correct, said: str, tmp_path: Path) -> None:
    record = judged(check, tmp_path)
    assert record.verdict is Verdict.JUDGE_ERROR
    assert said in record.evidence["error"]


def test_a_check_without_cases_passes_nobody(tmp_path: Path) -> None:
    record = judged(Correct(Truth(lambda _rng: iter(()), twice, closely)), tmp_path, "pass")
    assert record.verdict is Verdict.JUDGE_ERROR


@pytest.mark.slow
def test_an_answer_that_is_corrected_afterwards_is_wrong(tmp_path: Path) -> None:
    """A thread that goes on after the call cannot reach what is compared."""
    body = "threading.Timer(0.3, out.copy_, [2 * x]).start(); out.copy_(x)"

    def slow(x):
        time.sleep(1)
        return twice(x)

    record = judged(Correct(Truth(of_ones, slow, closely)), tmp_path, body)
    assert record.verdict is Verdict.WRONG_ANSWER


@pytest.mark.slow
def test_every_judging_has_inputs_of_its_own(tmp_path: Path) -> None:
    seen: list[float] = []

    def drawn(rng: np.random.Generator) -> list[Case]:
        seen.append(float(rng.random()))
        return [case(twice, np.array(seen[-1:]))]

    for _ in range(2):
        assert judged(Correct(Truth(drawn, twice, closely)), tmp_path).verdict is Verdict.PASSED
    assert seen[0] != seen[1]


@contextmanager
def own_worker(session: Session, _card: object) -> Generator[tuple[WorkerConnection, Candidate]]:
    yield session.worker(), session.candidate


@pytest.mark.slow
@pytest.mark.parametrize("runner", [OnCpu(), OnGpuFromHost(own_worker)])
def test_the_candidate_stands_still_while_its_answer_is_compared(
    runner: Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gpu_from_host, "card_for_three", lambda _session: nullcontext())
    count = tmp_path / "count"
    count.write_text("")
    counting = f"[open({str(count)!r}, 'a').write('.') for _ in iter(int, 1)]"
    body = f"out.copy_(2 * x); threading.Thread(target=lambda: {counting}, daemon=True).start()"
    seen: list[int] = []

    def watching(*values: Any) -> Any:
        for _ in range(2):
            time.sleep(0.2)
            seen.append(count.stat().st_size)
        return compare(*values)

    monkeypatch.setattr(correct, "compare", watching)
    check = Correct(Truth(of_ones, twice, closely), on=runner)
    assert judged(check, tmp_path, body).verdict is Verdict.PASSED
    assert seen[0] == seen[1] > 0
