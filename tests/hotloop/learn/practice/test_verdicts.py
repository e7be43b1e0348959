import importlib
import json
from pathlib import Path

import pytest

from hotloop.core.record import CheckRecord, Circumstances, Record
from hotloop.core.verdict import Verdict
from hotloop.learn.practice import verdicts
from hotloop.tasks.problem import Score

TASK = "fused_softmax.online_pass"
CIRCUMSTANCES = Circumstances("d", "0", "m", "cpu", "", {}, "s", "none", "now", 1.0)


@pytest.fixture(autouse=True)
def _logging(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(verdicts.OFF)


def _record(verdict: Verdict = Verdict.PASSED, earned: float = 1.0) -> Record:
    module, _, task = TASK.partition(".")
    check = CheckRecord("correct", verdict, "Right.", earned)
    return Record(module, task, verdict, "Right.", (check,), CIRCUMSTANCES)


def test_verdicts_are_kept_in_their_order(home: Path) -> None:
    verdicts.note(_record(Verdict.WRONG_ANSWER), Score(0, 0, 10), "notebook", own=True)
    verdicts.note(_record(), Score(10, 0, 10), "command", own=True)
    verdicts.note(_record(Verdict.PARTIAL), Score(4, 0, 10), "command", own=True)
    lines = verdicts.read().lines
    assert [line.verdict for line in lines] == ["wrong_answer", "passed", "partial"]
    assert verdicts.latest(lines)[TASK].points == 4
    assert verdicts.best(lines)[TASK].points == 10
    assert verdicts.best(lines)[TASK].done
    written = (home / "verdicts.jsonl").read_text().splitlines()
    assert set(json.loads(written[0])) == set(verdicts.VerdictLine.model_fields)


def test_what_cannot_be_measured_here_does_not_keep_a_task_open() -> None:
    verdicts.note(_record(Verdict.PARTIAL), Score(6, 4, 10), "notebook", own=True)
    verdicts.note(_record(Verdict.NOT_MEASURED, 0), Score(0, 10, 10), "notebook", own=True)
    assert [line.done for line in verdicts.read().lines] == [True, False]


def test_it_can_be_turned_off(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(verdicts.OFF, "1")
    verdicts.note(_record(), Score(10, 0, 10), "command", own=True)
    assert not home.exists()
    assert verdicts.read().lines == []


def test_a_folder_that_cannot_be_written_withholds_no_verdict(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("XDG_DATA_HOME", str(blocked))
    verdicts.note(_record(), Score(10, 0, 10), "command", own=True)
    assert blocked.read_text() == ""


def test_a_line_that_cannot_be_read_is_passed_over_and_told_of(home: Path) -> None:
    verdicts.note(_record(), Score(10, 0, 10), "command", own=True)
    with verdicts.path().open("a") as stream:
        stream.write('{"at": "2026\n{"mark": 3}\n')
    verdicts.note(_record(), Score(10, 0, 10), "command", own=True)
    log = verdicts.read()
    assert len(log.lines) == 2
    assert [fault.partition(": ")[0] for fault in log.faults] == [
        f"{home}/verdicts.jsonl:2",
        f"{home}/verdicts.jsonl:3",
    ]


def test_a_check_in_a_notebook_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("hotloop.learn.notebook")
    monkeypatch.setattr(module, "_judge_here", lambda *_: _record(Verdict.WRONG_ANSWER, 0))
    shown = module.check(TASK)
    assert shown is not None
    (line,) = verdicts.read().lines
    assert (line.task, line.verdict, line.by) == (TASK, "wrong_answer", "notebook")
    assert line.possible > 0
    assert "`check('fused_softmax.online_pass')`" in shown.following[0]
    assert "`hotloop progress`" in shown.following[-1]
    assert "`hotloop interview`" in shown.following[-1]


def test_the_expected_time_is_known_if_all_tasks_were_checked_before() -> None:
    assert verdicts.took_before([TASK]) == 0
    verdicts.note(_record(), Score(10, 0, 10), "command", own=True)
    assert verdicts.took_before([TASK]) == CIRCUMSTANCES.seconds
    assert verdicts.took_before([TASK, "fused_softmax.compiled_chain"]) == 0
