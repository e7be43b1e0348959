"""A kernel that Triton's interpreter runs rightly and Triton's compiler refuses."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import Any

INTERPRETED = os.environ.get("TRITON_INTERPRET") == "1"

import torch  # noqa: E402
import triton  # noqa: E402
import triton.language as tl  # noqa: E402


@triton.jit
def row_maximum(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):  # noqa: N803
    """The maximum of one row, 0 where it is -inf."""
    columns = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + columns, mask=columns < n_cols, other=-float("inf"))
    maximum = tl.max(x, axis=0)
    if maximum == -float("inf"):
        maximum = 0  # an integer here, a float there
    tl.store(out_ptr, maximum)


def interpret() -> None:
    """Run it on the CPU."""
    out = torch.empty(1)
    for x in (torch.tensor([1.0, 5.0, 2.0]), torch.full((3,), -torch.inf)):
        row_maximum[(1,)](x, out, 3, BLOCK=4)
        print("interpreter:", out.item())
        assert out.item() == (0.0 if torch.isinf(x).all() else 5.0)


def compile_for(capability: int) -> None:
    """Compile it without a GPU."""
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    signature = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n_cols": "i32", "BLOCK": "constexpr"}
    source: Any = ASTSource(fn=row_maximum, signature=signature, constexprs={"BLOCK": 4})
    target, options = GPUTarget("cuda", capability, 32), {"enable_fp_fusion": True}
    try:
        triton.compile(source, target=target, options=options)
    except triton.CompilationError as refusal:
        print(f"compiler for sm_{capability}:", str(refusal).strip().splitlines()[-1])
    else:
        raise AssertionError("the compiler must refuse two types for one variable")


def main() -> None:
    """Interpret in a process with TRITON_INTERPRET=1, which must be set before the import."""
    if INTERPRETED:
        interpret()
        return
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    subprocess.run([sys.executable, __file__], check=True, env=environment)
    compile_for(80)


if __name__ == "__main__":
    main()
