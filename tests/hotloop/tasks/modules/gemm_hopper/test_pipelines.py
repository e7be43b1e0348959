"""The given pipelines: the checker finds each fault, and nothing once its line is repaired."""

from pathlib import Path

import pytest

from hotloop.core import paths
from hotloop.engines.simulate.check import Checked, check
from hotloop.tasks.modules.gemm_hopper import pipelines

GIVEN = paths.root() / "exercises" / "gemm_hopper"

FAULTS = {
    "a": ("fence", 28, "    hotloop::fence_proxy_async();"),
    "b": ("race", 37, "    hotloop::mbarrier_wait_parity(&full[slot], parity);"),
    "c": ("hang", 28, "      hotloop::mbarrier_wait_parity(&empty[s], (round & 1) ^ 1);"),
    "d": (
        "tx_count",
        28,
        "      hotloop::mbarrier_arrive_expect_tx(&full[slot], sizeof xs[0] + sizeof ys[0]);",
    ),
    "e": ("in_flight", 50, "  hotloop::wgmma_wait_group<0>(sums);"),
    "f": ("clean", 0, ""),
    "g": ("hang", 17, "      hotloop::mbarrier_init(&empty[s], kConsumers / 32);"),
    "h": ("race", 47, "    hotloop::wgmma_wait_group<1>(sums);"),
    "i": ("race", 21, "      hotloop::bulk_wait_group_read<0>();"),
}
"""By pipeline: the kind of finding, the line to change, and what it becomes."""


ELSEWHERE = {
    "g": (40, "    hotloop::mbarrier_arrive(&empty[slot]);"),
    "h": (
        48,
        "    if (i > 1 && t == 0) hotloop::mbarrier_arrive(&empty[(i - 2) % kStages]);",
    ),
}
"""By pipeline: another line whose change makes the program right too."""

FOLLOW = ("order", "mbarrier", "in_flight", "uninitialized_shared")
"""What may be found besides, once a wait or a count is wrong."""


def test_the_key_holds_these_answers_and_no_others() -> None:
    answer = {n: {"cause": kind, "line": line} for n, (kind, line, _) in FAULTS.items()}
    assert tuple(answer) == pipelines.NAMES
    assert pipelines.diagnosis.mismatch(answer) is None
    for name, (line, _) in ELSEWHERE.items():
        other_line = {**answer, name: {**answer[name], "line": line}}
        assert pipelines.diagnosis.mismatch(other_line) is None
    for name, (kind, line, _) in FAULTS.items():
        other = "race" if kind == "hang" else "hang"
        for wrong in ({"cause": other, "line": line}, {"cause": kind, "line": line + 2}):
            said = pipelines.diagnosis.mismatch({**answer, name: wrong})
            assert said is not None
            assert said.startswith(f"pipeline {name}: ")


@pytest.mark.slow
@pytest.mark.parametrize("name", pipelines.NAMES)
def test_the_checker_names_the_fault_and_nothing_in_the_repaired_program(
    name: str, tmp_path: Path
) -> None:
    kind, line, repaired = FAULTS[name]
    source = GIVEN / f"pipeline_{name}.cu"
    checked = check([source])
    if kind == "clean":
        assert kinds(checked) == set()
        return
    assert kind in kinds(checked) <= {kind, *FOLLOW}
    lines = source.read_text(encoding="utf-8").splitlines()
    assert lines[line - 1] != repaired
    lines[line - 1] = repaired
    right = tmp_path / source.name
    right.write_text("\n".join(lines) + "\n", encoding="utf-8")
    fixed = check([right])
    assert kinds(fixed) == set()
    assert fixed.clean


@pytest.mark.slow
@pytest.mark.parametrize("name", ELSEWHERE)
def test_nothing_is_found_where_another_line_is_repaired(name: str, tmp_path: Path) -> None:
    line, repaired = ELSEWHERE[name]
    lines = (GIVEN / f"pipeline_{name}.cu").read_text(encoding="utf-8").splitlines()
    lines[line - 1] = repaired
    right = tmp_path / f"pipeline_{name}.cu"
    right.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert check([right]).clean


def kinds(checked: Checked) -> set[str]:
    return {finding.kind for finding in checked.report.findings}
