"""Do the same submissions get the same verdicts: `python tests/benchmarks/three_times_alike.py`.

Grades two sets three times, from scratch each time: the demo's submissions of fused_softmax (the
reference, the untouched exercise, wrong answers and cheats), and a class of array_warmup, which has
no speed tasks. Compares every check's verdict and share of its points. They must be the same,
except that a check of speed may be `undecided`, which is pending, if the measured interval
contained a level. Its other verdicts must agree.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from array_warmup import lab
from staged.clone import Clone, hand_in, make, whole

from hotloop.judge.device import device_name

RESULTS = Path(__file__).parent / "results" / "three_times_alike.json"
MEASURED = "fused_softmax"
UNDECIDED = "undecided"
NOT_THERE = ("not there", 0.0)

CheckKey = tuple[str, str, str]
"""Learner, task and check."""
Verdicts = Mapping[CheckKey, tuple[str, float]]
"""The verdict of each check, and the share of its points."""


@dataclass(frozen=True)
class Difference:
    """A check whose results differ. explained: one of them was an undecided speed."""

    check: CheckKey
    got: tuple[tuple[str, float], ...]
    explained: bool

    def __str__(self) -> str:
        got = ", ".join(f"{verdict} {earned:g}" for verdict, earned in self.got)
        return f"{' '.join(self.check)}: {got}"


def main() -> None:
    """Grade, compare, print; exit code 1 if a difference is not explained."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--learners", type=int, default=60, help=f"of the class of {lab.MODULE}")
    parser.add_argument("--only", choices=(MEASURED, lab.MODULE), help="this module alone")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help=f"write {RESULTS.name}")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--grade", type=Path, metavar="COURSE", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.grade:
        grade_once(arguments)
        return
    modules = [arguments.only] if arguments.only else [MEASURED, lab.MODULE]
    with tempfile.TemporaryDirectory(prefix="hotloop-alike-") as folder:
        result = document([Class(module, Path(folder), arguments) for module in modules], arguments)
    if arguments.keep:
        RESULTS.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1) if arguments.json else table(result))
    sys.exit(not result["as_it_must_be"])


class Class:
    """The submissions of one module, graded several times, each time in a process of its own."""

    def __init__(self, module: str, folder: Path, arguments: argparse.Namespace) -> None:
        self.module = module
        self._folder = folder / module
        self._folder.mkdir(mode=0o755)
        root = self._folder / "clone"
        clone = whole(root) if module == MEASURED else make(root)
        answers = [self._graded(clone, number, arguments) for number in range(arguments.times)]
        self.isolation = str(answers[0]["isolation"])
        self.problems = [f"{key}: {text}" for one in answers for key, text in one["problems"]]
        self.gradings = [
            {(s, t, r): (verdict, earned) for s, t, r, verdict, earned in one["verdicts"]}
            for one in answers
        ]
        speed = {(task, check) for task, check in answers[0]["speed"]}
        self.differences = differences(self.gradings, speed)

    def row(self) -> dict[str, Any]:
        """Return a row of the table."""
        explained = sum(one.explained for one in self.differences)
        checks = {check for grading in self.gradings for check in grading}
        return {
            "module": self.module,
            "submissions": len({student for student, _, _ in checks}),
            "checks": len(checks),
            "alike": len(checks) - len(self.differences),
            "differed_where_undecided": explained,
            "differed": len(self.differences) - explained,
        }

    def _graded(self, clone: Clone, number: int, arguments: argparse.Namespace) -> dict[str, Any]:
        began = time.monotonic()
        answer = self._folder / f"answer-{number}.json"
        log = self._folder / "log"
        own = ("--grade", str(self._folder / "course"), "--only", self.module)
        sizes = ("--jobs", str(arguments.jobs), "--learners", str(arguments.learners))
        with answer.open("wb") as answered, log.open("wb") as logged:
            done = subprocess.run(
                [sys.executable, "-W", "ignore", __file__, *own, *sizes],
                env=clone.environment(),
                stdin=subprocess.DEVNULL,
                stdout=answered,
                stderr=logged,
                check=False,
            )
        if done.returncode:
            raise SystemExit(f"the grader failed:\n{log.read_text(errors='replace')[-3000:]}")
        say(f"{self.module}, time {number + 1}: {time.monotonic() - began:.0f} s")
        return json.loads(answer.read_text().splitlines()[-1])


