"""A lease that is killed, that finds no room on the disk, or whose files somebody has touched.

Whatever happens, each file is whole, what was said to be done stays done, and the next lease goes
on. The pieces are a shell script; the moments are all calls that begin or end a write, give a file
its name, or end a piece.
"""

import errno
import importlib.util
import json
import os
import signal
import sys
import time
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from hotloop.author import device_levels, evidence
from hotloop.author.lease import __main__ as command
from hotloop.author.lease import journal, lease, piece, pieces
from hotloop.author.selftest.run import Result
from hotloop.core import extras, paths, whole_file
from hotloop.core.verdict import Verdict
from hotloop.judge.gpu import engine
from hotloop.judge.task import find
from hotloop.tasks import curriculum
from hotloop.tasks.measured_code import measured_code

CARD = "NVIDIA Test Card"
WORK = [
    pieces.Piece(f"exploit {n}", pieces.Stage.EXPLOIT, pieces.Need.NEVER_RUN, "c", 1.0)
    for n in "abc"
]
MOMENTS = ("replace", "fsync", "fdopen", "killpg")


@pytest.fixture
def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], lease.Lease]:
    monkeypatch.setattr(device_levels, "calibrate", lambda _module: [])
    script = tmp_path / "piece.sh"
    script.write_text("""echo '{"done": true, "said": "Held.", "figures": {}}'\n""")

    def make() -> lease.Lease:
        out = tmp_path / "out"
        out.mkdir(exist_ok=True)
        return lease.Lease(
            journal=journal.journal_of(CARD, tmp_path / "leases"),
            versions={},
            remaining_s=lambda: 600.0,
            out=out,
            archive=out / "lease.zip",
            say=lambda text: _append(tmp_path / "said", text),
            command=("/bin/sh", str(script)),
            step=lambda step: Result(step.number, step.name, "ok", "It works."),
        )

    return make


def _append(path: Path, text: str) -> None:
    with path.open("a") as stream:
        stream.write(f"{text}\n")


def _to_do(tmp_path: Path) -> list[pieces.Piece]:
    done = journal.journal_of(CARD, tmp_path / "leases").entries
    return [piece for piece in WORK if piece.name not in done]


# --- killed ---------------------------------------------------------------------------------------


def _killed_at(moment: int, run: Callable[[], object]) -> bool:
    """Run it in a process that kills itself before the call of this number; was it killed?"""
    child = os.fork()
    if not child:
        count = 0

        def counted(call: Any) -> Any:
            def wrapper(*arguments: Any, **options: Any) -> Any:
                nonlocal count
                if count == moment:
                    os.kill(os.getpid(), signal.SIGKILL)
                count += 1
                return call(*arguments, **options)

            return wrapper

        for name in MOMENTS:
            setattr(os, name, counted(getattr(os, name)))
        try:
            run()
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.slow
def test_a_kill_at_any_moment_loses_one_piece_at_most(
    begin: Callable[[], lease.Lease], tmp_path: Path
) -> None:
    moment = 0
    while True:
        for path in (tmp_path / "said", tmp_path / "leases" / "nvidia_test_card.json"):
            path.unlink(missing_ok=True)
        (tmp_path / "out" / "lease.zip").unlink(missing_ok=True)
        if not _killed_at(moment, lambda: begin().run(WORK)):
            break
        kept = journal.journal_of(CARD, tmp_path / "leases").entries
        said = (tmp_path / "said").read_text() if (tmp_path / "said").exists() else ""
        told = [piece.name for piece in WORK if f"{piece.name}: done" in said]
        assert set(told) <= set(kept)
        assert len(kept) <= len(told) + 1
        brought = tmp_path / "out" / "lease.zip"
        if told:
            document = json.loads(zipfile.ZipFile(brought).read("nvidia_test_card.json"))
            assert set(told) <= set(document["pieces"])
        report = begin().run(_to_do(tmp_path))
        assert not report.stopped
        assert not _to_do(tmp_path)
        assert zipfile.ZipFile(brought).testzip() is None
        moment += 1
    assert moment > 3 * len(WORK)


def test_a_kill_while_a_run_is_written_leaves_the_run_before(tmp_path: Path) -> None:
    target = tmp_path / "nvidia_test_card.json"
    target.write_text("before")
    moment = 0
    while _killed_at(moment, lambda: whole_file.replace(target, b"after")):
        assert target.read_text() in ("before", "after")
        moment += 1
    assert moment >= 3
    assert target.read_text() == "after"


