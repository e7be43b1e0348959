"""Task 8: exports that are wrong in silence."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from hotloop.checks.sparse_attention_op.files import (
    Export,
    Made,
    facts_of,
    load,
    program,
    whole,
    wrong_ends,
    wrong_numbers,
)
from hotloop.judge.fault import JudgeFault
from hotloop.judge.questions import GivenFile, Question, shown
from hotloop.judge.rung import Rung
from hotloop.judge.rungs.hidden_answers import HiddenAnswers
from hotloop.judge.session import Session

FILE = "silent.py"
FILES = program("silent_files.py", "lab_function.py")
AGREES = "agrees"
FAULTS = ("frozen", "threshold", "keys", "padding", "causal", "average")
MENDED = Export("mended")
Rng = np.random.Generator


def rungs(agrees: str | int = AGREES) -> dict[str, Rung]:
    """Which fault a file has; then the layer whose export had one.

    agrees: what is said of a file without a fault.
    """
    return {
        "found": HiddenAnswers(partial(questions, agrees=agrees)),
        "mended": MENDED.stands(
            mended, "It decides for the inputs that it gets, at any length.", "found"
        ),
    }


def questions(rng: Rng, session: Session, agrees: str | int = AGREES) -> Iterator[Question]:
    """Each fault once, and two files without any. agrees: as in `rungs`."""
    kinds = [*FAULTS, AGREES, AGREES]
    for number in rng.permutation(len(kinds)):
        fault = kinds[int(number)]
        # Of the two without a fault one is causal and one is not.
        both = int(number) == len(FAULTS)
        causal = fault == "causal" or (both if fault == AGREES else bool(rng.integers(2)))
        heads, depth, block = int(rng.integers(2, 4)), 32, int(rng.choice([4, 8]))
        length = block * int(rng.integers(2, 32 // block)) + int(rng.integers(1, block))
        seed = int(rng.integers(1 << 31))
        told = FILES.trusted(session).ask(
            "made", seed, fault, heads, depth, length, block, int(causal)
        )
        if not isinstance(told, str):
            raise JudgeFault("our own file is no text")
        given = GivenFile("traced.onnx", base64.b64decode(told))
        label = "A file without a fault" if fault == AGREES else "A file with a fault"
        yield Question(label, (given, block, causal), _right(agrees if fault == AGREES else fault))


def mended(made: Made, session: Session) -> str | None:
    """A file in standard operators, with free sizes, that gives the paper's output."""
    told = facts_of(made.given, session)
    if told["functions"] or told["foreign"]:
        return "it has what is not ONNX's own"
    complaint = whole(told) or wrong_ends(told, made.order)
    return complaint or wrong_numbers(load(made.given, session), made.order, session)


def _right(fault: str | int) -> Callable[[object], str | None]:
    def complaint(answer: object) -> str | None:
        if answer == fault:
            return None
        return f"it says {shown(answer)}, and it is {fault!r}"

    return complaint
