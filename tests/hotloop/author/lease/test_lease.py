"""A lease runs what fits, keeps what it has, and writes nothing that no card has measured.

The pieces are a program of this test, which ends as a piece may end; the device is a fake card.
"""

import json
import os
import sys
import zipfile
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from hotloop.author import device_levels, evidence, exploits
from hotloop.author.lease import __main__ as command
from hotloop.author.lease import archive, journal, lease, piece, pieces, wheels
from hotloop.author.selftest.run import Result, run_step
from hotloop.author.selftest.steps import SHORT, STEPS, SelfTestStep
from hotloop.core import paths
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.judge import device
from hotloop.judge.gpu import nvml
from hotloop.judge.lease import Lease as MachineLease
from hotloop.tasks import curriculum
from hotloop.tasks.measured_code import measured_code
from hotloop.tasks.problem import LevelEntry
from hotloop.worker.device import LIBRARY_VARIABLE

CARD = "NVIDIA Test Card"

PROGRAM = """
import json, os, pathlib, sys, time
name = sys.argv[sys.argv.index("--piece") + 1]
how = name.split()[-1]
if how == "hangs":
    time.sleep(60)
if how == "crashes":
    os.abort()
if how == "chatters":
    print("no outcome")
    sys.exit()
if how == "breaks_the_device":
    pathlib.Path(os.environ["FAKECUDA_CONTROL"]).write_text("init_error 999\\n")
    sys.exit(1)
print(json.dumps({"done": how != "is_open", "said": how}))
"""


def one(name: str, seconds: float = 1.0, **more: Any) -> pieces.Piece:
    made = pieces.Piece(
        f"exploit {name}", pieces.Stage.EXPLOIT, pieces.Need.NEVER_RUN, "c", seconds
    )
    return replace(made, **more)


@pytest.fixture
def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., lease.Lease]:
    monkeypatch.setattr(device_levels, "calibrate", lambda _module: [])
    program = tmp_path / "piece.py"
    program.write_text(PROGRAM)

    def make(remaining: Callable[[], float] = lambda: 600.0, **more: Any) -> lease.Lease:
        out = tmp_path / "out"
        out.mkdir(exist_ok=True)
        settings: dict[str, Any] = {"step": _works, **more}
        return lease.Lease(
            journal=journal.journal_of(CARD, tmp_path / "leases"),
            versions={"torch": "2.11.0"},
            remaining_s=remaining,
            out=out,
            archive=out / "lease.zip",
            say=lambda _text: None,
            command=(sys.executable, str(program)),
            **settings,
        )

    return make


def _works(step: SelfTestStep) -> Result:
    return Result(step.number, step.name, "ok", "It works.")


# --- what a lease does ----------------------------------------------------------------------------


def test_it_runs_in_order_and_a_second_one_goes_on(
    begin: Callable[..., lease.Lease], tmp_path: Path
) -> None:
    first = begin()
    report = first.run([one("a", points=1), one("b", points=9), one("c is_open")])
    assert report.done == ["exploit b", "exploit a"]
    assert report.failed == {"exploit c is_open": "is_open"}
    assert [piece.name for piece in report.left] == ["exploit c is_open"]
    kept = journal.journal_of(CARD, tmp_path / "leases").entries
    assert kept["exploit a"].outcome == "done"
    assert kept["exploit c is_open"].outcome == "open"
    assert kept["exploit a"].versions == {"torch": "2.11.0"}


def test_what_does_not_fit_is_left_and_something_shorter_is_run(
    begin: Callable[..., lease.Lease],
) -> None:
    report = begin(lambda: 30.0).run([one("long", 60, points=100), one("short", 2)])
    assert report.done == ["exploit short"]
    assert [piece.name for piece in report.left] == ["exploit long"]


