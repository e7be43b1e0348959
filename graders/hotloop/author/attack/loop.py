"""Asks attackers, judges what they hand in, and logs it; goes on where an earlier run ended."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hotloop.author.attack import log
from hotloop.author.attack.claims import claims
from hotloop.author.attack.messages import Answer, Attack, CheckResult
from hotloop.author.attack.program import AttackerFault, AttackerProgram
from hotloop.core import paths
from hotloop.core.record import Record
from hotloop.core.user_error import UserError
from hotloop.core.verdict import Verdict
from hotloop.judge.check import as_check
from hotloop.judge.client import JudgeProcess
from hotloop.judge.device import device_name
from hotloop.judge.task import find
from hotloop.tasks import curriculum, render
from hotloop.tasks.local_judging import judge_submission
from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.tasks.task_spec import task_spec

MOST_FAULTS = 3
"""Faults in a row after which an attacker is left alone."""

Submission = Mapping[str, bytes]
Judging = Callable[[Submission, Sequence[str]], Record]


@dataclass
class Progress:
    """How far a run is. expected_s: of what remains, from the mean so far; None at the start."""

    done: int
    of: int
    elapsed_s: float
    expected_s: float | None
    what: str


@dataclass(frozen=True)
class Run:
    """What is asked for. attackers: commands by name. limit_s: ends the run after so many seconds.

    patience_s: time of an attacker for an answer. budget_s: time of the judge for a submission.
    """

    attackers: Mapping[str, str]
    tasks: Sequence[str]
    attempts: int
    path: Path
    seed: int = 0
    limit_s: float = float("inf")
    patience_s: float = 60.0
    budget_s: float = 30.0


@dataclass
class _Target:
    """An attacked task: what a learner starts from, where all other tasks are solved."""

    key: str
    base: dict[str, bytes]
    solved: dict[str, bytes]
    entry: str
    files: tuple[str, ...]
    worth: dict[str, float]
    entries: dict[str, str]
    checks: list[str] = field(default_factory=list[str])

    @classmethod
    def of(cls, key: str) -> _Target:
        """Read a task of the clone."""
        name, _, task_id = key.partition(".")
        module = curriculum.load_module(name)
        spec = task_spec(module, task_id)
        others = [t.id for t in module.tasks if t.kind == "code" and t.id != task_id]
        return cls(
            key,
            dict(render.solved_in_part(name, others)),
            dict(render.submission(name)),
            spec.entry,
            tuple(spec.files),
            {check.id: float(check.points) for check in module.task(task_id).checks},
            {
                check: as_check(function).entry or spec.entry
                for check, function in find(name, task_id).checks.items()
            },
        )

    def texts(self, files: Submission) -> dict[str, str]:
        """Return the texts of the task's files, of the notebook the task's cell."""
        return {
            name: _cell(json.loads(files[name]), self.key)["source"]
            if name == NOTEBOOK
            else files[name].decode()
            for name in self.files
            if name in files
        }

    def with_texts(self, texts: Mapping[str, str]) -> dict[str, bytes]:
        """Return the exercise with these files in it."""
        changed = {name: text.encode("utf-8", "replace") for name, text in texts.items()}
        if NOTEBOOK in texts:
            notebook = json.loads(self.base[NOTEBOOK])
            _cell(notebook, self.key)["source"] = texts[NOTEBOOK]
            changed[NOTEBOOK] = json.dumps(notebook).encode()
        return {**self.base, **changed}


def _cell(notebook: dict[str, Any], key: str) -> dict[str, Any]:
    """Return the cell in which the task is solved, its source as one text; the first of several."""
    heading = re.compile(rf"^### TASK {re.escape(key)}\b", re.MULTILINE)
    for cell in notebook["cells"]:
        cell["source"] = "".join(cell["source"])
        if cell["cell_type"] == "code" and heading.search(cell["source"]):
            return cell
    raise UserError(f"the notebook has no cell for {key}")


def run(wanted: Run, on_progress: Callable[[Progress], None] = lambda _progress: None) -> int:
    """Make the attempts that the log lacks; return how many remain when the time is over."""
    log.open_for_more(wanted.path)
    lines = log.read(wanted.path)
    done = {line.key: line for line in lines if isinstance(line, log.Attempt | log.Fault)}
    controls = {line.task: line for line in lines if isinstance(line, log.Control)}
    plan = [
        (task, name, number)
        for task in wanted.tasks
        for name in wanted.attackers
        for number in range(wanted.attempts)
        if (name, task, number) not in done
    ]
    started, made = time.monotonic(), 0
    targets: dict[str, _Target] = {}
    with _Attackers(wanted) as attackers, JudgeProcess() as judge:
        for index, (task, name, number) in enumerate(plan):
            elapsed = time.monotonic() - started
            expected = elapsed / made * (len(plan) - index) if made else None
            on_progress(Progress(index, len(plan), elapsed, expected, f"{task}: {name}"))
            if elapsed > wanted.limit_s:
                return len(plan) - index
            if task not in targets:
                targets = {task: _Target.of(task)}  # of one at a time: some are large
            target = targets[task]
            judging = _judging(target, judge, wanted.budget_s)
            if task not in controls:
                controls[task] = _control(target, judging)
                log.append(wanted.path, controls[task])
            if controls[task].fault or attackers.is_given_up(name):
                continue
            target.checks = controls[task].checks
            last = done.get((name, task, number - 1))
            line = _attempt(attackers, name, target, number, last, judging)
            done[line.key] = line
            log.append(wanted.path, line)
            made += 1
    return 0


def _judging(target: _Target, judge: JudgeProcess, budget_s: float) -> Judging:
    module, _, task = target.key.partition(".")

    def judged(files: Submission, checks: Sequence[str]) -> Record:
        return judge_submission(files, module, [task], checks, judge=judge, budget_s=budget_s)[task]

    return judged


def _control(target: _Target, judging: Judging) -> log.Control:
    """Judge the right answer: what it does not pass cannot be attacked on this machine."""
    begun = time.monotonic()
    record = judging(target.solved, list(target.worth))
    failed = [
        check
        for check in record.checks
        if check.verdict not in {Verdict.PASSED, Verdict.NOT_MEASURED}
    ]
    passed = [check.check for check in record.checks if check.verdict is Verdict.PASSED]
    fault = "; ".join(f"{check.check}: {check.verdict}, {check.sentence}" for check in failed)
    return log.Control(
        task=target.key,
        device=device_name(),
        checks=passed,
        seconds=round(time.monotonic() - begun, 2),
        fault=fault or ("" if passed else "nothing of it can be measured here"),
    )


def _attempt(
    attackers: _Attackers,
    name: str,
    target: _Target,
    number: int,
    last: log.Attempt | log.Fault | None,
    judging: Judging,
) -> log.Attempt | log.Fault:
    question = Attack(
        task=target.key,
        entry=target.entry,
        attempt=number,
        seed=_seed(attackers.seed, name, target.key, number),
        files=target.texts(target.base),
        reference=target.texts(target.solved),
        checks={check: target.worth[check] for check in target.checks},
        entries={check: target.entries[check] for check in target.checks},
        source=str(paths.root() / "graders" / "hotloop"),
        last=last.results if isinstance(last, log.Attempt) else [],
    )
    try:
        answer = attackers.ask(name, question)
    except AttackerFault as fault:
        return log.Fault(attacker=name, task=target.key, attempt=number, fault=str(fault))
    return _judged(name, target, number, answer, judging)


def _judged(
    name: str, target: _Target, number: int, answer: Answer, judging: Judging
) -> log.Attempt:
    begun = time.monotonic()
    files = target.with_texts(answer.files)
    record, noise = _without_noise(files, target, judging)
    results = [CheckResult.of(check) for check in record.checks]
    return log.Attempt(
        attacker=name,
        task=target.key,
        attempt=number,
        at=datetime.now(UTC).isoformat(timespec="seconds"),
        why=answer.why,
        honest=answer.honest,
        files=answer.files,
        results=results,
        points=sum(each.earned * target.worth.get(each.check, 0.0) for each in results),
        possible=sum(target.worth[check] for check in target.checks),
        claims=claims([each for each in results if each.check not in noise], answer.honest),
        noise=noise,
        seconds=round(time.monotonic() - begun, 2),
    )


def _without_noise(
    files: Submission, target: _Target, judging: Judging
) -> tuple[Record, list[str]]:
    """Judge it, twice if a check is undecided, and say which ones this machine cannot decide now.

    Those are undecided for the right answer too.
    """
    record = judging(files, target.checks)
    if not (undecided := _undecided(record)):
        return record, []
    control = _undecided(judging(target.solved, target.checks))
    if noise := [check for check in undecided if check in control]:
        return record, noise
    return judging(files, target.checks), []


def _undecided(record: Record) -> list[str]:
    return [check.check for check in record.checks if check.verdict is Verdict.UNDECIDED]


def _seed(seed: int, *parts: object) -> int:
    """Return a number that differs between attempts and is the same when a run is repeated."""
    text = "\0".join(map(str, (seed, *parts)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6])


class _Attackers:
    """The programs of a run, by name."""

    def __init__(self, wanted: Run) -> None:
        self.seed = wanted.seed
        self._programs = {
            name: AttackerProgram(command, wanted.patience_s)
            for name, command in wanted.attackers.items()
        }
        self._faults = dict.fromkeys(wanted.attackers, 0)

    def __enter__(self) -> _Attackers:
        return self

    def __exit__(self, *_: object) -> None:
        for program in self._programs.values():
            program.close()

    def is_given_up(self, name: str) -> bool:
        """Whether it had several faults in a row."""
        return self._faults[name] >= MOST_FAULTS

    def ask(self, name: str, question: Attack) -> Answer:
        """Return its answer. Raises AttackerFault."""
        try:
            answer = self._programs[name].ask(question)
        except AttackerFault:
            self._faults[name] += 1
            raise
        self._faults[name] = 0
        return answer


def tasks_of(names: Sequence[str]) -> Iterator[str]:
    """Yield the keys of tasks, where a module's name stands for all of its tasks of code."""
    for name in names:
        module_id, _, task_id = name.partition(".")
        if module_id not in curriculum.names():
            raise UserError(f"there is no module {module_id}")
        module = curriculum.load_module(module_id)
        ids = [task.id for task in module.tasks if task.kind == "code"]
        if task_id and task_id not in ids:
            raise UserError(f"{module_id} has no task {task_id} that is judged")
        yield from (f"{module_id}.{each}" for each in ids if not task_id or each == task_id)
