"""Task 12: a library of operators in C++, which ONNX Runtime itself loads and runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from hotloop.checks.sparse_attention_op import truth
from hotloop.checks.sparse_attention_op.custom_ops import hidden_models
from hotloop.checks.sparse_attention_op.files import HARNESS
from hotloop.checks.sparse_attention_op.patterns import EMPTY, FULL, Drawn, draw, tolerance
from hotloop.checks.sparse_attention_op.references import odd_length
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.program import Process, Program
from hotloop.judge.questions import GivenFile
from hotloop.judge.rung import Rung
from hotloop.judge.rungs.correct import require_agreement, ruling_about
from hotloop.judge.rungs.holds import Holds, Look
from hotloop.judge.session import Session

FILE = "ort_op.cpp"
ENTRY = "RegisterCustomOps"
NAMES = ("native_run.py", "ort_custom_op.h", "host_attention.h")
Right = Callable[[bytes], str | None]
RUNTIME = Program({name: HARNESS / name for name in NAMES}, NAMES[0])


def rungs() -> dict[str, Rung]:
    """It is found; each node is itself; each run is itself."""
    return {
        "found": Holds(_found, "ONNX Runtime finds the operator, and runs a node of it."),
        "correct": Holds(
            _models, "Right for {count} hidden models, whose nodes differ.", ("found",)
        ),
        "shapes": Holds(_shapes, "Right for every shape, in two sessions in turns.", ("correct",)),
    }


def _loaded(session: Session) -> Process:
    """The process that has built the library. Ruling when it cannot be built or registered."""
    process = RUNTIME.given(session, "loads")
    source = GivenFile(FILE, session.files.content(FILE))
    session.once("library is loaded", lambda: [process.ask("load", source)])
    return process


def _found(session: Session) -> Iterator[Look]:
    rng = session.rng()

    def one_node() -> str | None:
        process = _loaded(session)
        drawn = draw(rng, (1, 2, odd_length(rng, 16, 4), 16), 16, fixed=(None, FULL))
        return _wrong("One node", drawn, _number(process.ask("single", 16, 0)), process)

    yield Look("A model of one node", one_node)


def _models(session: Session) -> Iterator[Look]:
    for label, model, feeds, right in hidden_models(session.rng(), session):

        def complaint(
            model: GivenFile = model, feeds: GivenFile = feeds, right: Right = right
        ) -> str | None:
            process = _loaded(session)
            return right(process.take(process.ask("outputs", model, feeds)))

        yield Look(label, complaint)


def _shapes(session: Session) -> Iterator[Look]:
    rng = session.rng()
    process = _loaded(session)
    block = int(rng.choice([8, 16]))
    sessions = [_number(process.ask("single", block, causal)) for causal in (0, 1)]
    sizes = [(2, odd_length(rng, block, 5)), (1, 1), (3, 4 * block), (1, 3 * block - 1)]
    for batch, length in sizes:
        for causal, number in enumerate(sessions):
            shape = (batch, 3, length, 32)
            fixed = (None if length > block else FULL, FULL, EMPTY)
            drawn = draw(rng, shape, block, causal=bool(causal), fixed=fixed)
            yield Look(
                f"{length} tokens in a batch of {batch}",
                lambda drawn=drawn, number=number: _wrong("it", drawn, number, process),
            )


def _wrong(label: str, drawn: Drawn, number: int, process: Process) -> str | None:
    case = drawn.case(label)
    asked = replace(case, arguments=(*case.arguments[:4], number))
    with ruling_about(case):
        require_agreement(case, process.answer("run", asked), truth.attention, tolerance(case))
    return None


def _number(told: object) -> int:
    if isinstance(told, int):
        return told
    raise Ruling(Verdict.TAMPERED, "The runner's answer does not keep to the protocol.")
