"""nvcc with all that it needs on this machine, and what to install where that is missing."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hotloop.simulate.problem import ToolMissing
from hotloop.worker.cuda_tools import program

_TIMEOUT_S = 20.0
_WHEELS = "cuda-toolkit[nvcc,cudart,cccl]==13.0.*"
"""As a set: nvidia-cuda-nvcc alone takes its parts from different releases."""

DISASSEMBLER_REMEDY = f"{sys.executable} -m pip install nvidia-cuda-nvdisasm"


@dataclass(frozen=True)
class Toolchain:
    """Programs by path.

    nvdisasm: None where it is missing; the width of loads is then read from PTX. cuobjdump is not
        looked for: to show machine code, it calls nvdisasm itself.
    demangler: None where it is missing; kernels then keep their mangled names.
    headers: folders in which the headers of CUDA and of the C++ library lie.
    """

    nvcc: Path
    nvdisasm: Path | None
    demangler: Path | None
    headers: tuple[Path, ...]

    def tools(self) -> dict[str, str]:
        """Paths by name for the program that calls them; empty where there is none."""
        return {
            "nvcc": str(self.nvcc),
            "nvdisasm": str(self.nvdisasm or ""),
            "demangler": str(self.demangler or ""),
        }

    def version(self) -> str:
        """The release of nvcc, such as "13.0"."""
        found = re.search(r"release ([\d.]+)", _output([str(self.nvcc), "--version"]))
        return found[1] if found is not None else "unknown"

    def capabilities(self) -> list[int]:
        """Compute capabilities that nvcc compiles for, 90 for sm_90, in order."""
        said = _output([str(self.nvcc), "--list-gpu-arch"])
        return sorted({int(number) for number in re.findall(r"compute_(\d+)", said)})


def find() -> Toolchain:
    """The programs on this machine. ToolMissing with the command that installs what lacks."""
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
    """The toolkit's root as nvcc itself knows it: the one on PATH may be a script that calls it."""
    said = _output([str(nvcc), "--dryrun", "-cubin", "-x", "cu", os.devnull])
    top = re.search(r"^#\$ TOP=(.+)$", said, re.MULTILINE)
    return (Path(top[1].strip()) if top is not None else nvcc.parent.parent).resolve()


def _system_headers(host: str) -> Iterator[Path]:
    """Where the host compiler looks for <…>."""
    said = _output([host, "-E", "-x", "c++", "-v", os.devnull])
    listed = re.search(r"(?ms)#include <\.\.\.>.*?\n(.*?)^End of search list", said)
    for line in listed[1].splitlines() if listed is not None else ():
        yield Path(line.strip()).resolve()


def _output(command: list[str]) -> str:
    """Both streams of a program of the toolchain; empty when it does not run."""
    try:
        done = subprocess.run(
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
    return done.stdout
