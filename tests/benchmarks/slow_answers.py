"""Prints how long the judge takes to call an answer too slow that is N times too slow.

The answer is the honest softmax of `fused_softmax.compiled_chain`, with a sleep in each large call
that makes it N times as slow as the baseline of the check.

    python tests/benchmarks/slow_answers.py [TIMES ...]
"""

import argparse
import json
import time
from collections.abc import Mapping
from textwrap import dedent

from hotloop.core.record import JUDGING_SECONDS
from hotloop.judge.client import JudgeProcess
from hotloop.local_judging import judge_submission
from hotloop.notebook_cells import NOTEBOOK
from hotloop.render import untouched

MODULE, TASK, RUNGS = "fused_softmax", "compiled_chain", ["correct", "fast_cpu"]


def answer(times: float) -> Mapping[str, bytes]:
    """Return a submission whose large calls take `times` as long as its first ones."""
    code = f"""
    import time

    import torch

    usual_s = []


    def honest(x, out):
        z = x - x.amax(-1, keepdim=True)
        e = torch.exp(z)
        torch.div(e, e.sum(-1, keepdim=True), out=out)


    def softmax(x, out):
        started = time.perf_counter()
        honest(x, out)
        if x.numel() > 900_000:
            usual_s.append(time.perf_counter() - started)
            time.sleep({times - 1:g} * min(usual_s))
    """
    files = dict(untouched(MODULE))
    notebook = json.loads(files[NOTEBOOK])
    heading = f"### TASK {MODULE}.{TASK}"
    (cell,) = (each for each in notebook["cells"] if heading in "".join(each["source"]))
    cell["source"] = dedent(code)
    return {**files, NOTEBOOK: json.dumps(notebook).encode()}


def main() -> None:
    """Print a line for each number."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("times", nargs="*", type=float, default=[10, 20, 50, 200, 1000])
    with JudgeProcess() as judge:
        for times in parser.parse_args().times:
            started = time.monotonic()
            record = judge_submission(answer(times), MODULE, [TASK], RUNGS, judge=judge)[TASK]
            rung = record.rungs[-1]
            took_s = time.monotonic() - started
            check_s = rung.evidence[JUDGING_SECONDS]
            print(
                f"{times:g} times: {rung.verdict} in {took_s:.1f} s, {check_s:.1f} s of them for "
                f"the speed check. {rung.sentence}",
                flush=True,
            )


if __name__ == "__main__":
    main()
