"""What is proved of a task's Triton kernels, beside what its cases tested.

A proof gives no points and takes none: where there is none, the sentence says why. A counterexample
is told only after the recorded kind of replay failed at its sizes.
"""

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import numpy as np

from hotloop.core.verdict import Ruling
from hotloop.engines.prover import contract as sizes
from hotloop.engines.prover.contract import PlainArgument, TensorArgument
from hotloop.engines.prover.report import (
    COUNTEREXAMPLE,
    PROVED,
    TESTED,
    Claim,
    Counterexample,
    Report,
)
from hotloop.judge import launch_plan
from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.checks.correct import Argument, Case, InputTensor
from hotloop.judge.checks.kernel_process import kernel_process
from hotloop.judge.checks.triton_kernel_calls import OutsideRuling, Recorded, replay
from hotloop.judge.kernel_contract import KindOfCall, NoContract, as_in_no_case, kinds_of_call
from hotloop.judge.kernel_source import vet
from hotloop.judge.race_ruling import RaceRuling
from hotloop.judge.session import INTERPRETED, Session

PROOFS_S = 15.0
"""Time for all proofs of a task, on a core."""
BUSY = 3
"""By how much a busy machine may overrun it."""
RUN_S = 20.0
MOST_ELEMENTS = 1 << 22
"""Of a tensor in a counterexample that is run."""

_OF_TORCH = {
    "float64": "fp64",
    "float16": "fp16",
    "bfloat16": "bf16",
    "int64": "i64",
    "int32": "i32",
    "int16": "i16",
    "int8": "i8",
    "uint8": "u8",
}


@dataclass(frozen=True)
class Proofs:
    """All claims of a task.

    assumed: shapes in words. broken: what a counterexample did; cost: what that costs.
    """

    claims: Sequence[Claim]
    assumed: str = ""
    broken: str = ""
    cost: str = "No hidden case has these sizes: it costs no points."

    @property
    def sentence(self) -> str:
        """What a learner reads behind the verdict; it begins with a space."""
        if self.broken:
            return f" {self.broken} {self.cost}"
        left = [one for one in self.claims if one.result != PROVED]
        if not left:
            return " Proved: in bounds and free of races for every size."
        sure = {one.kernel for one in self.claims if one.result == PROVED and one.about == "bounds"}
        sure -= {one.kernel for one in left if one.about == "bounds"}
        proved = f" Proved in bounds for every size: {_listed(sure)}." if sure else ""
        first = left[0]
        what = f"`{first.kernel}`: {first.reason}" if first.kernel else first.reason
        return f"{proved} The rest is tested, not proved ({what})."

    @property
    def evidence(self) -> dict[str, Any]:
        """Plain data for the record."""
        claims = [
            {
                "kernel": one.kernel,
                "about": one.about,
                "result": one.result,
                "reason": one.reason,
                "line": one.line,
            }
            for one in self.claims
        ]
        return {"claims": claims, "assumed": self.assumed, "broken": self.broken}


def proofs(session: Session, calls: Sequence[tuple[CallSpec, Recorded | None]]) -> Proofs | None:
    """Return what is proved of the task's kernels; None if z3 is not installed.

    calls: shapes of the cases, with the launches that were recorded.
    """
    if find_spec("z3") is None:
        return None
    try:
        return _proofs(session, calls)
    except NoContract as reason:
        return no_proofs(str(reason))
    except Exception as error:  # noqa: BLE001 - whatever happens here must cost no points
        session.log_exception(error)
        return no_proofs("the prover was stopped")


def no_proofs(reason: str) -> Proofs:
    """Return what is said where nothing could be asked."""
    return Proofs([Claim("", about, TESTED, reason) for about in ("bounds", "races")])


def _proofs(session: Session, calls: Sequence[tuple[CallSpec, Recorded | None]]) -> Proofs:
    file = session.candidate.file or ""
    source = session.files.read_text(file)
    kinds = kinds_of_call([spec for spec, _ in calls], _parameters(source, session.candidate.name))
    session.progress("proving the kernels for every size")
    worker = session.trusted(None, {}, ("-m", "hotloop.engines.prover.worker"))
    claims: dict[tuple[str, str], Claim] = {}
    broken, left_s = "", PROOFS_S
    try:
        for kind in kinds:
            recorded = [_recorded(calls[case][1], values) for case, values in kind.values.items()]
            request = {
                "op": "prove",
                "source": source,
                "entry": session.candidate.name,
                "contract": kind.contract.to_message(),
                "recorded": [one for one in recorded if one is not None],
                "seconds": left_s,
            }
            reply = worker.request(request, session.timeout(BUSY * PROOFS_S))
            report = Report.from_message(reply["report"])
            left_s -= report.seconds
            for claim in report.claims:
                spec = calls[next(iter(kind.values))][0]
                odd = odd_sizes(claim, kinds)
                fault = "" if odd else _run(claim, kind, spec, source, session)
                broken = broken or fault
                seen = claim if fault or claim.result != COUNTEREXAMPLE else unconfirmed(claim, odd)
                key = (claim.kernel, claim.about)
                if key not in claims or claims[key].result == PROVED:
                    claims[key] = seen
    finally:
        worker.close()
    assumed = "; ".join(dict.fromkeys(kind.contract.in_words() for kind in kinds))
    return Proofs(list(claims.values()), assumed, broken)


