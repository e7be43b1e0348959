"""How often do similarity signals point at honest work, and how often at disguised copies?

    python tests/benchmarks/similarity.py [--judge]

Two tasks, each with right solutions that were written independently, in clearly different ways
(tests/benchmarks/independent), and the published reference. A false alarm is a pair of them that a
report would call alike. A copy is one of them with other names, functions and statements in another
order, another layout, and padding. The threshold was chosen on the first task and holds on the
second. Few people wrote the solutions: take the figures as a lower bound of what honest candidates
have in common. Beside these two, all tasks with right answers in tests/right are measured, each
answer against the others and the published one; reports quote the row of the task that they show.
`--judge` has the judge confirm that every solution, and every copy in its heaviest
disguise, is right. Prints a table and writes graders/hotloop/takehome/recorded/similarity.json.

Pairs share solutions, so they are not independent. The intervals are therefore as wide as for the
largest number of disjoint pairs, and for copies as for one per solution.
"""

import argparse
import json
import random
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1]))

from likeness.disguises import DISGUISES, all_and_padded
from right.answers import right_answers

from hotloop.core.intervals import Interval, rate_interval
from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.course.alike.likeness import (
    MODERATE,
    STRONG,
    Likeness,
    Print,
    likeness,
    print_of,
)
from hotloop.course.alike.parts import language_of, parts
from hotloop.judge.client import JudgeProcess
from hotloop.judge.device import device_name
from hotloop.takehome import recorded
from hotloop.takehome.integrity.similarity import published_code
from hotloop.tasks import render
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.local_judging import judge_submission
from hotloop.tasks.markers import parse, regions
from hotloop.tasks.notebook_cells import cells

HERE = Path(__file__).parent
REFERENCE = "reference"


@dataclass(frozen=True)
class Subject:
    """A task whose solutions are compared. entry: the function that is judged."""

    module: str
    task: str
    entry: str

    @property
    def cell(self) -> str:
        return f"{self.task}_solution"

    def starter(self) -> str:
        return self._cell(render.untouched(self.module))

    def solutions(self) -> dict[str, str]:
        """The solutions by name, including the published reference."""
        found = {
            path.stem: path.read_text(encoding="utf-8")
            for path in sorted((HERE / "independent" / self.task).glob("*.py"))
        }
        return {**found, REFERENCE: self._cell(render.submission(self.module))}

    def handed_in(self, text: str) -> dict[str, bytes]:
        """Return the reference's files with this text in the task's cell."""
        files = dict(render.submission(self.module))
        notebook = json.loads(files["lab.ipynb"])
        for cell in notebook["cells"]:
            if cell["metadata"].get("nbgrader", {}).get("grade_id") == self.cell:
                cell["source"] = text
        return {**files, "lab.ipynb": json.dumps(notebook).encode()}

    def _cell(self, files: Any) -> str:
        return next(c.source for c in cells(files["lab.ipynb"]) if c.grade_id == self.cell)


SUBJECTS = (
    Subject("fused_softmax", "online_pass", "online_softmax"),
    Subject("profile_training_loop", "read_trace", "answers"),
)
CHOSEN_ON = SUBJECTS[0].task
"""The task on which the threshold was chosen; its row is no evidence of the rate."""


@dataclass(frozen=True)
class Compared:
    """The result of one pair. how: `independent`, or the disguise."""

    task: str
    first: str
    second: str
    how: str
    likeness: Likeness


def compare(subject: Subject, seed: int) -> Iterator[Compared]:
    """Compare all pairs of independent solutions, and each solution with its copies."""
    starter = [subject.starter()]
    texts = subject.solutions()
    prints = {name: print_of(text, "python", starter) for name, text in texts.items()}
    for first, second in combinations(texts, 2):
        found = likeness(prints[first], prints[second])
        if found is not None:
            yield Compared(subject.task, first, second, "independent", found)
    for name, text in texts.items():
        for how, disguise in DISGUISES.items():
            copy = disguise(text, subject.entry, random.Random(f"{seed} {name} {how}"))
            found = likeness(prints[name], print_of(copy, "python", starter))
            if found is not None:
                yield Compared(subject.task, name, name, how, found)


def row(task: str, found: list[Compared]) -> dict[str, Any]:
    """Return false alarms and detections of one task, at the package's threshold."""
    apart = [one for one in found if one.how == "independent"]
    copies = [one for one in found if one.how != "independent"]
    alarms = sum(one.likeness.score >= MODERATE for one in apart)
    caught = sum(one.likeness.score >= MODERATE for one in copies)
    solutions = len({name for one in apart for name in (one.first, one.second)})
    disjoint = solutions // 2
    alarm_rate = clustered(alarms, len(apart), disjoint)
    caught_rate = clustered(caught, len(copies), solutions)
    return {
        "task": task,
        "bound_chosen_here": task == CHOSEN_ON,
        "solutions": solutions,
        "independent_pairs": len(apart),
        "disjoint_pairs": disjoint,
        "false_alarms": alarms,
        "false_alarm_upper": round(alarm_rate.high, 3) if alarm_rate else 1.0,
        "most_alike": round(max(one.likeness.score for one in apart), 3),
        "disguised_copies": len(copies),
        "detected": caught,
        "detected_lower": round(caught_rate.low, 3) if caught_rate else 0.0,
        "least_alike": round(min(one.likeness.score for one in copies), 3),
    }


