"""One pass in xDSL and through MLIR's bindings, on one program, beside the passes they bring."""

from __future__ import annotations

import sys

from hotloop.core import paths

sys.path += paths.beside_notebook("ssa_passes")

import mlir_pass
import xdsl_pass
from jaxlib.mlir.passmanager import PassManager
from xdsl.context import Context
from xdsl.transforms.common_subexpression_elimination import CommonSubexpressionElimination

# --8<-- [start:program]
PROGRAM = """
func.func private @print(i64)
func.func @f(%a: i64, %b: i64, %c: i1) -> i64 {
  %s = arith.addi %a, %b : i64
  scf.if %c {
    %m = arith.muli %s, %s : i64
    func.call @print(%m) : (i64) -> ()
  }
  %t = arith.addi %b, %a : i64
  %m = arith.muli %t, %t : i64
  %unread = scf.if %c -> (i64) {
    scf.yield %m : i64
  } else {
    scf.yield %s : i64
  }
  %d = arith.subi %m, %t : i64
  %e = arith.muli %d, %d : i64
  return %m : i64
}
"""
# --8<-- [end:program]


def counted(text: str) -> str:
    """Operations of arith and scf.if in it."""
    names = ("addi", "subi", "muli", "scf.if")
    return ", ".join(f"{text.count(name)} {name}" for name in names)


def main() -> None:
    """Print the operations that are left."""
    print("before:          ", counted(PROGRAM))
    ours = {
        "ours in xDSL": xdsl_pass.clean_text(PROGRAM),
        "ours in MLIR": mlir_pass.clean_text(PROGRAM),
    }
    for name, text in ours.items():
        print(f"{name}:    ", counted(text))
    assert len({counted(text) for text in ours.values()}) == 1

    module = mlir_pass.read(PROGRAM)
    with module.context:
        PassManager.parse("builtin.module(cse)").run(module.operation)
    theirs = str(module)
    print("MLIR's cse:      ", counted(theirs))
    # It goes forwards: when it comes to the subtraction, somebody still reads it.
    assert "subi" in theirs
    assert "subi" not in ours["ours in MLIR"]

    given = xdsl_pass.read(PROGRAM)
    CommonSubexpressionElimination().apply(Context(), given)
    print("xDSL's cse:      ", counted(xdsl_pass.write(given)))

    # The product inside of the region is no product for what stands behind it.
    assert ours["ours in MLIR"].count("muli") == 2


if __name__ == "__main__":
    main()
