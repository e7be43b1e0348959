"""The two languages of TVM 0.27, what they are called, and what is in SSA form and what is not."""

# ruff: noqa: D102, N805, N812  # TVMScript: a class of functions, and the names that TVM uses

from __future__ import annotations

import importlib.util

import tvm
import tvm_ffi
from tvm import relax, s_tir, te, tirx
from tvm.script import ir as I
from tvm.script import relax as R
from tvm.script import tirx as T


@I.ir_module
class Lowering:
    """One network: a graph that is one line."""

    # --8<-- [start:relax]
    @R.function
    def main(x: R.Tensor((4, 8), "float32"), w: R.Tensor((8, 2), "float32")):
        with R.dataflow():
            y = R.matmul(x, w)
            z = R.nn.relu(y)
            R.output(z)
        return z
        # --8<-- [end:relax]


@I.ir_module
class Twice:
    """A cell of memory is written twice: no SSA, and well-formed."""

    @T.prim_func
    def main(a: T.Buffer((1,), "int32")):
        a[0] = a[0] + 1
        a[0] = a[0] * 2


def names() -> None:
    """What a search of the web gives, and what there is."""
    there = {
        "tvm.tirx": tirx,
        "tvm.s_tir.Schedule": s_tir.Schedule,
        "tvm.s_tir.meta_schedule": s_tir.meta_schedule,
        "T.sblock": T.sblock,
        "tirx.transform.prim_func_pass": tirx.transform.prim_func_pass,
        "tvm_ffi.structural_map": tvm_ffi.structural_map,
    }
    assert None not in there.values()
    gone = ["tvm.relay", "tvm.tir", "tvm.meta_schedule", "tvm.autotvm", "tvm.auto_scheduler"]
    assert not [name for name in gone if importlib.util.find_spec(name)]
    assert not hasattr(te, "create_schedule")
    print(f"{tvm.__version__}: there are {', '.join(there)}")
    print(f"there are not: {', '.join(gone)}, te.create_schedule")


def levels() -> None:
    """From one line of a graph to loops over memory."""
    lowered = relax.transform.LegalizeOps()(Lowering)
    functions = {gv.name_hint: type(f).__name__ for gv, f in lowered.functions.items()}
    print(f"after LegalizeOps: {functions}")
    assert functions == {"main": "Function", "matmul": "PrimFunc", "relu": "PrimFunc"}
    assert "R.call_tir" in lowered["main"].script()
    loops = []
    tvm_ffi.structural_walk(lowered["matmul"].body, [(tirx.For, loops.append)])
    # The walk comes to inner loops first.
    assert [int(loop.extent) for loop in reversed(loops)] == [4, 2, 8]
    print("the graph has no loop; TIR's matmul has three, 4, 2 and 8, over buffers with indices")


def lowered_matmul() -> tvm.IRModule:
    """TIR with a schedulable block."""
    return tvm.IRModule({"main": relax.transform.LegalizeOps()(Lowering)["matmul"]})


def single_assignment() -> None:
    """Relax binds each name once. TIR's memory may be written as often as one likes."""
    assert relax.analysis.check_well_formed(Lowering)
    block = Lowering["main"].body.blocks[0]
    first = block.bindings[0]
    twice = relax.DataflowBlock([first, *block.bindings])
    body = relax.SeqExpr([twice], Lowering["main"].body.body)
    old = Lowering["main"]
    broken = relax.Function(old.params, body, old.ret_ty)
    assert not relax.analysis.check_well_formed(broken)
    missing = relax.Function(
        old.params,
        relax.SeqExpr([relax.DataflowBlock(block.bindings[1:])], old.body.body),
        old.ret_ty,
    )
    assert not relax.analysis.check_well_formed(missing)
    print("Relax: a name bound twice, a name used and never bound: both are not well-formed")
    assert tirx.analysis.verify_ssa(Twice["main"])
    assert s_tir.analysis.verify_well_formed(lowered_matmul())
    try:
        tirx.analysis.verify_well_formed(lowered_matmul())
    except tvm.error.InternalError:
        print("with blocks: s_tir.analysis.verify_well_formed; tirx's own refuses them")
    else:
        raise AssertionError("tirx's verifier takes blocks now")
    assert tirx.analysis.verify_well_formed(Twice)
    print("TIR: a[0] written twice is well-formed: SSA is about variables, not about memory")


if __name__ == "__main__":
    names()
    levels()
    single_assignment()
