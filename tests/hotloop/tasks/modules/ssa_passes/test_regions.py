"""Programs with regions: printed, parsed in the generic form, run, and inspected."""

import random
from collections.abc import Callable

import pytest

from hotloop.judge.constants import constants
from hotloop.tasks.modules.ssa_passes.regions import (
    Malformed,
    Program,
    generated,
    parse,
    unfinished,
)

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


def test_the_generic_form_is_read_and_run() -> None:
    program = parse(GENERIC)
    assert program.run([1, 10, 0]) == [4, -3]
    assert program.run([9, 10, 0]) == [12]
    assert unfinished(program) is None


@pytest.mark.parametrize(
    ("old", "new", "about"),
    [
        ('"scf.yield"(%1)', '"scf.yield"(%9)', "where it is not there"),
        ("overflow<none>", "overflow<nsw>", "overflows"),
        ("-3 : i64}> : () -> i64", "-3 : i64}> : () -> i1", "than it may"),
        ("predicate = 2", "predicate = 7", "than it may"),
        ("arith.subi", "arith.divsi", "than it may"),
        ("@print}", "@exit}", "than it may"),
        ('"func.return"(%3) : (i64) -> ()', "", "does not end"),
        ('sym_name = "f"', 'sym_name = "g"', "another function"),
        ('"builtin.module"', '"module"', "should"),
    ],
)
def test_what_is_no_such_program_is_refused(old: str, new: str, about: str) -> None:
    assert old in GENERIC
    with pytest.raises(Malformed, match=about):
        parse(GENERIC.replace(old, new))


@pytest.mark.parametrize("text", [None, "", "func.func", GENERIC[:400], "(" * 5000])
def test_other_texts_are_refused(text: object) -> None:
    with pytest.raises(Malformed):
        parse(text)


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


def _through_xdsl(program: Program) -> Program:
    context = pytest.importorskip("xdsl.context").Context()
    from io import StringIO

    from xdsl.dialects.arith import Arith
    from xdsl.dialects.builtin import Builtin
    from xdsl.dialects.func import Func
    from xdsl.dialects.scf import Scf
    from xdsl.parser import Parser
    from xdsl.printer import Printer

    for dialect in (Arith, Builtin, Func, Scf):
        context.load_dialect(dialect)
    module, stream = Parser(context, str(program)).parse_module(), StringIO()
    module.verify()
    Printer(stream, print_generic_format=True).print_op(module)
    return parse(stream.getvalue())


def _through_mlir(program: Program) -> Program:
    ir = pytest.importorskip("jaxlib.mlir.ir")
    from jaxlib.mlir._mlir_libs import _jax_mlir_ext

    registry, context = ir.DialectRegistry(), ir.Context()
    _jax_mlir_ext.register_dialects(registry)
    context.append_dialect_registry(registry)
    context.load_all_available_dialects()
    module = ir.Module.parse(str(program), context)
    return parse(module.operation.get_asm(print_generic_op_form=True))


@pytest.mark.parametrize("through", [_through_xdsl, _through_mlir])
def test_frameworks_read_what_is_drawn(through: Callable[[Program], Program]) -> None:
    rng = random.Random()
    for number in range(0, 120, 5):
        program = generated(rng, number)
        back = through(program)
        for arguments in ([3, 5, 0], [-7, 2**63 - 1, 1]):
            assert back.run(arguments) == program.run(arguments)
        assert (unfinished(back) is None) == (unfinished(program) is None)
