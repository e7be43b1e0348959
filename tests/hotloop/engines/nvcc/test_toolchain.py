"""nvcc is found in its usual places; if it is missing, the message says how to install it."""

import importlib.util
from collections.abc import Callable
from importlib.machinery import ModuleSpec
from pathlib import Path

import pytest

from hotloop.engines.nvcc import toolchain
from hotloop.engines.simulate.problem import ToolMissing
from hotloop.worker import cuda_extension, cuda_tools


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_absent_is_a_sentence_with_the_command(bare: Path) -> None:
    with pytest.raises(ToolMissing, match=r"nvcc is missing.*-m pip install 'cuda-toolkit\[nvcc"):
        toolchain.find()


def test_on_path(fake: Path) -> None:
    found = toolchain.find()
    assert (found.nvcc, found.nvdisasm) == (fake / "nvcc", fake / "nvdisasm")
    assert found.version() == "13.0"
    assert found.tools()["nvcc"] == str(fake / "nvcc")


def test_in_cuda_home(bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "home"))
    nvcc = program(tmp_path / "home" / "bin" / "nvcc")
    found = toolchain.find()
    assert (found.nvcc, found.nvdisasm) == (nvcc, None)
    assert found.tools()["nvdisasm"] == ""
    # An nvcc that prints nothing about itself is assumed to be in its toolkit's folder.
    assert found.headers[0] == tmp_path / "home"
    assert found.version() == "unknown"


def test_where_nvidias_installer_puts_it(bare: Path, tmp_path: Path) -> None:
    """Found by the doctor, the judge, and a worker that compiles."""
    program(tmp_path / "local" / "cuda-12.4" / "bin" / "nvcc")
    later = program(tmp_path / "local" / "cuda-13.0" / "bin" / "nvcc")
    assert toolchain.find().nvcc == later
    assert cuda_extension.nvcc() == str(later)


def test_a_worker_uses_what_the_judge_has_found(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The worker has neither the judge's PATH nor its CUDA_HOME."""
    with pytest.raises(cuda_extension.CompileFailed, match="hotloop doctor"):
        cuda_extension.nvcc()
    monkeypatch.setenv("HOTLOOP_NVCC", "/opt/cuda/bin/nvcc")
    monkeypatch.setenv("HOTLOOP_CUDA_ARCHITECTURE", "sm_120")
    assert cuda_extension.nvcc() == "/opt/cuda/bin/nvcc"
    assert cuda_tools.architecture() == "sm_120"


@pytest.mark.parametrize(
    ("text", "asked", "architecture"),
    [
        ('#include "hotloop/hopper.cuh"\n', "sm_90", "sm_90a"),
        ("  #  include <hotloop/hopper.cuh>\n", "native", "sm_90a"),
        ('#include "hotloop/hopper.cuh"\n', "sm_80", "sm_80"),
        ('// #include "hotloop/hopper.cuh"\n', "sm_90", "sm_90"),
        ('#include "hotloop/tensor_cores.cuh"\n', "native", "native"),
    ],
)
def test_which_sources_get_instructions_of_one_architecture(
    tmp_path: Path, text: str, asked: str, architecture: str
) -> None:
    (tmp_path / "other.cu").write_text("int x;\n")
    (tmp_path / "kernel.cu").write_text(f"// A kernel.\n{text}")
    sources = [tmp_path / "other.cu", tmp_path / "kernel.cu"]
    assert cuda_tools.with_own_instructions(asked, sources) == architecture


def test_for_which_cards_it_compiles(tmp_path: Path) -> None:
    nvcc = tmp_path / "nvcc"
    nvcc.write_text("#!/bin/sh\necho compute_75\necho compute_120\necho compute_90\n")
    nvcc.chmod(0o755)
    assert toolchain.Toolchain(nvcc, None, None, ()).capabilities() == [75, 90, 120]


def test_in_wheels_and_of_two_releases_the_later(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    nvidia = tmp_path / "site-packages" / "nvidia"
    spec = ModuleSpec("nvidia", None, is_package=True)
    spec.submodule_search_locations = [str(nvidia)]
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: spec)
    program(nvidia / "cuda_nvcc" / "bin" / "nvcc")
    assert toolchain.find().nvcc == nvidia / "cuda_nvcc" / "bin" / "nvcc"
    later = program(nvidia / "cu13" / "bin" / "nvcc")
    disassembler = program(nvidia / "cu13" / "bin" / "nvdisasm")
    assert toolchain.find().nvcc == later
    assert toolchain.find().nvdisasm == disassembler


def test_the_disassembler_that_triton_brings(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec = ModuleSpec("triton", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path / "triton")]
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: spec if name == "triton" else None
    )
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "home"))
    program(tmp_path / "home" / "bin" / "nvcc")
    theirs = program(tmp_path / "triton" / "backends" / "nvidia" / "bin" / "nvdisasm")
    assert toolchain.find().nvdisasm == theirs
    own = program(tmp_path / "home" / "bin" / "nvdisasm")
    assert toolchain.find().nvdisasm == own, "that of the toolkit comes first"


def test_a_file_that_cannot_be_executed_is_none(
    bare: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "home"))
    program(tmp_path / "home" / "bin" / "nvcc").chmod(0o644)
    with pytest.raises(ToolMissing):
        toolchain.find()


def test_without_a_host_compiler(
    install: Callable[..., Path], bare: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (bare / "g++").unlink()
    monkeypatch.setenv("CUDA_HOME", str(install("nvcc").parent))
    monkeypatch.setenv("PATH", str(bare))
    with pytest.raises(ToolMissing, match=r"g\+\+ is missing.*apt-get install g\+\+"):
        toolchain.find()


def test_header_folders_are_those_of_the_compilers(fake: Path) -> None:
    headers = toolchain.find().headers
    assert headers[0].name == "recorded"
    assert any((folder / "stdio.h").is_file() for folder in headers)
