"""The candidate's answers to hidden inputs are correct."""

import inspect
from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import Message, as_list, as_message
from hotloop.judge.author_guard import Authored, Check
from hotloop.judge.calls import CallBuffers, CallSpec, PlacedCall, TensorSpec
from hotloop.judge.candidate import CALLED_WITH_TENSORS, Candidate, Kind
from hotloop.judge.case_label import labeled
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.dtypes import BOOL, FP16, FP32, I32, I64, U8, DType, to_float64, to_storage
from hotloop.judge.judge_fault import JudgeFault, ours
from hotloop.judge.questions import require_plain
from hotloop.judge.race_ruling import claimed
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import NO_PROTOCOL, WorkerConnection, readable

if TYPE_CHECKING:  # a judge without a GPU would start more slowly
    from hotloop.judge.gpu.card import Card


@dataclass(frozen=True)
class InputTensor:
    """An input with its values.

    values: float64, int or bool, any shape; rounded to `dtype` before the candidate and the
        reference receive them.
    row_gap, order: as of `TensorSpec`, for non-contiguous input.

    Raises TypeError for values that `dtype` cannot stand for, such as float64 in an integer type.
    """

    values: NDArray[Any]
    dtype: DType
    row_gap: int = 0
    order: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        """Refuse here, where it is the check's fault, what would be judged as another type."""
        kind = getattr(getattr(self.values, "dtype", None), "kind", "")
        if kind not in (_FLOAT_FROM if self.dtype.floating else _EXACT_FROM):
            raise TypeError(f"a tensor of {self.dtype.name} cannot hold {self.values!r:.80}")

    @property
    def spec(self) -> TensorSpec:
        """Shape, dtype and layout."""
        return TensorSpec(self.values.shape, self.dtype, self.row_gap, self.order)

    def rounded(self) -> NDArray[Any]:
        """Return the reference's input: float64 values as rounded for the candidate, or bool."""
        if self.dtype is BOOL:
            return self.values.astype(np.bool_)
        return to_float64(to_storage(self.values, self.dtype), self.dtype)


_FLOAT_FROM = frozenset("fiub")
_EXACT_FROM = frozenset("iub")
"""Kinds of NumPy arrays from which a tensor may be made, of a floating-point and an exact type."""

_OF_ARRAY = {
    np.dtype(np.float64): FP32,
    np.dtype(np.float32): FP32,
    np.dtype(np.float16): FP16,
    np.dtype(np.int64): I64,
    np.dtype(np.int32): I32,
    np.dtype(np.uint8): U8,
    np.dtype(np.bool_): BOOL,
}
"""Type of the tensor that `case` makes of an array."""

ADVICE = {
    False: "check the last index of each loop, and the strides",
    True: "give tl.store a `mask=` that is false there, and use the row stride",
}
"""Against writing outside of the output: to who wrote a loop, and to who wrote a Triton kernel."""

Argument = InputTensor | int | float | bool | str | None


@dataclass(frozen=True)
class Case(Authored):
    """One call. label: its name in messages to the learner, which must not reveal the values.

    arguments: of the call, in order. out: shape and dtype of the output.

    Raises TypeError for an argument that is neither an `InputTensor` nor plain data, such as a
    numpy.int64.
    """

    label: str
    arguments: tuple[Argument, ...]
    out: TensorSpec

    def __post_init__(self) -> None:
        """Refuse here, where it is the check's fault, what could not be sent to a worker."""
        super().__post_init__()
        for argument in self.arguments:
            if not isinstance(argument, InputTensor):
                require_plain(argument, "a case")

    @property
    def spec(self) -> CallSpec:
        """The call's shapes, dtypes and plain arguments."""
        return CallSpec(
            tuple(a.spec if isinstance(a, InputTensor) else a for a in self.arguments), self.out
        )

    def truth(self, reference: Callable[..., Floats]) -> Floats:
        """Return the reference's float64 result for the rounded inputs.

        Raises JudgeFault if the reference fails, or returns nothing but NaN for finite inputs.
        """
        values = [a.rounded() if isinstance(a, InputTensor) else a for a in self.arguments]
        with np.errstate(all="ignore"), ours("the reference"):
            want = np.asarray(reference(*values), np.float64)
        if want.size and np.isnan(want).all() and all(np.isfinite(v).all() for v in self._floats()):
            raise JudgeFault("the reference returned NaN everywhere for finite inputs")
        return want

    def _floats(self) -> list[NDArray[Any]]:
        return [a.values for a in self.arguments if isinstance(a, InputTensor) and a.dtype.floating]


