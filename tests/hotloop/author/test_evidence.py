"""Run files contain what was measured, and nothing else."""

import sys
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from hotloop.author import evidence
from hotloop.core import paths
from hotloop.core.record import CheckRecord, Circumstances, Record
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.tasks import curriculum, render
from hotloop.tasks.recorded import circumstances

SPEED: dict[str, Any] = {
    "candidate_seconds": {"p20": 0.001, "p50": 0.002, "p80": 0.003},
    "baseline_seconds": {"p20": 0.005, "p50": 0.006, "p80": 0.007},
    "ratio": 3.0,
    "interval": [2.9, 3.1],
    "gb_per_s": 10.0,
    "peak_gb_per_s": 20.0,
    "fraction_of_limit": 0.5,
}


def record(
    *checks: CheckRecord, device: str = "A Device (R) 5000", task: str = "compiled_chain"
) -> Record:
    circumstances = Circumstances(
        submission_digest="d",
        grader_version="0",
        grader_digest="m",
        device=device,
        driver="",
        libraries={"cuda": "13.0"},
        seed="s",
        isolation="bubblewrap",
        started="2026-01-01T00:00:00+00:00",
        seconds=1.0,
    )
    return Record("fused_softmax", task, checks[0].verdict, "", checks, circumstances)


@pytest.mark.slow
def test_figures_are_taken_over_in_milliseconds() -> None:
    fast = CheckRecord("fast_cpu", Verdict.PASSED, "Fast.", 1.0, evidence=SPEED)
    run = evidence.run_of("fused_softmax", [("reference", record(fast))])
    [m] = run.measurements
    assert (m.candidate, m.task, m.check) == ("reference", "compiled_chain", "fast_cpu")
    assert (m.p20_ms, m.p50_ms, m.p80_ms, m.baseline_p50_ms) == (1.0, 2.0, 3.0, 6.0)
    assert m.ratio == curriculum.Ratio(estimate=3.0, low=2.9, high=3.1)
    assert run.ceilings == {"compiled_chain.fast_cpu_gb_per_s": 20.0}
    assert run.libraries["cuda"] == "13.0"
    assert run.libraries["torch"] == version("torch")
    assert run.device == "A Device (R) 5000"


@pytest.mark.slow
def test_what_the_machine_was_too_noisy_for_is_measured_once_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = CheckRecord("correct", Verdict.PASSED, "Right.", 1.0)
    open_, fast = (
        CheckRecord("fast_cpu", verdict, "Timed.", 1.0, evidence=SPEED)
        for verdict in (Verdict.UNDECIDED, Verdict.PASSED)
    )
    asked: list[Any] = []

    def judge(_files: Any, _module: str, tasks: Any, checks: Any = None, **_more: Any) -> Any:
        asked.append((tuple(tasks), checks))
        checks_now = (right, open_) if checks is None else (fast,)
        return {"compiled_chain": record(*checks_now)}

    monkeypatch.setattr(evidence, "judge_submission", judge)
    monkeypatch.setattr(render, "wrong_answers", lambda _module: [])
    run = evidence.measure(
        "fused_softmax", selection=evidence.EvidenceSelection({"compiled_chain"})
    )
    assert asked == [(("compiled_chain",), None), (("compiled_chain",), ["fast_cpu"])]
    assert [(m.check, m.verdict) for m in run.measurements] == [
        ("correct", "passed"),
        ("fast_cpu", "passed"),
    ]


def test_what_was_not_measured_has_no_number() -> None:
    gpu = CheckRecord("fast_gpu", Verdict.NOT_MEASURED, "No GPU here.")
    [m] = evidence.run_of("fused_softmax", [("reference", record(gpu))]).measurements
    numbers = m.model_dump(exclude_none=True, exclude={"earned"})
    assert m.verdict == "not_measured"
    assert m.earned == 0
    assert not [value for value in numbers.values() if isinstance(value, int | float)]


