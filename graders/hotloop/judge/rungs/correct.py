"""Rung: the candidate's answers are right, on inputs that it has never seen."""

from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import Message, as_list, as_message
from hotloop.judge.calls import Arena, Call, CallSpec, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.dtypes import BOOL, DType, to_float64, to_storage
from hotloop.judge.fault import made, ours
from hotloop.judge.labelled import labelled
from hotloop.judge.link import NO_PROTOCOL, Link, readable
from hotloop.judge.session import Session


@dataclass(frozen=True)
class Tensor:
    """An input with its values.

    values: float64, int or bool, any shape; rounded to `dtype` before the candidate and the
        reference see them. row_gap: unused elements between rows, for non-contiguous input.
    """

    values: NDArray[Any]
    dtype: DType
    row_gap: int = 0

    @property
    def spec(self) -> TensorSpec:
        """Shape, dtype and layout."""
        return TensorSpec(self.values.shape, self.dtype, self.row_gap)

    def rounded(self) -> NDArray[Any]:
        """What the reference gets: float64 values as the candidate sees them, or bool."""
        if self.dtype is BOOL:
            return self.values.astype(np.bool_)
        return to_float64(to_storage(self.values, self.dtype), self.dtype)


ADVICE = {
    False: "check the last index of each loop, and the strides",
    True: "give tl.store a `mask=` that is false there, and use the row stride",
}
"""Against writing outside of the output: to who wrote a loop, and to who wrote a Triton kernel."""

Argument = Tensor | int | float | bool | str | None


@dataclass(frozen=True)
class Case:
    """One call to get right. label: how the learner is told of it, without its values."""

    label: str
    arguments: tuple[Argument, ...]
    out: TensorSpec

    @property
    def spec(self) -> CallSpec:
        """The call without values."""
        return CallSpec(
            tuple(a.spec if isinstance(a, Tensor) else a for a in self.arguments), self.out
        )

    def truth(self, reference: Callable[..., Floats]) -> Floats:
        """The reference on the rounded inputs."""
        values = [a.rounded() if isinstance(a, Tensor) else a for a in self.arguments]
        with np.errstate(all="ignore"), ours("the reference"):
            return np.asarray(reference(*values), np.float64)


@dataclass(frozen=True)
class Correct:
    """Every case must agree with a float64 reference within a derived tolerance.

    cases: makes them from a secret generator, anew for each judging.
    reference: float64 arrays (bool for masks) to the float64 truth.
    tolerance: of a case.
    """

    cases: Callable[[np.random.Generator], Iterable[Case]]
    reference: Callable[..., Floats]
    tolerance: Callable[[Case], Tolerance]
    after: tuple[str, ...] = ()
    case_timeout_s: float = 60.0

    def __call__(self, session: Session) -> str:
        """Ask for every case; the first wrong one rules."""
        link = session.worker()
        passed = 0
        for case in made(self.cases(session.rng())):
            with ruling_about(case):
                self._judge_case(case, link, session)
            passed += 1
        sentence = f"Right on all {passed} hidden cases."
        session.note(cases=passed)
        return sentence

    def _judge_case(self, case: Case, link: Link, session: Session) -> None:
        patience = session.timeout(self.case_timeout_s)
        answer = ask(case, link, session, patience)
        require_agreement(case, answer, self.reference, self.tolerance(case))


def ask(case: Case, link: Link, session: Session, timeout_s: float) -> Floats:
    """The candidate's answer to one case."""
    return call(case, link, session, timeout_s)[0]


