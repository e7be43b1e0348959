"""The C++ function without the learner's Python, on memory that lacks what is not listed.

A process without the learner's code sees which memory the function has touched (touching.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list
from hotloop.judge.check import check
from hotloop.judge.checks.correct import Case, Correct, agreement, ruling_about
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.program import APART, Process
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import reading
from hotloop.tasks.modules.sparse_attention_op.cpu_kernels import attention, tolerance
from hotloop.tasks.modules.sparse_attention_op.files import program
from hotloop.tasks.modules.sparse_attention_op.patterns import Rng, listed, lists, sampled
from hotloop.tasks.modules.sparse_attention_op.references import odd_length

TOUCHING = program("touching.py", believed=APART)
BLOCK, DEPTH = 16, 64
"""A block of float32 keys is a page of 4 KiB."""
CASES = 4


@check(after=("untouched",))
def alone(session: Session, of: Sequence[Correct]) -> str:
    """Require right answers of the C++ function, and no load from a block that no row lists.

    of: checks whose cases, sampled anew, it must pass, where none of the learner's Python can
    compute the result instead.
    """
    source, *_ = session.edited
    process = TOUCHING.given(session, "runs alone")
    process.ask("load", GivenFile(source, session.files.content(source)))
    for correct in of:
        for case in correct.truth.cases(session.rng()):
            _require_right(case, correct, process, source)
    touched = [_touched(case, process) for case in one_row(session.rng())]
    session.note(touched_pages=touched)
    if any(touched):
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"It reads keys or values of blocks that no row lists, in {sum(map(bool, touched))} of "
            f"{CASES} calls: walk along the list, and load nothing else.",
        )
    return f"{source} alone is right, and reads nothing that is not listed."


def one_row(rng: Rng) -> Iterator[Case]:
    """Yield cases in which one row of blocks has a list, and all others have none."""
    for number in range(CASES):
        heads = 1 + number % 2
        length = BLOCK * int(rng.integers(18, 24)) if heads > 1 else odd_length(rng, BLOCK, 20)
        sample = sampled(rng, (1, heads, length, DEPTH), BLOCK, causal=number == CASES - 1)
        blocks = -(-length // BLOCK)
        kept = np.zeros((1, heads, blocks, blocks), np.bool_)
        row = int(rng.integers(blocks // 2, blocks - 1))
        kept[:, :, row, : row + 1] = rng.random((1, heads, row + 1)) < 0.3
        yield listed("One row with a list", sample, *lists(kept, rng))


def _require_right(case: Case, correct: Correct, process: Process, source: str) -> None:
    with ruling_about(case):
        require = correct.truth.require(case)
        answer = process.answer("run", case)
        try:
            require(answer)
        except Ruling as ruling:
            sentence = f"{source} alone, without your Python, gives another answer"
            raise Ruling(ruling.verdict, f"{sentence}. {ruling.sentence}") from None


def _touched(case: Case, process: Process) -> int:
    with ruling_about(case):
        require = agreement(case, attention, tolerance)
        require(process.answer("run", case))
    with reading():
        keys, values = (int(str(pages)) for pages in as_list(process.ask("touched")))
    if min(keys, values) < 0:
        raise JudgeFault("this system does not show which pages of a file were read")
    return keys + values
