"""Programs with regions: printed, read by xDSL, run, and inspected."""

import random
import runpy
from collections.abc import Callable
from typing import Any

import pytest

from hotloop.judge.constants import constants
from hotloop.tasks.modules.ssa_passes.regions import (
    MLIR_TEXT,
    Malformed,
    RegionProgram,
    from_plain,
    generated,
    reader,
    unfinished,
)

pytest.importorskip("xdsl")
_READ = runpy.run_path(str(MLIR_TEXT.files["mlir_text.py"]))["program"]


def parse(text: str) -> RegionProgram:
    """Read a text as the judge does, in this process."""
    return from_plain(_READ(text))


GENERIC = """
"builtin.module"() ({
  "func.func"() <{function_type = (i64) -> (), sym_name = "print", sym_visibility = "private"}> ({
  }) : () -> ()
  "func.func"() <{function_type = (i64, i64, i1) -> i64, sym_name = "f"}> ({
  ^bb0(%arg0: i64, %arg1: i64, %arg2: i1):
    %0 = "arith.constant"() <{value = -3 : i64}> : () -> i64
    %1 = "arith.subi"(%arg0, %0) <{overflowFlags = #arith.overflow<none>}> : (i64, i64) -> i64
    %2 = "arith.cmpi"(%1, %arg1) <{predicate = 2 : i64}> : (i64, i64) -> i1
    %3 = "scf.if"(%2) ({
      "func.call"(%1) <{callee = @print}> : (i64) -> ()
      "scf.yield"(%0) : (i64) -> ()
    }, {
      "scf.yield"(%1) : (i64) -> ()
    }) : (i1) -> i64
    "func.return"(%3) : (i64) -> ()
  }) : () -> ()
}) : () -> ()
"""


CUSTOM = """
func.func private @print(i64)
func.func @f(%arg0: i64, %arg1: i64, %arg2: i1) -> i64 {
  %0 = arith.constant -3 : i64
  %1 = arith.subi %arg0, %0 : i64
  %2 = arith.cmpi slt, %1, %arg1 : i64
  %3 = scf.if %2 -> (i64) {
    func.call @print(%1) : (i64) -> ()
    scf.yield %0 : i64
  } else {
    scf.yield %1 : i64
  }
  return %3 : i64
}
"""


@pytest.mark.parametrize("text", [GENERIC, CUSTOM])
def test_both_forms_are_read_and_run(text: str) -> None:
    program = parse(text)
    assert program.run([1, 10, 0]) == [4, -3]
    assert program.run([9, 10, 0]) == [12]
    assert unfinished(program) is None


@pytest.mark.parametrize(
    ("old", "new", "about"),
    [
        ('"scf.yield"(%1)', '"scf.yield"(%9)', "used but not defined"),
        ('"arith.subi"(%arg0, %0)', '"arith.subi"(%arg0, %3)', "before it is there"),
        ('%1 = "arith', '%0 = "arith', "already defined"),
        ("overflow<none>", "overflow<nsw>", "overflows"),
        ("-3 : i64}> : () -> i64", "-3 : i64}> : () -> i1", "defined with type i1"),
        ('"scf.yield"(%1) : (i64)', '"scf.yield"(%2) : (i1)', "than it may"),
        ("predicate = 2", "predicate = 7", "than it may"),
        ('"arith.subi"', '"arith.maxsi"', "xDSL refuses"),
        ("@print}", "@f}", "xDSL refuses"),
        ("@print}", "@exit}", "@exit"),
        ('"func.return"(%3) : (i64) -> ()', "", "not a terminator"),
        ('sym_name = "f"', 'sym_name = "g"', "another function"),
        ('"builtin.module"', '"arith.module"', "xDSL refuses"),
    ],
)
def test_what_is_no_such_program_is_refused(old: str, new: str, about: str) -> None:
    assert old in GENERIC
    with pytest.raises(Malformed, match=about):
        parse(GENERIC.replace(old, new))


NESTED = '"builtin.module"() ({' * 3000


@pytest.mark.parametrize("text", ["", "func.func", GENERIC[:400], "(" * 5000, NESTED])
def test_other_texts_are_refused(text: str) -> None:
    with pytest.raises(Malformed):
        parse(text)


@pytest.mark.parametrize("answer", [None, 7, "x" * 100_001])
def test_only_a_text_reaches_xdsl(answer: object) -> None:
    session: Any = None
    with pytest.raises(Malformed, match="not a program's text"):
        reader(session)(answer)


@pytest.mark.parametrize("name", ["hotloop.cleaned", '"hotloop.cleaned"'])
def test_a_module_can_need_a_mark(name: str) -> None:
    end = "}) : () -> ()\n"
    marked = GENERIC[: -len(end)] + "}) {" + name + " = 17 : i64} : () -> ()\n"
    assert GENERIC.endswith(end)
    plain = str(parse(GENERIC))
    assert str(parse(marked)) == plain
    with constants({"CLEANED": 17}):
        assert str(parse(marked)) == plain
        with pytest.raises(Malformed, match="should be 17"):
            parse(GENERIC)
    with constants({"CLEANED": 18}), pytest.raises(Malformed, match="should be 18"):
        parse(marked)


def test_what_is_left_is_found() -> None:
    again = '%5 = "arith.subi"(%arg0, %0) : (i64, i64) -> i64\n      "func.call"(%1)'
    twice = GENERIC.replace('"func.call"(%1)', again)
    assert "nobody can notice" in str(unfinished(parse(twice)))
    assert "computed again" in str(unfinished(parse(twice.replace('call"(%1)', 'call"(%5)'))))


def _through_xdsl(program: RegionProgram) -> RegionProgram:
    return parse(str(program))


def _through_mlir(program: RegionProgram) -> RegionProgram:
    ir = pytest.importorskip("jaxlib.mlir.ir")
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext

    registry, context = ir.DialectRegistry(), ir.Context()
    _jax_mlir_ext.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    module = ir.Module.parse(str(program), context)
    return parse(module.operation.get_asm(print_generic_op_form=True))


@pytest.mark.parametrize("through", [_through_xdsl, _through_mlir])
def test_frameworks_read_what_is_drawn(through: Callable[[RegionProgram], RegionProgram]) -> None:
    rng = random.Random()
    for number in range(0, 120, 5):
        program = generated(rng, number)
        back = through(program)
        for arguments in ([3, 5, 0], [-7, 2**63 - 1, 1]):
            assert back.run(arguments) == program.run(arguments)
        assert (unfinished(back) is None) == (unfinished(program) is None)
