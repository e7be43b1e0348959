"""Stands in for `tensorrt` in a worker: an "engine" is the ONNX model and its profile.

ONNX Runtime computes it on the CPU, and the few PyTorch calls about a GPU do nothing. So checks
that build and run an engine can be tested without a GPU; this shows nothing about TensorRT.
"""

from __future__ import annotations

import base64
import ctypes
import json
from types import SimpleNamespace
from typing import Any

import numpy as np
import onnx
import onnxruntime
import torch

_empty = torch.empty
torch.empty = lambda *shape, device=None, **how: _empty(*shape, **how)
torch.Tensor.cuda = lambda self: self
torch.cuda.current_stream = lambda: SimpleNamespace(cuda_stream=0)

MemoryPoolType = SimpleNamespace(WORKSPACE="workspace")
NetworkDefinitionCreationFlag = SimpleNamespace(STRONGLY_TYPED=1)
TensorIOMode = SimpleNamespace(INPUT=0, OUTPUT=1)
KINDS = {"tensor(uint8)": np.uint8, "tensor(float)": np.float32}


class Logger:
    WARNING, ERROR = 2, 3

    def __init__(self, level: int) -> None:
        self.level = level


class OnnxParser:
    num_errors = 0

    def __init__(self, network: Network, _logger: Logger) -> None:
        self.network = network

    def parse(self, model: bytes) -> bool:
        self.network.model = model
        return True


class Network:
    model = b""

    def get_input(self, index: int) -> SimpleNamespace:
        given = onnx.load_model_from_string(self.model).graph.input[index]
        dims = given.type.tensor_type.shape.dim
        shape = tuple(-1 if dim.dim_param else dim.dim_value for dim in dims)
        return SimpleNamespace(name=given.name, shape=shape)


class Builder:
    def __init__(self, _logger: Logger) -> None: ...

    def create_network(self, _flags: int) -> Network:
        return Network()

    def create_builder_config(self) -> Config:
        return Config()

    def create_optimization_profile(self) -> Profile:
        return Profile()

    def build_serialized_network(self, network: Network, config: Config) -> bytes:
        model = base64.b64encode(network.model).decode()
        return json.dumps({"model": model, "batches": config.profile.batches}).encode()


class Profile:
    batches = (0, 0)

    def set_shape(self, _name: str, least: Any, _usual: Any, most: Any) -> None:
        self.batches = least[0], most[0]


class Config:
    profile = Profile()

    def set_memory_pool_limit(self, _pool: str, _size: int) -> None: ...

    def add_optimization_profile(self, profile: Profile) -> None:
        self.profile = profile

    def create_timing_cache(self, content: bytes) -> bytes:
        return content

    def set_timing_cache(self, _cache: bytes, *, ignore_mismatch: bool) -> None: ...

    def get_timing_cache(self) -> SimpleNamespace:
        return SimpleNamespace(serialize=lambda: b"timings")


class Runtime:
    def __init__(self, _logger: Logger) -> None: ...

    def deserialize_cuda_engine(self, data: bytes) -> Engine | None:
        try:
            return Engine(**json.loads(data))
        except ValueError:
            return None


class Engine:
    num_io_tensors = 2

    def __init__(self, model: str, batches: tuple[int, int]) -> None:
        self.session = onnxruntime.InferenceSession(base64.b64decode(model))
        self.least, self.most = batches

    def get_tensor_name(self, index: int) -> str:
        return (*self.session.get_inputs(), *self.session.get_outputs())[index].name

    def get_tensor_mode(self, name: str) -> int:
        return int(name == self.session.get_outputs()[0].name)

    def create_execution_context(self) -> Context:
        return Context(self)


class Context:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.shape: tuple[int, ...] = ()
        self.addresses: dict[str, int] = {}

    def set_input_shape(self, _name: str, shape: tuple[int, ...]) -> bool:
        self.shape = shape
        return self.engine.least <= shape[0] <= self.engine.most

    def set_tensor_address(self, name: str, address: int) -> None:
        self.addresses[name] = address

    def execute_async_v3(self, _stream: int) -> bool:
        given, told = (self.engine.get_tensor_name(index) for index in (0, 1))
        kind = KINDS[self.engine.session.get_inputs()[0].type]
        (out,) = self.engine.session.run([told], {given: self._memory(given, kind, self.shape)})
        self._memory(told, np.float32, out.shape)[...] = out
        return True

    def _memory(self, name: str, kind: Any, shape: tuple[int, ...]) -> np.ndarray:
        size = int(np.prod(shape)) * np.dtype(kind).itemsize
        memory = (ctypes.c_uint8 * size).from_address(self.addresses[name])
        return np.frombuffer(memory, kind).reshape(shape)