def test_when_time_runs_out_the_piece_is_ended_and_not_tried_in_vain(
    begin: Callable[..., lease.Lease], tmp_path: Path
) -> None:
    first = begin(lambda: lease.PACKING_S + 1.0)
    report = first.run([one("x hangs", 0.5)])
    assert report.done == []
    assert "did not end within 1 s" in report.failed["exploit x hangs"]
    assert journal.journal_of(CARD, tmp_path / "leases").entries == {}


def test_a_piece_that_crashes_costs_itself_only(
    begin: Callable[..., lease.Lease], tmp_path: Path
) -> None:
    first = begin()
    report = first.run([one("a crashes", points=9), one("b chatters", points=5), one("c")])
    assert report.done == ["exploit c"]
    assert set(report.failed) == {"exploit a crashes", "exploit b chatters"}
    assert not report.stopped
    kept = journal.journal_of(CARD, tmp_path / "leases").entries
    assert [kept[f"exploit {n}"].outcome for n in ("a crashes", "b chatters")] == ["crashed"] * 2


def test_a_kill_loses_only_the_piece_that_runs(
    begin: Callable[..., lease.Lease], tmp_path: Path
) -> None:
    cut_off = begin()

    def killed(text: str) -> None:
        if "exploit b" in text:
            raise KeyboardInterrupt

    cut_off.say = killed
    work = [one("a", points=9), one("b", points=8), one("c", points=7)]
    with pytest.raises(KeyboardInterrupt):
        cut_off.run(work)
    kept = journal.journal_of(CARD, tmp_path / "leases").entries
    assert sorted(kept) == ["exploit a", "exploit b"]
    brought = zipfile.ZipFile(cut_off.archive).read(f"{evidence.file_name(CARD)}.json")
    assert sorted(json.loads(brought)["pieces"]) == sorted(kept)


def test_what_was_tried_in_vain_comes_last(begin: Callable[..., lease.Lease]) -> None:
    again, new = one("again", points=9, in_vain=1), one("new", points=1)
    assert begin().run([again, new]).done == ["exploit new", "exploit again"]


