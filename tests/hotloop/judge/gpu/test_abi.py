"""The ctypes declarations of NVIDIA's interfaces match the toolkit's headers, if installed."""

import ctypes
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hotloop.author.selftest.gpu_session import PROGRAMS
from hotloop.core import paths
from hotloop.engines.nvcc import toolchain
from hotloop.engines.simulate import pytorch
from hotloop.engines.simulate.problem import ToolMissing
from hotloop.judge.gpu.driver import AllocationProperties, Attribute, Driver
from hotloop.judge.gpu.nvml import GpuProcess
from hotloop.judge.task import find
from hotloop.tasks import curriculum, render
from hotloop.worker import cuda_extension, device
from hotloop.worker.cuda_tools import ARCHITECTURE_VARIABLE, HEADERS, NVCC_VARIABLE
from hotloop.worker.device import AccessDescriptor, Location

CAPABILITIES = (75, 80, 86, 89, 90, 100, 120)
"""Compute capabilities from a T4 to GPUs of 2025."""

MMA_16816 = 80
"""The first capability with mma.m16n8k16 and cp.async, see hotloop/tensor_cores.cuh."""

STRUCTURES: dict[str, tuple[type[ctypes.Structure], dict[str, str]]] = {
    "CUmemLocation": (Location, {"type": "type", "id": "id"}),
    "CUmemAccessDesc": (AccessDescriptor, {"location": "location", "flags": "flags"}),
    "CUmemAllocationProp": (
        AllocationProperties,
        {
            "type": "type",
            "handle_types": "requestedHandleTypes",
            "location": "location",
            "windows": "win32HandleMetaData",
            "flags": "allocFlags",
        },
    ),
}
CONSTANTS = {
    "CU_MEM_ALLOCATION_TYPE_PINNED": 1,
    "CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR": device.POSIX_DESCRIPTOR,
    "CU_MEM_LOCATION_TYPE_DEVICE": 1,
    "CU_MEM_ACCESS_FLAGS_PROT_READ": device.READ,
    "CU_MEM_ACCESS_FLAGS_PROT_READWRITE": device.READ_WRITE,
    "CU_MEM_ALLOC_GRANULARITY_MINIMUM": 0,
    "CU_COMPUTEMODE_DEFAULT": 0,
    "CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT": Attribute.MULTIPROCESSORS,
    "CU_DEVICE_ATTRIBUTE_COMPUTE_MODE": Attribute.COMPUTE_MODE,
    "CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE": Attribute.L2_BYTES,
    "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR": Attribute.MAJOR,
    "CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR": Attribute.MINOR,
    "CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED": Attribute.VIRTUAL_MEMORY,
    "CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED": (
        Attribute.POSIX_DESCRIPTORS
    ),
    "CUDA_ERROR_INVALID_VALUE": device.INVALID_VALUE,
    "CUDA_ERROR_OUT_OF_MEMORY": device.OUT_OF_MEMORY,
    "CUDA_ERROR_NOT_READY": 600,
    "CUDA_ERROR_NOT_SUPPORTED": device.NOT_SUPPORTED,
}


@pytest.fixture(scope="module")
def tools() -> toolchain.Toolchain:
    try:
        return toolchain.find()
    except ToolMissing as missing:
        pytest.skip(str(missing))


@pytest.fixture(scope="module")
def headers(tools: toolchain.Toolchain) -> Path:
    for folder in (tools.headers[0] / "include", *tools.headers[0].glob("targets/*/include")):
        if (folder / "cuda.h").is_file():
            return folder
    pytest.skip("cuda.h is not installed")


def printed(headers: Path, folder: Path, header: str, expressions: list[str]) -> list[int]:
    """Return the values of C++ expressions, from a compiled program."""
    source = folder / "asked.cpp"
    lines = "".join(f'  std::printf("%lld\\n", (long long)({each}));\n' for each in expressions)
    source.write_text(
        f"#include <cstddef>\n#include <cstdio>\n#include <{header}>\nint main() {{\n{lines}}}\n"
    )
    program = folder / "asked"
    compiler = shutil.which("g++") or "g++"
    subprocess.run([compiler, f"-I{headers}", "-o", program, source], check=True)
    done = subprocess.run([program], check=True, capture_output=True, text=True)
    return [int(line) for line in done.stdout.split()]


@pytest.mark.slow
def test_structures(headers: Path, tmp_path: Path) -> None:
    for name, (ours, fields) in STRUCTURES.items():
        asked = [f"sizeof({name})", *(f"offsetof({name}, {theirs})" for theirs in fields.values())]
        offsets = [getattr(ours, field).offset for field in fields]
        assert printed(headers, tmp_path, "cuda.h", asked) == [ctypes.sizeof(ours), *offsets], name


def test_constants(headers: Path, tmp_path: Path) -> None:
    found = printed(headers, tmp_path, "cuda.h", list(CONSTANTS))
    assert dict(zip(CONSTANTS, found, strict=True)) == {n: int(v) for n, v in CONSTANTS.items()}


