"""Finds nvcc and its companion programs, and says what to install if one is missing."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hotloop.engines.simulate.problem import ToolMissing
from hotloop.worker.cuda_tools import program

_TIMEOUT_S = 20.0
_WHEELS = "cuda-toolkit[nvcc,cudart,cccl]==13.0.*"
"""Installed together: nvidia-cuda-nvcc alone would pull parts of different releases."""

DISASSEMBLER_REMEDY = f"{sys.executable} -m pip install nvidia-cuda-nvdisasm"


@dataclass(frozen=True)
class Toolchain:
    """Paths of the programs.

    nvdisasm: None if missing; the width of loads is then read from PTX. cuobjdump is not needed,
    because it calls nvdisasm itself to show machine code. demangler: None if missing; kernels then
    keep their mangled names. headers: folders with the headers of CUDA and the C++ library.
    """

    nvcc: Path
    nvdisasm: Path | None
    demangler: Path | None
    headers: tuple[Path, ...]

    def tools(self) -> dict[str, str]:
        """Return paths by name for the process that runs them; "" for a missing program."""
        return {
            "nvcc": str(self.nvcc),
            "nvdisasm": str(self.nvdisasm or ""),
            "demangler": str(self.demangler or ""),
        }

    def version(self) -> str:
        """Return the release of nvcc, such as "13.0", or "unknown"."""
        match = re.search(r"release ([\d.]+)", _output([str(self.nvcc), "--version"]))
        return match[1] if match is not None else "unknown"

    def capabilities(self) -> list[int]:
        """Return the compute capabilities that nvcc compiles for, such as 90 for sm_90, sorted."""
        listing = _output([str(self.nvcc), "--list-gpu-arch"])
        return sorted({int(number) for number in re.findall(r"compute_(\d+)", listing)})


def find() -> Toolchain:
    """Find the programs. Raises ToolMissing with the install command for a missing one."""
    nvcc = program("nvcc")
    if nvcc is None:
        raise ToolMissing(
            "nvcc is missing, and CUDA C++ cannot be compiled for a GPU without it: "
            f"{sys.executable} -m pip install '{_WHEELS}'"
        )
    host = shutil.which("g++")
    if host is None:
        raise ToolMissing("g++ is missing, and nvcc needs it: sudo apt-get install g++")
    demangler = shutil.which("c++filt")
    return Toolchain(
        nvcc,
        program("nvdisasm"),
        Path(demangler) if demangler is not None else None,
        tuple(dict.fromkeys((_toolkit(nvcc), *_system_headers(host)))),
    )


def _toolkit(nvcc: Path) -> Path:
    """Return the toolkit root that nvcc itself reports: nvcc on PATH may be a wrapper script."""
    log = _output([str(nvcc), "--dryrun", "-cubin", "-x", "cu", os.devnull])
    top = re.search(r"^#\$ TOP=(.+)$", log, re.MULTILINE)
    return (Path(top[1].strip()) if top is not None else nvcc.parent.parent).resolve()


def _system_headers(host: str) -> Iterator[Path]:
    """Yield the folders that the host compiler searches for <…>."""
    log = _output([host, "-E", "-x", "c++", "-v", os.devnull])
    folders = re.search(r"(?ms)#include <\.\.\.>.*?\n(.*?)^End of search list", log)
    for line in folders[1].splitlines() if folders is not None else ():
        yield Path(line.strip()).resolve()


def _output(command: list[str]) -> str:
    """Return stdout and stderr of a program, or "" if it does not run."""
    try:
        result = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=_TIMEOUT_S,
            env={**os.environ, "LC_ALL": "C"},
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return result.stdout