@pytest.mark.slow
def test_a_lost_device_ends_the_lease(
    begin: Callable[..., lease.Lease], fake: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(LIBRARY_VARIABLE, fake.cuda)
    monkeypatch.setenv(nvml.LIBRARY_VARIABLE, fake.nvml)
    monkeypatch.setenv("TMPDIR", str(tmp_path))  # where the machine's lease is
    work = [one("a", points=9), one("b crashes", points=8), one("c breaks_the_device", points=7)]
    report = begin(step=run_step).run([*work, one("d")])
    assert report.done == ["exploit a"]
    assert report.stopped.startswith("after exploit c breaks_the_device the device is lost")
    assert "exploit d" in [piece.name for piece in report.left]


def test_a_device_that_another_grading_uses_is_not_lost(begin: Callable[..., lease.Lease]) -> None:
    def busy(step: SelfTestStep) -> Result:
        return Result(step.number, step.name, "not run", "Another grading uses the machine.")

    report = begin(step=busy).run([one("a crashes", points=9), one("b")])
    assert report.done == ["exploit b"]
    assert not report.stopped


@pytest.mark.slow
def test_a_step_that_waits_for_the_machine_is_not_broken(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with MachineLease(tmp_path / f"hotloop-lease-{os.getuid()}").exclusive():
        result = run_step(replace(STEPS[1], limit_s=5.0))
    assert (result.state, result.said) == ("not run", "Another grading uses the machine.")


def test_without_what_every_run_needs_nothing_is_run(begin: Callable[..., lease.Lease]) -> None:
    def broken(step: SelfTestStep) -> Result:
        state = "broken" if step.needed else "ok"
        return Result(step.number, step.name, state, "No driver.", "Install one.")

    steps = [
        pieces.Piece(f"selftest {n}", pieces.Stage.SELFTEST, pieces.Need.NEVER_RUN, "", 1.0)
        for n in SHORT
    ]
    report = begin(step=broken).run([*steps, one("a")])
    assert report.stopped == "self-test, machine: No driver. Install one."
    assert report.done == []


def test_the_short_self_test_has_all_that_every_run_needs() -> None:
    assert {step.number for step in STEPS if step.needed} <= set(SHORT)


# --- what is brought back -------------------------------------------------------------------------


def test_the_archive_has_what_fits_and_says_what_did_not(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_bytes(b"1" * 1000)
    noise = b"".join(i.to_bytes(4, "big") for i in range(3, 100_000, 7))
    (tmp_path / "trace.json").write_bytes(noise)
    files = {name: tmp_path / name for name in ("run.json", "trace.json")}
    left = archive.pack(files, tmp_path / "lease.zip", most_bytes=20_000)
    assert left == ["trace.json"]
    assert (tmp_path / "lease.zip").stat().st_size <= 20_000
    assert zipfile.ZipFile(tmp_path / "lease.zip").namelist() == ["run.json"]


def test_the_archive_has_what_all_leases_of_the_device_brought(
    begin: Callable[..., lease.Lease], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(paths, "root", lambda: tmp_path)
    monkeypatch.setattr(curriculum, "folder", lambda module: tmp_path / module)
    name = f"{evidence.file_name(CARD)}.json"
    runs = tmp_path / "fused_softmax" / "runs"
    runs.mkdir(parents=True)
    (runs / name).write_text("measured")
    begin().run([replace(one("a"), name="evidence fused_softmax.x a")])
    second = begin()
    (second.out / "profiles").mkdir()
    (second.out / "profiles" / "ncu.txt").write_text("report")
    second.run([one("b")])
    brought = zipfile.ZipFile(second.archive)
    assert brought.namelist() == [
        "leases/nvidia_test_card.json",
        "fused_softmax/runs/nvidia_test_card.json",
        "profiles/ncu.txt",
    ]
    assert len(json.loads(brought.read("leases/nvidia_test_card.json"))["pieces"]) == 2


def test_a_journal_of_another_device_is_refused(tmp_path: Path) -> None:
    mine = journal.journal_of("NVIDIA A", tmp_path)
    mine.note("exploit a", journal.Entry("done", "Held.", 1.0, "c"))
    mine.path.rename(tmp_path / "nvidia_b.json")
    with pytest.raises(ValueError, match="no journal of NVIDIA B"):
        journal.journal_of("NVIDIA B", tmp_path)


def test_levels_of_this_device_follow_what_was_measured(
    begin: Callable[..., lease.Lease], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    first = begin()
    asked: list[str] = []

    def calibrate(module: str) -> list[device_levels.Calibrated]:
        asked.append(module)
        levels = (LevelEntry(ratio=2.0, earned=1.0),)
        return [
            device_levels.Calibrated(module, "t", "gpu_fast", device, 1.15, 3.0, levels)
            for device in (CARD, "NVIDIA Other")
        ]

    def write(results: Any) -> list[Path]:
        assert [each.device for each in results] == [CARD]
        changed = tmp_path / "module.yaml"
        changed.write_text("levels")
        return [changed]

    monkeypatch.setattr(device_levels, "calibrate", calibrate)
    monkeypatch.setattr(device_levels, "write", write)
    names = ("evidence first_kernels.axpy reference", "evidence fused_softmax.x is_open")
    report = first.run([replace(one("a"), name=name) for name in names])
    assert asked == ["first_kernels"]
    assert report.levels == ["first_kernels.t.gpu_fast: 2 (between 1.15 and 3.00)"]
    assert "module.yaml" in zipfile.ZipFile(first.out / "lease.zip").namelist()


# --- a rehearsal writes no run of a GPU -----------------------------------------------------------


def run_on_card(code: str, *measurements: curriculum.Measurement) -> curriculum.RecordedRun:
    return curriculum.RecordedRun(
        format=1,
        module="fused_softmax",
        device=CARD,
        kind="gpu",
        driver="580",
        date=date(2026, 1, 1),
        libraries={"hotloop": evidence.measured_by(), "torch": "2.11.0"},
        code=code,
        isolation="bubblewrap",
        ceilings={},
        measurements=list(measurements),
    )


def measured(check: str, verdict: Verdict = Verdict.PASSED, **more: Any) -> curriculum.Measurement:
    return curriculum.Measurement(
        candidate="reference", task="triton_forward", check=check, verdict=verdict,
        earned=1.0, sentence="Said.", **more,
    )  # fmt: skip


def test_without_a_card_a_run_of_one_is_not_written(monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_on_card("c", measured("gpu_fast"))
    monkeypatch.setattr(evidence, "kind", lambda: "cpu")
    with pytest.raises(UserError, match="this machine has no GPU"):
        evidence.write(run)


def test_a_fake_card_or_another_one_writes_no_run(monkeypatch: pytest.MonkeyPatch) -> None:
    run = run_on_card("c", measured("gpu_fast"))
    monkeypatch.setattr(evidence, "kind", lambda: "cuda")
    monkeypatch.setattr(evidence, "device_name", lambda: "NVIDIA Other")
    with pytest.raises(UserError, match="this is NVIDIA Other"):
        evidence.write(run)
    monkeypatch.setattr(evidence, "device_name", lambda: CARD)
    monkeypatch.setenv(LIBRARY_VARIABLE, "/tmp/libcuda.so")
    with pytest.raises(UserError, match="in place of the driver's"):
        evidence.write(run)


def test_a_rehearsed_piece_writes_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run = run_on_card("c", measured("gpu_correct", Verdict.NOT_MEASURED))
    monkeypatch.setattr(evidence, "measure", lambda *_a, **_k: run)
    monkeypatch.setattr(evidence, "write", lambda _run: pytest.fail("it is a rehearsal"))
    name = "evidence fused_softmax.triton_forward reference"
    found = piece.run(name, tmp_path, 9.0, rehearse=True)
    assert not found["done"]
    assert "figures" not in found


@pytest.mark.skipif(device.kind() == "cuda", reason="this machine has a GPU")
def test_without_a_card_a_lease_does_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--seconds", "60"]) == 2
    assert "Nothing is measured" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(device.kind() == "cuda", reason="this machine has a GPU")
def test_a_rehearsal_starts_a_real_piece_and_leaves_all_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = sorted(paths.curriculum().glob("*/runs/*.json"))
    before = [path.read_bytes() for path in runs]
    seconds = lease.PACKING_S + pieces.START_S + pieces.CORRECT_S + 20  # the last for planning
    options = ["--seconds", str(seconds), "--out", str(tmp_path), "--json"]
    assert command.main(["--rehearse", *options]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["done"] == []
    assert report["failed"]
    assert all("not_measured" in said for said in report["failed"].values())
    assert sorted(paths.curriculum().glob("*/runs/*.json")) == runs
    assert [path.read_bytes() for path in runs] == before
    brought = zipfile.ZipFile(report["archive"])
    assert brought.namelist() == ["rehearsal.json"]
    noted = json.loads(brought.read("rehearsal.json"))["pieces"]
    assert {name: each["outcome"] for name, each in noted.items()} == dict.fromkeys(
        report["failed"], "open"
    )


# --- what is left to do ---------------------------------------------------------------------------


@pytest.fixture
def left(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., dict[str, pieces.Piece]]:
    monkeypatch.setattr(exploits, "load_all", list)
    only = curriculum.load_module("fused_softmax")
    monkeypatch.setattr(curriculum, "modules", lambda: [only])

    def asked(
        run: curriculum.RecordedRun | None,
        versions: dict[str, str] | None = None,
        device: str = CARD,
    ) -> dict[str, pieces.Piece]:
        monkeypatch.setattr(curriculum, "runs", lambda _module: [run] if run else [])
        empty = journal.journal_of(device, tmp_path)
        found = pieces.all_pieces(device, empty, versions, has=())
        return {each.name: each for each in found}

    return asked


NAME = "evidence fused_softmax.triton_forward reference"


def test_what_is_measured_with_the_present_code_is_done(
    left: Callable[..., dict[str, pieces.Piece]],
) -> None:
    both = (measured("gpu_correct", judging_s=4.0), measured("gpu_fast", judging_s=30.0))
    found = left(run_on_card(measured_code("fused_softmax"), *both))[NAME]
    assert (found.need, found.points) == (pieces.Need.NONE, 0)
    assert (found.seconds, found.known) == (34.0 + pieces.START_S, True)


@pytest.mark.parametrize(
    ("code", "versions", "need"),
    [
        ("older", None, pieces.Need.OTHER_CODE),
        ("", {"torch": "2.12.0"}, pieces.Need.OTHER_VERSIONS),
        ("", {"torch": "2.11.0", "driver": "590"}, pieces.Need.OTHER_VERSIONS),
        ("", {"torch": "2.11.0"}, pieces.Need.NONE),
    ],
)
def test_other_code_and_other_versions_are_told_apart(
    left: Callable[..., dict[str, pieces.Piece]],
    code: str,
    versions: dict[str, str] | None,
    need: pieces.Need,
) -> None:
    both = (measured("gpu_correct"), measured("gpu_fast"))
    run = run_on_card(code or measured_code("fused_softmax"), *both)
    assert left(run, versions)[NAME].need is need


def test_a_part_that_is_open_is_left_and_what_follows_a_refusal_is_not(
    left: Callable[..., dict[str, pieces.Piece]],
) -> None:
    code = measured_code("fused_softmax")
    noisy = run_on_card(code, measured("gpu_correct"), measured("gpu_fast", Verdict.UNDECIDED))
    assert left(noisy)[NAME].need is pieces.Need.NEVER_RUN
    refused = run_on_card(code, measured("gpu_correct", Verdict.WRONG_ANSWER))
    assert left(refused)[NAME].need is pieces.Need.NONE


def test_a_run_of_another_device_does_nothing_for_this_one(
    left: Callable[..., dict[str, pieces.Piece]],
) -> None:
    both = (measured("gpu_correct"), measured("gpu_fast"))
    run = run_on_card(measured_code("fused_softmax"), *both)
    assert left(run, None, "NVIDIA Other")[NAME].need is pieces.Need.NEVER_RUN


def test_references_come_before_attacks_and_wrong_answers(
    left: Callable[..., dict[str, pieces.Piece]],
) -> None:
    stages = [piece.stage for piece in pieces.to_do(left(None).values())]
    assert stages == sorted(stages)
    assert set(stages) == set(pieces.Stage) - {pieces.Stage.EXPLOIT}


# --- wheels ---------------------------------------------------------------------------------------


def test_wheels_are_packed_while_they_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes = {"pyseccomp": 40, "onnx": 30, "apache-tvm": 10}

    def download(required: Any, folder: Path) -> bool:
        name = next(key for key in sizes if required[0].startswith(key))
        (folder / f"{name}.whl").write_bytes(b"0" * sizes[name])
        return True

    monkeypatch.setattr(wheels, "download", download)
    taken = wheels.pack(["onnx", "tvm"], tmp_path / "gpu", lambda _text: None, most_bytes=60)
    assert taken == ["tvm"]
    assert sorted(path.stem for path in (tmp_path / "gpu").iterdir()) == ["apache-tvm", "pyseccomp"]


def test_the_base_is_as_pyproject_declares_it() -> None:
    base = wheels.requirements()
    assert len(base) == len(wheels.BASE)
    declared = (paths.root() / "pyproject.toml").read_text()
    assert all(f'"{each}' in declared for each in base)
    assert not [each for each in wheels.requirements("onnx") if each.startswith("hotloop")]
