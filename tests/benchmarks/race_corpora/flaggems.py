"""FlagGems (github.com/flagos-ai/FlagGems): its operators on the CPU, in Triton's interpreter.

It supports no CPU, so a few of its parts are replaced as it is imported: the list of vendors, its
cache of launches, and what it asks of a GPU's driver. Its kernels are unchanged; of an autotuned
one the first configuration runs. Nobody says which arguments an operator takes, so each gets those
of a list, in turn, until it returns.
"""

import hashlib
import importlib
import inspect
import math
import os
import sys
import tempfile
import textwrap
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch
import triton
import triton.language as tl

Call = Callable[[], object]

_LIBENTRY = b"""
def libentry(): return lambda kernel: kernel
def libtuner(configs=(), key=(), **_): return triton.autotune(configs, key)
"""
_MATH = {
    "pow": np.power,
    "tanh": np.tanh,
    "erf": np.vectorize(math.erf),
    "isinf": np.isinf,
    "isnan": np.isnan,
    "finitef": np.isfinite,
    "isfinited": np.isfinite,
    "atan": np.arctan,
    "acos": np.arccos,
    "fmod": np.fmod,
    "trunc": np.trunc,
    "rint": np.rint,
    "div_rn": np.divide,
    "div_rz": lambda a, b: np.trunc(a / b),
    "exp": np.exp,
}
"""What the interpreter lacks of libdevice."""

UNFIT = {"get_scheduler_metadata", "flash_attention_forward", "flash_attn_varlen_func"}
"""Operators that take minutes, or need a GPU's properties."""


def calls(root: Path) -> Iterator[tuple[str, list[Call]]]:
    """Yield each operator's name, and a call for each arguments. root: the repository."""
    gems = _imported(root / "src")
    for name, operator in sorted(vars(gems.ops).items()):
        if inspect.isfunction(operator) and not name.startswith("_") and name not in UNFIT:
            accepted = _accepted(inspect.signature(operator))
            yield name, [partial(_called, operator, number) for number in accepted]


def _accepted(signature: inspect.Signature) -> Iterator[int]:
    """Yield which arguments have as many values as a function takes."""
    for number, arguments in enumerate(_arguments()):
        with suppress(TypeError):
            signature.bind(*arguments)
            yield number


def _called(operator: Callable[..., object], number: int) -> object:
    """Call with tensors of arguments `number` that no other one shares: operators change some."""
    given = next(islice(_arguments(), number, None))
    return operator(*(each.clone() if isinstance(each, torch.Tensor) else each for each in given))


def _arguments() -> Iterator[tuple[Any, ...]]:
    """Arguments that operators take, the most common ones first; several programs' worth."""
    x, y, z = (torch.randn(24, 130) for _ in range(3))
    square, batched = torch.randn(96, 96), torch.randn(3, 40, 40)
    rows = torch.randint(0, 24, (24, 130))
    order = torch.argsort(torch.rand(24, 130), dim=0)
    some = torch.randperm(24)[:12]  # what a repeated index gives is undefined in PyTorch too
    weight, bias = torch.rand(130), torch.rand(130)
    images, volumes = torch.randn(2, 4, 8, 8), torch.randn(2, 4, 4, 4, 4)
    whole = torch.randint(0, 100, (24, 130), dtype=torch.int32)
    yield (x,)
    yield (x, y)
    yield (x, y, z)
    yield x, 1
    yield x, -1, False
    yield whole, whole
    yield whole, 3
    yield x, [1]
    yield x, 0.5
    yield square, square
    yield batched, batched
    yield square[0], square, square
    yield batched[0], batched, batched
    yield batched, batched, batched
    yield square, square, square
    yield square, square[0], square[0]
    yield x[0], square[:1].expand(24, 96).contiguous(), square
    yield square, square[0]
    yield x, 0, rows
    yield x, 0, order, y
    yield x, 0, rows, y, "sum"
    yield x, 0, some
    yield x, 0, some, y[:12]
    yield x, 1, some
    yield x, (some,), y[:12]
    yield x, [some]
    yield x, x > 0
    yield x, x > 0, 1.0
    yield x > 0, x, y
    yield x, 0.0, 1.0
    yield x, [130], weight, bias, 1e-5
    yield x, [130], weight
    yield x, (130,), weight, 1e-5
    yield images, weight[:4], bias[:4], 2, 4, 64, 2, 1e-5
    yield images, weight[:4], bias[:4], weight[:4].clone(), bias[:4].clone(), True, 0.1, 1e-5
    yield x, torch.randint(0, 130, (24,))
    yield x, torch.randint(0, 130, (24,)), None, 1, -100
    yield x, some, -1, False, False
    yield (some,)
    yield some, 24
    yield [x, y], 0
    yield (x, y), 1
    yield x, (24, 130)
    yield (24, 130)
    yield (0, 1000)
    yield images, torch.randn(4, 4, 3, 3), None, 1, 1, 1, 1
    yield images, torch.randn(4, 1, 3, 3), None, 1, 1, 1, 4
    yield images, [2, 2]
    yield images, [2, 2], [2, 2]
    yield volumes, [2, 2, 2]
    yield volumes, torch.randn(4, 4, 2, 2, 2)
    yield images[0], torch.randn(4, 4, 3)
    yield images[0], 3
    yield images, 2
    yield images, images, torch.randn(4, 4, 3, 3)
    yield images, (16, 16)
    yield images, (16, 16), False
    yield images, [1, 1, 1, 1]
    yield x, 2.0, True
    yield x, 5, 1
    yield x, 2, 1, True, True
    yield x, 0.3, True
    yield x, (1,), (0,)
    yield x, weight