def case(
    reference: Callable[..., Floats],
    *arguments: Argument | NDArray[Any],
    out: DType = FP32,
    label: str = "hidden input",
) -> Case:
    """Return a case whose output has the shape of the reference's result, and the dtype `out`.

    arguments: arrays become contiguous tensors: float64 of float32; float32, float16, int64, int32,
        uint8 and bool of their own dtype. For other tensors give an `InputTensor`.

    Raises TypeError for an array of another dtype, and for a list.
    """
    for number, argument in enumerate(arguments, 1):
        if isinstance(argument, list | tuple | dict):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(
                f"argument {number} of `hl.case` is a {type(argument).__name__}: give an array, "
                "of which a tensor is made, or a number, a text or None"
            )
    inputs = tuple(_tensor(a) if isinstance(a, np.ndarray) else a for a in arguments)
    shapeless = Case(label, inputs, TensorSpec((), out))
    return replace(shapeless, out=TensorSpec(shapeless.truth(reference).shape, out))


def _tensor(values: NDArray[Any]) -> InputTensor:
    if values.dtype not in _OF_ARRAY:
        raise TypeError(f"no tensor is made of an array of {values.dtype}: give an `InputTensor`")
    return InputTensor(values, _OF_ARRAY[values.dtype])


Require = Callable[[Floats], None]
"""Takes the answer to a case; raises Ruling if it is wrong."""


class Program(Protocol):
    """A reference that is a program of ours: see `OracleFunction`."""

    def requiring(
        self, session: Session, card: "Card | None"
    ) -> AbstractContextManager[Callable[[Case], Require]]:
        """Yield a function that has the program compute a case and returns the comparison."""
        ...


def _no_tolerance(_case: Case) -> Tolerance:
    raise TypeError("an oracle's function compares by itself")


@dataclass(frozen=True)
class Truth(Authored):
    """For which cases a candidate is asked, what is right, and how near an answer must come.

    cases: generates the cases from a secret generator, anew for each judging. Twin generators
        (`hotloop.judge.same_shapes`) must give cases of equal shapes.
    reference: a function in NumPy that takes the arguments (float64 arrays, bool for masks) and
        returns the expected float64 output; or an `OracleFunction`.
    tolerance: returns the tolerance for a case, or is a `Tolerance` for all; only for a function in
        NumPy.

    Raises TypeError for a function in NumPy without tolerance.
    """

    cases: Callable[[np.random.Generator], Iterable[Case]]
    reference: Callable[..., Floats] | Program
    tolerance: Callable[[Case], Tolerance] = _no_tolerance

    def __post_init__(self) -> None:
        """Refuse here, where it is the check's fault, what cannot be compared with."""
        super().__post_init__()
        if not callable(self.reference) and not hasattr(self.reference, "requiring"):
            raise TypeError(f"`reference` of Truth is {self.reference!r:.80}, expected a function")
        if callable(self.reference) and inspect.unwrap(self.tolerance) is _no_tolerance:
            raise TypeError("a reference in NumPy needs `tolerance`, such as a `Tolerance`")

    def of(self, cases: Callable[[np.random.Generator], Iterable[Case]]) -> "Truth":
        """Return the same for other cases."""
        return replace(self, cases=cases)

    def require(self, case: Case) -> Require:
        """Return the comparison with the function in NumPy: see `agreement`."""
        if not callable(self.reference):
            raise JudgeFault("this check needs a reference that is a function in NumPy")
        return agreement(case, self.reference, self.tolerance)

    def requiring(
        self, session: Session, card: "Card | None"
    ) -> AbstractContextManager[Callable[[Case], Require]]:
        """Yield the function that returns the comparison for a case."""
        if callable(self.reference):
            return nullcontext(self.require)
        return self.reference.requiring(session, card)


