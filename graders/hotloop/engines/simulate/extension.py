"""Builds and loads a PyTorch operator in CUDA C++, for a GPU or, without one, for the simulator.

The source is the same for both. It uses PyTorch's stable ABI, so that it compiles in seconds. In
the simulator the CPU acts as the device: `is_cuda()` is true for CPU tensors, and functions
registered for the key CUDA are registered for the CPU. Kernels are checked as they run: findings
are printed, and an invalid access ends the launch with an error of the CUDA runtime.
"""

import subprocess
import tempfile
from pathlib import Path

from hotloop.engines.simulate.problem import CompileError, ToolMissing
from hotloop.engines.simulate.pytorch import DEFINES, headers, link_options, pytorch
from hotloop.worker.cuda_extension import CompileFailed, nvcc
from hotloop.worker.cuda_tools import architecture

_NVCC_TIMEOUT_S = 200


def load(source: str | Path) -> None:
    """Compile `source` and load it; its operators are then in `torch.ops`.

    Raises CompileError with the compiler's message, ToolMissing if there is no compiler, and
    SimulatorError for features that the simulator does not support.
    """
    torch = pytorch()
    path = Path(source).resolve()
    if torch.cuda.is_available():
        torch.ops.load_library(str(_for_gpu(path)))
        return
    # Imports packages that are needed only without a GPU.
    from hotloop.engines.simulate.simulated_extension import load_simulated

    load_simulated(path)


def _for_gpu(source: Path) -> Path:
    target = Path(tempfile.mkdtemp(prefix="operator-")) / f"{source.stem}.so"
    try:
        command = [
            *(
                nvcc(),
                "-O3",
                "-std=c++17",
                f"-arch={architecture()}",
                "-shared",
                "-Xcompiler",
                "-fPIC",
            ),
            *(f"-D{name}" for name in DEFINES),
            *(f"-I{folder}" for folder in headers()),
            *("-o", str(target), str(source), *link_options("-Xlinker=-rpath=")),
            "-ltorch_cuda",
        ]
    except CompileFailed as missing:
        raise ToolMissing(str(missing)) from None
    result = subprocess.run(
        command, capture_output=True, text=True, check=False, timeout=_NVCC_TIMEOUT_S
    )
    if result.returncode:
        raise CompileError((result.stderr or result.stdout).strip())
    return target
