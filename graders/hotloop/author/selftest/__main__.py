"""`python -m hotloop.author.selftest [--json FILE]`; works without the CLI's dependencies."""

import argparse
import json
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from hotloop.author.selftest.run import WAITING, exit_code, run
from hotloop.author.selftest.step_results import StepFailed
from hotloop.author.selftest.steps import STEPS
from hotloop.judge.lease import Lease


def main() -> int:
    """Run all steps, or one step in this process; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m hotloop.author.selftest")
    parser.add_argument("--json", type=Path, help="write what was found to this file")
    parser.add_argument("--step", type=int, help="only this one, in this process")
    arguments = parser.parse_args()
    if arguments.step is not None:
        step_result = look(arguments.step)
        print(json.dumps(step_result), flush=True)
        return int("broken" in step_result)
    results = run(lambda result: print(result.line(), flush=True), arguments.json)
    return exit_code(results)


def _say() -> None:
    print(WAITING, file=sys.stderr, flush=True)


def look(number: int) -> dict[str, Any]:
    """Run one step; return its result, or its failure and fix, as plain data."""
    step = STEPS[number]
    try:
        with Lease().exclusive(_say) if step.alone else nullcontext():
            result = step.look()
    except StepFailed as broken:
        return {"broken": broken.what, "fix": broken.fix, "figures": broken.figures}
    except Exception as error:  # noqa: BLE001 - a step that fails is a broken step
        return {
            "broken": f"{type(error).__name__}: {error}",
            "fix": f"`python -m hotloop.author.selftest --step {number}` shows it again",
        }
    return {"said": result.said, "figures": result.figures}


if __name__ == "__main__":
    sys.exit(main())