def test_a_piece_ends_with_its_lease(tmp_path: Path) -> None:
    """A piece that outlived a killed lease would be a second process on the card."""
    pid = tmp_path / "pid"
    program = (
        "import os, pathlib, time\n"
        "from hotloop.worker.lifetime import end_with_parent\n"
        "end_with_parent()\n"
        f"pathlib.Path({str(pid)!r}).write_text(str(os.getpid()))\n"
        "time.sleep(60)\n"
    )
    parent = os.fork()
    if not parent:
        os.spawnv(os.P_WAIT, sys.executable, [sys.executable, "-c", program])
        os._exit(0)
    _until(lambda: pid.exists() and pid.read_text() != "")
    os.kill(parent, signal.SIGKILL)
    os.waitpid(parent, 0)
    _until(lambda: _gone(int(pid.read_text())))


def _gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2]
    except OSError:
        return True
    return state.startswith("Z")


def _until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


# --- disk and clock -------------------------------------------------------------------------------


@pytest.mark.parametrize("writes", range(6))
def test_a_full_disk_stops_the_lease_and_breaks_no_file(
    begin: Callable[[], lease.Lease],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    writes: int,
) -> None:
    room = writes

    def replace(path: Path, content: bytes, mode: int = 0o644) -> None:
        nonlocal room
        room -= 1
        if room < 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        path.write_bytes(content)

    with monkeypatch.context() as full:
        full.setattr(whole_file, "replace", replace)
        report = begin().run(WORK)
    assert "No space left on device" in report.stopped
    kept = journal.journal_of(CARD, tmp_path / "leases").entries
    assert len(report.done) == writes // 2
    assert set(report.done) <= set(kept)
    assert {piece.name for piece in report.left} == {p.name for p in WORK} - set(report.done)
    begin().run(_to_do(tmp_path))
    assert not _to_do(tmp_path)


@pytest.mark.parametrize("jump", [-1e6, 1e6])
def test_a_clock_that_jumps_ends_no_lease(
    begin: Callable[[], lease.Lease], monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + jump)
    assert begin().run(WORK).done == [piece.name for piece in WORK]


# --- files that somebody has touched --------------------------------------------------------------


@pytest.fixture
def clone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone's folder with one module, which has a run of the card."""
    runs = tmp_path / "curriculum" / "fused_softmax" / "runs"
    runs.mkdir(parents=True)
    monkeypatch.setattr(paths, "root", lambda: tmp_path)
    monkeypatch.setattr(curriculum, "modules", lambda: [curriculum.load_module("fused_softmax")])
    monkeypatch.setattr(curriculum, "folder", lambda name: tmp_path / "curriculum" / name)
    (runs / "nvidia_test_card.json").write_text(_run().model_dump_json(exclude_none=True))
    return tmp_path


def _run(ratio: float = 4.0) -> curriculum.RecordedRun:
    measured = [
        curriculum.Measurement(
            candidate="reference", task="triton_forward", check=check, verdict=Verdict.PASSED,
            earned=1.0, sentence="Said.", p50_ms=ratio,
        )
        for check in ("gpu_correct", "gpu_fast")
    ]  # fmt: skip
    return curriculum.RecordedRun(
        format=1, module="fused_softmax", device=CARD, kind="gpu", driver="580",
        date=date(2026, 1, 1), libraries={"hotloop": evidence.measured_by()},
        code=measured_code("fused_softmax"), isolation="bubblewrap", ceilings={},
        measurements=measured,
    )  # fmt: skip


@pytest.mark.parametrize("cut", [0, 1, 200, -1])
def test_a_run_that_was_cut_off_is_set_aside_and_measured_again(clone: Path, cut: int) -> None:
    path = clone / "curriculum" / "fused_softmax" / "runs" / "nvidia_test_card.json"
    path.write_text(path.read_text()[:cut])
    assert journal.set_aside(CARD, clone / "leases") == [path]
    assert curriculum.runs("fused_softmax") == []
    assert path.with_name("nvidia_test_card.json.unreadable").is_file()


@pytest.mark.parametrize("content", ["", "[]", "{", '{"format": 1}', '{"format": 9}', "\x00"])
def test_a_journal_that_cannot_be_read_is_set_aside(clone: Path, content: str) -> None:
    path = clone / "leases" / "nvidia_test_card.json"
    path.parent.mkdir()
    path.write_text(content)
    with pytest.raises(journal.JournalError, match="no journal of NVIDIA Test Card"):
        journal.journal_of(CARD, clone / "leases")
    assert journal.set_aside(CARD, clone / "leases") == [path]
    assert journal.journal_of(CARD, clone / "leases").entries == {}


