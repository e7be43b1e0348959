"""Each kind of kernel that a seed may draw: its naive program is right, its bound is one."""

from __future__ import annotations

import random
from typing import Any

import pytest

from hotloop.engines.accelerator import kinds, segments
from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator.kernel import MULTIPLE, PAD, Kind, regions
from hotloop.engines.accelerator.machine import OPTIONAL, WIDE, WORD, from_dict
from hotloop.engines.accelerator.manual import manual
from hotloop.engines.accelerator.program import assemble, disassemble
from hotloop.engines.accelerator.run import Fault, run

SEEDS = range(WIDE, WIDE + 6)
each_kind = pytest.mark.parametrize("kind", kinds.KINDS.values(), ids=lambda kind: kind.name)


@each_kind
@pytest.mark.parametrize("seed", SEEDS)
def test_each_naive_program_is_right_and_above_its_bound(kind: Kind[Any], seed: int) -> None:
    machine, shape = machines.draw(seed), kind.draw(seed)
    for items in (MULTIPLE, 3 * MULTIPLE):
        work = kind.work(shape, items, random.Random(seed))
        program = assemble(disassemble(kind.naive(shape, items)), machine)
        result = run(machine, program, work.memory, work.writable, 10**6)
        assert work.mismatch(result.memory) is None
        assert kind.bound(shape, machine, work) < result.cycles


@each_kind
def test_all_inputs_fit_into_the_smallest_scratchpad(kind: Kind[Any]) -> None:
    for seed in range(WIDE, WIDE + 40):
        work = kind.work(kind.draw(seed), kind.items, random.Random(seed))
        assert len(work.memory) <= 2048


@each_kind
def test_inputs_differ_and_are_drawn_again_alike(kind: Kind[Any]) -> None:
    shape = kind.draw(WIDE)
    first, again, other = (kind.work(shape, MULTIPLE, random.Random(n)) for n in (1, 1, 2))
    assert first == again
    assert first.output != other.output


def test_seeds_draw_all_kinds_and_machines_that_differ_in_more() -> None:
    seeds = range(WIDE, WIDE + 60)
    assert {kinds.draw(seed).name for seed in seeds} == set(kinds.KINDS)
    drawn = [machines.draw(seed) for seed in seeds]
    assert {machine.true for machine in drawn} == {1, WORD}
    assert {machine.align for machine in drawn} == {1, 4, 8, 16}
    assert {name for machine in drawn for name in machine.fused} == set(OPTIONAL)
    assert all(machine == from_dict(machine.as_dict()) for machine in drawn)


def test_machines_of_the_course_do_not_differ_in_these() -> None:
    for seed in range(1, 100):
        machine = machines.draw(seed)
        assert (machine.align, machine.true) == (1, 1)
        assert "max" not in machine.fused


def test_conditions_return_what_the_manual_says() -> None:
    machine = next(m for m in map(machines.draw, range(WIDE, WIDE + 20)) if m.true == WORD)
    lines = ["lt s1, s2, 1", "mov s3, 0", "st s3, 0, s1", "copyout s3, s3, 1"]
    result = run(machine, assemble("\n".join(lines), machine), [0], range(1), 1000)
    assert result.memory == [WORD]
    assert "all bits are 1 if a < b" in manual(machine)


def test_a_transfer_that_is_not_aligned_is_a_fault() -> None:
    machine = next(m for m in map(machines.draw, range(WIDE, WIDE + 20)) if m.align == 8)
    program = assemble("mov s1, 4\ncopyin s1, s2, 4", machine)
    with pytest.raises(Fault, match="begins at word 4"):
        run(machine, program, [0] * 16, range(1), 1000)
    assert "begin at a multiple of 8" in manual(machine)


def test_a_manual_has_the_kernel_of_its_seed_alone() -> None:
    for seed in SEEDS:
        text = manual(machines.draw(seed))
        own = kinds.draw(seed).name
        assert [name for name in kinds.KINDS if f"**{name}.**" in text] == [own]
        assert 900 < len(text.split()) < 2000, "about four pages"


@pytest.mark.parametrize("spread", segments.SPREADS)
def test_lengths_have_their_sum_and_some_are_empty(spread: str) -> None:
    for seed in range(20):
        lengths = segments.lengths(96, 4, spread, random.Random(seed))
        assert sum(lengths) == 4 * 96
        assert min(lengths) >= 0
        assert len(set(lengths)) > 2


def test_a_word_of_zero_is_behind_each_region() -> None:
    at = regions({"a": 16, "b": 15, "c": 1})
    assert at == {"a": 0, "b": 32, "c": 48, "end": 64}
    assert all(place % PAD == 0 for place in at.values())
