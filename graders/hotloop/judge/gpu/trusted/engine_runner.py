"""Runs one TensorRT engine with one input and one output. Call `load` first.

An engine is code: it is loaded in a process that holds nothing else.
"""

from importlib import import_module
from pathlib import Path
from typing import Any

import torch

tensorrt: Any = import_module("tensorrt")
LOADED: list[Any] = []


def load(path: str) -> dict[str, Any]:
    """Deserialize the engine; return the names of its inputs and outputs."""
    runtime = tensorrt.Runtime(tensorrt.Logger(tensorrt.Logger.ERROR))
    engine = runtime.deserialize_cuda_engine(Path(path).read_bytes())
    if engine is None:
        raise ValueError("TensorRT does not read this file as an engine")
    names = [engine.get_tensor_name(index) for index in range(engine.num_io_tensors)]
    inputs = [n for n in names if engine.get_tensor_mode(n) == tensorrt.TensorIOMode.INPUT]
    outputs = [n for n in names if n not in inputs]
    LOADED[:] = [runtime, engine, engine.create_execution_context(), inputs, outputs]
    return {"inputs": inputs, "outputs": outputs}


def run(batch: torch.Tensor, result: torch.Tensor) -> None:
    """Run the engine on `batch` (of the input's dtype) and write `result` (float32).

    Both are in host memory, with the batch size as first extent.
    """
    _, _, context, (given,), (reported,) = LOADED
    fed = batch.cuda()
    out = torch.empty(result.shape, dtype=torch.float32, device="cuda")
    stream = torch.cuda.current_stream()
    if not context.set_input_shape(given, tuple(fed.shape)):
        raise ValueError(f"the engine has no profile for {tuple(fed.shape)}")
    context.set_tensor_address(given, fed.data_ptr())
    context.set_tensor_address(reported, out.data_ptr())
    if not context.execute_async_v3(stream.cuda_stream):
        raise RuntimeError("TensorRT could not run the engine")
    result.copy_(out)
