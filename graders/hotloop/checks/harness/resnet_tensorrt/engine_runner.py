"""Runs one TensorRT engine, as it stands, on frames. `load` comes first.

An engine is code: it is loaded in a process that has nothing else.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import tensorrt
import torch

LOADED: list[Any] = []


def load(path: str) -> dict[str, Any]:
    """The engine to run; tells its inputs and outputs."""
    runtime = tensorrt.Runtime(tensorrt.Logger(tensorrt.Logger.ERROR))
    engine = runtime.deserialize_cuda_engine(Path(path).read_bytes())
    if engine is None:
        raise ValueError("TensorRT does not read this file as an engine")
    names = [engine.get_tensor_name(index) for index in range(engine.num_io_tensors)]
    inputs = [n for n in names if engine.get_tensor_mode(n) == tensorrt.TensorIOMode.INPUT]
    outputs = [n for n in names if n not in inputs]
    LOADED[:] = [runtime, engine, engine.create_execution_context(), inputs, outputs]
    return {"inputs": inputs, "outputs": outputs}


def run(frames: torch.Tensor, logits: torch.Tensor) -> None:
    """frames: uint8 [n, height, width, 3]. logits: float32 [n, classes]. Both in host memory."""
    _, _, context, (given,), (told,) = LOADED
    fed = frames.cuda()
    out = torch.empty(logits.shape, dtype=torch.float32, device="cuda")
    stream = torch.cuda.current_stream()
    if not context.set_input_shape(given, tuple(fed.shape)):
        raise ValueError(f"the engine has no profile for {tuple(fed.shape)}")
    context.set_tensor_address(given, fed.data_ptr())
    context.set_tensor_address(told, out.data_ptr())
    if not context.execute_async_v3(stream.cuda_stream):
        raise RuntimeError("TensorRT could not run the engine")
    logits.copy_(out)