def test_every_function_takes_as_many_arguments_as_are_given(headers: Path) -> None:
    text = (headers / "cuda.h").read_text(encoding="utf-8", errors="replace")
    renamed = dict(re.findall(r"#define (cu\w+)\s+(?:__CUDA_API_\w+\()?(cu\w+?)\)?\s", text))
    declared: dict[str, int] = {}
    for name, arguments in re.findall(r"CUresult CUDAAPI (cu\w+)\(([^)]*)\);", text):
        count = 0 if arguments.strip() in {"", "void"} else arguments.count(",") + 1
        declared[name] = declared[renamed.get(name, name)] = count
    for name, types in Driver.prototypes.items():
        assert declared.get(name) == len(types), name


def test_the_management_librarys_structure(headers: Path, tmp_path: Path) -> None:
    if not (headers / "nvml.h").is_file():
        pytest.skip("nvml.h is not installed")
    names = ["nvmlProcessInfo_t", "pid", "usedGpuMemory", "gpuInstanceId", "computeInstanceId"]
    asked = [f"sizeof({names[0]})", *(f"offsetof({names[0]}, {name})" for name in names[1:])]
    offsets = [getattr(GpuProcess, name).offset for name, _ in GpuProcess._fields_]
    assert printed(headers, tmp_path, "nvml.h", asked) == [ctypes.sizeof(GpuProcess), *offsets]


# --- what is compiled for a card ------------------------------------------------------------------


def launched() -> list[tuple[str, str, Path]]:
    """Return tasks whose kernel one of our launchers launches: module, file, launcher."""
    found: list[tuple[str, str, Path]] = []
    for module in curriculum.modules():
        for task in module.tasks:
            launcher = find(module.id, task.id).launched_by if task.kind == "code" else None
            if launcher is not None:
                found.append((module.id, task.files[-1], launcher))
    return found


def built(
    tools: toolchain.Toolchain, target: Path, sources: list[Path], *options: Any, oldest: int = 0
) -> None:
    """Compile for all GPUs that this nvcc supports, in one call, with the worker's headers.

    oldest: lowest compute capability with the features that the sources use.
    """
    known = tools.capabilities()
    cards = [number for number in CAPABILITIES if number in known and number >= oldest]
    assert cards
    codes = [f"-gencode=arch=compute_{number},code=sm_{number}" for number in cards]
    command = [tools.nvcc, "-std=c++17", "-Xcompiler", "-fPIC", f"-I{HEADERS}", *codes, *options]
    done = subprocess.run(
        [*map(str, command), "-o", str(target), *map(str, sources)],
        check=False,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr[-2000:]


def built_for_hopper(tools: toolchain.Toolchain, target: Path, sources: list[Path]) -> None:
    """Compile as a worker on a Hopper GPU does: instructions of sm_90a are in no other code."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(NVCC_VARIABLE, str(tools.nvcc))
        patch.setenv(ARCHITECTURE_VARIABLE, "sm_90")
        cuda_extension.compiled(sources, target)


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("module", "file", "launcher"), launched(), ids=lambda v: Path(str(v)).name
)
def test_a_launcher_and_its_kernel_are_built_for_every_card(
    tools: toolchain.Toolchain, tmp_path: Path, module: str, file: str, launcher: Path
) -> None:
    kernel = tmp_path / file
    kernel.write_bytes(render.submission(module)[file])
    text = kernel.read_bytes()
    if b"hotloop/hopper.cuh" in text:
        built_for_hopper(tools, tmp_path / "kernel.so", [kernel, launcher])
    else:
        oldest = MMA_16816 if b"hotloop/tensor_cores.cuh" in text else 0
        built(tools, tmp_path / "kernel.so", [kernel, launcher], "-shared", oldest=oldest)
    library = ctypes.CDLL(str(tmp_path / "kernel.so"))
    assert library.hotloop_run is not None


@pytest.mark.slow
def test_so_is_that_of_the_self_test(tools: toolchain.Toolchain, tmp_path: Path) -> None:
    sources = [PROGRAMS / "copy_rows.cu", PROGRAMS / "launch_copy.cu"]
    built(tools, tmp_path / "copy.so", sources, "-shared")
    assert ctypes.CDLL(str(tmp_path / "copy.so")).hotloop_run is not None


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.skipif(not paths.in_clone(), reason="solutions are in a clone")
def test_so_is_the_operator(tools: toolchain.Toolchain, tmp_path: Path) -> None:
    """Compiles the object only: linking needs PyTorch's CUDA libraries, which GPU machines have."""
    for name, content in render.submission("fused_softmax").items():
        (tmp_path / name).write_bytes(content)
    source = tmp_path / "softmax_op.cu"
    included = [f"-I{folder}" for folder in pytorch.headers()]
    built(tools, tmp_path / "operator.o", [source], "-c", "-DUSE_CUDA", *included)
