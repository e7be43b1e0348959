"""Nsight Compute's figures are recorded for the learner, whatever happens to the profiler."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.checks import gpu_fast
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.checks.gpu_fast import GpuFast
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import FP32
from hotloop.judge.gpu import nsight
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.recipes import Normal
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.judge.session import Session
from hotloop.verdicts.profile import Profile

from ...sessions import new_session

SHAPE = (16, 32)
COPY = "def softmax(x, out):\n    out.copy_(x)\n"
WORKLOAD = DeviceWorkload(
    spec=lambda _rng, _i: CallSpec((TensorSpec(SHAPE, FP32),), TensorSpec(SHAPE, FP32)),
    draws=lambda _rng, _spec, _hostile: [Normal()],
    truth=lambda x: x,
    tolerance=lambda _spec: Tolerance(0.0, 0.0),
)
PRINTED = """==PROF== Connected to process 7 (/usr/bin/python3.12)
the learner's own line
==PROF== Disconnected from process 7
"ID","Process ID","Kernel Name","Block Size","Grid Size","dram__bytes.sum",\
"gpu__time_duration.sum","launch__registers_per_thread","sm__warps_active.missing"
"","","","","","byte","ns","register/thread",""
"0","7","_softmax","(128, 1, 1)","(4096, 1, 1)","134,217,728","41,216","32","n/a"
"""


def session_about(file: str | None, folder: Path, *, nsight: bool = True) -> Session:
    return new_session(
        folder,
        candidate=Candidate("softmax", file, "destination"),
        budget_s=100,
        device="cuda",
        nsight=nsight,
    )


@pytest.fixture
def profiled(card: Card, start, monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """Returns a function: the recorded profile of a candidate, given the profiler's output."""

    def noted(source: str, printed: str) -> Any:
        @contextmanager
        def worker(_session: Session, _card: Card, _memory: int, under: Any) -> Iterator[Any]:
            assert under[:1] == ("/opt/ncu",)
            assert under[under.index("--clock-control") + 1] == "none"
            link = start(source).connection
            link.confined = SimpleNamespace(
                wait=lambda _s: None, output=printed.encode, fault=None, death=None, kill=list
            )
            yield link

        monkeypatch.setattr(nsight, "candidate_worker", worker)
        monkeypatch.setattr(nsight, "program", lambda _name: Path("/opt/ncu"))
        session = session_about("c.py", tmp_path)
        nsight.profile(session, WORKLOAD, card)
        return session.figures["nsight"]

    return noted


def test_a_kernels_figures_are_numbers(profiled) -> None:
    [kernel] = profiled(COPY, PRINTED)
    assert kernel == {
        "kernel": "_softmax",
        "grid": "(4096, 1, 1)",
        "block": "(128, 1, 1)",
        "dram_bytes": 134217728,
        "nanoseconds": 41216,
        "registers": 32,
    }


def test_counters_kept_for_administrators_are_said_with_the_remedy(profiled) -> None:
    noted = profiled(COPY, "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission")
    assert noted.startswith("The driver keeps performance counters for administrators: https://")


def test_a_candidate_that_fails_under_the_profiler_has_no_figures(profiled) -> None:
    noted = profiled("def softmax(x, out):\n    raise RuntimeError('oh')\n", PRINTED)
    assert noted.startswith("Nsight Compute did not measure it: ")
    assert "oh" in noted


@pytest.mark.parametrize(
    ("file", "said"), [(None, "not those in a notebook"), ("c.py", "`ncu` is not installed")]
)
def test_what_cannot_be_profiled_says_why(
    card: Card, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str | None, said: str
) -> None:
    monkeypatch.setattr(nsight, "program", lambda _name: None)
    session = session_about(file, tmp_path)
    nsight.profile(session, WORKLOAD, card)
    assert said in session.figures["nsight"]


@pytest.mark.parametrize("asked", [True, False])
def test_it_is_profiled_after_it_was_judged_and_only_where_asked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, asked: bool
) -> None:
    happened: list[str] = []
    card = SimpleNamespace(clocks=SimpleNamespace(expected_clients=0))
    monkeypatch.setattr(gpu_fast, "card_for", lambda _session: card)
    monkeypatch.setattr(gpu_fast, "profile", lambda *_: happened.append("profiled"))
    monkeypatch.setattr(GpuFast, "_judge_on", lambda *_: happened.append("judged") or "Fast.")
    session = session_about("c.py", tmp_path, nsight=asked)
    check = GpuFast(WORKLOAD, Baseline(Path("b.py"), "softmax"), lambda spec: spec.out.bytes)
    assert check(session) == "Fast."
    assert happened == (["judged", "profiled"] if asked else ["judged"])


def test_a_record_shows_the_figures_as_a_table() -> None:
    rows = nsight.parse(PRINTED)
    check = CheckRecord("gpu_fast", Verdict.PASSED, "Fast.", 1.0, evidence={"nsight": rows})
    profile = Profile.of(check.evidence)
    assert profile is not None
    shown = dict(zip(profile.columns, profile.rows[0], strict=True))
    assert (shown["us"], shown["DRAM MB"], shown["SM %"]) == ("41.2", "134.22", "")
    assert Profile.of({}) is None
    why_not = Profile.of({"nsight": "because"})
    assert why_not is not None
    assert why_not.why_not == "because"
