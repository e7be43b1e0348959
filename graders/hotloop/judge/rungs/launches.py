"""What a candidate's Triton function launches, and the vetted source of those kernels.

Shared by the rungs that look at *how* a kernel works. The candidate's worker is only asked which
launches one call makes; what these do is found out elsewhere, without the learner's Python.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace

import numpy as np

from hotloop.judge import launch_plan
from hotloop.judge.bench import Bench
from hotloop.judge.calls import Arena
from hotloop.judge.check import Candidate
from hotloop.judge.dtypes import BOOL
from hotloop.judge.kernel_source import KernelSource, vet
from hotloop.judge.launch_plan import Launch, Plan, Pointer
from hotloop.judge.link import Link
from hotloop.judge.rungs.correct import Argument, Case, Tensor, fill
from hotloop.judge.verdict import Ruling, Verdict

INTERPRETED = {"TRITON_INTERPRET": "1"}


@dataclass(frozen=True)
class Recorded:
    """The claimed launches of one call, and the kernels that they name."""

    plan: Plan
    source: KernelSource


def recorded(case: Case, candidate: Candidate, bench: Bench, timeout_s: float) -> Recorded:
    """Have the candidate launch for tensors like the case's, but with other values in them.

    Ruling when it fails, or when its kernels cannot be taken out of its file.
    """
    if candidate.file is None or candidate.style != "destination":
        raise TypeError("only a destination-style function in a file has launches to record")
    with _interpreted_worker(candidate, bench) as link:
        claim = _claim(
            _with_other_values(case, bench.seeds.generator()), candidate, link, timeout_s
        )
    plan = launch_plan.read(claim, len(case.arguments) + 1)
    source = vet(bench.files.read_text(candidate.file), plan.kernels, candidate.file)
    launch_plan.require_fit(plan, source)
    return Recorded(plan, source)


@contextmanager
def kernel_process(bench: Bench, program: str, environment: Mapping[str, str]) -> Generator[Link]:
    """`hotloop.worker.<program>` in a sandbox of its own, for vetted kernels."""
    module = ("-m", f"hotloop.worker.{program}")
    link = bench.trusted(None, environment, module, runs_kernels=True)
    try:
        yield link
    finally:
        link.close()


def tensor_name(plan: Plan, tensor: str, index: int) -> str:
    """A tensor's name as the learner knows it: that of the first parameter that got it."""
    for launch in plan.launches:
        name = parameter_name(launch, tensor, index)
        if name is not None:
            return name
    return f"argument {index}" if tensor == "argument" else "a temporary tensor"


def parameter_name(launch: Launch, tensor: str, index: int) -> str | None:
    """The parameter of this launch that got the tensor."""
    for name, argument in launch.arguments.items():
        if isinstance(argument, Pointer) and (argument.tensor, argument.index) == (tensor, index):
            return name
    return None


@contextmanager
def _interpreted_worker(candidate: Candidate, bench: Bench) -> Generator[Link]:
    if bench.device == "cpu":
        yield bench.worker(candidate)
        return
    link = bench.launcher.start(files=bench.files.root, trusted=False, environment=INTERPRETED)
    try:
        link.resolve(bench.called(candidate.name), candidate.file, bench.remaining_s)
        yield link
    finally:
        link.close()


def _claim(case: Case, candidate: Candidate, link: Link, timeout_s: float) -> object:
    arena = Arena([case.spec], seal_inputs=False)
    try:
        fill(arena.calls[0], case)
        arena.hand_to(link, candidate, timeout_s, record=True)
        claims = link.request({"op": "run"}, timeout_s).get("launches")
        link.request({"op": "unmap"}, timeout_s)
    finally:
        arena.close()
    if not isinstance(claims, list) or len(claims) != 1:  # pyright: ignore[reportUnknownArgumentType]
        raise Ruling(
            Verdict.TAMPERED, "The worker's account of its launches does not keep to the protocol."
        )
    return claims[0]  # pyright: ignore[reportUnknownVariableType]


def _with_other_values(case: Case, rng: np.random.Generator) -> Case:
    """A launcher that computes with its inputs' values bakes the wrong ones into its plan."""
    return replace(case, arguments=tuple(_other_values(a, rng) for a in case.arguments))


def _other_values(argument: Argument, rng: np.random.Generator) -> Argument:
    if not isinstance(argument, Tensor):
        return argument
    shape = argument.values.shape
    if argument.dtype.floating:
        return replace(argument, values=rng.standard_normal(shape))
    if argument.dtype is BOOL:
        return replace(argument, values=rng.random(shape) < 0.5)
    return argument
