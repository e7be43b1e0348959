"""What TorchScript has in place of a debugger: its code, its errors, and PYTORCH_JIT=0."""

from __future__ import annotations

import os
import pkgutil
import subprocess
import sys
import warnings

import torch

warnings.filterwarnings("ignore")


def signed(x: torch.Tensor) -> torch.Tensor:
    """An if on a value."""
    if bool(x.sum() > 0):
        return x
    return -x


def shorter(x: torch.Tensor) -> torch.Tensor:
    """Fails where x has fewer than five elements."""
    return x[4]


def main() -> None:
    """Each of them once."""
    if "PYTORCH_JIT" in os.environ:
        print("with PYTORCH_JIT=0:", type(torch.jit.script(signed)).__name__)
        return
    modules = [module.name for module in pkgutil.iter_modules(torch.jit.__path__)]
    debuggers = [name for name in (*modules, *dir(torch.jit)) if "debugger" in name.lower()]
    print("debuggers in torch.jit:", len(debuggers))
    traced = torch.jit.trace(signed, torch.ones(5), check_trace=False)
    scripted = torch.jit.script(signed)
    for name, made in (("traced", traced), ("scripted", scripted)):
        print(f"{name:8} an if in its code: {'if ' in made.code}, of {type(made).__name__}")
    said = ""
    try:
        torch.jit.script(shorter)(torch.ones(3))
    except (RuntimeError, IndexError) as error:
        said = str(error)
    print("the error names the source's line:", "return x[4]" in said)
    assert "return x[4]" in said
    assert not debuggers
    assert "if " not in traced.code
    assert "if " in scripted.code
    told = subprocess.run(
        [sys.executable, __file__],
        env={**os.environ, "PYTORCH_JIT": "0"},
        capture_output=True,
        text=True,
        check=True,
    )
    print(told.stdout.strip())
    assert "function" in told.stdout


if __name__ == "__main__":
    main()
