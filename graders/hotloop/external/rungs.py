"""The checks of a problem of a public set, and the oracle that decides what is right."""

from __future__ import annotations

import json
import math
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import chain
from typing import Any, Literal, cast

import numpy as np

from hotloop.core.verdict import NotInterpreted, Ruling, Verdict
from hotloop.external import SUBMISSION, moves
from hotloop.judge.calls import TensorSpec
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.dtypes import BF16, BOOL, FP16, FP32, FP64, I32, I64, U8
from hotloop.judge.program import Process, Program
from hotloop.judge.rungs.correct import Case, Tensor, ruling_about
from hotloop.judge.rungs.correct import call as ask
from hotloop.judge.session import Session

DTYPES = {dtype.name: dtype for dtype in (FP64, FP32, FP16, BF16, I64, I32, U8, BOOL)}
KINDS = ("given", "given", "normal", "integers", "spikes")
"""Kinds of inputs of a KernelBench problem's calls, in this order."""

TIMES_EAGER = 8.0
"""An answer may err by this many times the error of the problem's own code against float64."""

RELATIVE, OF_RMS = 2.0**-20, 2.0**-20
"""Further tolerance, relative to each number and to the output's root mean square.

Eight roundings of float32, as other code rounds in other steps.
"""

MOST_OF_RMS = 0.05
"""A call whose tolerance would exceed this share of the output's RMS is not judged."""

TIMEOUT_S = 200.0
"""Timeout of a call: a submission may compile first, and Triton's interpreter is slow."""

BUILDS_CUDA = "cpp_extension"
"""Marks a submission that compiles a PyTorch extension."""

HEADER = 64
"""As in programs/hotloop_structure.py, which the judge cannot import: it needs PyTorch."""

Who = Literal["eager", "problem"]


@dataclass(frozen=True)
class Agrees:
    """Checks that the candidate's answers are right on inputs that the problem makes.

    The inputs' seeds are secret. kinds: of the inputs, one per call. who: decides what is right:
    `eager`, float64 with a tolerance from the error of the problem's own code; `problem`, the
    problem's own check. graded: somebody's points depend on the verdict, so that a kernel which
    Triton's interpreter cannot run earns nothing instead of being left open.
    """

    program: Program
    kinds: tuple[str, ...]
    who: Who
    graded: bool

    def __call__(self, session: Session) -> str:
        """Run each call. Raises Ruling at the first wrong one."""
        if BUILDS_CUDA in session.files.read_text(SUBMISSION):
            raise Ruling(Verdict.NOT_MEASURED, "It builds CUDA C++, which is judged on a GPU.")
        oracle, rng, noted = self.program.trusted(session), session.rng(), moves.watch(session)
        # One model for all calls, so that what it keeps of one shows in the next.
        weights = int(rng.integers(1 << 31))
        seen: list[Floats] = []
        watched: list[moves.Watched] = []
        for number in range(len(self.kinds)):
            again = partial(self._call, oracle, rng, weights, number)
            if (call := again()) is None:
                continue
            session.progress(call.case.label)
            with self._left_open(), ruling_about(call.case):
                timeout_s = session.timeout(TIMEOUT_S)
                order = int(rng.integers(1 << 62))
                worker = session.worker()
                got, reply = ask(call.case, worker, session, timeout_s, watch=noted, order=order)
                call.require_right(got)
            seen.append(call.truth())
            if noted:
                watched.append(moves.watched(call, reply, again))
            session.note(cases=len(seen), sizes=call.sizes, tolerance=TOLD[self.who])
        _require_evidence(seen)
        return f"Right on all {len(seen)} hidden cases; {moves.counted(watched, session)}."

    @contextmanager
    def _left_open(self) -> Generator[None]:
        """Make a kernel that Triton's interpreter cannot run NOT_MEASURED, if no points depend."""
        try:
            yield
        except NotInterpreted as ruling:
            if self.graded:
                raise
            raise Ruling(Verdict.NOT_MEASURED, ruling.sentence) from None

    def _call(
        self, oracle: Process, rng: np.random.Generator, weights: int, number: int
    ) -> HiddenCall | None:
        """Return call `number` with new values; None if it is too large here or cannot decide."""
        key = (number, int(rng.integers(1 << 31)), weights, self.kinds[number])
        reported = cast(dict[str, Any], oracle.ask("describe", *key))
        call = HiddenCall(oracle, key, self.who, reported) if reported else None
        undecided = call is not None and self.who == "eager" and not call.decides()
        return None if undecided else call


TOLD: dict[Who, str] = {
    "eager": f"{TIMES_EAGER:g} × eager's own error against float64",
    "problem": "the problem's own check",
}