def test_a_check_that_was_not_reached_is_left_out() -> None:
    wrong = CheckRecord("correct", Verdict.WRONG_ANSWER, "Wrong.")
    blocked = CheckRecord("fast_cpu", Verdict.WRONG_ANSWER, "Not reached.")
    run = evidence.run_of("fused_softmax", [("a_mistake", record(wrong, blocked))])
    assert [m.check for m in run.measurements] == ["correct"]


def test_without_a_verdict_there_is_no_evidence() -> None:
    lost = CheckRecord("judge", Verdict.JUDGE_ERROR, "Lost.")
    with pytest.raises(evidence.EvidenceError):
        evidence.run_of("fused_softmax", [("reference", record(lost, device=""))])


def test_the_file_is_named_after_the_device() -> None:
    assert evidence.file_name("NVIDIA H100 80GB HBM3") == "nvidia_h100_80gb_hbm3"
    assert evidence.file_name("Intel(R) Xeon(R) CPU @ 2.00GHz") == "intel_r_xeon_r_cpu_2_00ghz"
    assert "/" not in evidence.file_name("../../etc")


def test_what_is_written_can_be_read_again(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    fast = CheckRecord("fast_cpu", Verdict.PASSED, "Fast.", 1.0, evidence=SPEED)
    run = evidence.run_of("fused_softmax", [("reference", record(fast))])
    module = tmp_path / "fused_softmax"
    module.mkdir()
    (module / "module.yaml").write_text("")
    monkeypatch.setattr(paths, "curriculum", lambda: tmp_path)
    path = evidence.write(run)
    assert path == module / "runs" / "a_device_r_5000.json"
    assert curriculum.runs("fused_softmax") == [run]


def test_nothing_is_written_into_an_installed_package(monkeypatch: pytest.MonkeyPatch) -> None:
    fast = CheckRecord("fast_cpu", Verdict.PASSED, "Fast.", 1.0, evidence=SPEED)
    run = evidence.run_of("fused_softmax", [("reference", record(fast))])
    monkeypatch.setattr(paths, "in_clone", lambda: False)
    with pytest.raises(UserError):
        evidence.write(run)


def test_a_run_names_no_path_of_its_machine() -> None:
    said = f"missing: {sys.executable} -m pip install x"
    run = evidence.run_of(
        "fused_softmax",
        [("reference", record(CheckRecord("correct", Verdict.NOT_MEASURED, said, 0.0)))],
    )
    assert run.measurements[0].sentence == "missing: python -m pip install x"


def test_the_digest_follows_the_code(tmp_path: Path) -> None:
    source = tmp_path / "clock" / "windows.py"
    source.parent.mkdir()
    source.write_text("one")
    before = evidence.digest_of([tmp_path])
    assert evidence.digest_of([tmp_path]) == before
    source.write_text("two")
    assert evidence.digest_of([tmp_path]) != before


# --- on a GPU -------------------------------------------------------------------------------------


@pytest.fixture
def judged(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, tuple[str, ...]]]:
    """Records the requested task and checks of a fake judge, which passes all of them."""
    asked: list[tuple[str, tuple[str, ...]]] = []

    def judge(_files: Any, _module: str, tasks: Any, checks: Any = None, **_more: Any) -> Any:
        asked.append((tasks[0], tuple(checks)))
        passed = [
            CheckRecord(check, Verdict.PASSED, "Fast.", 1.0, evidence=SPEED) for check in checks
        ]
        return {tasks[0]: record(*passed, task=tasks[0])}

    monkeypatch.setattr(evidence, "judge_submission", judge)
    return asked


ON_GPU = evidence.EvidenceSelection({"triton_forward"}, gpu_only=True)


@pytest.mark.slow
def test_gpu_only_asks_for_what_runs_on_a_gpu_of_every_solution(judged: Any) -> None:
    """A wrong answer that is right and slow on the GPU shows a lower bound for levels."""
    run = evidence.measure("fused_softmax", selection=ON_GPU)
    assert set(judged) == {("triton_forward", ("gpu_correct", "gpu_fast"))}
    names = {m.candidate for m in run.measurements}
    assert "reference" in names
    assert len(judged) == len(names) > 5
    assert "two_kernels" not in names, "it is one of another task"