@dataclass(frozen=True)
class Running:
    """A candidate that a runner has started.

    run: compute a case and pass the answer to a `Require`. A candidate that could still write to
        the answer is frozen meanwhile.
    place: end of the sentence, such as " on the GPU".
    card: the GPU where an oracle computes too; None for the CPU.
    more: what stands behind the sentence, after all cases; it begins with a space.
    """

    run: Callable[[Case, Require], None]
    place: str = ""
    card: "Card | None" = None
    more: Callable[[], str] = str


class Runner(Protocol):
    """Where the candidate of a `Correct` computes its cases."""

    @property
    def after(self) -> tuple[str, ...]:
        """`Check.usually_after` of a `Correct`."""
        ...

    @property
    def case_timeout_s(self) -> float:
        """Default of `Correct.case_timeout_s`."""
        ...

    @property
    def can_judge(self) -> frozenset[Kind]:
        """`Check.can_judge` of a `Correct`."""
        ...

    def running(self, session: Session, timeout_s: float) -> AbstractContextManager[Running]:
        """Yield the started candidate; `timeout_s` is for each case."""
        ...


@dataclass(frozen=True)
class OnCpu:
    """The candidate's own worker, on the CPU."""

    after: tuple[str, ...] = ()
    case_timeout_s: float = 60.0

    @property
    def can_judge(self) -> frozenset[Kind]:
        """As of `Check`."""
        return CALLED_WITH_TENSORS

    @contextmanager
    def running(self, session: Session, timeout_s: float) -> Generator[Running]:
        """Yield the candidate in its worker."""
        worker = session.worker()

        def run(case: Case, require: Require) -> None:
            answer = ask(case, worker, session, session.timeout(timeout_s))
            with frozen(worker):
                require(answer)

        yield Running(run)


@dataclass(frozen=True)
class Correct(Check):
    """Every case must agree with the truth.

    truth: which cases, what is right, and how near an answer must come.
    on: where the candidate computes; it has the defaults of `after` and of the field below.
    case_timeout_s: seconds for each case.
    """

    truth: Truth
    on: Runner = OnCpu()
    case_timeout_s: float | None = None

    @property
    def usually_after(self) -> tuple[str, ...]:
        """Those of the runner."""
        return self.on.after

    @property
    def can_judge(self) -> frozenset[Kind]:
        """Those of the runner."""
        return self.on.can_judge

    def __call__(self, session: Session) -> str:
        """Run every case; raise Ruling at the first wrong answer."""
        timeout_s = self.case_timeout_s or self.on.case_timeout_s
        with (
            self.on.running(session, timeout_s) as running,
            self.truth.requiring(session, running.card) as requiring,
        ):
            passed = self.judge(running, requiring, session.rng())
            session.note(cases=passed)
            return f"Right on all {passed} hidden cases{running.place}.{running.more()}"

    def judge(
        self,
        running: Running,
        requiring: Callable[[Case], Require],
        rng: np.random.Generator,
    ) -> int:
        """Return the number of cases. Raises Ruling at the first wrong answer."""
        passed = 0
        for case in self.truth.cases(rng):
            with ruling_about(case):
                running.run(case, requiring(case))
            passed += 1
        return passed


def ask(case: Case, worker: WorkerConnection, session: Session, timeout_s: float) -> Floats:
    """Return the candidate's output for one case as float64."""
    return call(case, worker, session, timeout_s)[0]


