"""The random programs: their three forms are equivalent, and they contain common traps."""

import json
import random
import re
from typing import Any

import numpy as np
import pytest

from hotloop.judge.constants import constants
from hotloop.tasks.modules.ssa_passes import flow, generation, postconditions, structure, verifier
from hotloop.tasks.modules.ssa_passes.arithmetic import wrap
from hotloop.tasks.modules.ssa_passes.generation import HiddenProgram
from hotloop.tasks.modules.ssa_passes.language import Program, parse
from hotloop.tasks.modules.ssa_passes.machine import TRAPPED
from hotloop.tasks.modules.ssa_passes.ssa_form import renumbered, ssa, threaded


class Int64(int):
    """An int limited to 64 bits."""


def _wrapped(name: str) -> Any:
    plain = getattr(int, name)
    return lambda a, b: Int64(wrap(plain(a, b)))


for _op in ("add", "sub", "mul", "floordiv", "mod"):
    for _name in (f"__{_op}__", f"__r{_op}__"):
        setattr(Int64, _name, _wrapped(_name))


def _generated(maker: generation.Maker, count: int = 60) -> list[HiddenProgram]:
    return generation.programs(random.Random(), maker, count)


def test_blocks_mean_what_python_means() -> None:
    for given in _generated(generation.as_python):
        for arguments, outcome in given.runs:
            printed: list[int] = []
            space: dict[str, Any] = {"print": printed.append, "I": Int64}
            exec(re.sub(r"\b\d+\b", r"I(\g<0>)", given.text), space)
            try:
                result = space["f"](*map(Int64, arguments))
            except ZeroDivisionError:
                result = TRAPPED
            assert (tuple(printed), result) == (outcome.printed, outcome.result), given.text


@pytest.mark.slow
def test_ssa_form_is_sound_and_means_the_same() -> None:
    for given in _generated(generation.as_blocks):
        for pruned in (True, False):
            single = ssa(given.program, pruned=pruned)
            for program in (single, threaded(single)):
                assert verifier.mismatch(program) is None, str(program)
                assert given.difference(program) is None


@pytest.mark.slow
def test_programs_have_something_for_each_pass() -> None:
    given = _generated(generation.as_ssa, 200)
    for unfinished in (
        *(postconditions.dead, postconditions.folded, postconditions.common),
        *(postconditions.simplified, postconditions.hoisted),
    ):
        work = sum(unfinished(one.program) is not None for one in given)
        assert work > 40, unfinished.__name__


def test_a_changed_program_can_be_told() -> None:
    given = next(g for g in _generated(generation.as_ssa) if any(o.printed for _, o in g.runs))
    text = str(given.program)
    silent = "\n".join(line for line in text.splitlines() if "print" not in line)
    assert given.difference(parse(text)) is None
    assert given.difference(parse(silent)) is not None


def test_names_and_labels_do_not_count() -> None:
    program = next(g.program for g in _generated(generation.as_ssa) if len(g.program.blocks) > 2)
    other = parse(str(program).replace("b1", "somewhere"))
    assert str(renumbered(other)) == str(renumbered(program))


def test_dominance_of_a_known_graph() -> None:
    graph = {"a": ["b"], "b": ["c", "d"], "c": ["e"], "d": ["e"], "e": ["b", "f"], "f": []}
    above = flow.dominators(graph, "a")
    tree = {"a": None, "b": "a", "c": "b", "d": "b", "e": "b", "f": "e"}
    assert flow.immediate(above) == tree
    frontiers = flow.frontiers(graph, above)
    assert frontiers["b"] == {"b"}
    assert frontiers["c"] == frontiers["d"] == {"e"}
    assert flow.loops(graph, above) == {"b": {"b", "c", "d", "e"}}


def test_the_entrys_dominator_can_be_a_number() -> None:
    for root in (None, -17):
        with constants({"ROOT": root or 0}):
            questions = list(structure.trees(np.random.default_rng()))
        for question in questions:
            graph, entry = json.loads(str(question.arguments[0])), str(question.arguments[1])
            tree = flow.immediate(flow.dominators(graph, entry))
            assert question.mismatch({**tree, entry: root}) is None
            for other in (-18, entry):
                assert question.mismatch({**tree, entry: other}) is not None
            assert (question.mismatch(tree) is None) == (root is None)


@pytest.mark.slow
def test_a_list_of_faults_can_begin_with_the_version_of_the_rules() -> None:
    rng = np.random.default_rng
    for make in (structure.unbroken, structure.broken):
        for question in make(rng()):
            program = parse(str(question.arguments[0]))
            faults = [list(fault) for fault in verifier.faults(program)]
            if faults and make is structure.unbroken:
                break  # the others ask only whether something is found
            with constants({"RULES": 17}):
                assert question.mismatch([["rules", 17], *faults]) is None
                assert question.mismatch([["rules", 18], *faults]) is not None
                assert question.mismatch(faults) is not None


@pytest.mark.parametrize("rules", [[], [["rules", 17]]])
def test_a_verifier_that_never_looks_is_refused(rules: list[object]) -> None:
    with constants({"RULES": 17} if rules else {}):
        *_, last = questions = list(structure.unbroken(np.random.default_rng()))
        assert [q.mismatch(rules) for q in questions].count(None) == len(questions) - 1
        assert last.mismatch(rules) is not None
        assert questions[-5].mismatch([*rules, ["use", "x"]]) is None
        assert last.mismatch(rules) is None, "something was found in another one"


def test_a_loop_with_two_entries_is_no_natural_one() -> None:
    graph = {"a": ["b", "c"], "b": ["c"], "c": ["b", "d"], "d": []}
    above = flow.dominators(graph, "a")
    assert flow.immediate(above) == {"a": None, "b": "a", "c": "a", "d": "c"}
    assert flow.loops(graph, above) == {}


@pytest.mark.parametrize("change", sorted(set(structure.CHANGES), key=lambda c: c.__name__))
def test_each_change_makes_faults_and_sometimes_none(change: Any) -> None:
    rng = random.Random()
    found: set[str] = set()
    for given in _generated(generation.as_ssa, 40):
        for _ in range(4):
            try:
                changed: Program = parse(str(change(rng, given.program)))
            except IndexError:
                continue
            found |= {kind for kind, _ in verifier.faults(changed)}
    assert bool(found) == (change.__name__ != "_nothing")


def test_sound_programs_have_no_faults() -> None:
    for given in _generated(generation.as_ssa):
        assert verifier.faults(given.program) == set()


def test_needed_phis_of_a_loop() -> None:
    text = (
        "func f(n: int) -> int\nb0:\n  s: int = copy 0\n  jump b1\nb1:\n  go: bool = lt s n\n"
        "  branch go b2 b3\nb2:\n  s: int = add s 1\n  jump b1\nb3:\n  return s\n"
    )
    assert structure.needed_phis(parse(text)) == {("b1", "s")}
