"""A product in Helion: the Triton code that two configurations make of it, run on a CPU."""

from __future__ import annotations

import importlib
import importlib.util
import os
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import torch

KERNELS = Path(__file__).parent / "languages" / "helion_product.py"
SIZE = 512
OPERANDS = tuple(torch.zeros(SIZE, SIZE, dtype=torch.float16) for _ in range(2))
CONFIGURATIONS: dict[str, dict[str, Any]] = {
    "pointers": {"block_sizes": [128, 128, 32]},
    "tensor descriptors, persistent": {
        "block_sizes": [128, 128, 32],
        "indexing": "tensor_descriptor",
        "pid_type": "persistent_blocked",
    },
}
KINDS = ("tl.load(", "_desc.load(", "tl.make_tensor_descriptor(", "tl.dot(")
INTERPRETER = f"""
import runpy, sys, torch
torch.manual_seed(1)
a, b = (torch.rand({SIZE}, {SIZE}).half() for _ in range(2))
function = runpy.run_path(sys.argv[1])[sys.argv[2]]
c = function(a, b, _launcher=lambda kernel, grid, *given, **_: kernel[grid](*given))
want = a.double() @ b.double()
print(f"{{((c.double() - want).abs() / want).max().item() / 2**-11:.1f}}")
"""


def main() -> None:
    """Print what is in the generated code, and its errors."""
    if importlib.util.find_spec("helion") is None:
        print("not measured here: Helion is not installed; pip install helion")
        return
    kernels = runpy.run_path(str(KERNELS))
    code = {name: generated(kernels["product"], about) for name, about in CONFIGURATIONS.items()}
    for name, text in code.items():
        print(f"{name}: {len(text.splitlines())} lines of Python and Triton")
        for kind in KINDS:
            print(f"  {kind.rstrip('('):28} {text.count(kind)}")
    plain = CONFIGURATIONS["pointers"]
    print("largest error in Triton's interpreter, in roundings to float16:")
    print(f"  torch.addmm(total, …)        {error(code['pointers'], 'product')}")
    print(
        f"  total + torch.matmul(…)      {error(generated(kernels['rounded'], plain), 'rounded')}"
    )


def generated(kernel: Any, about: dict[str, Any]) -> str:
    """Return the code of a configuration."""
    helion: Any = importlib.import_module("helion")
    return kernel.bind(OPERANDS).to_triton_code(helion.Config(**about))


def error(code: str, name: str) -> str:
    """Return the largest relative error of what the code computes, on a CPU."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "generated.py"
        path.write_text(code, encoding="utf-8")
        command = [sys.executable, "-c", INTERPRETER, str(path), name]
        environment = {**os.environ, "TRITON_INTERPRET": "1"}
        result = subprocess.run(
            command, check=True, capture_output=True, text=True, env=environment
        )
    return result.stdout.strip()


if __name__ == "__main__":
    main()
