"""Each "find the bug" program is reported by the simulator, at its line; fixed it is clean."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from hotloop.core import paths
from hotloop.engines.simulate.check import Checked, check

FOLDER = paths.curriculum() / "fused_softmax" / "bugs"
PAGE = FOLDER.parent / "find_the_bug.md"
BROKEN = sorted(FOLDER.glob("*.cu"))


@dataclass(frozen=True)
class Expected:
    """kind: of a finding; line: a part of the source line that it names, unique in the file."""

    kind: str
    line: str | None
    others: frozenset[str] = frozenset()


EXPECTED = {
    "few_warps": Expected("uninitialized_shared", "warp_sum(of_warp[lane])"),
    # No access is at fault, so that there is no line to name.
    "first_come": Expected("order", None),
    "last_lanes": Expected("divergent_warp", "__shfl_down_sync("),
    "lock_step": Expected("race", "total += s[threadIdx.x + stride]", frozenset({"order"})),
    "many_blocks": Expected("race", "*out += value"),
    "one_buffer": Expected("race", "return buffer[0];", frozenset({"order"})),
    "short_rows": Expected(
        "uninitialized_shared", "part[threadIdx.x] = fmaxf(", frozenset({"order"})
    ),
    "tree_sum": Expected(
        "race", "part[threadIdx.x] += part[threadIdx.x + stride]", frozenset({"order"})
    ),
    "wide_loads": Expected(
        "misaligned", "float4 v = *reinterpret_cast", frozenset({"out_of_bounds", "order"})
    ),
}

per_bug = pytest.mark.parametrize("path", BROKEN, ids=lambda p: p.stem)


@cache
def _checked(path: Path) -> Checked:
    return check([path])


def test_there_are_bugs_to_find_and_each_is_expected() -> None:
    assert len(BROKEN) >= 6
    assert {path.stem for path in BROKEN} == set(EXPECTED)
    assert [path.name for path in sorted((FOLDER / "fixed").glob("*.cu"))] == [
        path.name for path in BROKEN
    ]


@pytest.mark.slow
@per_bug
def test_the_bug_is_reported(path: Path) -> None:
    expected, checked = EXPECTED[path.stem], _checked(path)
    assert not checked.clean
    kinds = {finding.kind for finding in checked.report.findings}
    assert expected.kind in kinds
    assert kinds <= expected.others | {expected.kind}, "nothing that would lead astray"


@pytest.mark.slow
@per_bug
def test_the_report_names_its_line(path: Path) -> None:
    expected = EXPECTED[path.stem]
    source = path.read_text(encoding="utf-8").splitlines()
    named = {
        source[line.line - 1]
        for finding in _checked(path).report.findings
        if finding.kind == expected.kind
        for line in finding.lines
    }
    assert expected.line is None or any(expected.line in text for text in named), named


@pytest.mark.slow
@per_bug
def test_the_fixed_program_is_clean(path: Path) -> None:
    fixed = _checked(FOLDER / "fixed" / path.name)
    assert fixed.clean, fixed.report.findings
    assert fixed.runs[0].output.strip()


@per_bug
def test_a_bug_has_a_symptom_and_does_not_give_itself_away(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "// Symptom: " in text
    assert f"hotloop cuda run --check {path.relative_to(paths.root())}" in text
    assert "[start:fix]" not in text


@per_bug
def test_the_page_has_its_hint_and_its_fix(path: Path) -> None:
    _, _, rest = PAGE.read_text(encoding="utf-8").partition(f"## `{path.name}`")
    rest = rest.partition("\n#")[0]
    assert "<summary>A hint</summary>" in rest
    fixed = (FOLDER / "fixed" / path.name).relative_to(paths.root()).as_posix()
    assert f"<!-- from {fixed}:fix -->" in rest


@per_bug
def test_the_page_shows_the_kernel_before_it_explains_the_bug(path: Path) -> None:
    parts = PAGE.read_text(encoding="utf-8").split("\n## ")
    [part] = [each for each in parts if each.startswith(f"`{path.name}`")]
    shown = part.partition("<details")[0]
    source = path.read_text(encoding="utf-8").split("\n")
    kernels = [line for line in source if "__global__" in line]
    assert kernels
    assert all(line in shown for line in kernels)
    line = EXPECTED[path.stem].line
    assert line is None or line in shown
