"""Compiles a file of this folder with nvcc, for proofs that read its log or its machine code."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from hotloop.core import paths
from hotloop.engines.nvcc import toolchain
from hotloop.engines.simulate.problem import ToolMissing

HERE = Path(__file__).parents[1]


def find() -> toolchain.Toolchain | None:
    """Return nvcc and the disassembler, or say what this machine lacks."""
    try:
        tools = toolchain.find()
    except ToolMissing as missing:
        print(f"not measured here: {missing}")
        return None
    if tools.nvdisasm is None:
        print(f"not measured here: nvdisasm is missing: {toolchain.DISASSEMBLER_REMEDY}")
        return None
    return tools


def compiled(tools: toolchain.Toolchain, name: str, arch: str, *options: str) -> tuple[str, str]:
    """Return the compiler's log and the machine code of a file."""
    include = Path(paths.__file__).parents[1] / "worker" / "include"
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "code.cubin"
        common = ["-std=c++17", "-Xptxas", "-v", "-I", str(include), "-cubin", "-o", str(cubin)]
        command = [str(tools.nvcc), f"-arch={arch}", *common, *options, str(HERE / name)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
        listing = subprocess.run(
            [str(tools.nvdisasm), str(cubin)], check=True, capture_output=True, text=True
        )
    return done.stdout + done.stderr, listing.stdout
