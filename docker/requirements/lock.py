"""Writes the lock files of the images from pyproject.toml. From the root of the repository:

    python3 docker/requirements/lock.py [UPGRADED_PACKAGE...]

It needs `uv` on PATH and the package index. Versions that are locked already stay, except those of
the packages that are named. One resolution for Debian 12 (Python 3.11, x86-64), in three files:
torch.txt is without hashes, because its wheel may come from PyTorch's own index (+cpu); cuda.txt
holds what only a GPU and nvcc need; hotloop.txt everything else.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
EXTRAS = ("course", "compilers", "cuda", "lti", "postgres", "ray", "serve", "serving", "takehome")
BESIDE = "cuda-toolkit[nvcc,cudart,cccl]==13.0.*\njupyterhub>=5.4,<7\n"
"""nvcc as a set: nvidia-cuda-nvcc alone takes its parts from different releases. The disassembler
is in Triton's wheel."""
HEAD = "# Written by docker/requirements/lock.py; do not edit.\n"
CUDA = ("cuda-", "nvidia-")


def main(upgraded: list[str]) -> None:
    """Resolve, and write the three files."""
    blocks = _blocks(_resolve(upgraded))
    torch = [block.split()[0] + "\n" for block in blocks if _name(block) == "torch"]
    cuda = [block for block in blocks if _name(block).startswith(CUDA)]
    rest = [block for block in blocks if block not in cuda and _name(block) != "torch"]
    for name, found in {"torch": torch, "cuda": cuda, "hotloop": rest}.items():
        (HERE / f"{name}.txt").write_text(HEAD + "".join(found), encoding="utf-8")


def _resolve(upgraded: list[str]) -> str:
    """The whole lock file, with hashes. CalledProcessError when there is no solution."""
    with tempfile.TemporaryDirectory() as folder:
        beside, lock = Path(folder) / "beside.in", Path(folder) / "lock.txt"
        beside.write_text(BESIDE, encoding="utf-8")
        lock.write_text("".join(_locked()), encoding="utf-8")
        command = ["uv", "pip", "compile", "--quiet", "--no-annotate", "--no-header"]
        command += ["--generate-hashes", "--python-version", "3.11"]
        command += ["--python-platform", "x86_64-manylinux_2_36"]
        command += [word for extra in EXTRAS for word in ("--extra", extra)]
        command += [word for name in upgraded for word in ("--upgrade-package", name)]
        command += ["--output-file", str(lock), "pyproject.toml", str(beside)]
        subprocess.run(command, check=True, cwd=HERE.parents[1])
        return lock.read_text(encoding="utf-8")


def _locked() -> list[str]:
    """What is locked now, as uv reads it to keep the versions."""
    files = (HERE / f"{name}.txt" for name in ("torch", "cuda", "hotloop"))
    return [file.read_text(encoding="utf-8") for file in files if file.is_file()]


def _blocks(lock: str) -> list[str]:
    """One requirement each: its line, and the lines with its hashes."""
    return re.findall(r"^\S.*\n(?:\s+\S.*\n)*", lock, re.MULTILINE)


def _name(block: str) -> str:
    return re.split(r"[=\[ ;]", block, maxsplit=1)[0]


if __name__ == "__main__":
    main(sys.argv[1:])
