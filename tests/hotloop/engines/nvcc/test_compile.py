"""A file is compiled for several GPUs; errors are reported in the compiler's own words."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from hotloop.engines.nvcc import toolchain
from hotloop.engines.nvcc.compile import (
    Compilation,
    Compiled,
    CompiledKernel,
    compile_files,
    failure,
    job,
    read,
)
from hotloop.engines.nvcc.sass import widest
from hotloop.engines.nvcc.toolchain import Toolchain
from hotloop.engines.simulate.problem import CompileError, ToolMissing
from hotloop.worker import nvcc_compile


def kernels(compiled: Compiled) -> dict[str, CompiledKernel]:
    return {kernel.resources.base_name: kernel for kernel in compiled.kernels}


def compile_one(source: Path, tools: Toolchain | None = None) -> dict[str, CompiledKernel]:
    (compiled,) = compile_files(source, tools or toolchain.find(), (90,))
    return kernels(compiled)


def asked(folder: Path, words: str) -> Path:
    """Write a file with a command for the stand-in."""
    path = folder / "asking.cu"
    path.write_text(f"// fake: {words}\n")
    return path


def commands() -> list[str]:
    """Return the command lines of all processes."""
    done = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def test_products_that_ptxas_serializes_are_those_of_their_kernel() -> None:
    log = "".join(
        f"ptxas info    : Compiling entry function '{name}' for 'sm_90a'\n"
        f"ptxas info    : Used 90 registers, used 1 barriers\n"
        for name in ("right", "called")
    )
    why = "wgmma.mma_async instructions are serialized due to a function call"
    log += f"ptxas info    : (C7510) Potential Performance Loss: {why} in the function 'called'\n"
    compiled = Compilation("k.cu", 90, "done", 0, log, ()).compiled()
    assert {k.resources.symbol: k.loss for k in compiled.kernels} == {"right": "", "called": why}


# --- with what was recorded -----------------------------------------------------------------------


@pytest.mark.slow
def test_figures_of_every_kernel(fake: Path, sources: Path) -> None:
    found = compile_one(sources / "copies.cu")
    assert found["through_shared"].resources.name == "through_shared<float4, 1>"
    assert found["hidden"].resources.name == "(anonymous namespace)::hidden"
    assert found["through_shared"].resources.shared_bytes == 4096
    assert widest(found["vector_and_tail"].accesses, "load") == 16
    assert widest(found["scalar"].accesses, "load") == 4
    assert compile_one(sources / "spills.cu")["spills"].resources.spill_bytes == 228


@pytest.mark.slow
def test_each_gpu_is_compiled_for(fake: Path, sources: Path) -> None:
    said: list[str] = []
    compiled = compile_files(
        sources / "copies.cu", toolchain.find(), (75, 80, 90), on_progress=said.append
    )
    assert [made.capability for made in compiled] == [75, 80, 90]
    assert [made.kernels[0].resources.capability for made in compiled] == [75, 80, 90]
    assert said == [f"compiling copies.cu for sm_{target}" for target in (75, 80, 90)]


def test_without_a_disassembler_ptx_is_read_and_it_says_so(
    install: Callable[..., Path], sources: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install("nvcc")
    tools = toolchain.find()
    tools = Toolchain(tools.nvcc, None, tools.demangler, tools.headers)
    (compiled,) = compile_files(sources / "copies.cu", tools, (90,))
    assert compiled.code == "PTX"
    assert widest(kernels(compiled)["vector_and_tail"].accesses, "load") == 16
    assert kernels(compiled)["vector_and_tail"].accesses[0].lines == (24,)


def test_a_disassembler_that_fails_is_as_none(fake: Path, sources: Path) -> None:
    (fake / "nvdisasm").write_text("#!/bin/sh\nexit 1\n")
    (compiled,) = compile_files(sources / "copies.cu", toolchain.find(), (90,))
    assert compiled.code == "PTX"
    (fake / "nvdisasm").write_text("#!/bin/sh\n")
    (compiled,) = compile_files(sources / "copies.cu", toolchain.find(), (90,))
    assert compiled.code == "SASS"
    assert kernels(compiled)["scalar"].accesses == ()


def test_a_compile_error_is_the_compilers_own_with_the_line(fake: Path, sources: Path) -> None:
    with pytest.raises(CompileError) as caught:
        compile_one(sources / "undefined.cu")
    assert str(caught.value) == (
        'undefined.cu(2): error: identifier "missing_factor" is undefined\n'
        "    x[0] = missing_factor * x[0];\n"
        "           ^"
    )


def test_the_assembler_complains_with_the_sources_line(fake: Path, sources: Path) -> None:
    with pytest.raises(CompileError) as caught:
        compile_one(sources / "inline_ptx.cu")
    first = str(caught.value).splitlines()[0]
    assert first.endswith("inline_ptx.cu(3): error: in inline PTX: Unknown modifier '.such'")


def test_too_much_shared_memory_is_an_error(fake: Path, sources: Path) -> None:
    with pytest.raises(CompileError, match=r"uses too much shared data \(0x13880 bytes"):
        compile_one(sources / "greedy_shared.cu")


@pytest.mark.slow
def test_a_compiler_that_hangs_is_ended_with_its_children(fake: Path, tmp_path: Path) -> None:
    began = time.monotonic()
    nap = f"600.{time.time_ns()}"
    with pytest.raises(CompileError, match=r"did not end within 1 s for sm_90: look for"):
        compile_files(asked(tmp_path, f"hang {nap}"), toolchain.find(), (90,), timeout_s=1)
    assert time.monotonic() - began < 20
    assert not any(nap in line for line in commands())


def test_a_compiler_that_babbles_is_ended(fake: Path, tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="printed more than is read"):
        compile_one(asked(tmp_path, "babble"))


def test_a_compiler_that_is_not_there(fake: Path, sources: Path) -> None:
    tools = toolchain.find()
    (fake / "nvcc").unlink()
    with pytest.raises(ToolMissing, match=r"nvcc is at .*, which a confined process cannot see"):
        compile_one(sources / "copies.cu", tools)


def test_warnings_are_no_failures() -> None:
    log = (
        'k.cu(1): warning #177-D: variable "s" was declared but never referenced\n'
        "  __shared__ float s;\n\n"
        "In file included from k.cu:2:\n"
        "k.cu:3:10: fatal error: nowhere.h: No such file or directory\n"
        '    3 | #include "nowhere.h"\n'
        "compilation terminated.\n"
        "nvcc warning : Support for offline compilation will be removed\n"
        "At end of source: error: expected a declaration\n"
        "nvcc fatal   : Unsupported gpu architecture 'sm_10'\n"
    )
    found = Compilation("k.cu", 90, "done", 1, log, None).diagnostics()
    assert [(d.file, d.line, d.failure, d.message) for d in found] == [
        ("k.cu", 1, False, 'variable "s" was declared but never referenced'),
        ("k.cu", 3, True, "nowhere.h: No such file or directory"),
        (None, None, False, "Support for offline compilation will be removed"),
        (None, None, True, "expected a declaration"),
        (None, None, True, "Unsupported gpu architecture 'sm_10'"),
    ]
    assert "warning" not in failure(Compilation("k.cu", 90, "done", 1, log, None), 60)


def test_without_a_known_word_the_whole_log_is_told() -> None:
    assert failure(Compilation("k.cu", 90, "done", 3, "sh: gcc: not found\n", None), 60) == (
        "sh: gcc: not found"
    )
    assert failure(Compilation("k.cu", 90, "done", 3, "", None), 60) == "nvcc ended with 3."


def test_files_that_were_read_are_listed(fake: Path, tmp_path: Path) -> None:
    source = asked(tmp_path, "read /a/b\\ c.h /d.h")
    told = read(str(source), 90, nvcc_compile.compile_file(source, job(toolchain.find(), 90, 30)))
    assert told.read == (str(source), "/a/b c.h", "/d.h")
    source = asked(tmp_path, "unread /a.h")
    told = read(str(source), 90, nvcc_compile.compile_file(source, job(toolchain.find(), 90, 30)))
    assert told.read is None


# --- with nvcc itself -----------------------------------------------------------------------------


@pytest.mark.slow
def test_nvcc_says_what_was_recorded(
    real: Toolchain, sources: Path, install: Callable[..., Path]
) -> None:
    if real.version() != "13.0":
        pytest.skip(f"nvcc is {real.version()}; recorded was 13.0")
    recorded = Toolchain(install("nvcc", "nvdisasm") / "nvcc", None, real.demangler, real.headers)
    for name in ("copies.cu", "spills.cu"):
        here, then = (compile_one(sources / name, tools) for tools in (real, recorded))
        assert set(here) == set(then)
        for kernel, found in here.items():
            was = then[kernel].resources
            now = found.resources
            assert (now.registers, now.spill_bytes, now.stack_bytes, now.shared_bytes) == (
                was.registers,
                was.spill_bytes,
                was.stack_bytes,
                was.shared_bytes,
            )


@pytest.mark.slow
def test_nvcc_for_three_gpus(real: Toolchain, sources: Path) -> None:
    compiled = compile_files(sources / "copies.cu", real)
    assert [made.capability for made in compiled] == [75, 80, 90]
    for made in compiled:
        found = kernels(made)
        assert found["through_shared"].resources.shared_bytes == 4096
        assert widest(found["vector_and_tail"].accesses, "load") == 16
        assert widest(found["scalar"].accesses, "load") == 4


@pytest.mark.slow
def test_nvccs_machine_code_and_ptx_agree(real_with_disassembler: Toolchain, sources: Path) -> None:
    tools = real_with_disassembler
    without = Toolchain(tools.nvcc, None, tools.demangler, tools.headers)
    (sass,), (ptx,) = (compile_files(sources / "copies.cu", t, (80,)) for t in (tools, without))
    assert (sass.code, ptx.code) == ("SASS", "PTX")
    assert kernels(sass)["vector_and_tail"].accesses == kernels(ptx)["vector_and_tail"].accesses
    assert widest(kernels(sass)["by_call"].accesses, "load") == 4
    assert widest(kernels(ptx)["by_call"].accesses, "load") == 0


@pytest.mark.slow
def test_nvccs_own_messages(real: Toolchain, sources: Path, tmp_path: Path) -> None:
    with pytest.raises(CompileError, match=r'undefined.cu\(2\): error: identifier "missing_factor'):
        compile_one(sources / "undefined.cu", real)
    with pytest.raises(CompileError, match=r"inline_ptx.cu\(3\): error: in inline PTX: "):
        compile_one(sources / "inline_ptx.cu", real)
    with pytest.raises(CompileError, match="uses too much shared data"):
        compile_one(sources / "greedy_shared.cu", real)
    with pytest.raises(CompileError, match="Unsupported gpu architecture"):
        compile_files(sources / "copies.cu", real, (20,))


@pytest.mark.slow
def test_headers_beside_the_file_and_macros(real: Toolchain, tmp_path: Path) -> None:
    (tmp_path / "near.cuh").write_text("__device__ float twice(float x) { return 2 * x; }\n")
    (tmp_path / "far").mkdir()
    (tmp_path / "far" / "far.cuh").write_text("#define FAR FACTOR\n")
    source = tmp_path / "uses.cu"
    source.write_text(
        '#include "near.cuh"\n#include "far.cuh"\n'
        "__global__ void k(float* x) { x[0] = twice(x[1]) * FAR; }\n"
    )
    (compiled,) = compile_files(
        source, real, (90,), include=[tmp_path / "far"], defines=["FACTOR=3"]
    )
    assert list(kernels(compiled)) == ["k"]
    with pytest.raises(CompileError, match=r"far\.cuh: No such file"):
        compile_one(source, real)


@pytest.mark.slow
def test_host_and_device_code_are_both_known_to_have_been_read(
    real: Toolchain, tmp_path: Path
) -> None:
    (tmp_path / "a.h").write_text("")
    for condition in ("#ifdef", "#ifndef"):
        source = tmp_path / "k.cu"
        source.write_text(
            f'{condition} __CUDA_ARCH__\n#include "{tmp_path}/a.h"\n#endif\n'
            "__global__ void k(float* x) { x[0] = 1; }\n"
        )
        told = read(str(source), 90, nvcc_compile.compile_file(source, job(real, 90, 60)))
        assert told.read is not None
        assert str(tmp_path / "a.h") in told.read
        assert told.succeeded


@pytest.mark.slow
def test_what_is_sent_is_short(real: Toolchain, tmp_path: Path) -> None:
    """The widest table of kernels still fits into a message between judge and worker."""
    source = tmp_path / "many.cu"
    source.write_text(
        "template <int N> __global__ void k(float* x) { x[N + threadIdx.x] += N; }\n"
        + "".join(f"template __global__ void k<{n}>(float*);\n" for n in range(60))
    )
    told = nvcc_compile.compile_file(source, job(real, 90, 60))
    assert len(read(str(source), 90, told).compiled().kernels) == 60
    assert sum(len(str(value)) for value in told.values()) < 200_000
