"""Multiply and add into one call, by a pattern and by a mutator: what each sees."""

# ruff: noqa: D102, N805, N812  # TVMScript: a class of functions, and the names that TVM uses

from __future__ import annotations

import numpy as np
import tvm
import tvm_ffi
from tvm import relax
from tvm.relax.dpl import DFPattern, is_op, rewrite_call, wildcard
from tvm.relax.expr_functor import PyExprMutator, mutator
from tvm.script import ir as I
from tvm.script import relax as R

MULTIPLY, ADD = tvm.ir.Op.get("relax.multiply"), tvm.ir.Op.get("relax.add")


@I.ir_module
class Graph:
    """The product is used twice: by the sum that is fused, and by the last line."""

    @R.function
    def main(
        x: R.Tensor((2, 4), "float32"), a: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32")
    ):
        with R.dataflow():
            m = R.multiply(x, a)
            y = R.add(m, b)
            z = R.maximum(y, m)
            R.output(z)
        return z


@I.ir_module
class Swapped:
    """b + x * a."""

    @R.function
    def main(
        x: R.Tensor((2, 4), "float32"), a: R.Tensor((4,), "float32"), b: R.Tensor((4,), "float32")
    ):
        with R.dataflow():
            m = R.multiply(x, a)
            y = R.add(b, m)
            R.output(y)
        return y


def fused(builder: relax.BlockBuilder, x: relax.Expr, a: relax.Expr, b: relax.Expr) -> relax.Call:
    """One call of one TIR function for all three."""

    def multiply_add(x: tvm.te.Tensor, a: tvm.te.Tensor, b: tvm.te.Tensor) -> tvm.te.Tensor:
        return tvm.topi.add(tvm.topi.multiply(x, a), b)

    return builder.call_te(multiply_add, x, a, b)


# --8<-- [start:pattern]
def by_pattern(function: relax.Function) -> relax.Function:
    """From x * a + b to fma(x, a, b)."""
    x, a, b = wildcard(), wildcard(), wildcard()
    product = is_op("relax.multiply")(x, a)
    pattern = is_op("relax.add")(product, b)

    def rewrite(matched: relax.Expr, found: dict[DFPattern, relax.Expr]) -> relax.Expr:
        arguments = found[x], found[a], found[b]
        return relax.op.call_pure_packed("fma", *arguments, ty_args=matched.ty)

    return rewrite_call(pattern, rewrite, function)
    # --8<-- [end:pattern]


# --8<-- [start:mutator]
@mutator
class Fuse(PyExprMutator):
    """Fuses where the product is used once and has the sum's shape and dtype."""

    def __init__(self, module: tvm.IRModule, uses: dict[relax.Var, list[relax.Var]]) -> None:
        super().__init__(module)
        self.uses = uses

    def visit_call_(self, call: relax.Call) -> relax.Expr:
        """Each call after its arguments."""
        if call.op != ADD:
            return super().visit_call_(call)
        for product, other in (call.args, reversed(call.args)):
            made = self.lookup_binding(product) if isinstance(product, relax.Var) else None
            if not isinstance(made, relax.Call) or made.op != MULTIPLY:
                continue
            if len(self.uses.get(product, [])) == 1 and same_type(product, call):
                return fused(self.builder_, *made.args, self.visit_expr(other))
        return super().visit_call_(call)
        # --8<-- [end:mutator]


def same_type(one: relax.Expr, other: relax.Expr) -> bool:
    """Shape and dtype: a broadcast in the sum is another loop than the product's."""
    return bool(tvm_ffi.structural_equal(one.ty, other.ty))


def by_mutator(module: tvm.IRModule) -> tvm.IRModule:
    """All Relax functions of a module; what has become dead goes."""
    found = [(gv, f) for gv, f in module.functions.items() if isinstance(f, relax.Function)]
    for gv, function in found:
        uses: dict[relax.Var, list[relax.Var]] = {}
        for block in function.body.blocks:
            if isinstance(block, relax.DataflowBlock):
                uses |= {var: list(by) for var, by in relax.analysis.udchain(block).items()}
        fuse = Fuse(module, uses)
        fuse.builder_.update_func(gv, fuse.visit_expr(function))
        module = fuse.builder_.get()
    return relax.transform.DeadCodeElimination(["main"])(module)


def computed(module: tvm.IRModule) -> np.ndarray:
    """On fixed inputs."""
    rng = np.random.default_rng(1)
    given = [rng.standard_normal(s).astype("float32") for s in ((2, 4), (4,), (4,))]
    machine = relax.VirtualMachine(tvm.compile(module, target="llvm"), tvm.cpu())
    return machine["main"](*map(tvm.runtime.tensor, given)).numpy()


def calls(function: relax.Function) -> list[str]:
    """What is called, in order."""
    names: list[str] = []
    for block in function.body.blocks:
        for binding in block.bindings:
            op = getattr(binding.value, "op", None)
            if op is None:
                continue
            names.append(op.name.removeprefix("relax."))
    return names


def main() -> None:
    """Print what each way makes of both graphs."""
    once = by_pattern(Graph["main"])
    print(f"pattern, product used twice: {calls(once)}")
    assert calls(once) == ["multiply", "call_pure_packed", "maximum"], "the product stays, too"
    other_order = by_pattern(Swapped["main"])
    print(f"pattern x * a + b on b + x * a: {calls(other_order)}")
    assert calls(other_order) == ["call_pure_packed"], "TVM's matcher tries an addition both ways"
    kept, swapped = by_mutator(Graph), by_mutator(Swapped)
    print(f"mutator that counts uses: {calls(kept['main'])} and {calls(swapped['main'])}")
    assert calls(kept["main"]) == ["multiply", "add", "maximum"]
    assert calls(swapped["main"]) == ["call_tir"]
    for before, after in ((Graph, kept), (Swapped, swapped)):
        assert relax.analysis.check_well_formed(after)
        assert np.allclose(computed(before), computed(after), rtol=1e-6, atol=1e-6)
        assert tvm_ffi.structural_equal(by_mutator(after), after)
    print("well-formed, the same numbers, and a second run changes nothing")


if __name__ == "__main__":
    main()