def differences(
    gradings: Sequence[Verdicts], speed: Collection[tuple[str, str]]
) -> list[Difference]:
    """Return the checks whose results differ. speed: task and check of those that measure speed."""
    found: list[Difference] = []
    for check in sorted({check for grading in gradings for check in grading}):
        got = tuple(grading.get(check, NOT_THERE) for grading in gradings)
        if len(set(got)) == 1:
            continue
        settled = {one for one in got if one[0] != UNDECIDED}
        found.append(Difference(check, got, check[1:] in speed and len(settled) == 1))
    return found


def document(classes: Sequence[Class], arguments: argparse.Namespace) -> dict[str, Any]:
    """Return the recorded document."""
    differing = [one for each in classes for one in each.differences]
    problems = [problem for each in classes for problem in each.problems]
    return {
        "device": device_name(),
        "date": datetime.now(UTC).date().isoformat(),
        "times": arguments.times,
        "gradings_at_once": arguments.jobs,
        "isolation": classes[0].isolation,
        "as_it_must_be": not problems and all(one.explained for one in differing),
        "rows": [each.row() for each in classes],
        "explained": [str(one) for one in differing if one.explained],
        "unexplained": [str(one) for one in differing if not one.explained],
        "problems": problems,
    }


def table(result: Mapping[str, Any]) -> str:
    """Format the result as text."""
    lines = [
        f"{row['module']}: {row['submissions']} submissions, {row['checks']} checks: "
        f"{row['alike']} alike, {row['differed_where_undecided']} undecided at times, "
        f"{row['differed']} different"
        for row in result["rows"]
    ]
    lines += [f"undecided at times: {text}" for text in result["explained"]]
    lines += [f"DIFFERENT: {text}" for text in result["unexplained"]]
    return "\n".join([*lines, *result["problems"]])


def say(text: str) -> None:
    """Print progress to standard error."""
    print(text, file=sys.stderr, flush=True)


# --- in the clone, in a process of its own --------------------------------------------------------


def grade_once(arguments: argparse.Namespace) -> None:
    """Grade the course, which is created the first time; print the result of each check."""
    from hotloop.author.demo import hand_ins
    from hotloop.course.attempts.store import store
    from hotloop.course.grade import grade
    from hotloop.course.isolation import choose
    from hotloop.course.prepare import prepare
    from hotloop.tasks import curriculum

    root, module = arguments.grade, arguments.only
    handed_in, missing = hand_ins(everything=True) if module == MEASURED else ([], [])
    if not root.exists():
        prepare(root, [module])
        for each in handed_in:
            (root / "submitted" / each.student / module).mkdir(parents=True)
            each.write(root / "submitted" / each.student / module)
        if not handed_in:
            hand_in(root, [f"learner_{number:03}" for number in range(arguments.learners)])
    asked = {each.student: each.tasks for each in handed_in if each.tasks}
    graded = grade(root, tasks=asked, jobs=arguments.jobs, again=True, feedback=False)
    verdicts: list[tuple[str, str, str, str, float]] = []
    for student in sorted({result.student for result in graded.results}):
        grading = store(root).published(student, module)
        for task, record in sorted(grading.records.items() if grading else ()):
            verdicts += [(student, task, r.check, r.verdict.value, r.earned) for r in record.checks]
    tasks = curriculum.load_module(module).tasks
    answer = {
        "isolation": choose().name,
        "verdicts": verdicts,
        "speed": [(t.id, r.id) for t in tasks for r in t.checks if r.threshold is not None],
        "problems": [*graded.problems.items(), *(("missing", text) for text in missing)],
    }
    print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
