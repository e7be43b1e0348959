"""The least time of Triton and CUDA tasks that nothing times: from bytes that a CPU counts.

Each has a case whose traffic is counted, or hidden cases whose tensors are read and written once.
They are small: what is shown are nanoseconds, which say how many such calls a card can make in the
time of a launch.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hotloop.judge.checks.correct import Case, Correct
from hotloop.judge.checks.cuda_clean import CudaClean
from hotloop.judge.checks.cuda_traffic import CudaTraffic
from hotloop.judge.checks.gpu_fast import GpuFast
from hotloop.judge.checks.on_gpu import OnGpu
from hotloop.judge.checks.triton_kernel_correct import TritonKernelCorrect
from hotloop.judge.checks.triton_traffic import TritonTraffic, bytes_once
from hotloop.judge.task import find
from hotloop.site.bounds import CARDS, Card
from hotloop.site.markdown import table
from hotloop.tasks import curriculum
from hotloop.tasks.figures import three_digits

SEED = 0
"""The cases are secret in a judging; here they are the same in each build."""

HOPPER = 9
_CAPABILITIES = {"H100 SXM": HOPPER, "H200": HOPPER}


@dataclass(frozen=True)
class CountedBound:
    """The bound of a task.

    moved: the fewest bytes of a call of the case whose bytes are counted, or of a hidden case.
    capability: the only major compute capability that runs the kernel; None: any.
    """

    task: str
    moved: int
    capability: int | None

    def nanoseconds(self, card: Card) -> float | None:
        """Return the least time of a call; None if the card does not run the kernel."""
        if self.capability not in (None, _CAPABILITIES.get(card.name)):
            return None
        return self.moved / card.gb_per_s


def counted_bounds(module: curriculum.Module) -> list[CountedBound]:
    """Return the bound of each task with a kernel that is judged and not timed on a GPU."""
    found: list[CountedBound] = []
    for task in module.tasks:
        if task.kind != "code":
            continue
        checks = list(find(module.id, task.id).checks.values())
        if any(isinstance(check, GpuFast) for check in checks):
            continue
        if (moved := _moved(checks)) is not None:
            found.append(CountedBound(task.id, moved, _capability(checks)))
    return found


def _capability(checks: Sequence[object]) -> int | None:
    runners = [check.on for check in checks if isinstance(check, Correct)]
    return next((on.capability for on in runners if isinstance(on, OnGpu)), None)


def _moved(checks: Sequence[object]) -> int | None:
    rng = np.random.default_rng(SEED)
    for check in checks:
        if isinstance(check, CudaTraffic):
            return check.fewest_bytes(check.counted(rng))
        if isinstance(check, TritonTraffic):
            return check.fewest_bytes(check.calls.counted(rng))
    if not any(isinstance(check, (CudaClean, TritonKernelCorrect)) for check in checks):
        return None
    cases = [case for check in checks if isinstance(check, Correct) for case in _cases(check, rng)]
    return max(map(bytes_once, cases), default=None)


def _cases(check: Correct, rng: np.random.Generator) -> list[Case]:
    return list(check.truth.cases(rng))


def section(module: curriculum.Module) -> list[str]:
    """Return the table of these bounds; nothing if the module has no such task."""
    found = counted_bounds(module)
    if not found:
        return []
    rows = [
        (
            bound.task,
            f"{bound.moved / 1e3:,.0f} kB",
            *(
                "–" if time is None else three_digits(time)
                for time in map(bound.nanoseconds, CARDS)
            ),
        )
        for bound in found
    ]
    return [
        "## The least time of kernels that are only counted { data-search-exclude }",
        "",
        (
            "Nanoseconds of a call of the case whose bytes are counted without a GPU, by the "
            "bandwidth of NVIDIA's data sheets. The cases are small, and a launch may take "
            "longer. No GPU times these tasks."
        ),
        "",
        *table(("task", "a call at least", *(card.name for card in CARDS)), rows),
        "",
    ]
