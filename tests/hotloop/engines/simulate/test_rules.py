"""What orders accesses, what counts as written, and what is no access: many small kernels.

The kernels of rules/right.cu and rules/wrong.cu are built once and run by their names. What must be
found in a wrong one stands in the line before it: kinds, and a function if the lines are its lines.
"""

import re
from functools import cache
from pathlib import Path

import pytest

from hotloop.engines.simulate import build
from hotloop.engines.simulate.check import check
from hotloop.engines.simulate.report import Finding

RULES = Path(__file__).parent / "rules"
RIGHT, WRONG = RULES / "right.cu", RULES / "wrong.cu"
KERNEL = re.compile(r"(?:^// ([a-z_ ]+)(?:: (\w+))?\n)?^KERNEL\((\w+),", re.MULTILINE)


@cache
def kernels(file: Path) -> dict[str, tuple[set[str], range]]:
    """Return for each kernel what must be found, and its lines."""
    text = file.read_text(encoding="utf-8")
    found: dict[str, tuple[set[str], range]] = {}
    for kinds, function, name in KERNEL.findall(text):
        head = f"void {function}(" if function else f"KERNEL({name},"
        first = text[: text.index(head)].count("\n") + 1
        rest = text.splitlines()[first - 1 :]
        count = 0 if rest[0].endswith("}") else rest.index("}")
        found[name] = set(kinds.split()), range(first, first + count + 1)
    return found


def findings(file: Path, name: str) -> tuple[list[Finding], bool]:
    checked = check([file], [name])
    return checked.report.findings, checked.clean


def test_there_are_many_rules_and_each_kernel_is_named_once() -> None:
    assert len(kernels(RIGHT)) >= 30
    assert len(kernels(WRONG)) >= 30
    assert all(kinds for kinds, _ in kernels(WRONG).values())


@pytest.mark.slow
@pytest.mark.parametrize("name", kernels(RIGHT))
def test_a_right_kernel_is_clean(name: str) -> None:
    assert findings(RIGHT, name) == ([], True)


@pytest.mark.slow
def test_a_scope_that_is_too_narrow_is_named() -> None:
    (race,), _ = findings(WRONG, "one_block_adds_for_itself")
    assert "an atomic with the scope of a block is none for other blocks" in race.text


@pytest.mark.slow
@pytest.mark.parametrize("name", kernels(WRONG))
def test_a_wrong_kernel_is_reported_with_its_lines(name: str) -> None:
    kinds, lines = kernels(WRONG)[name]
    found, clean = findings(WRONG, name)
    assert {f.kind for f in found} == kinds
    assert all(line.line in lines for f in found for line in f.lines)
    assert all(f.lines for f in found if f.kind != "order")
    assert not clean


@pytest.mark.slow
def test_a_missing_acquire_fence_is_named() -> None:
    (finding,), _ = findings(WRONG, "no_acquire_fence")
    assert "its reader needs a __threadfence()" in finding.text
    (finding,), _ = findings(WRONG, "the_fence_before_the_data")
    assert "its reader needs" not in finding.text


@pytest.mark.slow
def test_the_programs_are_built_without_checks_too() -> None:
    for file in (RIGHT, WRONG):
        assert len(build.program([file], checked=False).kernels) == len(kernels(file))
