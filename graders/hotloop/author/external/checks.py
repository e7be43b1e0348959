"""The checks of a problem of a public set, and the oracle that decides what is right."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import Any, cast

import numpy as np

from hotloop.author.external import Who, triton_traffic
from hotloop.core.verdict import NotInterpreted, Ruling, Verdict
from hotloop.judge.author_guard import Check
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor, ruling_about
from hotloop.judge.checks.correct import call as ask
from hotloop.judge.compare import Disagreement, Floats
from hotloop.judge.dtypes import BF16, BOOL, FP16, FP32, FP64, I32, I64, U8
from hotloop.judge.judge_fault import JudgeFault, ours
from hotloop.judge.program import Process, Program
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import readable

DTYPES = {dtype.name: dtype for dtype in (FP64, FP32, FP16, BF16, I64, I32, U8, BOOL)}
KINDS = ("given", "given", "normal", "integers", "spikes")
"""Kinds of inputs of a KernelBench problem's calls, in this order."""

TIMEOUT_S = 200.0
"""Timeout of a call: a submission may compile first, and Triton's interpreter is slow."""

GPU_PACKAGES = (
    "apex", "bitsandbytes", "cuda", "cupy", "cutlass", "deep_gemm", "flash_attn", "flashinfer",
    "numba", "pycuda", "sageattention", "thunderkittens", "tilelang", "transformer_engine", "tvm",
    "xformers",
)  # fmt: skip
"""Packages whose code runs on a GPU only, and which are not installed for it."""

NEEDS_GPU = re.compile(
    r"It raised NeedsGpu\b"
    r"|Torch not compiled with CUDA|Found no NVIDIA driver|No CUDA GPUs are available"
    r"|\d+ active drivers|CUDA_HOME environment variable|libcuda\.so"
    rf"|No module named '({'|'.join(GPU_PACKAGES)})\b"
)
"""What is said about a submission that uses what only a GPU, or its software, has.

A submission may say so at will: it earns nothing by that, and suites count it as not right.
"""

LEAST_CALLS = 2
"""Fewest calls that must decide; one could be answered by chance, or by a kept answer."""

HEADER = 64
"""As in programs/hotloop_structure.py, which the judge cannot import: it needs PyTorch."""


@dataclass(frozen=True)
class Agrees(Check):
    """Checks that the candidate's answers are right on inputs that the problem makes.

    The inputs' seeds are secret. kinds: of the inputs, one per call. who: decides what is right:
    `eager`, float64 with a tolerance for each number (programs/hotloop_worlds.py); `problem`,
    the problem's own check. graded: somebody's points depend on the verdict, so that a kernel
    which needs a GPU, or which Triton's interpreter cannot run, earns nothing instead of being
    left open.
    """

    program: Program
    kinds: tuple[str, ...]
    who: Who
    graded: bool

    def __call__(self, session: Session) -> str:
        """Run each call. Raises Ruling at the first wrong one."""
        oracle, rng = OwnCode.of(self.program.trusted(session)), session.rng()
        noted = triton_traffic.watch(session)
        # One model for all calls, so that what it keeps of one shows in the next.
        weights = int(rng.integers(1 << 31))
        evidence = Evidence(self.kinds)
        watched: list[triton_traffic.JudgedCall] = []
        for number in range(len(self.kinds)):
            again = partial(self._call, oracle, rng, weights, number)
            if (call := again()) is None:
                continue
            session.progress(call.case.label)
            with self._left_open(), ruling_about(call.case):
                timeout_s, worker = session.timeout(TIMEOUT_S), session.worker()
                order = int(rng.integers(1 << 62))
                got, reply = ask(call.case, worker, session, timeout_s, watch=noted, order=order)
                evidence.add(call, got)
            if noted and call.decides:
                watched.append(triton_traffic.watched(call, reply, again))
            session.note(
                cases=evidence.decided, sizes=call.sizes, tolerance=TOLERANCE_WORDS[self.who]
            )
        evidence.require_enough()
        return f"{evidence.sentence()}; {triton_traffic.counted(watched, session)}."

    @contextmanager
    def _left_open(self) -> Generator[None]:
        """Turn a failure for want of a GPU into NOT_MEASURED, if no points depend on it."""
        if self.graded:
            yield
            return
        with without_gpu():
            yield

    def _call(
        self, oracle: OwnCode, rng: np.random.Generator, weights: int, number: int
    ) -> HiddenCall | None:
        """Return call `number` with new values; None if it is too large here."""
        key = (number, int(rng.integers(1 << 31)), weights, self.kinds[number])
        reported = oracle.described(key)
        return HiddenCall(oracle, key, self.who, reported) if reported else None


class OwnCode(Process):
    """The process in which the problem's own code runs; nothing of the submission is in it."""

    @classmethod
    def of(cls, process: Process) -> OwnCode:
        """Return a running program as such a process."""
        return cls(process.program, process.worker, process.session)

    def described(self, key: tuple[int, int, int, str]) -> dict[str, Any] | None:
        """Return what the oracle's `describe` returns.

        Raises Ruling NOT_MEASURED, with the reason, if the problem cannot be judged here.
        """
        try:
            reported = cast("dict[str, Any] | None", self.ask("describe", *key))
        except JudgeFault as fault:
            if (died := _DIED.search(str(fault))) is None:
                raise
            raise unfit(f"{_DEATHS[died[0]]} at these sizes") from fault
        if reported and "unfit" in reported:
            raise unfit(readable(reported["unfit"], 400))
        return reported


