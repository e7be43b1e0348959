import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from hotloop.core.record import CheckRecord, Circumstances, Record
from hotloop.core.verdict import Verdict
from hotloop.learn.pack import work_log
from hotloop.learn.pack.work_log import WorkLog
from hotloop.takehome.pack import Pack, make_pack
from hotloop.tasks.problem import Score

from .conftest import MADE, Hired

CIRCUMSTANCES = Circumstances("d", "0", "m", "cpu", "", {}, "s", "none", "now", 1.0)


@pytest.fixture
def folder(hired: Hired, unpack: Callable[[Pack], Path]) -> Path:
    return unpack(hired.packs[0])


def record(verdict: Verdict = Verdict.PASSED) -> Record:
    check = CheckRecord("correct", verdict, "Right.", 1.0)
    return Record("fused_softmax", "online_pass", verdict, "Right.", (check,), CIRCUMSTANCES)


def log_in(folder: Path) -> WorkLog:
    log = WorkLog.open(folder)
    assert log is not None
    return log


def add_code(folder: Path, source: str) -> None:
    path = folder / "lab.ipynb"
    notebook = json.loads(path.read_text())
    cell = {"cell_type": "code", "id": "mine", "metadata": {}, "source": source}
    notebook["cells"].append({**cell, "outputs": [{"text": "x\n" * 99}], "execution_count": 3})
    path.write_text(json.dumps(notebook))


def test_checks_are_noted_with_what_has_changed(folder: Path) -> None:
    work_log.note(folder, "opened")
    add_code(folder, "a = 1\nb = 2\n")
    work_log.note_check(folder, record(Verdict.WRONG_ANSWER), Score(0, 0, 10))
    work_log.note_check(folder, record(), Score(10, 0, 10))
    log = log_in(folder)
    assert [entry.kind for entry in log.entries] == ["opened", "checked", "checked"]
    opened, wrong, right = log.entries
    assert opened.changes == {}
    assert wrong.changes["lab.ipynb"].model_dump() == {"added": 2, "removed": 0}
    assert right.changes == {}
    assert (right.task, right.verdict, right.points) == ("online_pass", Verdict.PASSED, 10)


def test_a_score_on_an_open_scale_is_noted(folder: Path) -> None:
    (check,) = record().checks
    scaled = replace(check, evidence={"open_scale": {"score": 0.61}})
    work_log.note_check(folder, replace(record(), checks=(scaled,)), Score(6, 0, 10))
    work_log.note_check(folder, record(), Score(10, 0, 10))
    assert [entry.score for entry in log_in(folder).entries] == [0.61, None]


@pytest.mark.slow
def test_a_check_in_the_notebook_is_noted(folder: Path) -> None:
    program = "from hotloop import check; check('fused_softmax.online_pass', budget_s=60)"
    command = [sys.executable, "-c", program]
    subprocess.run(command, check=True, cwd=folder, capture_output=True, timeout=120)
    [entry] = log_in(folder).entries
    assert (entry.kind, entry.task) == ("checked", "online_pass")
    assert entry.verdict is not None
    assert entry.verdict is not Verdict.PASSED


def test_no_code_is_in_it(folder: Path) -> None:
    add_code(folder, "very_secret_idea = 1\n")
    work_log.note_check(folder, record(), Score(10, 0, 10))
    written = (folder / "work_log.jsonl").read_text() + (folder / "work_log_seen.json").read_text()
    assert "secret" not in written
    assert str(folder) not in written
    assert os.uname().nodename not in (folder / "work_log.jsonl").read_text()


def test_it_can_be_turned_off(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(work_log.OFF, "1")
    work_log.note_check(folder, record(), Score(10, 0, 10))
    assert not (folder / "work_log.jsonl").exists()


@pytest.mark.slow
def test_a_role_without_a_log_gets_none(own_team: Hired, unpack: Callable[[Pack], Path]) -> None:
    path = own_team.team.role_path("gpu_engineer")
    path.write_text(path.read_text() + "work_log: false\n")
    pack = make_pack(own_team.team, own_team.team.role("gpu_engineer"), "C. D.", now=MADE)
    folder = unpack(pack)
    work_log.note_check(folder, record(), Score(10, 0, 10))
    assert not (folder / "work_log.jsonl").exists()
    assert not (folder / "work_log_seen.json").exists()
    assert "No work log is kept" in (folder / "INSTRUCTIONS.md").read_text()


def test_a_folder_without_a_pack_gets_none(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text('{"name": "of something else"}')
    work_log.note_check(tmp_path, record(), Score(10, 0, 10))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["manifest.json"]


def test_a_log_that_cannot_be_written_withholds_no_verdict(folder: Path) -> None:
    (folder / "work_log.jsonl").mkdir()
    work_log.note_check(folder, record(), Score(10, 0, 10))


def test_after_a_crash_it_goes_on(folder: Path) -> None:
    for _ in range(3):
        work_log.note_check(folder, record(), Score(10, 0, 10))
    path = folder / "work_log.jsonl"
    path.write_bytes(path.read_bytes()[:-30])
    (folder / "work_log_seen.json").write_bytes(b'{"lab.ip')
    work_log.note_check(folder, record(), Score(10, 0, 10))
    log = log_in(folder)
    assert [entry.kind for entry in log.entries] == ["checked", "checked", "checked"]


@pytest.mark.parametrize(
    "line",
    [
        b'{"kind": "checked", "at": "never"}',
        b'{"kind": "<script>alert(1)</script>"}',
        b'{"kind": "checked", "at": "2030-01-01T00:00:00Z", "task": "=cmd()"}',
        b"\x00\xff",
        b'{"a":' * 50_000,
    ],
)
def test_what_is_no_entry_is_passed_over(folder: Path, line: bytes) -> None:
    work_log.note_check(folder, record(), Score(10, 0, 10))
    data = (folder / "work_log.jsonl").read_bytes() + line + b"\n"
    assert len(WorkLog.read(data).entries) == 1


@pytest.mark.slow
def test_a_huge_log_is_read_up_to_its_limit() -> None:
    line = b'{"kind": "opened", "at": "2030-01-01T00:00:00Z"}\n'
    assert len(WorkLog.read(line * 100_000).entries) == work_log.MOST_LINES
    assert WorkLog.read(b'{"x": 1}\n' * 100_000).entries == ()
