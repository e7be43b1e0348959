"""The least time on a card is a bound: of published limits, and below whatever was measured."""

import pytest

from hotloop.site import bounds
from hotloop.site.bounds import CARDS, Bound
from hotloop.tasks import curriculum

H200 = next(card for card in CARDS if card.name == "H200")
TIMED = [
    (module, bound)
    for module in curriculum.modules()
    if any(check.needs_gpu for task in module.tasks for check in task.checks)
    for bound in bounds.bounds(module)
]


def test_what_takes_longer_bounds_the_time() -> None:
    moving = Bound("a", "gpu_fast", moved=4.8e12, flops=1.0, half=True)
    computing = Bound("a", "gpu_fast", moved=1.0, flops=989e12, half=True)
    assert moving.milliseconds(H200) == pytest.approx(1000)
    assert computing.milliseconds(H200) == pytest.approx(1000)
    single = Bound("a", "gpu_fast", moved=1.0, flops=495e12, half=False)
    assert single.milliseconds(H200) == pytest.approx(1000)


def test_turing_has_no_tensor_cores_for_bfloat16() -> None:
    [t4] = [card for card in CARDS if card.name == "T4"]
    half = Bound("a", "gpu_fast", moved=1.0, flops=65e12, half=True)
    bfloat = Bound("a", "gpu_fast", moved=1.0, flops=8.1e12, half=True, bfloat=True)
    assert half.milliseconds(t4) == pytest.approx(1000)
    assert bfloat.milliseconds(t4) == pytest.approx(1000)


def test_two_builds_show_the_same_bounds() -> None:
    module = curriculum.load_module("fused_softmax")
    assert bounds.section(module, []) == bounds.section(module, [])


@pytest.mark.parametrize(("module", "bound"), TIMED, ids=lambda each: getattr(each, "task", ""))
def test_no_recorded_time_is_below_the_bound(module: curriculum.Module, bound: Bound) -> None:
    for run in curriculum.runs(module.id):
        card = next((card for card in CARDS if run.device.endswith(card.name)), None)
        if card is None:
            continue
        times = [
            m.p20_ms
            for m in run.measurements
            if (m.task, m.check, m.verdict) == (bound.task, bound.check, "passed") and m.p20_ms
        ]
        assert all(time > bound.milliseconds(card) for time in times), run.device


def test_a_kernel_for_one_capability_has_no_time_on_other_cards() -> None:
    [head, _, *rows] = [
        line
        for line in bounds.section(curriculum.load_module("gemm_hopper"), [])
        if line.startswith("|")
    ]
    assert "H100" in head
    assert "H200" in head
    assert not any(name in head for name in ("T4", "A100", "L4", "B200"))
    assert len(rows) == 2
    mixed = Bound("a", "gpu_fast", moved=1.0, flops=1.0, half=True, capability=9)
    assert [card.name for card in CARDS if mixed.runs_on(card)] == ["H100 SXM", "H200"]


def test_a_module_that_times_nothing_has_no_table() -> None:
    assert bounds.section(curriculum.load_module("ssa_passes"), []) == []


def test_a_task_without_a_run_says_so_and_one_with_a_run_says_how_near_it_is() -> None:
    module = curriculum.load_module("fused_softmax")
    [row] = [
        line
        for line in bounds.section(module, curriculum.runs(module.id))
        if "triton_forward, gpu_fast" in line
    ]
    assert "537 MB" in row
    assert "NVIDIA H200: " in row
    assert "not measured" in "".join(bounds.section(module, []))
