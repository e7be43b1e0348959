"""Task 2: the operator's registration with PyTorch."""

from __future__ import annotations

from collections.abc import Iterator

from hotloop.checks.sparse_attention_op.files import PROGRAMS
from hotloop.checks.sparse_attention_op.patterns import (
    EMPTY,
    FULL,
    Rng,
    sampled,
)
from hotloop.checks.sparse_attention_op.references import odd_length, samples_of_every_kind
from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_message
from hotloop.judge.questions import ask_plainly
from hotloop.judge.rung import rung
from hotloop.judge.rungs.correct import Case
from hotloop.judge.session import Session
from hotloop.sandbox.scratch import scratch

BESIDE = ("reference.py", "operator_trials.py", "sparse_triton.py")
"""Files that the learner's operator may import."""

OPCHECK = PROGRAMS / "opcheck_run.py"
TIMEOUT_S = 180.0
PASSED = "SUCCESS"


@rung(after=("correct",), instrumented=True)
def opcheck(session: Session) -> str:
    """Require every test of `torch.library.opcheck` to pass on every sample of the judge's.

    It runs in a process that also holds the learner's file, which could forge the answer, so the
    check is marked `instrumented`. The earlier checks have already compared the operator's values.
    """
    folder = session.keep(scratch())
    for file in (*session.edited, *BESIDE):
        (folder / file).write_bytes(session.files.content(file))
    (folder / OPCHECK.name).write_bytes(OPCHECK.read_bytes())
    worker = session.trusted(folder, session.interpreted, runs_kernels=True)
    timeout_s = session.timeout(TIMEOUT_S)
    worker.resolve("tried", OPCHECK.name, timeout_s)
    samples = as_message(ask_plainly(worker, (), timeout_s)) or {}
    for sample, results in samples.items():
        for test, result in (as_message(results) or {"answer": results}).items():
            if result != PASSED:
                sentence = f"opcheck, {sample}: {test}: {str(result)[:300]}"
                raise Ruling(Verdict.WRONG_ANSWER, sentence)
    if not samples:
        raise Ruling(Verdict.TAMPERED, "opcheck gave no answer.")
    session.note(opcheck=dict(samples))
    return f"opcheck finds nothing wrong on {len(samples)} samples."


def cases(rng: Rng) -> Iterator[Case]:
    """Yield the same cases as for the reference."""
    for label, sample in samples_of_every_kind(rng):
        yield sample.case(label)


def side_by_side(rng: Rng) -> Iterator[Case]:
    """Yield cases for a graph in which a projection follows the operator."""
    for label, causal in (("any length", False), ("any length, causal", True)):
        length = odd_length(rng, 16, int(rng.integers(3, 6)))
        sample = sampled(rng, (int(rng.integers(2, 5)), 3, length, 16), 16, causal=causal)
        yield sample.side_by_side_case(label)


def gradients(rng: Rng) -> Iterator[Case]:
    """Yield cases for the gradients of q, k and v."""
    odd = (2, 3, odd_length(rng, 16, 5), 32)
    yield sampled(rng, odd, 16).gradient_case("a last block that is shorter", rng)
    mixed = sampled(rng, odd, 16, fixed=(None, FULL, EMPTY))
    yield mixed.gradient_case("one head that keeps everything and one that keeps nothing", rng)
    yield sampled(rng, odd, 16, causal=True).gradient_case("causal", rng)


def few_gradients(rng: Rng) -> Iterator[Case]:
    """Yield one case for a compiled graph, which is given 2q: the gates use 2q as well."""
    sample = sampled(rng, (1, 2, odd_length(rng, 16, 4), 16), 16, causal=True, fixed=(FULL, EMPTY))
    yield sample.gradient_case("in a compiled graph", rng)