def call(
    case: Case,
    link: Link,
    session: Session,
    timeout_s: float,
    *,
    watch: str | None = None,
) -> tuple[Floats, Message]:
    """The candidate's answer to one case, read while its process is frozen, and the worker's reply.

    watch: what the worker notes meanwhile: see `Worker.on_plan`.
    """
    arena = Arena([case.spec], seal_inputs=False)
    try:
        placed = arena.calls[0]
        fill(placed, case)
        pattern = session.seeds.pattern()
        placed.poison_output(pattern)
        arena.hand_to(link, session.candidate, timeout_s, watch=watch)
        reply = link.request({"op": "run"}, timeout_s)
        with frozen(link):
            require_fit(placed, session.candidate, reply)
            _require_inputs_kept(placed, case)
            _require_nothing_outside(placed, pattern, ADVICE[watch == "launches"])
            answer = placed.output_values()
        link.request({"op": "unmap"}, 10)
        return answer, reply
    finally:
        arena.close()


def fill(call: Call, case: Case) -> None:
    """Write a case's values into the judge's buffers."""
    for index, argument in enumerate(case.arguments):
        if isinstance(argument, Tensor):
            call.write(index, argument.values)


def require_agreement(
    case: Case, answer: Floats, reference: Callable[..., Floats], tolerance: Tolerance
) -> None:
    """Ruling WRONG_ANSWER when the answer is not the truth within tolerance."""
    disagreement = compare(answer, case.truth(reference), tolerance)
    if disagreement is None:
        return
    if np.isnan(disagreement.got):
        raise Ruling(Verdict.WRONG_ANSWER, f"NaN, or never written: {disagreement.sentence()}.")
    raise Ruling(Verdict.WRONG_ANSWER, f"Wrong: {disagreement.sentence()}.")


@contextmanager
def frozen(link: Link) -> Generator[None]:
    """The worker stands still inside."""
    link.freeze()
    try:
        yield
    finally:
        link.thaw()


def ruling_about(case: Case) -> AbstractContextManager[None]:
    """Says in a ruling's sentence which case it is about, with its dtypes and shapes."""
    return labelled(f"{_capitalized(case.label)} ({_tensors(case)})", case)


def _tensors(case: Case) -> str:
    """Dtype and shape of its tensors, as PyTorch writes them: `float32 [1013]`."""
    specs = [a.spec for a in case.arguments if isinstance(a, Tensor)]
    return ", ".join(f"{s.dtype.torch_name} {list(s.shape)}" for s in specs) or "no tensor"


def require_fit(call: Call, candidate: Candidate, reply: dict[str, Any]) -> None:
    """Ruling unless what was returned, where anything is to be, has the output's dtype and shape,
    and lies on the inputs' device.
    """
    if candidate.style != "return":
        return
    told = as_list(reply.get("returned"))
    first = as_message(told[0]) if len(told) == 1 else None
    if first is None:
        raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
    want = (call.out.dtype.name, list(call.out.shape))
    if "elsewhere" in first:
        device = readable(first["elsewhere"], 20)
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"It returned a tensor on {device}, and its inputs are on the GPU: compute there.",
        )
    if (first.get("dtype"), first.get("shape")) == want:
        return
    if "type" in first:
        raise Ruling(
            Verdict.WRONG_ANSWER, f"It returned {readable(first['type'], 40)}, not a tensor."
        )
    got = f"{readable(first.get('dtype'), 20)} {readable(first.get('shape'), 60)}"
    raise Ruling(Verdict.WRONG_ANSWER, f"It returned {got}; wanted is {want[0]} {want[1]}.")


def _require_inputs_kept(call: Call, case: Case) -> None:
    for index, argument in enumerate(case.arguments):
        if not isinstance(argument, Tensor):
            continue
        kept = to_storage(argument.values, argument.dtype)
        if call.input(index).tobytes() != kept.tobytes():
            raise Ruling(
                Verdict.WRONG_ANSWER, "Your function changed its input: write to new memory."
            )


def _require_nothing_outside(call: Call, pattern: int, advice: str) -> None:
    if call.wrote_outside(pattern):
        raise Ruling(
            Verdict.WRONG_ANSWER,
            "Your function wrote outside of its output, behind its end or between its rows: "
            f"{advice}.",
        )


def _capitalized(text: str) -> str:
    return text[:1].upper() + text[1:]
