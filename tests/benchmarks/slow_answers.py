"""Prints how long the judge takes to call an answer too slow that is N times too slow, or sleeps.

The answer is the honest softmax of `fused_softmax.compiled_chain`, with a sleep in each large call
that makes it N times as slow as the baseline of the check. The honest one is judged first: each
line says how much longer or shorter its verdict took, so a busy machine matters less.

    python tests/benchmarks/slow_answers.py [--times N ...] [--sleep SECONDS]
"""

import argparse
import json
import time
from collections.abc import Iterator, Mapping, Sequence

from hotloop.core.record import JUDGING_SECONDS
from hotloop.judge.client import JudgeProcess
from hotloop.tasks.local_judging import judge_submission
from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.tasks.render import untouched

MODULE, TASK, CHECKS = "fused_softmax", "compiled_chain", ["correct", "fast_cpu"]
TIMES = (20.0, 50.0, 200.0, 2000.0)

HONEST = """
import time

import torch

usual_s = []


def honest(x, out):
    z = x - x.amax(-1, keepdim=True)
    e = torch.exp(z)
    torch.div(e, e.sum(-1, keepdim=True), out=out)

"""
OF_USUAL_SPEED = """
def softmax(x, out):
    honest(x, out)
"""
TIMES_SLOWER = """
def softmax(x, out):
    honest(x, out)
    if x.numel() < 900_000:
        return
    while len(usual_s) < 5:
        started = time.perf_counter()
        honest(x, out)
        usual_s.append(time.perf_counter() - started)
    time.sleep({pauses:g} * min(usual_s))
"""
SLEEPS = """
def softmax(x, out):
    honest(x, out)
    time.sleep({seconds:g})
"""


def answers(times: Sequence[float], sleep_s: float) -> Iterator[tuple[str, str]]:
    """Yield a name and the text of the answer cell, the honest one first."""
    yield "honest", HONEST + OF_USUAL_SPEED
    for each in times:
        yield f"{each:g} times as slow", HONEST + TIMES_SLOWER.format(pauses=each - 1)
    yield f"sleeps {sleep_s:g} s", HONEST + SLEEPS.format(seconds=sleep_s)


def submission(code: str) -> Mapping[str, bytes]:
    """Return a submission with this text in the answer cell."""
    files = dict(untouched(MODULE))
    notebook = json.loads(files[NOTEBOOK])
    heading = f"### TASK {MODULE}.{TASK}"
    (cell,) = (each for each in notebook["cells"] if heading in "".join(each["source"]))
    cell["source"] = code
    return {**files, NOTEBOOK: json.dumps(notebook).encode()}


def main() -> None:
    """Print a line for each answer."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--times", nargs="*", type=float, default=TIMES)
    parser.add_argument("--sleep", type=float, default=2.0)
    asked = parser.parse_args()
    honest_s = 0.0
    with JudgeProcess() as judge:
        for name, code in answers(asked.times, asked.sleep):
            started = time.monotonic()
            record = judge_submission(submission(code), MODULE, [TASK], CHECKS, judge=judge)[TASK]
            took_s = time.monotonic() - started
            honest_s = honest_s or took_s
            check = record.checks[-1]
            parts = ", ".join(
                f"{each.check} {each.evidence.get(JUDGING_SECONDS, 0.0):.1f} s"
                for each in record.checks
            )
            print(
                f"{name}: {check.verdict} in {took_s:.1f} s ({parts}), {took_s / honest_s:.2f} of "
                f"the honest answer's. {check.sentence}",
                flush=True,
            )


if __name__ == "__main__":
    main()
