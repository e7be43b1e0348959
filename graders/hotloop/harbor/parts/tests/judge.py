"""Judges a folder and writes the reward. The folder's code runs in a sandbox, not here."""

import json
import sys
from pathlib import Path

from hotloop import curriculum
from hotloop.local_judging import judge_folder
from hotloop.problem import settle


def main() -> int:
    """Return the exit code: 0 if a reward was written, 3 if nothing could be measured."""
    work, reward = map(Path, sys.argv[1:])
    asked = json.loads((Path(__file__).parent / "asked.json").read_text(encoding="utf-8"))
    record = judge_folder(work, asked["module"], [asked["task"]])[asked["task"]]
    score = settle(curriculum.load_module(asked["module"]), asked["task"], record)
    reward.mkdir(parents=True, exist_ok=True)
    (reward / "record.json").write_text(json.dumps(record.to_json(), indent=1), encoding="utf-8")
    print(f"{record.verdict}: {record.sentence}")
    measured = score.possible - score.pending
    if not measured:
        return 3
    (reward / "reward.txt").write_text(f"{score.points / measured:.6f}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
