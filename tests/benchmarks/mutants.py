"""Does a wrong answer ever pass? Mutates each reference and judges every mutant ten times.

    python tests/benchmarks/mutants.py fused_softmax ssa_passes --most 8 --times 10 --keep

A mutant is a task's reference with one small mistake (hotloop.learn.mutation). It is judged with
new hidden inputs each time, on all checks of the task that do not measure speed. A mutant that is
wrong by the task's text must fail each time. A mutant that is right must pass each time, and
tests/benchmarks/mutants_right/<module>.yaml says why it is right, or that only a GPU can tell. Any
other mutant that passes is a hole in the check: it is printed with a seed for `hotloop check
--seed`, and the exit code is 1. A mutant that times out in each of the first three judgings is not
judged more often.

The references are judged three times and must pass; the mutants' time limits are multiples of their
times. The wrong answers in solutions/*/wrong must fail their check; `--no-made` leaves them out.

`--keep` writes each answer's row to tests/benchmarks/results/mutants.json when it is done; another
call with `--keep` judges only what is missing there, or was judged with other code of its module.
The site's page "How strong the checks are" shows these rows.
"""

from __future__ import annotations

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field, fields
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import reference_mutants
import yaml

from hotloop.author.evidence import measured_by
from hotloop.core.record import CheckRecord, Record
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess
from hotloop.judge.device import device_name
from hotloop.takehome import recorded
from hotloop.tasks import curriculum, render
from hotloop.tasks.curriculum import Module, Task
from hotloop.tasks.local_judging import BUDGET_S, judge_submission
from hotloop.tasks.measured_code import measured_code

HERE = Path(__file__).parent
RESULT = HERE / "results" / "mutants.json"
RIGHT = HERE / "mutants_right"
KERNELS = (".cu", ".cpp", "triton.py", "tiled.py", "backward.py")
"""Files with three times as many mutants, as many mistakes affect only a part of a kernel."""


LEAST_S = 20.0
"""Least time limit of a judging in seconds: on a busy machine a sandbox takes seconds to start."""

REFERENCES = 3
"""How often a reference is judged."""

ENDLESS = 3
"""After this many judgings that all timed out, a mutant is not judged again, to save hours."""

NEEDS_GPU = "Needs a GPU"
"""Prefix of `why_right` for a mutant that only a GPU can tell from the reference."""

OUTCOMES = ("failed_each_time", "passed_sometimes", "passed_each_time")
"""Classes of mutants that are wrong."""


@dataclass(frozen=True)
class Answer:
    """An answer to judge. must: the check that must fail, "" if every check must pass."""

    id: str
    module: str
    task: str
    kind: str
    files: Callable[[], Mapping[str, bytes]]
    operator: str = ""
    language: str = ""
    shown: tuple[str, str] = ("", "")
    must: str | None = None


@dataclass
class Row:
    """The result of an answer.

    passed: how often all checks passed. by_check: how often each failed first. unbuilt: how often
    it did not compile. timeouts: how often it timed out. unmeasured: how often this machine lacked
    what the task needs. seeds: of the judgings that it passed. errors: judgings that ended in
    judge_error.
    """

    id: str
    module: str
    task: str
    kind: str
    operator: str
    language: str
    shown: tuple[str, str]
    judged: int = 0
    passed: int = 0
    by_check: dict[str, int] = field(default_factory=dict[str, int])
    seeds: list[str] = field(default_factory=list[str])
    errors: int = 0
    unbuilt: int = 0
    timeouts: int = 0
    unmeasured: int = 0
    sentence: str = ""
    seconds: float = 0.0