def call(
    case: Case,
    worker: WorkerConnection,
    session: Session,
    timeout_s: float,
    *,
    watch: str | None = None,
    order: int | None = None,
) -> tuple[Floats, Message]:
    """Run one case; return the output as float64 and the worker's reply.

    The output is read while the worker is frozen. Raises Ruling if the candidate fails, changes an
    input or writes outside of its output, and Race if its programs race or hang.

    watch, order: what the worker records during the call: see `WorkerConnection.on_plan`.
    """
    buffers = CallBuffers([case.spec], seal_inputs=False)
    try:
        placed = buffers.calls[0]
        fill(placed, case)
        pattern = session.seeds.pattern()
        placed.poison_output(pattern)
        buffers.hand_to(worker, session.candidate, timeout_s, watch=watch, order=order)
        reply = worker.request({"op": "run"}, timeout_s)
        for report in as_list(reply.get("races")):
            raise claimed(report)
        with frozen(worker):
            require_fit(placed, session.candidate, reply)
            _require_inputs_kept(placed, case)
            _require_nothing_outside(placed, pattern, ADVICE[watch == "launches"])
            answer = placed.output_values()
        worker.request({"op": "unmap"}, 10)
        return answer, reply
    finally:
        buffers.close()


def fill(call: PlacedCall, case: Case) -> None:
    """Write a case's values into the judge's buffers."""
    for index, argument in enumerate(case.arguments):
        if isinstance(argument, InputTensor):
            call.write(index, argument.values)


def agreement(
    case: Case, reference: Callable[..., Floats], tolerance: Callable[[Case], Tolerance]
) -> Require:
    """Compute the expected answer; return what raises Ruling(WRONG_ANSWER) unless one agrees.

    Call it before the candidate is asked, so that a broken case is found before an answer to it can
    be wrong. Raises JudgeFault if the reference or the tolerance fails, or if the reference's
    result has another shape than the output.
    """
    want = case.truth(reference)
    with ours("the tolerance"):
        allowed = tolerance(case)
    if want.shape != case.out.shape:
        raise JudgeFault(
            f"the reference returned an array of shape {want.shape} for a case whose output has "
            f"shape {case.out.shape}: make the case by `hl.case` with this reference"
        )

    def require(answer: Floats) -> None:
        disagreement = compare(answer, want, allowed)
        if disagreement is None:
            return
        if np.isnan(disagreement.got):
            raise Ruling(Verdict.WRONG_ANSWER, f"NaN, or never written: {disagreement.sentence()}.")
        raise Ruling(Verdict.WRONG_ANSWER, f"Wrong: {disagreement.sentence()}.")

    return require


@contextmanager
def frozen(worker: WorkerConnection) -> Generator[None]:
    """Freeze the worker inside the `with` block."""
    worker.freeze()
    try:
        yield
    finally:
        worker.thaw()


def ruling_about(case: Case) -> AbstractContextManager[None]:
    """Prefix a Ruling's sentence with the case's label and the dtypes and shapes of its tensors."""
    label = case.label[:1].upper() + case.label[1:]
    return labeled(f"{label} ({_tensors(case)})", case)


def _tensors(case: Case) -> str:
    """Return dtypes and shapes of the case's tensors in PyTorch's notation: `float32 [1013]`."""
    specs = [a.spec for a in case.arguments if isinstance(a, InputTensor)]
    return ", ".join(f"{s.dtype.torch_name} {list(s.shape)}" for s in specs) or "no tensor"


def require_fit(call: PlacedCall, candidate: Candidate, reply: dict[str, Any]) -> None:
    """Raise Ruling unless the returned tensor has the output's dtype, shape and device.

    Other styles than "return" are not checked.
    """
    if candidate.style != "return":
        return
    reported = as_list(reply.get("returned"))
    first = as_message(reported[0]) if len(reported) == 1 else None
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


def _require_inputs_kept(call: PlacedCall, case: Case) -> None:
    for index, argument in enumerate(case.arguments):
        if not isinstance(argument, InputTensor):
            continue
        original = to_storage(argument.values, argument.dtype)
        if call.input(index).tobytes() != original.tobytes():
            raise Ruling(
                Verdict.WRONG_ANSWER, "Your function changed its input: write to new memory."
            )


def _require_nothing_outside(call: PlacedCall, pattern: int, advice: str) -> None:
    if call.wrote_outside(pattern):
        raise Ruling(
            Verdict.WRONG_ANSWER,
            "Your function wrote outside of its output, behind its end or between its rows: "
            f"{advice}.",
        )
