"""How a problem of a public set is judged: the checks, and who says what is right."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, cast

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.external import PROGRAMS
from hotloop.judge.calls import TensorSpec
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.dtypes import BF16, BOOL, FP16, FP32, FP64, I32, I64, U8
from hotloop.judge.program import Process, Program
from hotloop.judge.rungs.correct import Argument, Case, Tensor, ask, ruling_about
from hotloop.judge.session import Session
from hotloop.judge.task import Task, returns_tensor

DTYPES = {dtype.name: dtype for dtype in (FP64, FP32, FP16, BF16, I64, I32, U8, BOOL)}
KINDS = ("given", "given", "normal", "integers", "spikes")
"""Inputs of the calls that are made of a KernelBench problem, in this order."""

TIMES_EAGER = 8.0
"""An answer may be this many times as far from float64 as the problem's own code is."""

RELATIVE, OF_RMS = 2.0**-20, 2.0**-20
"""What is allowed besides, of each number and of the output's root mean square: eight roundings of
float32, as other code rounds other steps."""

TIMEOUT_S = 200.0
"""Of a call: a submission may compile first, and Triton's interpreter takes its time."""

HEADER = 64
"""As in programs/hotloop_structure.py, which the judge does not import: it needs PyTorch."""

Who = Literal["eager", "problem"]


def kernelbench(folder: Path) -> Task:
    """The problem whose file is `problem.py` in the folder."""
    return returns_tensor(correct=Agrees(_program(folder, "kernelbench"), KINDS, "eager"))


def gpu_mode(folder: Path) -> Task:
    """The problem whose `reference.py` and tests are in the folder."""
    tests = json.loads((folder / "hotloop_tests.json").read_text(encoding="utf-8"))
    kinds = ("given",) * len(tests)
    return returns_tensor(correct=Agrees(_program(folder, "gpu_mode"), kinds, "problem"))


def _program(folder: Path, form: str) -> Program:
    ours = {path.name: path for path in PROGRAMS.glob("*.py") if path.stem != "hotloop_adapter"}
    ours["hotloop_form.py"] = ours.pop(f"hotloop_{form}.py")
    given = {path.name: path for path in folder.iterdir() if path.is_file()}
    return Program({**given, **ours}, "hotloop_oracle.py")


@dataclass(frozen=True)
class Agrees:
    """The candidate's answers are right on inputs that the problem makes from secret seeds.

    kinds: of the inputs of each call. who: says what is right: float64, with a tolerance from the
    error of the problem's own code, or the problem's own check.
    """

    program: Program
    kinds: tuple[str, ...]
    who: Who

    def __call__(self, session: Session) -> str:
        """Ask for each call; the first wrong one rules."""
        oracle = self.program.trusted(session)
        seen: list[Floats] = []
        for call in self._calls(session, oracle):
            if self.who == "eager" and not np.all(np.isfinite(call.truth())):
                continue  # these inputs mean nothing to the problem
            session.progress(call.case.label)
            with ruling_about(call.case):
                got = ask(call.case, session.worker(), session, session.timeout(TIMEOUT_S))
                call.require_right(got, self.who)
            seen.append(call.truth())
            session.note(cases=len(seen), sizes=call.sizes, tolerance=_TOLD[self.who])
        _require_dependence(seen)
        return f"Right on all {len(seen)} hidden cases."

    def _calls(self, session: Session, oracle: Process) -> Iterator[HiddenCall]:
        rng = session.rng()
        # One model for all calls, so that what it keeps of one shows in the next.
        weights = int(rng.integers(1 << 31))
        for number, kind in enumerate(self.kinds):
            key = (number, int(rng.integers(1 << 31)), weights, kind)
            if told := cast(dict[str, Any], oracle.ask("describe", *key)):
                yield HiddenCall(oracle, key, self.who, told)


_TOLD: dict[Who, str] = {
    "eager": f"{TIMES_EAGER:g} × eager's own error against float64",
    "problem": "the problem's own check",
}


class HiddenCall:
    """One call: its inputs, which the oracle makes, and what is right.

    key: number, seed of the inputs, seed of the weights, kind of inputs. told: by `describe`.
    """

    def __init__(
        self, oracle: Process, key: tuple[int, int, int, str], who: Who, told: dict[str, Any]
    ) -> None:
        self._oracle, self._key = oracle, key
        self.sizes = str(told["sizes"])
        self.outputs = [_spec(each) for each in told["outputs"]]
        inputs = [self._input(i, _spec(each)) for i, each in enumerate(told["inputs"])]
        self.size = sum(math.prod(each.shape) for each in self.outputs)
        one = self.outputs[0]
        if who == "problem":  # which says itself what dtype and shape are right
            one = TensorSpec((HEADER + self.size,), FP64)
        elif len(self.outputs) > 1:
            one = TensorSpec((self.size,), FP64)
        texts = [json.dumps(told[name]) for name in ("setup", "given")]
        label = f"call {key[0] + 1}, {_LABELS[key[3]]}"
        self.case = Case(label, (*texts, key[2], *inputs), one)
        self._truth: Floats | None = None

    def truth(self) -> Floats:
        """All outputs in float64, one behind the other."""
        if self._truth is None:
            case = Case("", self._key, TensorSpec((self.size,), FP64))
            self._truth = self._oracle.answer("answers", case)
        return self._truth

    def require_right(self, got: Floats, who: Who) -> None:
        """Ruling WRONG_ANSWER unless it is."""
        if who == "problem":
            self._ask_the_problem(got.reshape(-1))
            return
        start = 0
        errors: Any = self._oracle.ask("errors", *self._key)
        for spec, (eager, rms) in zip(self.outputs, errors, strict=True):
            size = math.prod(spec.shape)
            parts = [all_.reshape(-1)[start : start + size] for all_ in (got, self.truth())]
            start += size
            tolerance = Tolerance(RELATIVE, TIMES_EAGER * eager + OF_RMS * rms)
            mine, want = (part.reshape(spec.shape) for part in parts)
            if (found := compare(mine, want, tolerance)) is not None:
                raise Ruling(Verdict.WRONG_ANSWER, f"Wrong: {found.sentence()}.")

    def _ask_the_problem(self, got: Floats) -> None:
        case = Case("", (*self._key, Tensor(got, FP64)), TensorSpec((1,), FP64))
        if self._oracle.answer("own_check", case)[0]:
            said = str(self._oracle.ask("last_said"))
            raise Ruling(Verdict.WRONG_ANSWER, f"Wrong, by the problem's own check: {said}")

    def _input(self, position: int, spec: TensorSpec) -> Argument:
        case = Case("", (*self._key, position), spec)
        return Tensor(self._oracle.answer("fill", case), spec.dtype)


_LABELS = {
    "given": "the problem's own inputs",
    "normal": "normally distributed inputs",
    "integers": "integers as inputs",
    "spikes": "inputs with a few large numbers",
}


def _spec(told: Any) -> TensorSpec:
    return TensorSpec(tuple(told["shape"]), DTYPES[told["dtype"]])


def _require_dependence(truths: list[Floats]) -> None:
    """A problem whose output is the same for all inputs tells nobody apart."""
    first, *others = truths or [np.zeros(0)]
    same = [other.shape == first.shape and np.allclose(other, first) for other in others]
    if same and all(same):
        raise Ruling(
            Verdict.NOT_MEASURED,
            "The problem's output is the same for all inputs: any constant would pass.",
        )
