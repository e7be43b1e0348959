"""Which neighbors become one kernel, by the kinds of their loops: TVM's passes."""

from __future__ import annotations

from collections.abc import Callable

import tvm
from tvm import relax

Graph = Callable[[relax.BlockBuilder, relax.Var, relax.Var], relax.Expr]
KINDS = {0: "element-wise", 1: "broadcast", 2: "injective", 3: "reduction", 4: "product"}


def calls(mod: tvm.IRModule) -> int:
    """Kernels that the program calls."""
    (block,) = mod["main"].body.blocks
    return sum(isinstance(binding.value, relax.Call) for binding in block.bindings)


def fused(graph: Graph) -> tuple[int, int, str]:
    """Kernels before and after fusion, and the operators' kinds."""
    builder = relax.BlockBuilder()
    x, w = (relax.Var(name, relax.TensorType((64, 64), "float32")) for name in "xw")
    with builder.function("main", [x, w]):
        with builder.dataflow():
            out = builder.emit_output(graph(builder, x, w))
        builder.emit_func_output(out)
    mod = relax.transform.LegalizeOps()(builder.get())
    mod = relax.transform.AnnotateTIROpPattern()(mod)
    loops = [f for f in mod.functions.values() if not isinstance(f, relax.Function)]
    kinds = sorted({KINDS[int(f.attrs["op_pattern"])] for f in loops})
    before = calls(mod)
    mod = relax.transform.FuseTIR()(relax.transform.FuseOps()(mod))
    return before, calls(mod), ", ".join(kinds)


def main() -> None:
    """Chains around a product and a reduction."""
    op = relax.op

    def chain(b: relax.BlockBuilder, x: relax.Var, w: relax.Var) -> relax.Expr:
        return op.nn.relu(b.emit(op.add(b.emit(op.exp(x)), w)))

    def product(b: relax.BlockBuilder, x: relax.Var, w: relax.Var) -> relax.Expr:
        return op.nn.relu(b.emit(op.add(b.emit(op.matmul(x, w)), w)))

    def products(b: relax.BlockBuilder, x: relax.Var, w: relax.Var) -> relax.Expr:
        return op.matmul(b.emit(op.matmul(x, w)), w)

    def into_sum(b: relax.BlockBuilder, x: relax.Var, w: relax.Var) -> relax.Expr:
        return op.sum(b.emit(op.exp(b.emit(op.add(x, w)))), axis=1)

    def after_sum(b: relax.BlockBuilder, x: relax.Var, _: relax.Var) -> relax.Expr:
        total = b.emit(op.sum(x, axis=1, keepdims=True))
        return op.divide(x, total)

    for name, graph, expected in (
        ("exp, add, relu", chain, (3, 1)),
        ("matmul, add, relu", product, (3, 1)),
        ("matmul, matmul", products, (2, 2)),
        ("add, exp, sum", into_sum, (3, 1)),
        ("sum, divide by it", after_sum, (2, 2)),
    ):
        before, after, kinds = fused(graph)
        print(f"{name:18} {before} operators, {after} kernels; kinds: {kinds}")
        assert (before, after) == expected


if __name__ == "__main__":
    main()
