"""Stands in for `tensorrt`: records calls, and builds nothing.

It shows that `build_engine` calls names in the documentation of TensorRT 10 and 11, in a sensible
order. It shows nothing about engines.
"""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace
from typing import Any

Calls = list[tuple[Any, ...]]


def installed(version: int, *, readable: bool = True) -> tuple[ModuleType, Calls]:
    """Put the module where an import finds it; return the list in which it records calls."""
    calls: Calls = []
    module = ModuleType("tensorrt")
    flags = {"PREFER_JIT_PYTHON_PLUGINS": 2}
    if version == 10:
        flags["STRONGLY_TYPED"] = 1
    parts: dict[str, Any] = {
        "Logger": type("Logger", (), {"WARNING": 2, "__init__": lambda _self, _level: None}),
        "Builder": lambda _logger: _Builder(calls),
        "OnnxParser": lambda _network, _logger: _Parser(calls, readable),
        "MemoryPoolType": SimpleNamespace(WORKSPACE="workspace"),
        "NetworkDefinitionCreationFlag": SimpleNamespace(**flags),
    }
    for name, part in parts.items():
        setattr(module, name, part)
    sys.modules["tensorrt"] = module
    return module, calls


class _Parser:
    num_errors = 1

    def __init__(self, calls: Calls, readable: bool) -> None:
        self.calls, self.readable = calls, readable

    def parse(self, model: bytes) -> bool:
        self.calls.append(("parse", model))
        return self.readable

    def get_error(self, index: int) -> str:
        return f"node {index} is not known"


class _Config:
    def __init__(self, calls: Calls) -> None:
        self.calls = calls

    def set_memory_pool_limit(self, pool: str, size: int) -> None:
        self.calls.append(("limit", pool, size))

    def add_optimization_profile(self, profile: _Profile) -> None:
        self.calls.append(("profile", *profile.shapes))

    def create_timing_cache(self, content: bytes) -> SimpleNamespace:
        self.calls.append(("cache", content))
        return SimpleNamespace(serialize=lambda: content + b"+timings")

    def set_timing_cache(self, cache: SimpleNamespace, *, ignore_mismatch: bool) -> None:
        self.calls.append(("use cache", ignore_mismatch))
        self.cache = cache

    def get_timing_cache(self) -> SimpleNamespace:
        return self.cache


class _Profile:
    shapes: tuple[Any, ...] = ()

    def set_shape(self, name: str, least: Any, usual: Any, most: Any) -> None:
        self.shapes = (name, least, usual, most)


class _Builder:
    def __init__(self, calls: Calls) -> None:
        self.calls = calls

    def create_network(self, flags: int) -> SimpleNamespace:
        self.calls.append(("network", flags))
        frames = SimpleNamespace(name="frames", shape=(-1, 64, 64, 3))
        return SimpleNamespace(get_input=lambda _index: frames)

    def create_builder_config(self) -> _Config:
        return _Config(self.calls)

    def create_optimization_profile(self) -> _Profile:
        return _Profile()

    def build_serialized_network(self, _network: Any, _config: _Config) -> bytes:
        self.calls.append(("build",))
        return b"an engine"
