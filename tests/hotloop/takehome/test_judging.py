"""Undecided rungs are judged once more, separately; and no files of the work are left behind."""

import signal
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.course.execution import Terms
from hotloop.course.hand_in import HandIn
from hotloop.judged_again import seeds, with_rungs
from hotloop.takehome import execution

from .conftest import Hired
from .made_reports import record, rung

FIRST, SECOND = "ef" * 16, "12" * 16
OPEN = [rung("correct"), rung("fast", Verdict.UNDECIDED, sentence="The time was used up.")]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[tuple[tuple[str, ...], Any]]:
    """Requests to a fake judge, which decides the second time."""
    found: list[tuple[tuple[str, ...], Any]] = []

    def judge(
        _files: object, _module: str, tasks: Sequence[str], rungs: Any, **_more: object
    ) -> dict[str, Record]:
        found.append((tuple(tasks), rungs))
        if rungs is None:
            return {"a": record("a", [rung("correct")]), "b": record("b", OPEN)}
        slow = record("b", [rung("fast", Verdict.TOO_SLOW, sentence="It is slow.")])
        return {"b": replace(slow, circumstances=replace(slow.circumstances, seed=SECOND))}

    monkeypatch.setattr(execution, "judge_folder", judge)
    return found


def test_what_is_undecided_is_judged_again_alone(asked: list[tuple[tuple[str, ...], Any]]) -> None:
    work = HandIn("quiet-otter-41", "fused_softmax", {}, tasks=["a", "b"])
    found = execution.judge(work, lambda _text: None)
    assert seeds(found["a"]) == FIRST
    assert seeds(found["b"]) == f"{FIRST}; fast again with {SECOND}"
    assert asked == [(("a",), None), (("b",), None), (("b",), ["fast"])]
    assert [r.verdict for r in found["b"].rungs] == [Verdict.PASSED, Verdict.TOO_SLOW]
    assert (found["b"].verdict, found["b"].sentence) == (Verdict.PARTIAL, "It is slow.")
    assert found["a"].verdict is Verdict.PASSED


def test_only_the_rungs_that_the_terms_name_are_judged_and_where_they_say(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With a cluster: first everything without a GPU, then the rest on one."""
    seen: list[Any] = []

    def judge(
        _files: object, _module: str, tasks: Sequence[str], rungs: Any, *, device: str, **_: object
    ) -> dict[str, Record]:
        seen.append((tuple(tasks), rungs, device))
        return {task: record(task, [rung("correct")]) for task in tasks}

    monkeypatch.setattr(execution, "judge_folder", judge)
    work = HandIn("quiet-otter-41", "fused_softmax", {}, tasks=["a", "b"])
    execution.judge_candidate(work, Terms(device="cpu"), lambda *_: None)
    found = execution.judge_candidate(work, Terms(rungs={"b": ["gpu"]}), lambda *_: None)
    assert seen == [(("a",), None, "cpu"), (("b",), None, "cpu"), (("b",), ["gpu"], "")]
    assert list(found.records) == ["b"]


def test_what_was_not_judged_again_stays() -> None:
    again = with_rungs(record("b", OPEN), record("b", OPEN[:1]))
    assert [r.verdict for r in again.rungs] == [Verdict.PASSED, Verdict.UNDECIDED]


def test_work_that_a_killed_grading_has_left_goes_with_the_candidate(own_team: Hired) -> None:
    left = _killed_while_judging()
    assert [path.read_text() for path in left] == ["a candidate's work"]
    own_team.team.forget(own_team.packs[0].manifest.pack, "rita")
    assert not any(path.exists() for path in left)


def _killed_while_judging() -> list[Path]:
    """Return the files that are left after a grading was killed."""
    code = """
        import os, signal
        from hotloop.course.hand_in import HandIn
        from hotloop.takehome import execution

        def killed(folder, *_more, **_terms):
            print(*folder.rglob("*.py"), sep="\\n", flush=True)
            os.kill(os.getpid(), signal.SIGKILL)

        execution.judge_folder = killed
        files = {"lab.py": b"a candidate's work"}
        execution.judge(HandIn("x", "fused_softmax", files, tasks=["a"]), print)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        check=False,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert done.returncode == -signal.SIGKILL
    return [Path(line) for line in done.stdout.splitlines()]