def _imported(source: Path) -> Any:
    os.environ["FLAGGEMS_CACHE_DIR"] = tempfile.mkdtemp()
    sys.path.insert(0, str(source))
    sys.meta_path.insert(0, _Finder())
    triton.autotune = lambda configs=(), key=(), **_: lambda kernel: _First(kernel, [*configs])
    triton.runtime.driver.set_active(_Driver())
    tl.math.__getattr__ = _math
    function = triton.runtime.interpreter.InterpretedFunction
    function.cache_key = property(lambda self: hashlib.sha256(self.src.encode()).hexdigest())
    function.src = property(_source)
    function.__globals__ = property(lambda self: self.fn.__globals__)
    torch.cpu.default_generators = {"cpu": _Generator()}
    torch.Tensor.is_cuda = True
    torch.cpu.get_device_capability = lambda *_: (8, 0)
    gems = importlib.import_module("flag_gems")
    view = importlib.import_module("flag_gems.utils.tensor_wrapper").StridedBuffer
    view.storage_offset = lambda self: self._base.storage_offset() + self.offset
    view.new_empty = lambda self, *size, **options: self._base.new_empty(*size, **options)
    return gems


class _Loader(SourceFileLoader):
    def get_data(self, path: str) -> bytes:
        data = super().get_data(path)
        if path.endswith("libentry.py"):
            return data + _LIBENTRY
        if path.endswith("pointwise_dynamic.py"):
            data = data.replace(b"assert isinstance(scalar_fn, JITFunction)", b"pass")
            # make_block_ptr has left Triton.
            return data.replace(b"pointer = self.config.prefer_block_pointer", b"pointer = False")
        return data

    def path_stats(self, _path: str) -> dict[str, Any]:
        raise OSError("nothing is cached")


class _Finder:
    @staticmethod
    def find_spec(name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(name, path, target) if name.startswith("flag_gems") else None
        if spec is not None and isinstance(spec.loader, SourceFileLoader):
            spec.loader = _Loader(spec.loader.name, spec.loader.path)
        return spec


class _Generator:
    """Seed and offset of a GPU's random numbers."""

    def get_state(self) -> torch.Tensor:
        return torch.tensor([7, 0], dtype=torch.int64)

    def set_state(self, state: torch.Tensor) -> None: ...


class _First:
    """An autotuned kernel with its first configuration."""

    def __init__(self, fn: Any, configs: list[Any]) -> None:
        self.fn, self.configs = fn, configs

    def __getattr__(self, name: str) -> Any:
        return getattr(self.fn, name)

    def __getitem__(self, grid: Any) -> Callable[..., Any]:
        return lambda *given, **options: self.run(*given, grid=grid, **options)

    def run(self, *given: Any, grid: Any, warmup: bool = False, **options: Any) -> Any:
        first = self.configs[0].kwargs if self.configs else {}
        chosen = {**first, **options}
        told = (lambda meta: grid({**chosen, **meta})) if callable(grid) else grid
        return self.fn.run(*given, grid=told, warmup=warmup, **chosen)


class _Driver:
    class utils:  # noqa: N801 - Triton's name
        @staticmethod
        def get_device_properties(_device: int) -> dict[str, int]:
            return {"multiprocessor_count": 8, "max_shared_mem": 232448}

    def get_current_target(self) -> Any:
        return triton.backends.compiler.GPUTarget("cuda", 90, 32)

    def get_current_device(self) -> int:
        return 0

    def get_active_torch_device(self) -> torch.device:
        return torch.device("cpu")


def _source(kernel: Any) -> str:
    text = textwrap.dedent(inspect.getsource(kernel.fn))
    return text[text.index("def ") :]


def _math(name: str) -> Callable[..., Any]:
    if name.startswith("__"):
        raise AttributeError(name)

    def function(*given: Any, **_: Any) -> Any:
        interpreter = triton.runtime.interpreter
        tensors = [tl.core._unwrap_if_constexpr(each) for each in given]
        data = [each.handle.data if isinstance(each, tl.tensor) else each for each in tensors]
        like = next(each for each in tensors if isinstance(each, tl.tensor))
        out = np.asarray(_MATH[name](*data))
        dtype = tl.int1 if out.dtype == np.bool_ else like.dtype.scalar
        out = out.astype(interpreter._get_np_dtype(dtype))
        kind = tl.block_type(dtype, like.shape) if like.type.is_block() else dtype
        return tl.tensor(interpreter.TensorHandle(out, dtype), kind)

    return function
