"""Do candidates' variants of a module ask the same of everybody?

    python tests/benchmarks/variants.py fused_softmax profile_training_loop --variants 50 --keep

Each variant is drawn as for a pack. In each, the reference must get the verdicts that it gets in
the plain module, and so must every wrong answer, on its own check and those before it. The next
candidate's reference and the public solution, with this candidate's names, must fail every task
that a choice affects. Checks that measure speed or need a GPU are left out: this benchmark says
nothing about levels. Prints a table; `--keep` writes the rows of these tasks to
graders/hotloop/takehome/recorded/variants.json, which candidates' reports quote, whatever the
results, but never replaces a row of more variants. Fifty variants of all tasks take hours: with
`--notes FILE` each one is noted when it is done, and another call resumes there, as long as judge,
checks and solutions are the same. So does a call whose `--first` is the number of variants in the
stored row: its results are added. `--missing` judges nothing and lists the tasks without a row, or
with one of earlier code. Exit code 1 if a verdict was wrong.
"""

import argparse
import hashlib
import json
import sys
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hotloop.author.evidence import measured_by
from hotloop.core import paths
from hotloop.core.variant import Value
from hotloop.judge.client import JudgeProcess
from hotloop.judge.device import device_name
from hotloop.takehome import recorded
from hotloop.takehome.quality import counts
from hotloop.tasks import curriculum, render
from hotloop.tasks.curriculum import Task
from hotloop.tasks.local_judging import judge_submission
from hotloop.tasks.measured_code import measured_code
from hotloop.tasks.reference_files import VARIANTS
from hotloop.tasks.variants import Variant, draw, plain, same_answers
from hotloop.tasks.variants.form import form_of

RESULT = recorded.FOLDER / "variants.json"
SECRET = bytes(range(32))
FAILED = {"wrong_answer", "runtime_error"}
"""Accepted verdicts of an answer to another variant's question."""

SHARES = (
    "reference_as_in_the_plain_module",
    "wrong_answers_as_in_the_plain_module",
    "another_candidates_answer_fails",
    "public_solution_fails",
)
SHOWN = ("task", "choices", *SHARES)
NONE = "—"
SAME = ("code", "by")
"""Keys that must be equal to add a row to another one."""

Verdicts = Mapping[str, str]
"""By check."""


@dataclass(frozen=True)
class Trial:
    """One submission to one task. checks: those that are judged.

    what: reference, a wrong answer's name, `another candidate` or `public solution`.
    """

    task: str
    what: str
    submission: Variant
    checks: tuple[str, ...]
    wrong: Path | None = None


def main() -> None:
    """Judge and print; with --keep, write the rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="*", help="all of them, if none is named")
    parser.add_argument("--variants", type=int, default=50)
    parser.add_argument("--first", type=int, default=0, help="number of the first variant")
    parser.add_argument("--tasks", nargs="*", help="only these")
    parser.add_argument("--workers", type=int, default=2, help="judges at once")
    parser.add_argument("--notes", type=Path, help="what is done already, one variant a line")
    parser.add_argument("--keep", action="store_true", help=f"write {RESULT.name}")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--missing", action="store_true", help="list what is not shown yet")
    arguments = parser.parse_args()
    modules = arguments.modules or [module.id for module in curriculum.modules()]
    if arguments.missing:
        print("\n".join(missing(modules)))
        return
    with ThreadPoolExecutor(arguments.workers) as pool:
        benches = [
            Bench(module, arguments.tasks, pool, arguments.workers, arguments.notes)
            for module in modules
        ]
        numbers = range(arguments.first, arguments.first + arguments.variants)
        rows = [row for bench in benches for row in bench.rows(numbers)]
        complaints = [text for bench in benches for text in bench.complaints]
        for bench in benches:
            bench.close()
    result = {
        "format": 2,
        "seconds": round(sum(bench.seconds for bench in benches)),
        "rows": [{**row, **_when(arguments.first, arguments.variants)} for row in rows],
        "complaints": complaints,
    }
    print(json.dumps(result, indent=2) if arguments.json else table(result))
    if arguments.keep:
        keep(result["rows"])
    sys.exit(bool(complaints))


def _when(first: int, variants: int) -> dict[str, Any]:
    date = datetime.now(UTC).date().isoformat()
    return {"first": first, "variants": variants, "date": date, "by": measured_by()}


def keep(rows: Iterable[Mapping[str, Any]]) -> None:
    """Write the file that reports read."""
    RESULT.write_text(json.dumps(kept(rows), indent=2) + "\n", encoding="utf-8")


def kept(rows: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the file's new contents: these rows, and its rows of other tasks."""
    found = shown()
    for new in rows:
        row = {key: value for key, value in new.items() if key != "first"}
        before = found.get(row["task"], {"variants": 0})
        if _goes_on(before, new):
            found[row["task"]] = {**row, **_sums(before, row)}
        elif new["first"] == 0 and row["variants"] >= before["variants"]:
            found[row["task"]] = row
    newest = max(row["date"] for row in found.values())
    rows = [found[task] for task in sorted(found)]
    return {"format": 2, "device": device_name(), "date": newest, "rows": rows}


