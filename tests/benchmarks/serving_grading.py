"""Judges submissions of triton_ensemble in a row: `python tests/benchmarks/serving_grading.py`.

    levels   the reference's task `tune`, again and again: does a verdict ever flip?
    row      submissions one after the other, right, wrong and untouched: what does a server leave?
    whole    one whole submission, every task: how long does it take?

Counted before and after as in serving_leaks.py: processes, ports, shared memory, staged copies,
control groups.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from typing import Any

from serving_leaks import remains

from hotloop import curriculum, render
from hotloop.core.record import Record
from hotloop.judge.client import JudgeProcess
from hotloop.local_judging import judge_submission

MODULE = "triton_ensemble"
WHOLE_TARGET_S = 90.0


def main() -> None:
    """Measure and print; exit code 1 when a verdict flips, something is left, or it is slow."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="*", default=["levels", "row", "whole"])
    parser.add_argument("--repeats", type=int, default=20)
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    ways = {"levels": levels, "row": row, "whole": whole}
    found = {name: ways[name](arguments.repeats) for name in arguments.what}
    if arguments.json:
        print(json.dumps(found, indent=2))
    sys.exit(any(not result["fine"] for result in found.values()))


def levels(repeats: int) -> dict[str, Any]:
    """Verdicts and ratios of the reference's measured rungs."""
    verdicts: dict[str, Counter[str]] = {"throughput": Counter(), "alone": Counter()}
    ratios: dict[str, list[list[float]]] = {"throughput": [], "alone": []}
    files = render.submission(MODULE)
    with JudgeProcess() as judge:
        for number in range(repeats):
            record = judge_submission(files, MODULE, ["tune"], judge=judge)["tune"]
            for name in verdicts:
                rung = record.rung(name)
                verdicts[name][str(rung.verdict)] += 1
                if "interval" in rung.evidence:
                    ratios[name].append([rung.evidence["ratio"], *rung.evidence["interval"]])
            say(f"levels {number + 1}/{repeats}: {told(record)}")
    fine = all(set(counts) == {"passed"} for counts in verdicts.values())
    return {"fine": fine, "verdicts": verdicts, "ratios": ratios}


def row(repeats: int) -> dict[str, Any]:
    """So many submissions, each judged in the task that it is about."""
    wrong = [answer for answer in render.wrong_answers(MODULE) if answer.task != "tune"]
    before = remains()
    with JudgeProcess() as judge:
        for number in range(repeats):
            answer = wrong[number % len(wrong)]
            files = render.submission(MODULE, answer.path)
            record = judge_submission(files, MODULE, [answer.task], judge=judge)[answer.task]
            say(f"row {number + 1}/{repeats}: {answer.name}: {told(record)}")
        right = judge_submission(render.submission(MODULE), MODULE, ["repository_layout"])
        say(f"row: and the reference: {told(right['repository_layout'])}")
    after = remains()
    left = {kind: sorted(set(after[kind]) - set(before[kind])) for kind in after}
    say(f"row: left behind: {left}")
    return {"fine": not any(left.values()), "left": left}


def whole(_repeats: int) -> dict[str, Any]:
    """Every code task of the reference."""
    tasks = [task.id for task in curriculum.load_module(MODULE).tasks if task.kind == "code"]
    seconds: dict[str, float] = {}
    with JudgeProcess() as judge:
        for task in tasks:
            started = time.monotonic()
            record = judge_submission(render.submission(MODULE), MODULE, [task], judge=judge)[task]
            seconds[task] = round(time.monotonic() - started, 1)
            say(f"whole: {task}: {seconds[task]} s: {told(record)}")
    total = round(sum(seconds.values()), 1)
    say(f"whole: {total} s (asked: at most {WHOLE_TARGET_S:g})")
    return {"fine": total <= WHOLE_TARGET_S, "seconds": seconds, "total": total}


def told(record: Record) -> str:
    """Every rung's verdict, with its ratio where it has one."""
    rungs: list[str] = []
    for rung in record.rungs:
        ratio = f" {rung.evidence['ratio']:.2f}" if "ratio" in rung.evidence else ""
        rungs.append(f"{rung.rung} {rung.verdict}{ratio}")
    return ", ".join(rungs)


def say(text: str) -> None:
    """Progress, beside the result."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
