"""Every kernel that a task asks for has a least time, whether or not a GPU times it."""

import pytest

from hotloop.judge.task import find
from hotloop.site import counted_bounds
from hotloop.site.bounds import CARDS, bounds
from hotloop.tasks import curriculum

KERNELS = ("CudaClean", "TritonKernelCorrect", "GpuFast")
ONLY_COMPILED = {"gemm_hopper.tensor_memory"}


@pytest.mark.slow
@pytest.mark.parametrize("module", curriculum.modules(), ids=lambda module: module.id)
def test_each_kernel_has_a_bound(module: curriculum.Module) -> None:
    bound = {each.task for each in bounds(module)}
    bound |= {each.task for each in counted_bounds.counted_bounds(module)}
    kernels = {
        task.id
        for task in module.tasks
        if task.kind == "code"
        and f"{module.id}.{task.id}" not in ONLY_COMPILED
        and any(type(c).__name__ in KERNELS for c in find(module.id, task.id).checks.values())
    }
    assert kernels <= bound
    for each in counted_bounds.counted_bounds(module):
        assert each.moved > 0


@pytest.mark.slow
def test_the_table_is_the_same_in_each_build_and_names_cards_that_run_the_kernel() -> None:
    module = curriculum.load_module("gemm_hopper")
    lines = counted_bounds.section(module)
    assert lines == counted_bounds.section(module)
    [tile] = [each for each in counted_bounds.counted_bounds(module) if each.task == "wgmma_tile"]
    times = {card.name: tile.nanoseconds(card) for card in CARDS}
    assert [name for name, time in times.items() if time is not None] == ["H100 SXM", "H200"]
    assert times["H200"] == pytest.approx(tile.moved / 4800)


def test_a_module_without_such_a_kernel_has_no_table() -> None:
    assert counted_bounds.section(curriculum.load_module("triton_ensemble")) == []
