"""Whether the inputs decide a verdict: `python tests/benchmarks/luck.py MODULE…`.

Each task's reference, and with `--wrong` each of its wrong answers too, is judged again and again
with inputs that nobody has seen. What is right must pass every time and what is wrong must fail
every time; speed is left out. Each verdict that is otherwise is printed with its seed, for
`hotloop check --seed`.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from typing import Any

from hotloop import curriculum, render
from hotloop.curriculum import Module, Task
from hotloop.judge.client import JudgeProcess
from hotloop.judge.local import judge_submission
from hotloop.judge.record import Record
from hotloop.judge.verdict import Verdict

MOST = 60
"""Judgings of one answer."""


def main() -> None:
    """Measure and print; exit code 1 when luck had a say."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("modules", nargs="+")
    parser.add_argument("--seconds", type=float, default=20.0, help="for each answer")
    parser.add_argument("--wrong", action="store_true", help="the wrong answers too")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    with JudgeProcess() as judge:
        given = answers(arguments.modules, wrong=arguments.wrong)
        rows = [repeated(*answer, arguments.seconds, judge) for answer in given]
    if arguments.json:
        print(json.dumps(rows, indent=2))
    lucky = sum(len(row["otherwise"]) for row in rows)
    say(f"{sum(row['judged'] for row in rows)} judgings, {lucky} of them otherwise")
    sys.exit(lucky > 0)


def answers(
    modules: list[str], *, wrong: bool
) -> Iterator[tuple[Module, Task, render.WrongAnswer | None]]:
    """A module, a task, and the wrong answer to it; None stands for the reference."""
    for name in modules:
        module = curriculum.load_module(name)
        for task in module.tasks:
            if task.kind == "code":
                yield module, task, None
        for given in render.wrong_answers(name) if wrong else ():
            yield module, module.task(given.task), given


def repeated(
    module: Module,
    task: Task,
    wrong: render.WrongAnswer | None,
    seconds: float,
    judge: JudgeProcess,
) -> dict[str, Any]:
    """Judge one answer for so many seconds, at least once."""
    rungs = untimed(task, wrong)
    files = render.submission(module.id, wrong.path if wrong else None)
    name = f"{module.id}.{task.id}" + (f" ({wrong.name})" if wrong else "")
    otherwise: list[dict[str, str]] = []
    started, judged = time.monotonic(), 0
    while rungs and judged < MOST and (not judged or time.monotonic() - started < seconds):
        record = judge_submission(files, module.id, [task.id], rungs, judge=judge)[task.id]
        judged += 1
        otherwise += unexpected(record, wrong.rung if wrong else "")
    say(f"{name}: {judged} judgings, {len(otherwise)} otherwise {otherwise[:2] or ''}")
    return {"answer": name, "judged": judged, "otherwise": otherwise}


def untimed(task: Task, wrong: render.WrongAnswer | None) -> list[str]:
    """The rungs that measure no speed, up to the one that the wrong answer fails."""
    rungs = [rung.id for rung in task.rungs if rung.threshold is None]
    if wrong is None:
        return rungs
    return rungs[: rungs.index(wrong.rung) + 1] if wrong.rung in rungs else []


def unexpected(record: Record, fails: str) -> list[dict[str, str]]:
    """Rungs that passed and should fail, or the other way round."""
    measured = [rung for rung in record.rungs if rung.verdict is not Verdict.NOT_MEASURED]
    return [
        {"rung": rung.rung, "sentence": rung.sentence, "seed": record.circumstances.seed}
        for rung in measured
        if (rung.verdict is Verdict.PASSED) is (rung.rung == fails)
    ]


def say(text: str) -> None:
    """Progress, beside the result."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
