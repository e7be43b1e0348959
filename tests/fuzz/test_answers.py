"""No reply of a candidate's process makes a check `judge_error`, or makes it accept a wrong answer.

Modules, tasks and checks are discovered. Each check is judged once for real, with the reference;
then it is judged repeatedly from the recording, with changed replies.
"""

import inspect
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

sys.path.insert(0, str(Path(__file__).parent))

import answer_mutations
import stand_in
from answer_mutations import Noise
from stand_in import Data, Exchange, Judged, Tape, Unknown

from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.core.wire import as_list
from hotloop.judge import check as judging
from hotloop.judge import model_servers
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import FunctionCheck
from hotloop.judge.checks import cuda_compiles
from hotloop.judge.checks.answers import Answers
from hotloop.judge.files import lay_out
from hotloop.judge.not_measurable import lacking
from hotloop.judge.questions import Question
from hotloop.judge.task import find
from hotloop.tasks import curriculum, render
from hotloop.tasks.curriculum import Module, Task
from hotloop.tasks.task_spec import task_spec

SECONDS = 0.6
"""Approximate time for a check's examples: a check with slow cases gets fewer."""

FEWEST, MOST = 2, 60


class _Forgetful(dict[str, Any]):
    """Compilations of a process that remembers none: an altered one would be another task's."""

    def __contains__(self, _key: object) -> bool:
        return False


CODE_TASKS = [(m, t) for m in curriculum.modules() for t in m.tasks if t.kind == "code"]


@pytest.fixture(autouse=True)
def _nothing_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cuda_compiles, "_compiled", _Forgetful())


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return a function that lays out a module's reference as a submission; cached."""

    @cache
    def folder(module: str) -> Path:
        made = tmp_path_factory.mktemp(module)
        lay_out(render.submission(module), made)
        return made

    return folder


@dataclass
class Fuzzed:
    """One check, with its recording. answers: number of changed replays so far."""

    task: Judged
    check: str
    files: Path
    tape: Tape
    answers: int = 0
    unknown: Counter[str] = field(default_factory=Counter[str])

    def judged(self, change: stand_in.Change) -> CheckRecord | None:
        """Replay with a change. Returns None if a trusted program's answer was not recorded."""
        self.answers += 1
        try:
            return stand_in.played(self.task, self.check, self.files, self.tape, change)
        except Unknown as end:
            self.unknown[str(end)] += 1
            return None

    def examples(self) -> int:
        """Return how many examples fit into the time, by timing one unchanged replay."""
        started = time.monotonic()
        record = self.judged(lambda _said, _number: None)
        taken = time.monotonic() - started
        if self.tape.record is not None and self.tape.record.verdict is Verdict.PASSED:
            assert record is not None, f"{self.check}: the recording is not what is asked for again"
            assert record.verdict is Verdict.PASSED, record.sentence
        return max(FEWEST, min(MOST, int(SECONDS / 2 / max(taken, 1e-3))))


def _require_a_verdict(record: CheckRecord | None) -> None:
    if record is None:
        return
    told = record.evidence.get("traceback", record.sentence)
    assert record.verdict is not Verdict.JUDGE_ERROR, told
    assert not str(record.evidence.get("error", "")).startswith("MemoryError"), told
    assert not record.sentence.startswith("Checking what it returned took too long"), told


