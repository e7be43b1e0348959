"""The machine keeps the rules of its manual: time, memory, and what is no program."""

from __future__ import annotations

import ast
import random
import re
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from hotloop.core import paths
from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator import rows, timeline, walk
from hotloop.engines.accelerator.machine import from_dict
from hotloop.engines.accelerator.manual import manual
from hotloop.engines.accelerator.program import (
    FORMS,
    MOST_CHARACTERS,
    Rejected,
    assemble,
    disassemble,
)
from hotloop.engines.accelerator.run import Fault, Run, TooSlow, run

MACHINE = replace(
    machines.draw(12),
    slots={"scalar": 2, "vector": 1, "load": 1, "store": 1, "flow": 1, "dma": 1},
    width=4,
    latency={
        "scalar": 1,
        "scalar_multiply": 3,
        "vector": 2,
        "vector_multiply": 5,
        "load": 4,
    },
    lanes=4,
    banks=4,
    bank_map="linear",
    branch=3,
    split=2,
    queue=2,
    startup=10,
    rate=2,
    fused=(),
)
OUTPUT = range(8, 12)


def ran(*lines: str, memory: list[int] | None = None, most: int = 10_000) -> Run:
    memory = [*range(100, 108), 0, 0, 0, 0] if memory is None else memory
    return run(MACHINE, assemble("\n".join(lines), MACHINE), memory, OUTPUT, most, record=True)


def issued(*lines: str) -> list[int]:
    """The cycle in which each bundle issues, in a program without branches."""
    first: dict[int, int] = {}
    for event in ran(*lines).events:
        if event.unit != "transfer":
            first.setdefault(event.bundle, event.start)
    return list(first.values())


def results(*lines: str) -> list[int]:
    """What s1 and s2 hold at the end, sent to main memory."""
    back = ["mov s9, 0", "st s9, 0, s1", "st s9, 1, s2", "mov s8, 8", "copyout s8, s9, 2"]
    return ran(*lines, *back).memory[8:10]


@pytest.mark.parametrize(
    ("lines", "cycles"),
    [
        (["mul s1, s2, s3", "add s4, s1, 1"], [0, 3]),
        (["mul s1, s2, s3", "add s1, s4, 1"], [0, 3]),  # written again
        (["add s4, s1, 1", "mul s1, s2, s3"], [0, 1]),  # a read is over when it issues
        (["vmul v1, v2, v3", "vadd v4, v5, 1", "vadd v4, v1, 1"], [0, 1, 5]),
        (["ld s1, s2, 0", "st s2, 1, s1"], [0, 4]),
        (["viota v1", "vand v1, v1, 1", "vsel v2, v1, v3, v4", "vadd v5, v6, 1"], [0, 2, 4, 7]),
        (["vsel v2, v1, v3, v4", "vadd v5, v6, 1"], [0, 1]),  # all lanes agree
        (["mov s1, 0", "copyin s1, s1, 4", "copyin s1, s1, 4", "copyin s1, s1, 4"], [0, 1, 2, 13]),
        (["mov s1, 0", "copyin s1, s1, 4", "wait 0"], [0, 1, 13]),
        (["mov s1, 0", "copyin s1, s1, 4", "wait 1", "wait -1"], [0, 1, 2, 3]),
    ],
)
def test_when_bundles_issue(lines: list[str], cycles: list[int]) -> None:
    assert issued(*lines) == cycles


@pytest.mark.parametrize(("stride", "busy"), [(0, 1), (1, 1), (2, 2), (4, 4), (5, 1)])
def test_a_gather_occupies_the_scratchpad(stride: int, busy: int) -> None:
    lines = ["viota v1", f"vmul v1, v1, {stride}", "vgather v2, v1, 0", "ld s1, s2, 0"]
    start, later = issued(*lines)[2:]
    assert later - start == busy


def test_loads_and_stores_of_a_bundle_are_served_together() -> None:
    assert issued("ld s1, s2, 0 | st s2, 4, s3", "ld s4, s2, 1") == [0, 2]
    assert issued("ld s1, s2, 0 | st s2, 5, s3", "ld s4, s2, 1") == [0, 1]


def test_branches_cost_where_they_are_taken() -> None:
    result = ran("mov s1, 3", "again:", "sub s1, s1, 1", "bnz s1, again")
    assert result.waits["a branch"] == 2 * MACHINE.branch
    assert result.cycles == 7 + 2 * MACHINE.branch


def test_all_of_a_bundle_reads_before_it_writes() -> None:
    assert results("mov s1, 5 | mov s2, 7", "mov s1, s2 | mov s2, s1") == [7, 5]


def test_arithmetic_is_modulo_two_to_the_32() -> None:
    assert results("mov s1, -1", "mul s1, s1, s1 | lt s2, s1, 0")[0] == 1
    assert results("mov s1, 1 | mov s2, 1", "shl s1, s1, 33 | sub s2, s2, 2") == [2, 2**32 - 1]


def test_a_transfer_moves_its_words_at_its_end() -> None:
    early = ["mov s3, 0", "copyin s3, s3, 8", "ld s1, s3, 0", "wait 0", "ld s2, s3, 0"]
    assert results(*early) == [0, 100]