def test_what_can_be_read_stays(clone: Path) -> None:
    before = journal.Journal(CARD, clone / "leases" / "nvidia_test_card.json", {})
    before.note("exploit a", journal.Entry("done", "Held.", 1.0, "c"))
    assert journal.set_aside(CARD, clone / "leases") == []
    assert list(journal.journal_of(CARD, clone / "leases").entries) == ["exploit a"]


def test_a_number_that_was_typed_into_a_run_is_measured_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    name = "evidence fused_softmax.triton_forward reference"
    only = curriculum.load_module("fused_softmax")
    monkeypatch.setattr(curriculum, "modules", lambda: [only])
    digest = pieces.digest_of_measured(_run(), "triton_forward", "reference")
    kept = journal.journal_of(CARD, tmp_path)
    figures = {pieces.MEASURED: digest}
    kept.note(name, journal.Entry("done", "Passed.", 9.0, "c", figures=figures))

    def need(run: curriculum.RecordedRun) -> pieces.Need:
        monkeypatch.setattr(evidence, "run_on", lambda _module, _device: run)
        found = {piece.name: piece for piece in pieces.all_pieces(CARD, kept, has=())}
        return found[name].need

    assert need(_run()) is pieces.Need.NONE
    assert need(_run(ratio=3.9)) is pieces.Need.CHANGED
    assert pieces.Need.CHANGED.words == "its run file was changed since"


def test_a_piece_notes_what_its_run_has(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As it was read back, so that what the next lease reads has the same digest."""
    monkeypatch.setattr(evidence, "measure", lambda *_a, **_k: _run())
    monkeypatch.setattr(evidence, "run_here", lambda _module: _run())
    monkeypatch.setattr(evidence, "write", lambda _run: tmp_path)
    name = "evidence fused_softmax.triton_forward reference"
    found = piece.run(name, tmp_path, 9.0, rehearse=False)
    digest = pieces.digest_of_measured(_run(), "triton_forward", "reference")
    assert found["figures"] == {pieces.MEASURED: digest}


# --- two leases, and what is missing --------------------------------------------------------------


def test_a_second_lease_in_the_same_clone_does_nothing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(paths, "root", lambda: tmp_path)
    monkeypatch.setattr(command, "_lease", lambda *_a: pytest.fail("two leases"))
    with journal.only_one(tmp_path / "build" / "lease.lock") as mine:
        assert mine
        assert command.main(["--rehearse", "--out", str(tmp_path)]) == 2
    assert "Another lease runs in this clone." in capsys.readouterr().err
    with journal.only_one(tmp_path / "build" / "lease.lock") as mine:
        assert mine


@pytest.mark.slow
def test_a_wheel_that_is_missing_costs_its_pieces_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(group: str) -> tuple[str, ...]:
        return ("tvm",) if group == "tvm" else ()

    monkeypatch.setattr(extras, "missing", missing)
    found = pieces.all_pieces(CARD, journal.Journal(CARD, Path("none"), {}))
    names = [piece.name for piece in pieces.to_do(found)]
    assert "evidence tvm_passes.cuda_source reference" not in names
    assert "evidence fused_softmax.triton_forward reference" in names
    left = command.lacking(found)
    assert left["evidence tvm_passes.cuda_source reference"] == ["tvm"]


@pytest.mark.slow
def test_packages_of_the_cards_machine_are_counted_on() -> None:
    empty = journal.Journal(CARD, Path("none"), {})
    name = "evidence xla_vs_eager.fused_loss reference"
    assert name in command.lacking(pieces.all_pieces(CARD, empty, has=()))
    has = ("jax", "jaxlib", "flatbuffers")
    assert name not in command.lacking(pieces.all_pieces(CARD, empty, has=has))


@pytest.mark.slow
def test_what_needs_tensorrt_is_named() -> None:
    """Else a lease would start it where it cannot be measured."""
    found = {
        f"{module.id}.{task.id}"
        for module in curriculum.modules()
        for task in module.tasks
        if any(check.needs_gpu for check in task.checks)
        for name, check in find(module.id, task.id).checks.items()
        if next(c for c in task.checks if c.id == name).needs_gpu
        and engine.require_tensorrt in vars(_module_of(check)).values()
    }
    assert found == pieces.WITH_TENSORRT


def _module_of(check: object) -> Any:
    """Return the module of the function that a check calls."""
    function = getattr(check, "function", check)
    return sys.modules[getattr(function, "__module__", type(check).__module__)]


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("tensorrt") is not None, reason="it is installed")
def test_without_tensorrt_its_pieces_are_lacking() -> None:
    left = command.lacking(pieces.all_pieces(CARD, journal.Journal(CARD, Path("none"), {})))
    assert {f"evidence {task} reference" for task in pieces.WITH_TENSORRT} <= left.keys()
