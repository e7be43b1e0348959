"""The two compiler passes: the references pass every check, each wrong answer fails its own."""

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from hotloop.core import extras, paths
from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.judge.candidate import Candidate
from hotloop.judge.check import CheckFunction, judge_checks
from hotloop.judge.constants import constants
from hotloop.judge.launcher import Launcher
from hotloop.sandbox.level import level
from hotloop.tasks import markers
from hotloop.tasks.modules.tvm_passes.passes import GUARDS, checks

from ....sessions import new_session

pytestmark = pytest.mark.skipif(
    bool(extras.missing("tvm")), reason="the optional group tvm is not installed"
)

SOLUTIONS = paths.solutions() / "tvm_passes"

CHECKS = {"tir_pass.py": checks(GUARDS)}


def handed_in(name: str, folder: Path, bodies: Mapping[str, tuple[str, ...]]) -> Path:
    """A submission of one file, with some of its regions replaced."""
    pieces = markers.parse((SOLUTIONS / name).read_text(), name)
    (folder / name).write_text(markers.solved(pieces, lambda _directive: [], bodies))
    ir_files = paths.exercises() / "tvm_passes" / "ir_files.py"
    (folder / "ir_files.py").write_text(ir_files.read_text())
    return folder


def judged(
    name: str, folder: Path, given: Mapping[str, CheckFunction] | None = None
) -> dict[str, CheckRecord]:
    """Judge all checks of the task whose file is called `name`, or the given ones."""
    with closing(
        new_session(
            folder,
            candidate=Candidate("apply", name, "json"),
            launcher=Launcher(level()[0]),
            budget_s=300,
        )
    ) as session:
        records = judge_checks(given or CHECKS[name], session)
        return {record.check: record for record in records}


# A condition that cannot be decided is added to each guard without memory reads.
# It has no effect, as the scalar is never that small.
HIDING = """
def eliminate_guards(module):
    hiding = [hidden_guards, without_guards, tirx.transform.ConvertSSA()]
    return tvm.transform.Sequential(hiding)(module)


@tirx.transform.prim_func_pass(opt_level=0, name="HideGuards")
def hidden_guards(function, _module, _context):
    if tvm_ffi.structural_equal(rewritten(function.body, {}, ()), function.body):
        return function
    scalar = function.params[-1]

    def hidden(guard):
        if isinstance(guard.condition, tirx.And) or reads_a_buffer(guard.condition):
            return guard
        condition = tirx.And(guard.condition, scalar > -100)
        return tirx.IfThenElse(condition, guard.then_case, guard.else_case)

    return function.with_body(tvm_ffi.structural_map(function.body, (tirx.IfThenElse, hidden)))


@tirx.transform.prim_func_pass(opt_level=0, name="EliminateGuards")
def without_guards(function, _module, _context):
    return function.with_body(rewritten(function.body, {}, ()))
"""

MARKED = """
def eliminate_guards(module):
    return tvm.transform.Sequential([without_guards, tirx.transform.ConvertSSA()])(module)


@tirx.transform.prim_func_pass(opt_level=0, name="EliminateGuards")
def without_guards(function, _module, _context):
    function = function.with_attr("revision", 37)
    return function.with_body(rewritten(function.body, {}, ()))
"""

IDLE = "def eliminate_guards(module):\n    return module\n"


def test_a_guard_that_is_hidden_is_counted_when_it_is_evaluated(tmp_path: Path) -> None:
    """No rule of the judge's prover decides such a guard."""
    bodies = {"tvm_passes.tir_pass module": tuple(HIDING.splitlines())}
    records = judged("tir_pass.py", handed_in("tir_pass.py", tmp_path, bodies))
    assert records["same"].verdict is Verdict.PASSED
    assert records["complete"].verdict is Verdict.WRONG_ANSWER
    assert "guards as it runs" in records["complete"].sentence


def test_a_pass_that_does_nothing_is_not_sound(tmp_path: Path) -> None:
    """A pass that does nothing breaks nothing, but must not pass."""
    bodies = {"tvm_passes.tir_pass module": tuple(IDLE.splitlines())}
    records = judged("tir_pass.py", handed_in("tir_pass.py", tmp_path, bodies))
    assert {record.verdict for record in records.values()} == {Verdict.WRONG_ANSWER}
    assert "in none of the functions" in records["sound"].sentence


@pytest.mark.parametrize(("revision", "right"), [(37, True), (38, False), (0, False)])
def test_functions_have_the_revision_of_the_variant(
    revision: int, right: bool, tmp_path: Path
) -> None:
    """They count as unchanged if only the revision is new."""
    bodies = {"tvm_passes.tir_pass module": tuple(MARKED.splitlines())}
    folder = handed_in("tir_pass.py", tmp_path, bodies)
    with constants({"PEELED": revision}):
        records = judged("tir_pass.py", folder, checks(replace(GUARDS, functions=20)))
    verdicts = {record.verdict for record in records.values()}
    assert verdicts == {Verdict.PASSED if right else Verdict.WRONG_ANSWER}
