"""Task 2: what PyTorch knows of the operator."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from hotloop.checks.sparse_attention_op import truth
from hotloop.checks.sparse_attention_op.patterns import (
    EMPTY,
    FULL,
    Rng,
    draw,
    gradient_tolerance,
    tolerance,
)
from hotloop.checks.sparse_attention_op.references import drawn_in_every_way, odd_length
from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_message
from hotloop.judge.questions import ask_plainly
from hotloop.judge.rung import Rung, rung
from hotloop.judge.rungs.correct import Case, Correct
from hotloop.judge.rungs.cuda_operator import Called
from hotloop.judge.session import Session
from hotloop.sandbox.scratch import scratch

FILE = "sparse_op.py"
BESIDE = ("reference.py", "operator_trials.py", "sparse_triton.py")
"""The learner's other files, which theirs may import."""

TRIAL = Path(__file__).parent / "programs" / "opcheck_trial.py"
TIMEOUT_S = 180.0
PASSED = "SUCCESS"


def rungs() -> dict[str, Rung]:
    """By what it does, and last by PyTorch's own check."""
    return {
        "correct": Correct(_cases, truth.attention, tolerance),
        "exported": Called(
            "exported",
            Correct(
                _side_by_side,
                truth.heads_side_by_side,
                tolerance,
                after=("correct",),
                case_timeout_s=120,
            ),
        ),
        "gradient": Called(
            "gradient",
            Correct(_gradients, truth.gradients, gradient_tolerance, after=("correct",)),
        ),
        "compiled": Called(
            "compiled_gradient",
            Correct(
                _few_gradients,
                truth.gradients_of_doubled,
                gradient_tolerance,
                after=("gradient",),
                case_timeout_s=180,
            ),
        ),
        "opcheck": opcheck,
    }


@rung(after=("correct",), instrumented=True)
def opcheck(session: Session) -> str:
    """Every test of `torch.library.opcheck` passes on every sample of ours.

    It runs in a process that also has the learner's file and can say what it likes, so the rung is
    `instrumented`; whoever passes the rungs before it has shown the same by values already.
    """
    folder = session.keep(scratch())
    for file in (FILE, *BESIDE):
        (folder / file).write_bytes(session.files.content(file))
    (folder / TRIAL.name).write_bytes(TRIAL.read_bytes())
    link = session.trusted(folder, session.interpreted, runs_kernels=True)
    patience = session.timeout(TIMEOUT_S)
    link.resolve("tried", TRIAL.name, patience)
    told = as_message(ask_plainly(link, (), patience)) or {}
    for sample, results in told.items():
        for test, result in (as_message(results) or {"answer": results}).items():
            if result != PASSED:
                said = f"opcheck, {sample}: {test}: {str(result)[:300]}"
                raise Ruling(Verdict.WRONG_ANSWER, said)
    if not told:
        raise Ruling(Verdict.TAMPERED, "opcheck gave no answer.")
    session.note(opcheck=dict(told))
    return f"opcheck finds nothing wrong on {len(told)} samples."


def _cases(rng: Rng) -> Iterator[Case]:
    for label, drawn in drawn_in_every_way(rng):
        yield drawn.case(label)


def _side_by_side(rng: Rng) -> Iterator[Case]:
    for label, causal in (("any length", False), ("any length, causal", True)):
        length = odd_length(rng, 16, int(rng.integers(3, 6)))
        drawn = draw(rng, (int(rng.integers(2, 5)), 3, length, 16), 16, causal=causal)
        yield drawn.side_by_side_case(label)


def _gradients(rng: Rng) -> Iterator[Case]:
    odd = (2, 3, odd_length(rng, 16, 5), 32)
    yield draw(rng, odd, 16).gradient_case("a last block that is shorter", rng)
    mixed = draw(rng, odd, 16, fixed=(None, FULL, EMPTY))
    yield mixed.gradient_case("one head that keeps everything and one that keeps nothing", rng)
    yield draw(rng, odd, 16, causal=True).gradient_case("causal", rng)


def _few_gradients(rng: Rng) -> Iterator[Case]:
    """The compiler is given 2q, so that the gates are those of 2q as well."""
    drawn = draw(rng, (1, 2, odd_length(rng, 16, 4), 16), 16, causal=True, fixed=(FULL, EMPTY))
    yield drawn.gradient_case("in a compiled graph", rng)