_DEATHS = {
    "memory_limit": "it needs more memory than a check may use",
    "timeout": "it takes too long",
    "process ended": "its process ended",
}
_DIED = re.compile("|".join(_DEATHS))


def unfit(why: str) -> Ruling:
    """Return the ruling about a problem that cannot be judged on this machine."""
    return Ruling(
        Verdict.NOT_MEASURED, f"The problem's own code cannot be judged here: {why.rstrip('.')}."
    )


_RAISED = re.compile(r"^It raised NeedsGpu( at [^:]*:\d+)?: ")


@contextmanager
def without_gpu() -> Generator[None]:
    """Turn a failure for want of a GPU, or of what the interpreter runs, into NOT_MEASURED."""
    try:
        yield
    except NotInterpreted as ruling:
        raise Ruling(Verdict.NOT_MEASURED, ruling.sentence) from None
    except Ruling as ruling:
        if ruling.verdict is Verdict.RUNTIME_ERROR and NEEDS_GPU.search(ruling.sentence):
            failure = _RAISED.sub("", ruling.sentence).rstrip(".")
            raise Ruling(Verdict.NOT_MEASURED, f"It needs a GPU: {failure}.") from None
        raise


TOLERANCE_WORDS: dict[Who, str] = {
    "eager": "for each number, what as good arithmetic in another order errs",
    "problem": "the problem's own check",
}


class Evidence:
    """What the calls so far tell about a submission. decided: how many would refuse a wrong one."""

    def __init__(self, kinds: Sequence[str]) -> None:
        self._kinds = kinds
        self._own = self._different = False
        self._last: HiddenCall | None = None
        self._undecided = "the others are too large for this machine"
        self.sent = self.decided = 0

    def add(self, call: HiddenCall, got: Floats) -> None:
        """Note an answer. Raises Ruling WRONG_ANSWER if the call decides and it is wrong."""
        self.sent += 1
        if not call.decides:
            self._undecided = call.undecided
            return
        call.require_right(got)
        self.decided += 1
        self._own |= call.kind == "given"
        self._different |= self._last is not None and call.refuses(self._last)
        # The oracle keeps few calls, so what the next one is compared with is read now.
        self._last = call
        _ = call.truth

    def require_enough(self) -> None:
        """Raise Ruling NOT_MEASURED if a wrong answer could have passed."""
        if not self.sent:
            why = "all inputs are too large for this machine"
        elif not self.decided:
            why = f"no call could be judged: {self._undecided}"
        elif self.decided < min(LEAST_CALLS, len(self._kinds)):
            why = f"only one call tells right from wrong: {self._undecided}"
        elif not self._own:
            why = f"no call with the problem's own inputs tells right from wrong: {self._undecided}"
        elif len(self._kinds) >= LEAST_CALLS and not self._different:
            why = "the output is the same for all inputs, so any constant would pass"
        else:
            return
        raise Ruling(Verdict.NOT_MEASURED, f"Right or wrong cannot be told here: {why}.")

    def sentence(self) -> str:
        """Say how many calls were right."""
        text = f"Right on all {self.decided} hidden cases"
        left = self.sent - self.decided
        return f"{text} ({left} more can tell nothing)" if left else text


