"""nvcc in three forms: the installed one, a recording, and none."""

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hotloop.engines.nvcc import toolchain
from hotloop.engines.nvcc.toolchain import Toolchain
from hotloop.engines.simulate.problem import ToolMissing
from hotloop.worker import cuda_tools

HERE = Path(__file__).parent
SOURCES = HERE / "sources"


@pytest.fixture
def sources() -> Path:
    return SOURCES


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Path]:
    """Returns a function that puts the stand-in on PATH under the given names."""
    folder = tmp_path / "cuda" / "bin"
    folder.mkdir(parents=True)
    program = HERE / "fake_nvcc.py"

    def put(*names: str) -> Path:
        for name in names:
            (folder / name).write_text(f'#!/bin/sh\nexec {sys.executable} {program} {name} "$@"\n')
            (folder / name).chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
        return folder

    return put


@pytest.fixture
def fake(install: Callable[..., Path]) -> Path:
    """Stand-ins for nvcc and nvdisasm with recorded output."""
    return install("nvcc", "nvdisasm")


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without CUDA: PATH has only a folder with the host's compiler."""
    folder = tmp_path / "bare"
    folder.mkdir()
    for name in ("g++", "c++filt"):
        (folder / name).symlink_to(shutil.which(name) or pytest.skip(f"no {name}"))
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.delenv("CUDA_PATH", raising=False)
    monkeypatch.setattr(cuda_tools, "INSTALLED", tmp_path / "local")
    find_spec = importlib.util.find_spec

    def without_wheels(name: str, *rest: Any) -> Any:
        return None if name in {"nvidia", "triton"} else find_spec(name, *rest)

    monkeypatch.setattr(importlib.util, "find_spec", without_wheels)
    return folder


@pytest.fixture
def real() -> Toolchain:
    """The installed toolchain; skips if there is none."""
    try:
        return toolchain.find()
    except ToolMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture
def real_with_disassembler(real: Toolchain) -> Toolchain:
    if real.nvdisasm is None:
        pytest.skip(f"no nvdisasm: {toolchain.DISASSEMBLER_REMEDY}")
    return real
