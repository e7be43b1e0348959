"""What `is_python_module` of torch.utils.cpp_extension.load decides: an import, or not."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any, cast

import torch
from torch.utils import cpp_extension

SOURCE = """
#include <torch/csrc/stable/library.h>
#include <torch/csrc/stable/tensor.h>

using torch::stable::Tensor;

Tensor same(const Tensor& x) { return x; }

STABLE_TORCH_LIBRARY(load_arguments, m) { m.def("same(Tensor x) -> Tensor"); }
STABLE_TORCH_LIBRARY_IMPL(load_arguments, CPU, m) { m.impl("same", TORCH_BOX(&same)); }
"""


def attempt(folder: str, *, is_python_module: bool) -> str:
    """Build in `folder`; return whether torch.ops has the operator then, or the error."""
    source = Path(folder) / "same.cpp"
    source.write_text(SOURCE, encoding="utf-8")
    load = cast("Any", cpp_extension).load
    try:
        load("same", [str(source)], build_directory=folder, is_python_module=is_python_module)
    except ImportError as error:
        return f"ImportError: {str(error).partition(' (')[0]}"
    return str(hasattr(torch.ops.load_arguments, "same"))


def apart(folder: str, *, is_python_module: bool) -> str:
    """The same in a process of its own: what an import leaves half loaded stays there."""
    program = f"""
import os, runpy
attempt = runpy.run_path({__file__!r})["attempt"]
print(attempt({folder!r}, is_python_module={is_python_module}), flush=True)
os._exit(0)
"""
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    """Build an operator once and load it in both ways."""
    with tempfile.TemporaryDirectory() as folder:
        imported = apart(folder, is_python_module=True)
        built = len(list(Path(folder).glob("same.so")))
        loaded = apart(folder, is_python_module=False)
    print(f"is_python_module=True:  {imported}; libraries that were built: {built}")
    print(f"is_python_module=False: the operator is in torch.ops: {loaded}")
    assert imported.startswith("ImportError")
    assert built == 1
    assert loaded == "True"


if __name__ == "__main__":
    main()