def _goes_on(before: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    alike = all(row[key] == before.get(key) for key in SAME)
    return alike and row["first"] == before["variants"]


def _sums(before: Mapping[str, Any], row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the sums of both rows' counts."""
    sums: dict[str, Any] = {"variants": before["variants"] + row["variants"]}
    for key in SHARES:
        one, other = counts(before[key]), counts(row[key])
        sums[key] = share_of(one[0] + other[0], one[1] + other[1])
    return sums


def share_of(right: int, tried: int) -> str:
    """Format a share for a row."""
    return f"{right} of {tried}" if tried else NONE


def shown() -> dict[str, dict[str, Any]]:
    """Return the stored rows, by task."""
    before = json.loads(RESULT.read_text(encoding="utf-8"))["rows"] if RESULT.is_file() else []
    return {row["task"]: row for row in before}


def missing(modules: Iterable[str]) -> list[str]:
    """Return tasks that a choice affects and that have no row, or one of earlier code."""
    rows = shown()
    found: list[str] = []
    for module in modules:
        about = {task for choice in form_of(module).choices for task in choice.tasks}
        for task in curriculum.load_module(module).tasks:
            name = f"{module}.{task.id}"
            if task.id not in about or task.kind != "code" or not quick(task):
                continue
            if name not in rows:
                found.append(f"{name}: not shown yet")
            elif rows[name]["code"] != measured_code(module):
                found.append(f"{name}: shown with earlier code, {rows[name]['date']}")
    return found


class Bench:
    """A module's trials, with judges that are reused."""

    def __init__(
        self,
        module: str,
        tasks: Sequence[str] | None,
        pool: ThreadPoolExecutor,
        judges: int,
        notes: Path | None,
    ) -> None:
        found = curriculum.load_module(module)
        self.module = module
        self.tasks = [
            task for task in found.tasks if task.kind == "code" and (not tasks or task.id in tasks)
        ]
        self.complaints: list[str] = []
        self.seconds = 0.0
        self._pool = pool
        self._judges = [JudgeProcess() for _ in range(judges)]
        self._free = list(self._judges)
        self._choices = form_of(module).choices
        self._notes = notes
        self._plain: dict[tuple[str, str], Verdicts] = {}

    def close(self) -> None:
        """End the judges."""
        for judge in self._judges:
            judge.close()

    def rows(self, numbers: Iterable[int]) -> list[dict[str, Any]]:
        """Return one row per task: how many of its trials had the required verdicts."""
        right: Counter[tuple[str, str]] = Counter()
        tried: Counter[tuple[str, str]] = Counter()
        done = self._noted()
        for number in numbers:
            found = done.get(number) or self._tried(number)
            for task, kind, as_it_must_be in found["trials"]:
                tried[task, kind] += 1
                right[task, kind] += as_it_must_be
            self.complaints += found["complaints"]
            self.seconds += found["seconds"]
        return [self._row(task, right, tried) for task in self.tasks]

    def _tried(self, number: int) -> dict[str, Any]:
        """Run all trials of one variant."""
        wanted = self._verdicts_of_plain()
        started = time.monotonic()
        mine, other = (self._variant(n) for n in (number, number + 1))
        trials: list[tuple[str, str, bool]] = []
        complaints: list[str] = []

        def note(trial: Trial, kind: str, complaint: str | None) -> None:
            trials.append((trial.task, kind, complaint is None))
            if complaint is not None:
                where = f"{self.module}.{trial.task}, variant {number}, {trial.what}"
                complaints.append(f"{where}: {complaint}")
                say(complaints[-1])

        for trial, verdicts in self._judged(mine, self._own(mine)):
            want = wanted[trial.task, trial.what]
            alike = _folded(verdicts) == _folded(want)
            told = None if alike else f"{dict(verdicts)}, and not {dict(want)}"
            note(trial, "reference" if trial.wrong is None else "wrong", told)
        for trial, verdicts in self._judged(mine, self._strangers(mine, other)):
            failed = set(verdicts.values()) <= FAILED
            note(trial, trial.what, None if failed else f"{dict(verdicts)}: it must fail")
        seconds = round(time.monotonic() - started, 1)
        say(f"{self.module}, variant {number}: {seconds:.0f} s")
        found = {"seconds": seconds, "trials": trials, "complaints": complaints}
        if self._notes is not None:
            with self._notes.open("a", encoding="utf-8") as notes:
                notes.write(json.dumps({**self._key(), "number": number, **found}) + "\n")
        return found

    def _verdicts_of_plain(self) -> Mapping[tuple[str, str], Verdicts]:
        """Return the verdicts of the plain module's reference and wrong answers; judged once."""
        if not self._plain:
            mine = plain(self.module)
            for trial, verdicts in self._judged(mine, self._own(mine)):
                self._require_plain(trial, verdicts)
                self._plain[trial.task, trial.what] = verdicts
        return self._plain

    def _key(self) -> dict[str, Any]:
        """Return what a note is valid for. Notes of other code or other tasks are ignored."""
        code = f"{measured_code(self.module)} {measured_by()}"
        path = paths.solutions() / self.module / VARIANTS
        form = hashlib.sha256(path.read_bytes() if path.is_file() else b"").hexdigest()
        tasks = [task.id for task in self.tasks]
        return {"module": self.module, "code": f"{code} {form[:12]}", "tasks": tasks}

    def _noted(self) -> dict[int, dict[str, Any]]:
        if self._notes is None or not self._notes.is_file():
            return {}
        key = self._key()
        lines = map(json.loads, self._notes.read_text(encoding="utf-8").splitlines())
        return {n["number"]: n for n in lines if {k: n[k] for k in key} == key}

    def _variant(self, number: int) -> Variant:
        return draw(self.module, SECRET, f"candidate-{number}")

    def _own(self, variant: Variant) -> list[Trial]:
        """Return trials of the reference and the wrong answers, in the variant."""
        found = [
            Trial(task.id, "reference", variant, quick(task)) for task in self.tasks if quick(task)
        ]
        for wrong in render.wrong_answers(self.module):
            task = next((task for task in self.tasks if task.id == wrong.task), None)
            checks = () if task is None else quick(task)
            if wrong.check in checks:
                upto = checks[: checks.index(wrong.check) + 1]
                found.append(Trial(wrong.task, wrong.name, variant, upto, wrong.path))
        return found

    def _strangers(self, mine: Variant, other: Variant) -> list[Trial]:
        """Return trials of right answers to another variant, with this variant's names.

        If both variants ask the same, which a team is told, the other answer is right and left out.
        """
        about = {task for choice in self._choices for task in choice.tasks}
        alike = {"another candidate": same_answers(mine, other), "public solution": list[str]()}
        others: dict[str, Mapping[str, Value]] = {
            "another candidate": other.constants,
            "public solution": dict[str, Value](),
        }
        return [
            Trial(task.id, what, replace(mine, constants=constants), quick(task)[:1])
            for what, constants in others.items()
            for task in self.tasks
            if task.id in about and task.id not in alike[what] and quick(task)
        ]

    def _judged(self, asked: Variant, trials: Sequence[Trial]) -> list[tuple[Trial, Verdicts]]:
        verdicts = self._pool.map(lambda trial: self._verdicts(asked, trial), trials)
        return list(zip(trials, verdicts, strict=True))

    def _verdicts(self, asked: Variant, trial: Trial) -> Verdicts:
        files = render.submission(self.module, trial.wrong, trial.submission)
        judge = self._free.pop()
        try:
            records = judge_submission(
                files, self.module, [trial.task], trial.checks, judge=judge, variant=asked
            )
        finally:
            self._free.append(judge)
        return {check.check: str(check.verdict) for check in records[trial.task].checks}

    def _require_plain(self, trial: Trial, verdicts: Verdicts) -> None:
        """Raise SystemExit for a wrong verdict in the plain module: variants would show nothing."""
        *before, last = verdicts.values()
        good = {"passed", "not_measured"}
        if set(before) - good or (last == "passed" and trial.wrong is not None):
            raise SystemExit(f"plain {self.module}.{trial.task}, {trial.what}: {dict(verdicts)}")

    def _row(
        self, task: Task, right: Counter[tuple[str, str]], tried: Counter[tuple[str, str]]
    ) -> dict[str, Any]:
        def share(kind: str) -> str:
            return share_of(right[task.id, kind], tried[task.id, kind])

        return {
            "task": f"{self.module}.{task.id}",
            "choices": sum(task.id in choice.tasks for choice in self._choices),
            "reference_as_in_the_plain_module": share("reference"),
            "wrong_answers_as_in_the_plain_module": share("wrong"),
            "another_candidates_answer_fails": share("another candidate"),
            "public_solution_fails": share("public solution"),
            "code": measured_code(self.module),
        }


def quick(task: Task) -> tuple[str, ...]:
    """Return the checks that neither measure speed nor need a GPU."""
    return tuple(
        check.id for check in task.checks if check.threshold is None and not check.needs_gpu
    )


def _folded(verdicts: Verdicts) -> dict[str, str]:
    """Merge kinds of failure: an answer from uninitialized memory may raise or just be wrong."""
    return {check: "failed" if told in FAILED else told for check, told in verdicts.items()}


def table(result: Mapping[str, Any]) -> str:
    """Format the result as text."""
    heads = ("reference", "wrong answers", "another's", "public")
    lines = [f"{'task':44}{'':3}" + "".join(f"{head:>16}" for head in heads)]
    for row in result["rows"]:
        task, choices, *shares = (row[key] for key in SHOWN)
        lines.append(f"{task:44}{choices:3}" + "".join(f"{share:>16}" for share in shares))
        lines[-1] += f"{row['variants']:10} variants"
    lines.append(f"{result['seconds']} s")
    return "\n".join([*lines, *(result["complaints"] or ["All as it must be."])])


def say(text: str) -> None:
    """Print progress to standard error."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
