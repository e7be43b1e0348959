"""What a report's table may look like, and which figures it must have."""

import pytest

from hotloop.tasks.modules.profile_training_loop.reports import Profile, mismatch, profile_of

BEFORE, AFTER = Profile(71.2, 41.0), Profile(29.4, 87.2)
TABLE = """
| | before | after | change |
| --- | --- | --- | --- |
| step time, ms | 71.2 | 29.4 | -58.7 % |
| utilization, % | 41.0 | 87.2 | +46.2 |
"""


def test_a_table_is_right_in_several_forms() -> None:
    assert mismatch(BEFORE, AFTER, TABLE) is None
    assert mismatch(BEFORE, AFTER, TABLE.replace("-58.7", "−58.71")) is None
    assert mismatch(BEFORE, AFTER, TABLE.replace("| step time, ms", "|**Step time** (ms)")) is None
    assert mismatch(BEFORE, AFTER, "Measured twice.\n" + TABLE.replace(" |\n", "\n")) is None


@pytest.mark.parametrize(
    ("now", "then"),
    [("-58.7", "58.7"), ("-58.7", "-142.2"), ("+46.2", "+112.7"), ("29.4", "31.0"), ("41.0", "")],
)
def test_another_figure_is_wrong(now: str, then: str) -> None:
    assert mismatch(BEFORE, AFTER, TABLE.replace(now, then)) is not None


def test_what_is_no_table_is_wrong() -> None:
    for answer in (None, 3, "", "faster", TABLE.splitlines()[3]):
        assert mismatch(BEFORE, AFTER, answer) is not None


def test_overlap_counts_once_and_a_kernel_is_cut_at_the_end_of_its_step() -> None:
    def event(name: str, cat: str, start: int, length: int) -> dict[str, object]:
        return {"ph": "X", "name": name, "cat": cat, "ts": start, "dur": length}

    steps = [event("ProfilerStep#3", "user_annotation", 0, 100)]
    kernels = [event("a", "kernel", 10, 30), event("b", "gpu_memcpy", 20, 30)]
    late, host = event("c", "kernel", 90, 50), event("aten::add", "cpu_op", 0, 60)
    assert profile_of([*steps, *kernels, late, host]) == Profile(0.1, 50.0)
    assert profile_of([*steps, host]) == Profile(0.1, 60.0)
