"""Cutting a graph for a made-up accelerator: what may go into one region."""

# ruff: noqa: D102, N805, N812  # TVMScript: a class of functions, and the names that TVM uses

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import tvm
from tvm import relax
from tvm.relax.dpl import is_op, wildcard
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Network:
    """The accelerator knows matmul, relu and add. Softmax stays on the host."""

    # --8<-- [start:network]
    @R.function
    def main(x: R.Tensor((4, 4), "float32"), w: R.Tensor((4, 4), "float32")):
        with R.dataflow():
            a = R.matmul(x, w)
            s = R.nn.softmax(a)
            b = R.nn.relu(a)
            c = R.add(b, s)
            d = R.matmul(c, w)
            R.output(d)
        return d
        # --8<-- [end:network]


EDGES = {"a": "s b", "s": "c", "b": "c", "c": "d", "d": ""}
"""Who uses each value of `Network`."""


# --8<-- [start:partition]
def partitioned(module: tvm.IRModule) -> tvm.IRModule:
    """Supported operators to composites, neighbors merged, each region marked for `npu`."""
    any_ = wildcard
    patterns = [
        ("npu.matmul", is_op("relax.matmul")(any_(), any_())),
        ("npu.relu", is_op("relax.nn.relu")(any_())),
        ("npu.add", is_op("relax.add")(any_(), any_())),
    ]
    module = relax.transform.FuseOpsByPattern(patterns, bind_constants=False)(module)
    return relax.transform.MergeCompositeFunctions()(module)
    # --8<-- [end:partition]


# --8<-- [start:cycle]
def has_cycle(region: Mapping[str, str]) -> bool:
    """Whether the graph of regions, after each is contracted to one node, cannot be ordered."""
    uses = {name: set[str]() for name in region.values()}
    for value, users in EDGES.items():
        uses[region[value]] |= {region[user] for user in users.split()} - {region[value]}
    while free := [name for name in uses if not any(name in users for users in uses.values())]:
        for name in free:
            del uses[name]
    return bool(uses)
    # --8<-- [end:cycle]


def regions(module: tvm.IRModule) -> dict[str, list[str]]:
    """The operators of each function that is marked for the accelerator."""
    found: dict[str, list[str]] = {}
    for gv, function in module.functions.items():
        if not function.attrs or "Codegen" not in function.attrs:
            continue
        names: list[str] = []

        def note(expr: object, names: list[str] = names) -> None:
            if isinstance(expr, relax.Function) and expr.attrs and "Composite" in expr.attrs:
                names.append(str(expr.attrs["Composite"]))

        relax.analysis.post_order_visit(function, note)
        found[gv.name_hint] = sorted(names)
    return found


def main() -> None:
    """Print both cuts."""
    greedy = {value: "host" if value == "s" else "npu" for value in "abscd"}
    careful = {"a": "npu 1", "b": "npu 1", "s": "host", "c": "npu 2", "d": "npu 2"}
    print(f"all that is supported in one region: cycle {has_cycle(greedy)}")
    print(f"two regions: cycle {has_cycle(careful)}")
    assert has_cycle(greedy)
    assert not has_cycle(careful)
    module = partitioned(Network)
    assert relax.analysis.check_well_formed(module)
    found = regions(module)
    for name, operators in found.items():
        print(f"TVM: {name}: {', '.join(operators)}")
    assert sorted(map(len, found.values())) == [2, 2]
    crossed = 4 * 4 * 4
    print(f"values that cross a border: a, b, s; {3 * crossed} bytes here")
    rng = np.random.default_rng(1)
    given = [tvm.runtime.tensor(rng.random((4, 4), dtype=np.float32)) for _ in "xw"]
    answers = [on_host(each)["main"](*given).numpy() for each in (Network, module)]
    assert np.allclose(*answers, rtol=1e-6)
    print("the partitioned graph, its regions run on the host again: the same numbers")


def on_host(module: tvm.IRModule) -> relax.VirtualMachine:
    """Compiled, with the regions inlined: there is no accelerator to run them."""
    plain = tvm.IRModule(
        {
            gv: f.without_attr("Codegen").with_attr("global_symbol", gv.name_hint)
            if isinstance(f, relax.Function)
            else f
            for gv, f in module.functions.items()
        }
    )
    plain = relax.transform.LambdaLift()(plain)
    return relax.VirtualMachine(tvm.compile(plain, target="llvm"), tvm.cpu())


if __name__ == "__main__":
    main()