def main() -> None:
    """Judge and print; with --keep, write the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("modules", nargs="*", help="all of them, if none is named")
    parser.add_argument("--tasks", nargs="*", help="only these")
    parser.add_argument("--most", type=int, default=4, help="mutants of a task; kernels have more")
    parser.add_argument("--times", type=int, default=10, help="judgings of each answer")
    parser.add_argument("--workers", type=int, default=2, help="judges at once")
    parser.add_argument("--only", nargs="*", help="only mutants whose id begins with one of these")
    parser.add_argument("--no-made", action="store_true", help="without hand-made answers")
    parser.add_argument("--keep", action="store_true", help=f"go on from {RESULT.name}, write it")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    names = arguments.modules or [module.id for module in curriculum.modules()]
    given = [
        answer
        for name in names
        for answer in of_module(curriculum.load_module(name), arguments)
        if not arguments.only or answer.id.startswith(tuple(arguments.only))
    ]
    reasons = reasons_of(RIGHT)
    kept = Kept(reasons) if arguments.keep else None
    rows = Bench(arguments.times, arguments.workers, kept).rows(given)
    found = [text for row in rows for text in problems(row, reasons)]
    result = summary(rows, reasons)
    print(json.dumps({**result, "problems": found}, indent=1) if arguments.json else table(result))
    for text in () if arguments.json else found:
        print(text)
    sys.exit(bool(found))


def of_module(module: Module, arguments: argparse.Namespace) -> Iterator[Answer]:
    """Yield references, hand-made wrong answers, mutants."""
    for task in module.tasks:
        if task.kind != "code" or (arguments.tasks and task.id not in arguments.tasks):
            continue
        name = f"{module.id}.{task.id}"
        yield Answer(name, module.id, task.id, "reference", partial(render.submission, module.id))
        most = arguments.most * (3 if any(f.endswith(KERNELS) for f in task.files) else 1)
        for one in reference_mutants.mutants(module, task, most):
            yield Answer(
                one.id,
                module.id,
                task.id,
                "mutant",
                one.files,
                one.operator,
                one.language,
                one.shown,
                None,
            )
    for wrong in () if arguments.no_made else render.wrong_answers(module.id):
        if arguments.tasks and wrong.task not in arguments.tasks:
            continue
        files = partial(render.submission, module.id, wrong.path)
        name = f"{module.id}.{wrong.task}/made/{wrong.name}"
        if wrong.check in untimed(module.task(wrong.task)):
            yield Answer(
                name, module.id, wrong.task, "made", files, "made by hand", must=wrong.check
            )


def untimed(task: Task) -> list[str]:
    """Return the checks that do not measure speed."""
    return [check.id for check in task.checks if check.threshold is None]


class Bench:
    """The judges of a run, and the rows that are done."""

    def __init__(self, times: int, workers: int, kept: Kept | None) -> None:
        self.times = times
        self.workers = workers
        self.kept = kept
        self.done = kept.rows() if kept else {}
        self._judges = threading.local()
        self._lock = threading.Lock()
        self._started = time.monotonic()

    def rows(self, given: Sequence[Answer]) -> list[Row]:
        """Return a row for each answer, in their order. References come first: see `_budget`."""
        for references in (True, False):
            waiting = [a for a in given if (a.kind == "reference") is references]
            waiting = [a for a in waiting if not self._is_done(a)]
            with ThreadPoolExecutor(self.workers) as pool:
                judged = [pool.submit(self._judged, answer) for answer in waiting]
                for number, future in enumerate(as_completed(judged), start=1):
                    passed = time.monotonic() - self._started
                    say(f"{number} of {len(waiting)}, {passed:.0f} s: {outcome(future.result())}")
        return [self.done[answer.id] for answer in given]

    def _is_done(self, answer: Answer) -> bool:
        row = self.done.get(answer.id)
        if row is None:
            return False
        return row.judged >= self._times(answer) or row.timeouts == row.judged == ENDLESS

    def _times(self, answer: Answer) -> int:
        return min(self.times, REFERENCES) if answer.kind == "reference" else self.times

    def _judged(self, answer: Answer) -> Row:
        if not hasattr(self._judges, "process"):
            self._judges.process = JudgeProcess()
        row = repeated(answer, self._times(answer), self._judges.process, self._budget(answer))
        with self._lock:
            self.done[answer.id] = row
            if self.kept and not row.unmeasured:
                self.kept.add(row)
        return row

    def _budget(self, answer: Answer) -> float:
        """Return the time limit of a judging in seconds.

        Four times the reference's time, so that a mutant that does not end costs little.
        """
        reference = next(
            (
                row
                for row in self.done.values()
                if (row.kind, row.module, row.task) == ("reference", answer.module, answer.task)
            ),
            None,
        )
        if reference is None:
            return BUDGET_S
        return max(LEAST_S, 4 * reference.seconds / reference.judged)


def repeated(answer: Answer, times: int, judge: JudgeProcess, budget_s: float) -> Row:
    """Judge one answer `times` times, with newly drawn inputs."""
    row = Row(
        answer.id, answer.module, answer.task, answer.kind,
        answer.operator, answer.language, answer.shown,
    )  # fmt: skip
    task = curriculum.load_module(answer.module).task(answer.task)
    checks = untimed(task)
    if answer.must:
        checks = checks[: checks.index(answer.must) + 1]
    started, files = time.monotonic(), answer.files()

    def judged(checks: Sequence[str]) -> Record:
        return judge_submission(
            files, answer.module, [answer.task], checks, judge=judge, budget_s=budget_s
        )[answer.task]

    record = judged(checks)
    note(row, record)
    # Most mutants fail the same check each time: later checks are judged only when they do not.
    until = 1 + next((i for i, check in enumerate(checks) if check in row.by_check), len(checks))
    while row.judged < times and not row.timeouts == row.judged == ENDLESS:
        record = judged(checks[:until])
        if checks[until:] and not failed(record):
            record = judged(checks)
        note(row, record)
    row.seconds = round(time.monotonic() - started, 1)
    return row


def measured(record: Record) -> list[CheckRecord]:
    """Return the checks that this machine could judge."""
    return [check for check in record.checks if check.verdict is not Verdict.NOT_MEASURED]


def failed(record: Record) -> list[CheckRecord]:
    """Return the judged checks that did not pass."""
    return [check for check in measured(record) if check.verdict is not Verdict.PASSED]


def note(row: Row, record: Record) -> None:
    """Add one judging to a row."""
    row.judged += 1
    seen, lost = measured(record), failed(record)
    row.unmeasured += not seen
    row.errors += any(r.verdict is Verdict.JUDGE_ERROR for r in seen)
    row.unbuilt += any(r.verdict is Verdict.COMPILE_ERROR for r in seen)
    row.timeouts += any(r.verdict is Verdict.TIMEOUT for r in seen)
    if not seen:
        row.sentence = record.sentence
    elif lost:
        row.by_check[lost[0].check] = row.by_check.get(lost[0].check, 0) + 1
        row.sentence = f"{lost[0].check}: {lost[0].verdict}: {lost[0].sentence}"[:200]
    else:
        row.passed += 1
        row.seeds.append(record.circumstances.seed)


def problems(row: Row, reasons: Mapping[str, str]) -> Iterator[str]:
    """Yield the problems of a row."""
    if row.unmeasured:
        yield f"{row.id}: not measured: {row.sentence}"
        return
    seeds = f" (seeds {', '.join(row.seeds[:2])})" if row.seeds else ""
    if row.errors:
        yield f"{row.id}: judge_error in {row.errors} of {row.judged}: {row.sentence}"
    if row.kind == "reference" and row.passed < row.judged:
        failed = row.judged - row.passed
        yield f"{row.id}: the reference fails {failed} of {row.judged}: {row.sentence}"
    if row.kind == "made" and row.passed:
        yield f"{row.id}: passes {row.passed} of {row.judged}{seeds}"
    if row.kind == "mutant":
        if row.id in reasons:
            if row.passed < row.judged:
                yield f"{row.id}: fails {row.judged - row.passed} times, and is said to be right"
        elif row.passed:
            yield (
                f"{row.id}: passes {row.passed} of {row.judged}{seeds}\n"
                f"    - {row.shown[0]}\n    + {row.shown[1]}"
            )
    check, most = max(row.by_check.items(), key=lambda item: item[1], default=("", 0))
    if row.kind == "mutant" and most and most + row.passed < row.judged:
        yield f"{row.id}: fails {check} {most} of {row.judged} times, and another check else"


def reasons_of(folder: Path) -> dict[str, str]:
    """Return the reasons of mutants that are right, by id; one file per module, `id: reason`."""
    found: dict[str, str] = {}
    for path in sorted(folder.glob("*.yaml")):
        found |= yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    return found


def summary(rows: Iterable[Row], reasons: Mapping[str, str]) -> dict[str, Any]:
    """Return counts by operator, module and language."""
    mutants = [row for row in rows if row.kind == "mutant" and not row.unmeasured]
    return {
        "operators": {name: _counts(found, reasons) for name, found in _by(mutants, "operator")},
        "modules": {name: _counts(found, reasons) for name, found in _by(mutants, "module")},
        "languages": {name: _counts(found, reasons) for name, found in _by(mutants, "language")},
        "all": _counts(mutants, reasons),
        "references": _kind(rows, "reference"),
        "made": _kind(rows, "made"),
    }


def _by(rows: list[Row], name: str) -> list[tuple[str, list[Row]]]:
    values = sorted({getattr(row, name) for row in rows})
    return [(value, [row for row in rows if getattr(row, name) == value]) for value in values]


def _counts(rows: list[Row], reasons: Mapping[str, str]) -> dict[str, int]:
    built = [row for row in rows if row.unbuilt < row.judged]
    wrong = [row for row in built if row.id not in reasons]
    unseen = [row for row in built if reasons.get(row.id, "").startswith(NEEDS_GPU)]
    return {
        "mutants": len(built),
        "unbuilt": len(rows) - len(built),
        "needs_gpu": len(unseen),
        "right": len(built) - len(wrong) - len(unseen),
        "wrong": len(wrong),
        "failed_each_time": sum(row.passed == 0 for row in wrong),
        "passed_sometimes": sum(0 < row.passed < row.judged for row in wrong),
        "passed_each_time": sum(row.passed == row.judged for row in wrong),
        "judgings": sum(row.judged for row in built),
    }


def _kind(rows: Iterable[Row], kind: str) -> dict[str, int]:
    found = [row for row in rows if row.kind == kind]
    return {
        "answers": len(found),
        "judgings": sum(row.judged for row in found),
        "passed": sum(row.passed for row in found),
    }


def table(result: Mapping[str, Any]) -> str:
    """Format the counts as text."""
    heads = (
        "mutants",
        "right",
        "wrong",
        "failed_each_time",
        "passed_sometimes",
        "passed_each_time",
    )
    lines = [f"{'':26}" + "".join(f"{head.replace('_', ' '):>18}" for head in heads)]
    for group in ("operators", "languages", "modules"):
        for name, counts in (*result[group].items(), ("", None)):
            if counts is not None:
                lines.append(f"{name:26}" + "".join(f"{counts[head]:>18}" for head in heads))
        lines.append("")
    lines.append(f"{'all':26}" + "".join(f"{result['all'][head]:>18}" for head in heads))
    for kind in ("references", "made"):
        counts = result[kind]
        lines.append(
            f"{kind}: {counts['answers']}, passed {counts['passed']} of {counts['judgings']}"
        )
    return "\n".join(lines)


class Kept:
    """The rows in the result file. reasons: why a mutant is right, by its id."""

    def __init__(self, reasons: Mapping[str, str]) -> None:
        self.reasons = reasons
        text = RESULT.read_text(encoding="utf-8") if RESULT.exists() else '{"answers": []}'
        self.answers: dict[str, dict[str, Any]] = {
            row["id"]: {**row, "why_right": reasons.get(row["id"], "")}
            for row in json.loads(text)["answers"]
        }

    def rows(self) -> dict[str, Row]:
        """Return the rows that were judged with the present code, by id."""
        names = {part.name for part in fields(Row)}
        found: dict[str, Row] = {}
        for kept in self.answers.values():
            if kept["code"] == measured_code(kept["module"]):
                said: Any = {name: value for name, value in kept.items() if name in names}
                said["shown"] = tuple(kept["shown"])
                found[kept["id"]] = Row(**said)
        return found

    def add(self, row: Row) -> None:
        """Rewrite the file with this row, without the task's rows of earlier code."""
        code, today = measured_code(row.module), datetime.now(UTC).date().isoformat()
        told = {name: value for name, value in asdict(row).items() if name != "seeds"}
        told |= {"why_right": self.reasons.get(row.id, ""), "code": code, "date": today}
        same = (row.module, row.task)
        self.answers = {
            name: kept
            for name, kept in self.answers.items()
            if (kept["module"], kept["task"]) != same or kept["code"] == code
        }
        self.answers[row.id] = {**told, "by": measured_by()}
        answers = sorted(self.answers.values(), key=lambda kept: kept["id"])
        document = {"device": device_name(), "date": today}
        _write(RESULT, {**document, "answers": answers})
        _write(recorded.FOLDER / RESULT.name, {**document, "rows": by_task(answers)})


def by_task(kept: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return counts for candidates' reports: of each task's wrong mutants, how many passed."""
    rows: list[dict[str, Any]] = []
    for name in sorted({f"{row['module']}.{row['task']}" for row in kept}):
        wrong = [
            row
            for row in kept
            if f"{row['module']}.{row['task']}" == name
            and row["kind"] == "mutant"
            and not row["why_right"]
            and row["unbuilt"] < row["judged"]
        ]
        if wrong:
            counts = {
                "wrong": len(wrong),
                "passed": sum(row["passed"] > 0 for row in wrong),
                "judgings": sum(row["judged"] for row in wrong),
            }
            rows.append({"task": name, **counts, **{k: wrong[0][k] for k in ("code", "date")}})
    return rows


def _write(path: Path, document: Mapping[str, Any]) -> None:
    text = json.dumps(document, indent=1, ensure_ascii=False)
    path.write_text(f"{text}\n", encoding="utf-8")


def outcome(row: Row) -> str:
    """Summarize a row in one line."""
    failed = ", ".join(f"{count}× {check}" for check, count in row.by_check.items())
    return f"{row.id}: passed {row.passed} of {row.judged}; failed {failed or 'nothing'}"


def say(text: str) -> None:
    """Print progress to standard error."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
