"""Runs one TensorRT engine, as it stands, on pictures. `load` comes first.

An engine is code: it is loaded in a process that has nothing else.
"""

from pathlib import Path

import tensorrt
import torch

LOADED = []


def load(path):
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


def run(pictures, table):
    """pictures: float32 [n, 3, height, width]. table: float32. Both in the host's memory."""
    _, _, context, (given,), (told,) = LOADED
    fed = pictures.cuda()
    out = torch.empty(table.shape, dtype=torch.float32, device="cuda")
    stream = torch.cuda.current_stream()
    if not context.set_input_shape(given, tuple(fed.shape)):
        raise ValueError(f"the engine has no profile for {tuple(fed.shape)}")
    context.set_tensor_address(given, fed.data_ptr())
    context.set_tensor_address(told, out.data_ptr())
    if not context.execute_async_v3(stream.cuda_stream):
        raise RuntimeError("TensorRT could not run the engine")
    table.copy_(out)