def odd_sizes(claim: Claim, kinds: Sequence[KindOfCall]) -> str:
    """Return how a counterexample's sizes are as in no case; "" if they are not."""
    if claim.counterexample is None or not (
        pair := as_in_no_case(claim.counterexample.values, kinds)
    ):
        return ""
    return f"at sizes with {pair[0]} above {pair[1]}, which no case has"


def unconfirmed(claim: Claim, odd: str) -> Claim:
    """Return the claim about a counterexample that was not run, or at which nothing failed."""
    why = odd or "for all that I know, but at the sizes that I tried nothing failed"
    return Claim(claim.kernel, claim.about, TESTED, f"{claim.reason} {why}", claim.line)


def _parameters(source: str, name: str) -> list[str]:
    for statement in ast.parse(source).body:
        if isinstance(statement, ast.FunctionDef) and statement.name == name:
            return [each.arg for each in statement.args.args]
    raise NoContract(f"`{name}` is no function at the top of the file")


def _recorded(one: Recorded | None, values: Mapping[str, int]) -> dict[str, Any] | None:
    if one is None:
        return None
    return {"values": dict(values), "launches": one.plan.to_message()["launches"]}


def _run(claim: Claim, kind: KindOfCall, spec: CallSpec, source: str, session: Session) -> str:
    """Return what fails at the counterexample's sizes, in a sentence; "" if nothing does."""
    example = claim.counterexample
    case = None if example is None else case_of(example, kind, spec)
    if case is None or example is None:
        return ""
    expected = OutsideRuling if claim.about == "bounds" else RaceRuling
    try:
        plan = launch_plan.read(_plan(example, spec), len(spec.arguments) + 1)
        kernels = vet(source, plan.kernels, session.candidate.file or "")
        launch_plan.require_fit(plan, kernels)
        with kernel_process(session, "triton_replay", INTERPRETED) as worker:
            timeout_s = session.timeout(RUN_S)
            done = replay(case, Recorded(plan, kernels), worker, session, timeout_s)
            fault: Ruling | None = done.race
    except Ruling as ruling:
        fault = ruling
    if not isinstance(fault, expected):
        return ""
    where = ", ".join(
        f"{kind.contract.symbols[name].label} = {value}" for name, value in example.values.items()
    )
    return f"The smallest sizes that break it ({where}): {fault.sentence}"


def case_of(example: Counterexample, kind: KindOfCall, spec: CallSpec) -> Case | None:
    """Return a case of the counterexample's sizes, or None if it is too large to be run."""
    arguments: list[Argument] = []
    specs = [*spec.arguments, spec.out]
    tensors: list[TensorSpec] = []
    rng = np.random.default_rng(0)
    for one, like in zip(kind.contract.arguments, specs, strict=True):
        if isinstance(one, PlainArgument):
            plain = sizes.size(one.text, example.values) if one.text else one.value
            arguments.append(1.0 if one.unknown else plain)
            continue
        assert isinstance(like, TensorSpec)
        tensor = _spec(one, example.values, like)
        if tensor is None or math.prod(tensor.shape) > MOST_ELEMENTS:
            return None
        tensors.append(tensor)
        values = (
            rng.standard_normal(tensor.shape)
            if like.dtype.floating
            else np.ones(tensor.shape, np.int64) * (like.dtype.bytes == 1)
        )
        arguments.append(InputTensor(values, like.dtype, tensor.row_gap, tensor.order))
    return Case("the smallest sizes", tuple(arguments[:-1]), tensors[-1])


def _spec(one: TensorArgument, values: Mapping[str, int], like: TensorSpec) -> TensorSpec | None:
    shape = tuple(sizes.size(text, values) for text in one.sizes)
    strides = tuple(sizes.size(text, values) for text in one.strides)
    order = like.order or tuple(range(len(shape)))
    gap = strides[order[-2]] - shape[order[-1]] if len(shape) > 1 else 0
    spec = TensorSpec(shape, like.dtype, gap, like.order)
    return spec if spec.strides == strides else None


def _plan(example: Counterexample, spec: CallSpec) -> dict[str, Any]:
    """Return the counterexample's launches as a worker would report them."""
    tensors = [*spec.arguments, spec.out]
    scratch = [_OF_TORCH.get(one["dtype"], "fp32") for one in example.scratch]

    def argument(value: Mapping[str, Any]) -> dict[str, Any]:
        if "type" in value:
            return {"type": _OF_TORCH.get(value["type"], "fp32")}
        if "tensor" not in value:
            return dict(value)
        index = int(value["index"])
        like = tensors[index] if value["tensor"] == "argument" else None
        dtype = like.dtype.name if isinstance(like, TensorSpec) else scratch[index]
        return {**value, "offset": 0, "dtype": "u8" if dtype == "bool" else dtype}

    return {
        "launches": [
            {
                "kernel": one["kernel"],
                "grid": one["grid"],
                "arguments": {name: argument(value) for name, value in one["arguments"].items()},
                "num_warps": 4,
                "num_stages": 1,
            }
            for one in example.launches
        ],
        "scratch": [
            {
                "bytes": one["elements"] * launch_plan.ELEMENT_BYTES[dtype],
                "fill": "00" if one["filled"] else None,
            }
            for one, dtype in zip(example.scratch, scratch, strict=True)
        ],
    }


def _listed(names: set[str]) -> str:
    return ", ".join(f"`{name}`" for name in sorted(names))
