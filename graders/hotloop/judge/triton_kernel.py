"""The task of a Triton kernel, with the checks that such tasks have in common."""

from collections.abc import Callable
from dataclasses import replace

from hotloop.judge.check import CheckFunction
from hotloop.judge.checks.correct import Case, Correct
from hotloop.judge.checks.gpu_fast import GpuFast
from hotloop.judge.checks.on_gpu import OnGpu
from hotloop.judge.checks.triton_compiles import TARGETS, TritonCompiles
from hotloop.judge.checks.triton_kernel_calls import TritonKernelCalls
from hotloop.judge.checks.triton_kernel_correct import TritonKernelCorrect
from hotloop.judge.checks.triton_traffic import ONCE, TritonTraffic, bytes_once
from hotloop.judge.task import TaskChecks, fills_tensor

USUAL = ("correct", "traffic", "compiles", "gpu_correct")
"""The checks of `triton_kernel`."""


def triton_kernel(
    calls: TritonKernelCalls,
    *,
    fewest_bytes: Callable[[Case], int] | None = bytes_once,
    advice: str = ONCE,
    max_spill_bytes: int | None = None,
    targets: tuple[int, ...] = TARGETS,
    **others: CheckFunction | None,
) -> TaskChecks:
    """A task whose file holds a function that launches Triton kernels to fill its last argument.

    Its checks, in this order:

    - `correct`: `TritonKernelCorrect`, the cases, also by the kernels alone, and without races;
    - those of `others` that have another name and need no GPU;
    - `traffic`: `TritonTraffic`, with `fewest_bytes` and `advice`; not if `fewest_bytes` is None;
    - `compiles`: `TritonCompiles`, with `targets` and `max_spill_bytes`; left out without targets;
    - `gpu_correct`: the same cases on a GPU, also by the kernels alone;
    - those of `others` whose names begin with `gpu_`, such as `gpu_fast=hl.GpuFast(…)`, which
      times the kernels alone unless it has an `entry` of its own.

    others: more checks by name; one with a name from above takes its place, and None leaves that
        one out, as in `gpu_correct=None`.
    """
    usual: dict[str, CheckFunction] = {"correct": TritonKernelCorrect(calls)}
    if fewest_bytes is not None:
        usual["traffic"] = TritonTraffic(calls, fewest_bytes, advice)
    if targets:
        usual["compiles"] = TritonCompiles(calls, targets, max_spill_bytes)
    usual["gpu_correct"] = Correct(calls.truth, on=OnGpu())
    left_out = {name for name in USUAL if name in others and others[name] is None}
    named = {name: check for name, check in others.items() if name not in left_out}
    more = [name for name in named if name not in usual and not name.startswith("gpu_")]
    order = ["correct", *more, "traffic", "compiles", "gpu_correct", *named]
    checks = {name: _alone(check) for name, check in {**usual, **named}.items()}
    return fills_tensor(
        **{n: checks[n] for n in dict.fromkeys(order) if n in checks and n not in left_out}  # pyright: ignore[reportArgumentType] - it refuses None
    )


def _alone(check: CheckFunction | None) -> CheckFunction | None:
    """Return the check about the kernels alone if it is about the task's function on a GPU.

    Another function, which the check names, may do a part of its work in PyTorch.
    """
    if isinstance(check, GpuFast) and check.entry is None:
        return replace(check, alone=True)
    if isinstance(check, Correct) and isinstance(check.on, OnGpu) and check.entry is None:
        return replace(check, on=replace(check.on, alone=True))
    return check
