"""How long one whole grading takes: `python tests/benchmarks/whole_grading.py MODULE…`.

The reference's tasks, one after the other with one judge, as nbgrader would have them judged. What
this machine lacks is not measured, and takes no time.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import Any

from hotloop import curriculum, render
from hotloop.judge.client import JudgeProcess
from hotloop.local_judging import judge_submission

TARGET_S = 120.0
"""On two cores."""


def main() -> None:
    """Measure and print; exit code 1 when a module takes longer than it should."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="+")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    found = {module: whole(module) for module in arguments.modules}
    if arguments.json:
        print(json.dumps(found, indent=2))
    sys.exit(any(result["total"] > TARGET_S for result in found.values()))


def whole(module: str) -> dict[str, Any]:
    """Every code task of the reference: seconds, and what came of each rung."""
    tasks = [task.id for task in curriculum.load_module(module).tasks if task.kind == "code"]
    seconds: dict[str, float] = {}
    with JudgeProcess() as judge:
        for task in tasks:
            started = time.monotonic()
            record = judge_submission(render.submission(module), module, [task], judge=judge)[task]
            seconds[task] = round(time.monotonic() - started, 1)
            rungs = ", ".join(f"{rung.rung} {rung.verdict}" for rung in record.rungs)
            say(f"{module}.{task}: {seconds[task]} s: {rungs}")
    total = round(sum(seconds.values()), 1)
    say(f"{module}: {total} s (asked: at most {TARGET_S:g})")
    return {"seconds": seconds, "total": total}


def say(text: str) -> None:
    """Progress, beside the result."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