class HiddenCall:
    """One call: its inputs, which the oracle makes, and the expected outputs.

    key: number, seed of the inputs, seed of the weights, kind of inputs. reported: result of
    `describe`.
    """

    def __init__(
        self, oracle: OwnCode, key: tuple[int, int, int, str], who: Who, reported: dict[str, Any]
    ) -> None:
        self._oracle, self._key, self._who = oracle, key, who
        self.sizes = str(reported["sizes"])
        self.outputs = [tensor_spec(each) for each in reported["outputs"]]
        self.inputs = self._filled("fill", reported["inputs"])
        self.size = sum(math.prod(each.shape) for each in self.outputs)
        # The problem's own check decides which dtypes and shapes are right.
        self._packed = who == "problem" or len(self.outputs) > 1
        one = TensorSpec((HEADER + self.size,), FP64) if self._packed else self.outputs[0]
        self.kind, self.undecided = key[3], readable(str(reported["undecided"]), 200)
        self.decides = not self.undecided
        texts = [json.dumps(reported[name]) for name in ("setup", "given")]
        label = f"call {key[0] + 1}, {LABELS[key[3]]}"
        self.case = Case(label, (*texts, key[2], *self.inputs), one)
        self.reported = reported

    @cached_property
    def truth(self) -> Floats:
        """All outputs in float64, flattened and concatenated."""
        return self._numbers("answers")

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """The lowest and the highest right numbers, in the form of `truth`."""
        return self._numbers("lowest"), self._numbers("highest")

    def _numbers(self, function: str) -> Floats:
        case = Case("", self._key, TensorSpec((self.size,), FP64))
        return self._oracle.answer(function, case)

    def refuses(self, other: HiddenCall) -> bool:
        """Return whether the right answer to another call would be wrong here."""
        if self.size != other.size:
            return True
        if self._who == "problem":
            return not np.allclose(self.truth, other.truth, equal_nan=True)
        return bool(np.any(excess_of(other.truth, *self.bounds)))

    @cached_property
    def parameters(self) -> list[InputTensor]:
        """The tensors that a call reads besides its inputs."""
        return self._filled("fill_parameter", self.reported["parameters"])

    def asked(self, function: str) -> Any:
        """Return what a function of the oracle's says about the call."""
        return self._oracle.ask(function, *self._key)

    @property
    def fewest_bytes(self) -> int:
        """Bytes if each input and parameter is read once and each output is written once.

        An input that the problem's own code writes its output to counts as an output only.
        """
        reported = enumerate(self.reported["inputs"])
        read = [each for at, each in reported if at not in self.reported["written"]]
        specs = [tensor_spec(each) for each in (*read, *self.reported["parameters"])]
        return sum(spec.bytes for spec in (*specs, *self.outputs))

    def joined(self, outputs: Sequence[Floats]) -> Floats:
        """Return the outputs in the form in which the submission's process returns them."""
        if not self._packed:
            return outputs[0]
        header = np.zeros(HEADER)
        header[: len(self._header)] = self._header
        return np.concatenate([header, *(each.reshape(-1) for each in outputs)])

    def require_right(self, got: Floats) -> None:
        """Raise Ruling WRONG_ANSWER unless the answer is right."""
        if self._who == "problem":
            case = Case("", (*self._key, InputTensor(got, FP64)), TensorSpec((1,), FP64))
            if self._oracle.answer("own_check", case)[0]:
                message = str(self._oracle.ask("last_said"))
                raise Ruling(Verdict.WRONG_ANSWER, f"Wrong, by the problem's own check: {message}")
            return
        got = self._without_header(got) if self._packed else got
        beyond, start = excess_of(got.reshape(-1), *self.bounds), 0
        for spec in self.outputs:
            part = slice(start, start + math.prod(spec.shape))
            start = part.stop
            if not (wrong := int(np.count_nonzero(beyond[part]))):
                continue
            worst = int(np.argmax(beyond[part]))
            index = tuple(int(each) for each in np.unravel_index(worst, spec.shape))
            mine, want = (float(all_.reshape(-1)[part][worst]) for all_ in (got, self.truth))
            found = Disagreement(index, mine, want, wrong, beyond[part].size, math.inf)
            raise Ruling(Verdict.WRONG_ANSWER, f"Wrong: {found.sentence()}.")

    @property
    def _header(self) -> list[int]:
        """Number, dtypes and shapes of the outputs."""
        names = [*DTYPES]
        reported = ((names.index(s.dtype.name), len(s.shape), *s.shape) for s in self.outputs)
        return [len(self.outputs), *chain.from_iterable(reported)]

    def _without_header(self, got: Floats) -> Floats:
        """Return the elements.

        Raises Ruling if number, dtypes or shapes of the outputs are wrong.
        """
        want = self._header
        if got[: len(want)].tolist() != want:
            shapes = ", ".join(f"{each.dtype.name} {list(each.shape)}" for each in self.outputs)
            raise Ruling(Verdict.WRONG_ANSWER, f"Expected these outputs: {shapes}.")
        return got[HEADER:]

    def _filled(self, function: str, described: list[Any]) -> list[InputTensor]:
        specs = [tensor_spec(each) for each in described]
        cases = [Case("", (*self._key, at), spec) for at, spec in enumerate(specs)]
        values = [self._oracle.answer(function, case) for case in cases]
        with ours("the problem's tensors"):
            return [_tensor(each, spec) for each, spec in zip(values, specs, strict=True)]


def _tensor(values: Floats, spec: TensorSpec) -> InputTensor:
    """Return a tensor; the oracle reports whole numbers as float64 too."""
    return InputTensor(values if spec.dtype.floating else values.astype(np.int64), spec.dtype)


LABELS = {
    "given": "the problem's own inputs",
    "normal": "normally distributed inputs",
    "integers": "integers as inputs",
    "spikes": "inputs with a few large numbers",
}


def tensor_spec(reported: Any) -> TensorSpec:
    """Return the spec of a tensor in the result of `describe`."""
    return TensorSpec(tuple(reported["shape"]), DTYPES[reported["dtype"]])


def excess_of(got: Floats, low: Floats, high: Floats) -> Floats:
    """Return how far each element is beyond its bounds; infinite where NaN or infinity differs.

    The bounds are as in programs/hotloop_bounds.py.
    """
    anything = (low == -np.inf) & (high == np.inf)
    right = (got >= low) & (got <= high) | anything | (np.isnan(got) & np.isnan(low))
    with np.errstate(invalid="ignore", over="ignore"):
        beyond = np.maximum(low - got, got - high) / np.maximum(high - low, np.finfo(float).tiny)
    return np.where(right, 0.0, np.nan_to_num(beyond, nan=np.inf))