def clustered(hits: int, trials: int, independent: int) -> Interval | None:
    """Return the interval of a rate with dependent trials, as wide as for the independent ones.

    A mean over all pairs is a mean over the ways to choose disjoint pairs, each a mean of
    independent trials, and varies no more than one such mean (Hoeffding 1963, section 5).
    """
    return rate_interval(hits / trials * independent, independent)


def of_right_answers() -> list[dict[str, Any]]:
    """Return how alike the right answers to each task are, the published one among them."""
    by_task: defaultdict[tuple[str, str], list[Print]] = defaultdict(list)
    for answer in right_answers():
        language = language_of(answer.path.name)
        if language is None:
            continue
        text = answer.path.read_text(encoding="utf-8")
        body = "\n".join(line for one in regions(parse(text, "")) for line in one.body)
        given = parts(render.untouched(answer.module), load_module(answer.module), [answer.task])
        starter = [part.text for part in given if part.language == language]
        by_task[answer.module, answer.task].append(print_of(body, language, starter))
    for subject in SUBJECTS:
        texts = [text for name, text in subject.solutions().items() if name != REFERENCE]
        by_task[subject.module, subject.task] += [
            print_of(text, "python", [subject.starter()]) for text in texts
        ]
    rows: list[dict[str, Any]] = []
    for (module, task), prints in sorted(by_task.items()):
        given = parts(render.untouched(module), load_module(module), [task])
        published = [
            one for kind, _, _, one in published_code(module, [task], given) if kind == "solution"
        ]
        found = [
            both.score
            for first, second in combinations([*prints, *published], 2)
            if (both := likeness(first, second)) is not None
        ]
        if found:
            rows.append(
                {
                    "module": module,
                    "task": task,
                    "answers": len(prints) + len(published),
                    "pairs": len(found),
                    "false_alarms": sum(score >= MODERATE for score in found),
                    "strong": sum(score >= STRONG for score in found),
                    "most_alike": round(max(found), 3),
                }
            )
    return rows


def wrong_ones(subject: Subject, seed: int) -> list[str]:
    """Return the solutions and heavily disguised copies that the judge does not pass."""
    checks = [r.id for r in load_module(subject.module).task(subject.task).checks if r.id != "own"]
    found: list[str] = []
    with JudgeProcess() as judge:
        for name, text in subject.solutions().items():
            rng = random.Random(f"{seed} {name} all of these, and padded")
            copy = all_and_padded(text, subject.entry, rng)
            for what, tried in ((name, text), (f"{name}, disguised", copy)):
                records = judge_submission(
                    subject.handed_in(tried), subject.module, [subject.task], checks, judge=judge
                )
                record = records[subject.task]
                print(f"{subject.task}: {what}: {record.sentence}", file=sys.stderr)
                if not _passed(record):
                    found.append(f"{subject.task}: {what}: {record.sentence}")
    return found


def _passed(record: Record) -> bool:
    return all(check.verdict is Verdict.PASSED for check in record.checks)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--judge", action="store_true", help="confirm that all of them are right")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=recorded.FOLDER / "similarity.json")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.judge:
        wrong = [line for subject in SUBJECTS for line in wrong_ones(subject, options.seed)]
        if wrong:
            sys.exit("\n".join(["These are not right:", *wrong]))
    by_task = {s.task: list(compare(s, options.seed)) for s in SUBJECTS}
    everything = [one for found in by_task.values() for one in found]
    rows = [row(task, found) for task, found in by_task.items()]
    document = {
        "device": device_name(),
        "date": time.strftime("%Y-%m-%d"),
        "bound": MODERATE,
        "rows": rows,
        "by_task": of_right_answers(),
        "by_disguise": [{"disguise": how, **_detected(everything, how)} for how in DISGUISES],
    }
    text = json.dumps(document, indent=1) + "\n"
    options.out.write_text(text)
    if options.json:
        print(text)
        return
    print(" | ".join(rows[0]))
    for each in rows:
        print(" | ".join(map(str, each.values())))
    for each in (*document["by_task"], *document["by_disguise"]):
        print(" | ".join(map(str, each.values())))


def _detected(found: list[Compared], how: str) -> dict[str, Any]:
    copies = [one.likeness.score for one in found if one.how == how]
    detected = sum(score >= MODERATE for score in copies)
    return {"copies": len(copies), "detected": detected, "least_alike": round(min(copies), 3)}


if __name__ == "__main__":
    main()