class HiddenCall:
    """One call: its inputs, which the oracle makes, and the expected outputs.

    key: number, seed of the inputs, seed of the weights, kind of inputs. reported: result of
    `describe`.
    """

    def __init__(
        self, oracle: Process, key: tuple[int, int, int, str], who: Who, reported: dict[str, Any]
    ) -> None:
        self._oracle, self._key, self._who = oracle, key, who
        self.sizes = str(reported["sizes"])
        self.outputs = [tensor_spec(each) for each in reported["outputs"]]
        self.inputs = self._filled("fill", reported["inputs"])
        self.size = sum(math.prod(each.shape) for each in self.outputs)
        # The problem's own check decides which dtypes and shapes are right.
        self._packed = who == "problem" or len(self.outputs) > 1
        one = TensorSpec((HEADER + self.size,), FP64) if self._packed else self.outputs[0]
        texts = [json.dumps(reported[name]) for name in ("setup", "given")]
        label = f"call {key[0] + 1}, {LABELS[key[3]]}"
        self.case = Case(label, (*texts, key[2], *self.inputs), one)
        self.reported = reported
        self._truth: Floats | None = None

    def truth(self) -> Floats:
        """Return all outputs in float64, flattened and concatenated."""
        if self._truth is None:
            case = Case("", self._key, TensorSpec((self.size,), FP64))
            self._truth = self._oracle.answer("answers", case)
        return self._truth

    @cached_property
    def errors(self) -> list[tuple[float, float]]:
        """For each output: the problem's own largest error against float64, and the RMS."""
        reported: Any = self._oracle.ask("errors", *self._key)
        return [(float(eager), float(rms)) for eager, rms in reported]

    def decides(self) -> bool:
        """Return whether the call can be judged.

        False if the expected output is not finite, or if the problem's own code errs so much that a
        wrong answer could pass.
        """
        if not np.all(np.isfinite(self.truth())):
            return False
        return all(
            TIMES_EAGER * eager <= MOST_OF_RMS * rms if spec.dtype.floating else eager == 0
            for spec, (eager, rms) in zip(self.outputs, self.errors, strict=True)
        )

    @cached_property
    def parameters(self) -> list[Tensor]:
        """The tensors that a call reads besides its inputs."""
        return self._filled("fill_parameter", self.reported["parameters"])

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
            self._ask_the_problem(got)
            return
        got = self._without_header(got) if self._packed else got
        start = 0
        for spec, (eager, rms) in zip(self.outputs, self.errors, strict=True):
            size = math.prod(spec.shape)
            parts = [all_.reshape(-1)[start : start + size] for all_ in (got, self.truth())]
            start += size
            tolerance = Tolerance(RELATIVE, TIMES_EAGER * eager + OF_RMS * rms)
            mine, want = (part.reshape(spec.shape) for part in parts)
            if (found := compare(mine, want, tolerance)) is not None:
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

    def _ask_the_problem(self, got: Floats) -> None:
        case = Case("", (*self._key, Tensor(got, FP64)), TensorSpec((1,), FP64))
        if self._oracle.answer("own_check", case)[0]:
            said = str(self._oracle.ask("last_said"))
            raise Ruling(Verdict.WRONG_ANSWER, f"Wrong, by the problem's own check: {said}")

    def _filled(self, function: str, described: list[Any]) -> list[Tensor]:
        specs = [tensor_spec(each) for each in described]
        cases = [Case("", (*self._key, at), spec) for at, spec in enumerate(specs)]
        values = [self._oracle.answer(function, case) for case in cases]
        return [Tensor(each, spec.dtype) for each, spec in zip(values, specs, strict=True)]


LABELS = {
    "given": "the problem's own inputs",
    "normal": "normally distributed inputs",
    "integers": "integers as inputs",
    "spikes": "inputs with a few large numbers",
}


def tensor_spec(reported: Any) -> TensorSpec:
    """Return the spec of a tensor in the result of `describe`."""
    return TensorSpec(tuple(reported["shape"]), DTYPES[reported["dtype"]])


def _require_evidence(truths: list[Floats]) -> None:
    """Raise Ruling if no call was judged, or if the output is the same for all inputs.

    In both cases a wrong answer could pass.
    """
    if not truths:
        raise Ruling(
            Verdict.NOT_MEASURED,
            "No call could be judged: all inputs are too large for this machine, or the problem's "
            "own code is too far from float64 on them.",
        )
    first, *others = truths
    same = [other.shape == first.shape and np.allclose(other, first) for other in others]
    if same and all(same):
        raise Ruling(
            Verdict.NOT_MEASURED,
            "The problem's output is the same for all inputs: any constant would pass.",
        )
