"""The task of a Triton kernel, with the checks that such tasks have in common."""

from collections.abc import Callable

from hotloop.judge.check import CheckFunction
from hotloop.judge.checks.correct import Case, Correct
from hotloop.judge.checks.on_gpu import OnGpu
from hotloop.judge.checks.triton_compiles import TARGETS, TritonCompiles
from hotloop.judge.checks.triton_kernel_calls import TritonKernelCalls
from hotloop.judge.checks.triton_kernel_correct import TritonKernelCorrect
from hotloop.judge.checks.triton_traffic import ONCE, TritonTraffic, bytes_once
from hotloop.judge.task import TaskChecks, fills_tensor


def triton_kernel(
    calls: TritonKernelCalls,
    *,
    fewest_bytes: Callable[[Case], int] | None = bytes_once,
    advice: str = ONCE,
    max_spill_bytes: int | None = None,
    targets: tuple[int, ...] = TARGETS,
    **others: CheckFunction,
) -> TaskChecks:
    """A task whose file holds a function that launches Triton kernels to fill its last argument.

    Its checks, in this order:

    - `correct`: `TritonKernelCorrect`, the cases, also by the kernels alone, and without races;
    - those of `others` that have another name and need no GPU;
    - `traffic`: `TritonTraffic`, with `fewest_bytes` and `advice`; not if `fewest_bytes` is None;
    - `compiles`: `TritonCompiles`, with `targets` and `max_spill_bytes`; left out without targets;
    - `gpu_correct`: the same cases on a GPU;
    - those of `others` whose names begin with `gpu_`, such as `gpu_fast=hl.GpuFast(…)`.

    others: more checks by name; one with a name from above takes its place.
    """
    usual = dict[str, CheckFunction]()
    if fewest_bytes is not None:
        usual["traffic"] = TritonTraffic(calls, fewest_bytes, advice)
    if targets:
        usual["compiles"] = TritonCompiles(calls, targets, max_spill_bytes)
    on_gpu: dict[str, CheckFunction] = {"gpu_correct": Correct(calls.truth, on=OnGpu())}
    more = [n for n in others if n not in usual and n != "correct" and not n.startswith("gpu_")]
    return fills_tensor(
        **{
            "correct": TritonKernelCorrect(calls),
            **{name: others[name] for name in more},
            **usual,
            **on_gpu,
            **others,
        }
    )