@pytest.mark.slow
def test_each_record_is_written_and_a_run_that_was_cut_off_goes_on(judged: Any) -> None:
    written: list[curriculum.RecordedRun] = []

    def cut_off(run: curriculum.RecordedRun) -> None:
        written.append(run)
        if len(written) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        evidence.measure("fused_softmax", selection=ON_GPU, on_run=cut_off)
    assert [len(run.measurements) for run in written] == [2, 4, 6]
    run = evidence.measure("fused_softmax", selection=ON_GPU, earlier=written[-1])
    together = len(judged)
    everything = evidence.measure("fused_softmax", selection=ON_GPU)
    assert together == len(judged) - together, "nothing was judged twice"
    assert sorted(m.model_dump_json() for m in run.measurements) == sorted(
        m.model_dump_json() for m in everything.measurements
    )


@pytest.mark.slow
def test_checks_of_a_cpu_stay_when_those_of_the_gpu_are_measured_anew(judged: Any) -> None:
    cpu = CheckRecord("correct", Verdict.PASSED, "Right.", 1.0)
    old = CheckRecord("gpu_fast", Verdict.UNDECIDED, "Noisy.")
    earlier = evidence.run_of(
        "fused_softmax", [("reference", record(cpu, old, task="triton_forward"))]
    )
    run = evidence.joined(earlier, evidence.measure("fused_softmax", selection=ON_GPU))
    mine = {m.check: m.verdict for m in run.measurements if m.candidate == "reference"}
    assert mine == {"correct": "passed", "gpu_correct": "passed", "gpu_fast": "passed"}


def test_measurements_of_older_code_stay_with_their_circumstances(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fast = CheckRecord("gpu_fast", Verdict.PASSED, "Fast.", 1.0, evidence=SPEED)
    masked = evidence.run_of("fused_softmax", [("reference", record(fast, task="triton_masked"))])
    older = masked.model_copy(update={"code": "older", "date": date(2025, 1, 2)})
    run = evidence.run_of("fused_softmax", [("reference", record(fast, task="triton_forward"))])
    both = evidence.joined(older, run)
    kept, new = both.measurements
    assert (kept.task, both.made_by(kept).code) == ("triton_masked", "older")
    assert both.made_by(kept).date == date(2025, 1, 2)
    assert both.made_by(new) == both
    assert [evidence.is_present(both, m) for m in both.measurements] == [False, True]
    assert "1 of the verdicts are of 2025-01-02" in circumstances(both)
    again = evidence.joined(both, masked)
    assert all(evidence.is_present(again, m) for m in again.measurements)
    assert curriculum.RecordedRun.model_validate(again.model_dump(mode="json")) == again


def test_an_open_check_replaces_no_decided_one() -> None:
    fast = CheckRecord("gpu_fast", Verdict.PASSED, "Fast.", 1.0, evidence=SPEED)
    noisy = CheckRecord("gpu_fast", Verdict.UNDECIDED, "Noisy.")
    decided, open_ = (
        evidence.run_of("fused_softmax", [("reference", record(check, task="triton_forward"))])
        for check in (fast, noisy)
    )
    assert [m.verdict for m in evidence.joined(decided, open_).measurements] == ["passed"]
    assert [m.verdict for m in evidence.joined(open_, decided).measurements] == ["passed"]


def test_only_a_run_of_the_same_code_and_device_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    fast = CheckRecord("gpu_fast", Verdict.PASSED, "Fast.", 1.0, evidence=SPEED)
    run = evidence.run_of("fused_softmax", [("reference", record(fast, task="triton_forward"))])
    monkeypatch.setattr(curriculum, "runs", lambda _module: [run])
    assert evidence.written_here("fused_softmax") is None
    monkeypatch.setattr(evidence, "device_name", lambda: "A Device (R) 5000")
    assert evidence.written_here("fused_softmax") == run
    monkeypatch.setattr(evidence, "measured_by", lambda: "another judge")
    assert evidence.written_here("fused_softmax") is None
