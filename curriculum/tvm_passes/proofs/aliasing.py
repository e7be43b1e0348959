"""One array behind two parameters: what a pass may then do, and what `tirx.noalias` promises."""

# ruff: noqa: D102, N805, N812  # TVMScript: a class of functions, and the names that TVM uses

from __future__ import annotations

import numpy as np
import tvm
from tvm import te
from tvm.script import ir as I
from tvm.script import tirx as T

# --8<-- [start:scale]


@I.ir_module
class Scale:
    """b = a * s[0]. A pass wants to read s[0] once, before the loop."""

    @T.prim_func
    def main(
        a: T.Buffer((6,), "float32"), s: T.Buffer((1,), "float32"), b: T.Buffer((6,), "float32")
    ):
        for i in range(6):
            b[i] = a[i] * s[0]
            # --8<-- [end:scale]


@I.ir_module
class Shift:
    """Each element from its left neighbor. Run from the right, it is another program."""

    @T.prim_func
    def main(a: T.Buffer((6,), "float32"), b: T.Buffer((6,), "float32")):
        for i in range(5):
            b[i + 1] = a[i] + T.float32(1)


@I.ir_module
class FromTheRight:
    """`Shift` with its loop turned round."""

    @T.prim_func
    def main(a: T.Buffer((6,), "float32"), b: T.Buffer((6,), "float32")):
        for i in range(5):
            b[5 - i] = a[4 - i] + T.float32(1)


def promising(module: tvm.IRModule) -> tvm.IRModule:
    """The same with the promise that no two parameters are the same memory."""
    return tvm.IRModule({"main": module["main"].with_attr("tirx.noalias", True)})


def scaled(module: tvm.IRModule) -> list[float]:
    """With s in the first element of b, which the first iteration overwrites."""
    b = tvm.runtime.tensor(np.array([2, 0, 0, 0, 0, 0], "float32"))
    a = tvm.runtime.tensor(np.arange(3, 9).astype("float32"))
    tvm.compile(module, target="llvm")(a, b._create_view((1,), "float32"), b)
    return b.numpy().tolist()


def shifted(module: tvm.IRModule, *, same: bool) -> list[float]:
    """On zeros; same: source and target are one array."""
    a, b = (tvm.runtime.tensor(np.zeros(6, "float32")) for _ in "ab")
    tvm.compile(module, target="llvm")(b if same else a, b)
    return b.numpy().tolist()


def main() -> None:
    """Print both programs' answers."""
    plain, promised = scaled(Scale), scaled(promising(Scale))
    print(f"s inside b, nothing promised: {plain}")
    print(f"s inside b, noalias promised: {promised}")
    assert plain == [6, 24, 30, 36, 42, 48], "s[0] is 6 from the second iteration on"
    assert promised == [6, 8, 10, 12, 14, 16], "LLVM has read s[0] once, as it was allowed to"
    apart = [shifted(module, same=False) for module in (Shift, FromTheRight)]
    one = [shifted(module, same=True) for module in (Shift, FromTheRight)]
    print(f"loop turned round, two arrays: {apart[0]} and {apart[1]}")
    print(f"loop turned round, one array:  {one[0]} and {one[1]}")
    assert apart[0] == apart[1]
    assert one[0] == [0, 1, 2, 3, 4, 5] != one[1]
    x = te.placeholder((4,), "float32", "x")
    made = te.create_prim_func([x, te.compute((4,), lambda i: x[i] * 2)])
    print(f"te.create_prim_func promises: {bool(made.attrs['tirx.noalias'])}; "
          f"a PrimFunc in TVMScript: {'tirx.noalias' in Scale['main'].attrs}")  # fmt: skip
    assert made.attrs["tirx.noalias"]
    assert "tirx.noalias" not in Scale["main"].attrs


if __name__ == "__main__":
    main()
