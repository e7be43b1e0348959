"""Task 8: exports that give wrong results without an error."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from hotloop.judge.constants import constant
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.onnx.programs import facts_of
from hotloop.judge.onnx.rewrites import seed, unpacked
from hotloop.judge.questions import GivenFile, Question, shown
from hotloop.judge.session import Session
from hotloop.tasks.modules.sparse_attention_op.files import (
    Order,
    export,
    load,
    onnx_files,
    whole,
    wrong_ends,
    wrong_numbers,
)

FILES = onnx_files("silent_files.py", "lab_function.py")
AGREES = "agrees"
FAULTS = ("frozen", "threshold", "keys", "padding", "causal", "average")
DECIDING = export("mended")
Rng = np.random.Generator


def questions(rng: Rng, session: Session) -> Iterator[Question]:
    """Yield one file with each fault, and two files without a fault."""
    # In a take-home's variant another answer means no fault.
    agrees = constant("SOUND", 0, range(2, 1000)) or AGREES
    kinds = [*FAULTS, AGREES, AGREES]
    for number in rng.permutation(len(kinds)):
        fault = kinds[int(number)]
        # Of the two files without a fault one is causal and the other is not.
        both = int(number) == len(FAULTS)
        causal = fault == "causal" or (both if fault == AGREES else bool(rng.integers(2)))
        heads, depth, block = int(rng.integers(2, 4)), 32, int(rng.choice([4, 8]))
        length = block * int(rng.integers(2, 32 // block)) + int(rng.integers(1, block))
        file = FILES.trusted(session).ask(
            "made", seed(rng), fault, heads, depth, length, block, int(causal)
        )
        if not isinstance(file, str):
            raise JudgeFault("our own file is no text")
        traced = GivenFile("traced.onnx", unpacked(file))
        label = "A file without a fault" if fault == AGREES else "A file with a fault"
        mismatch = partial(_mismatch, agrees if fault == AGREES else fault)
        yield Question(label, (traced, block, causal), mismatch)


def decides_by_its_inputs(file: GivenFile, order: Order, session: Session) -> str | None:
    """Require standard operators, free sizes, and the paper's output; return a message or None."""
    facts = facts_of(file, session)
    if facts["functions"] or facts["foreign"]:
        return "it has what is not ONNX's own"
    mismatch = whole(facts) or wrong_ends(facts, order)
    return mismatch or wrong_numbers(load(file, session), order, session)


def _mismatch(fault: str | int, answer: object) -> str | None:
    return None if answer == fault else f"it says {shown(answer)}, and it is {fault!r}"