def _altered_once(fuzzed: Fuzzed) -> None:
    """Alter one answer slightly, and no other."""

    @settings(
        max_examples=fuzzed.examples(),
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(st.data())
    def alter(data: st.DataObject) -> None:
        place = data.draw(st.integers(0, len(fuzzed.tape.answers) - 1))
        other = data.draw(answer_mutations.near_reply(fuzzed.tape.answers[place]))
        record = fuzzed.judged(lambda _said, number: other if number == place else None)
        _require_a_verdict(record)

    alter()


def _nothing_of_it_true(fuzzed: Fuzzed) -> None:
    """Make all answers arbitrary."""
    first = not fuzzed.task.checks[fuzzed.check].prerequisites

    @settings(
        max_examples=fuzzed.examples(),
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    @given(st.lists(answer_mutations.noises, min_size=1, max_size=3))
    def change_all(noises: list[Noise]) -> None:
        true: list[Exchange] = []

        def change(said: Exchange, number: int) -> tuple[bytes, Data]:
            body, data = noises[number % len(noises)].instead_of(said)
            # An arbitrary value may be the right one, such as null where a mismatch is asked for.
            null = said.invented and b'"returned": [{"json": null}]' in body
            if null or body == answer_mutations.body_of(said.reply):
                true.append(said)
            return body, data

        record = fuzzed.judged(change)
        _require_a_verdict(record)
        # A check that comes after another one never sees an answer that the other one refuses.
        if first and not true and record is not None:
            assert record.verdict is not Verdict.PASSED, record.sentence

    change_all()


def _goes_well(record: CheckRecord | None) -> bool:
    """Return whether the reference passed, or was interrupted: a slow recording may be cut off."""
    return record is None or record.verdict in {
        *(Verdict.PASSED, Verdict.NOT_MEASURED, Verdict.UNDECIDED, Verdict.TIMEOUT)
    }


def _undriven(judged: Judged, check: str, tape: Tape | None) -> str:
    """Return why a check cannot be judged from a recording; empty if it can."""
    asked = judged.checks[check]
    if asked.timed:
        return "it times a process, which nobody can play"
    of = inspect.unwrap(asked.function) if isinstance(asked, FunctionCheck) else asked
    of = of.func if isinstance(of, partial) else of
    if getattr(sys.modules[of.__module__], "over", None) is model_servers.over:
        return "it starts a real server"
    if tape is None or tape.answers:
        return ""
    if tape.record is not None and tape.record.verdict is Verdict.PASSED:
        return "nothing came over a worker's connection: it reads files"
    if tape.record is not None:
        return f"{tape.record.verdict}: {tape.record.sentence}"
    return f"no answer came within {stand_in.PATIENCE_S:g} s"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("module", "task"), CODE_TASKS, ids=[f"{m.id}.{t.id}" for m, t in CODE_TASKS]
)
def test_no_answer_leaves_a_check_open(
    module: Module, task: Task, reference: Callable[[str], Path]
) -> None:
    spec, found = task_spec(module, task.id), find(module.id, task.id)
    gaps = lacking(spec)
    if len(gaps) == len(spec.checks):
        pytest.skip(next(iter(gaps.values())))
    judged = Judged(task.id, found.candidate(spec), found.checks, spec)
    for check in found.checks:
        reason = gaps.get(check) or _undriven(judged, check, None)
        if not reason:
            tape = stand_in.recorded(judged, check, reference(module.id), module.needs)
            assert _goes_well(tape.record), tape.record
            reason = _undriven(judged, check, tape)
        if reason:
            print(f"{module.id}.{task.id}.{check}: not driven: {reason}")
            continue
        fuzzed = Fuzzed(judged, check, reference(module.id), tape)
        _altered_once(fuzzed)
        _nothing_of_it_true(fuzzed)
        beyond = dict(fuzzed.unknown)
        print(f"{module.id}.{task.id}.{check}: {fuzzed.answers} answers; no verdict: {beyond}")


def _smallest(_rng: object) -> Iterator[Question]:
    yield Question("Sizes", (7,), lambda answer: None if min(as_list(answer)) == 7 else "no")


@pytest.fixture
def stumbling(tmp_path: Path) -> Fuzzed:
    """A task whose check takes the minimum of an answer that may be empty."""
    (tmp_path / "sizes.py").write_text("def sizes(n): return [n]\n")
    candidate = Candidate("sizes", "sizes.py", "json")
    task = Judged("sizes", candidate, {"right": Answers(_smallest)})
    said = Exchange('{"op": "run"}', {"ok": True, "returned": [{"json": [7]}]}, {}, trusted=False)
    return Fuzzed(task, "right", tmp_path, Tape([[said]], [said]))


@pytest.mark.slow
def test_a_check_that_stumbles_blames_the_answer(stumbling: Fuzzed) -> None:
    _altered_once(stumbling)
    _nothing_of_it_true(stumbling)


@pytest.mark.slow
def test_it_is_found_where_it_would_be_our_own_failure(
    stumbling: Fuzzed, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(judging, "is_ours", lambda _error: True)
    with pytest.raises(AssertionError, match="min"):
        _nothing_of_it_true(stumbling)


@pytest.mark.slow
def test_a_check_that_takes_everything_is_found(stumbling: Fuzzed) -> None:
    taken = Answers(lambda _rng: [Question("Sizes", (7,), lambda _answer: None)])
    stumbling.task = replace(stumbling.task, checks={"right": taken})
    with pytest.raises(AssertionError, match="All of it is right"):
        _nothing_of_it_true(stumbling)
