"""Assembles PTX or Tile IR for GPUs that need not be there, and returns what machine code has.

It gets what a candidate's compiler wrote, and none of the candidate's code. The tools are those of
NVIDIA's packages for CUDA 13, in the environment of the two languages.
"""

from __future__ import annotations

import importlib.util
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

TIMEOUT_S = 60


def ptx(path: str, arch: str) -> dict[str, Any]:
    """Return the `spilled` bytes of the kernel's registers, or an `error`."""
    cubin = Path(tempfile.mkdtemp()) / "kernel.cubin"
    done = _run("ptxas", "-v", f"-arch={arch}", path, "-o", cubin)
    if done.returncode:
        return {"error": done.stderr.strip()[:300] or "ptxas fails"}
    spilled = re.findall(r"(\d+) bytes spill", done.stderr)
    return {"error": None, "spilled": sum(map(int, spilled))}


def tile_ir(path: str, arch: str) -> dict[str, Any]:
    """Return the SASS that tileiras makes of the bytecode, or an `error`."""
    cubin = Path(tempfile.mkdtemp()) / "kernel.cubin"
    done = _run("tileiras", f"--gpu-name={arch}", path, "-o", cubin)
    if done.returncode:
        return {"error": done.stderr.strip()[:300] or "tileiras fails"}
    done = _run("nvdisasm", "-c", cubin)
    if done.returncode:
        return {"error": done.stderr.strip()[:300] or "nvdisasm fails"}
    sass = cubin.with_suffix(".sass")
    sass.write_text(done.stdout, encoding="utf-8")
    return {"error": None, "sass": str(sass)}


def _run(tool: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    spec = importlib.util.find_spec("nvidia.cu13")
    folders = [] if spec is None else list(spec.submodule_search_locations or ())
    path = next(path for folder in folders if (path := Path(folder) / "bin" / tool).exists())
    command = list(map(str, (path, *arguments)))
    return subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
