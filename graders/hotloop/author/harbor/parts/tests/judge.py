"""Judges a folder and writes the reward. The folder's code runs in a sandbox, not here.

The reward is the share of the points of the checks that asked.json asks for. What a check leaves
undecided after a second look earns nothing: else an answer could be rewarded for being slow in a
way that is hard to measure. If the machine cannot judge a check, there is no reward.
"""

import json
import sys
from collections.abc import Iterable
from pathlib import Path

from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.tasks import curriculum
from hotloop.tasks.judged_again import settled
from hotloop.tasks.local_judging import judge_folder
from hotloop.verdicts import words as verdict_words


def main() -> int:
    """Return the exit code: 0 if a reward was written, 3 if there is none."""
    work, reward = map(Path, sys.argv[1:])
    asked = json.loads((Path(__file__).parent / "asked.json").read_text(encoding="utf-8"))
    module, on_gpu = asked["module"], asked.get("gpu", False)
    task = curriculum.load_module(module).task(asked["task"])

    def judged(checks: Iterable[str] | None = None) -> Record:
        device = "" if on_gpu else "cpu"
        return judge_folder(work, module, [task.id], checks, device=device)[task.id]

    record = settled(judged(), judged)
    reward.mkdir(parents=True, exist_ok=True)
    (reward / "record.json").write_text(json.dumps(record.to_json(), indent=1), encoding="utf-8")
    results = {check.check: check for check in record.checks}
    checks = [check for check in task.checks if on_gpu or not check.needs_gpu]
    earned = 0.0
    for check in checks:
        result = results.get(check.id)
        if result is None or result.verdict in {Verdict.NOT_MEASURED, Verdict.JUDGE_ERROR}:
            why = record.sentence if result is None else f"{result.verdict}: {result.sentence}"
            print(f"No reward, as this machine did not judge {check.id}: {why}")
            return 3
        said = verdict_words.INSTRUMENTED if result.instrumented else ""
        print(f"{check.id}: {result.verdict}{said}: {result.sentence}")
        earned += result.earned * check.points
    share = earned / sum(check.points for check in checks)
    (reward / "reward.txt").write_text(f"{share:.6f}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