def test_scatters_and_gathers_meet_the_words_of_each_lane() -> None:
    lines = ["viota v1", "vmul v2, v1, 10", "vscatter v1, 20, v2", "mov s3, 0"]
    assert results(*lines, "ld s1, s3, 21", "ld s2, s3, 23") == [10, 30]


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (["add s1, s2"], "takes 3 operands"),
        (["add s1, v2, 1"], "cannot take 'v2'"),
        (["add s99, s2, 1"], "does not exist"),
        (["vmul v1, v2, v3 | vadd v4, v5, 1"], "more than 1 vector"),
        (["mov s1, 1 | mov s1, 2"], "write s1"),
        (["mov s01, 1"], "cannot take"),
        (["mov s1, 007"], "cannot take"),
        (["mov s1, 99999999999"], "cannot take"),
        (["muladd s1, s2, s3, s4"], "no muladd"),
        (["jump nowhere"], "no such label"),
        (["a:", "a:"], "twice"),
        (["explode s1"], "no instruction"),
        (["mov s1, 1 | " * 9], "at most 4"),
        (["mov s1, 1"] * (MACHINE.program + 1), "bundles"),
    ],
)
def test_what_is_no_program_is_told_with_its_line(lines: list[str], reason: str) -> None:
    with pytest.raises(Rejected, match=reason):
        assemble("\n".join(lines), MACHINE)


def test_a_text_without_end_is_not_read() -> None:
    with pytest.raises(Rejected, match="characters"):
        assemble("\n" * (MOST_CHARACTERS + 1), MACHINE)


@pytest.mark.parametrize(
    "lines",
    [
        ["mov s1, -1", "ld s2, s1, 0"],
        ["mov s1, 0", "copyin s1, s1, -1"],
        ["mov s1, 4000", "copyin s1, s2, 500"],
        ["mov s1, 0", "copyout s1, s1, 4"],  # the input
        ["mov s1, 11", "copyout s1, s2, 2"],  # behind the output
    ],
)
def test_what_the_machine_cannot_do_is_a_fault(lines: list[str]) -> None:
    with pytest.raises(Fault, match="cycle"):
        ran(*lines)


@pytest.mark.parametrize("lines", [["a:", "jump a"], ["mov s1, 0", "b:", "copyin s1, s1, 8"] * 1])
def test_a_program_that_never_ends_is_ended(lines: list[str]) -> None:
    endless = [*lines, "jump b"] if "b:" in lines else lines
    with pytest.raises(TooSlow, match="100"):
        ran(*endless, most=100)


@pytest.mark.parametrize("seed", range(1, 20))
def test_each_naive_program_is_right_and_above_its_bound(seed: int) -> None:
    machine, shape, matrix = machines.draw(seed), walk.draw(seed), rows.draw(seed)
    rng = random.Random(seed)
    for work, program, bound in (
        (
            w := walk.work(shape, 16, rng),
            walk.naive(shape, 16),
            walk.lower_bound(shape, machine, w),
        ),
        (
            m := rows.work(matrix, 16, rng),
            rows.naive(matrix, 16),
            rows.lower_bound(matrix, machine, m),
        ),
    ):
        read_again = assemble(disassemble(program), machine)
        result = run(machine, read_again, work.memory, work.writable, 10**6)
        assert work.mismatch(result.memory) is None
        assert bound < result.cycles


def test_it_imports_the_standard_library_only() -> None:
    """A web page and a light install have nothing else."""
    for path in Path(machines.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            for name in names:
                own = name.startswith("hotloop.engines.accelerator")
                assert own or name.partition(".")[0] in sys.stdlib_module_names, path


def test_the_same_seed_draws_the_same_machine() -> None:
    assert machines.draw(7) == machines.draw(7) == from_dict(machines.draw(7).as_dict())
    assert len({str(machines.draw(seed)) for seed in range(50)}) == 50


def test_a_manual_states_every_number_of_its_machine() -> None:
    text = manual(MACHINE)
    for words in ("v0 to v", "4 banks", "at most 4 instructions", "10 + ⌈n / 2⌉", "no `muladd`"):
        assert words in text
    assert 900 < len(text.split()) < 2000, "about four pages"


def test_a_page_shows_timeline_and_profile() -> None:
    program = assemble("vmul v1, v2, v3\nvadd v4, v1, 1", MACHINE)
    result = run(MACHINE, program, [], range(0), 100, record=True)
    page = timeline.page(result, MACHINE, program, "a <title>")
    assert "a &lt;title&gt;" in page
    assert "function show(root" in page
    assert "vmul v1, v2, v3" in page
    picture = timeline.svg(result.events, 0, 10)
    assert "vadd v4, v1, 1: cycles 5 to 7, bundle 1, after 4 cycles for a result" in picture
    assert "4 " in timeline.profile(result, MACHINE, program)


def test_the_rules_name_every_instruction_and_every_number() -> None:
    text = (paths.exercises() / "unknown_machine" / "rules.md").read_text(encoding="utf-8")
    for name in FORMS:
        assert re.search(rf"\b{name}\b", text), name
    for number in machines.draw(1).as_dict():
        shown = {"seed": "MACHINE", "bank_map": "bank(", "bank_shift": "bank("}.get(number, number)
        assert shown in text, number
