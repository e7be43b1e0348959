"""The judge's own computations on the GPU: inputs, poison, captured values, comparison.

torch is imported only on machines with a GPU, and handles only trusted data: raw elements of a
worker's output are read as numbers, never as code.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.buffers import TensorPlacement
from hotloop.judge.calls import TensorSpec
from hotloop.judge.compare import Disagreement, Tolerance
from hotloop.judge.dtypes import DType, poison
from hotloop.judge.gpu.recipes import Cuts, Draw, Keep, Normal, Whole
from hotloop.worker.device import Wrap, cuda_bytes
from hotloop.worker.tensors import TORCH_NAMES

Tensor = Any
"""A torch tensor. The type is Any because the judge must load without torch."""

CHURN_BYTES = 256 << 20
_LARGE = 64.0
_INFINITE_SHARE = 0.1
_BLOCK_ELEMENTS = 1 << 24
_RAW_NAMES = {1: "uint8", 2: "int16", 4: "int32", 8: "int64"}


class Arithmetic:
    """torch on one device. `wrap` makes a flat uint8 tensor over device memory."""

    def __init__(self, device: str, wrap: Wrap) -> None:
        import torch

        self.torch: Any = torch
        self.device = device
        self._wrap = wrap

    @classmethod
    def on_cuda(cls) -> Arithmetic:
        """Use the device that torch calls cuda:0. Raises RuntimeError if torch cannot."""
        import torch

        torch.cuda.init()
        torch.cuda.set_device(0)
        return cls("cuda:0", lambda address, size: cuda_bytes(address, size, 0))

    def flat(self, address: int, size: int) -> Tensor:
        """Return a uint8 tensor that shares the `size` bytes at `address`."""
        return self._wrap(address, size)

    def view(self, flat: Tensor, place: TensorPlacement) -> Tensor:
        """Return the tensor at `place` in `flat`, without a copy."""
        dtype = self._dtype(place.dtype)
        span = 1 + sum((n - 1) * s for n, s in zip(place.shape, place.strides, strict=True))
        part = flat[place.offset : place.offset + span * place.dtype.bytes].view(dtype)
        return part.as_strided(place.shape, place.strides, part.storage_offset())

    def draw(self, spec: TensorSpec, recipe: Draw, seed: int) -> Tensor:
        """Return a new contiguous tensor; equal arguments give equal values. seed: 0 to 2⁶³-1."""
        generator = self.torch.Generator(device=self.device).manual_seed(seed)
        if isinstance(recipe, Keep):
            return self._mask(spec, recipe, generator)
        values = self.torch.empty(spec.shape, dtype=self._dtype(spec.dtype), device=self.device)
        if isinstance(recipe, Whole):
            return self._whole(values, recipe, generator)
        if isinstance(recipe, Cuts):
            return self._cuts(values, recipe, generator)
        values.normal_(0.0, recipe.scale, generator=generator)
        if not recipe.rows:
            return self._twist(values, recipe, generator)
        chance = self.torch.empty(spec.shape[0], device=self.device)
        chosen = chance.uniform_(generator=generator).argsort()[: recipe.rows]
        return values.index_copy_(0, chosen, self._twist(values[chosen], recipe, generator))

    def poison(self, flat: Tensor, pattern: int, dtype: DType) -> None:
        """Fill all of `flat` with a value that no correct answer contains."""
        raw = getattr(self.torch, _RAW_NAMES[dtype.bytes])
        word = poison(1, dtype, pattern).view(f"i{dtype.bytes}" if dtype.bytes > 1 else "u1")[0]
        flat.view(raw).fill_(int(word))

    def index(self, positions: NDArray[np.int64]) -> Tensor:
        """Copy byte positions to the device, for `gather`."""
        return self.torch.from_numpy(positions).to(self.device)

    def gather(self, flat: Tensor, index: Tensor) -> Tensor:
        """Start copying the bytes at `index`; does not wait for the device."""
        return self.torch.index_select(flat, 0, index)

    def numbers(self, count: int) -> Tensor:
        """Return 0 … count - 1, on the device."""
        return self.torch.arange(count, device=self.device)

    def to_bytes(self, gathered: Tensor) -> NDArray[np.uint8]:
        """Copy gathered bytes to the host; waits for the device."""
        return gathered.cpu().numpy()

    def any_nan(self, tensors: Sequence[Tensor]) -> bool:
        """Return True if an element of a floating-point tensor is NaN, as poison is."""
        nan_in_block = [
            self.torch.isnan(tensor[block]).any()
            for tensor in tensors
            if tensor.dtype.is_floating_point
            for block in blocks(tensor.shape)
        ]
        return bool(nan_in_block) and bool(self.number(self.torch.stack(nan_in_block).any()))

    def same(self, left: Tensor, right: Tensor) -> bool:
        """Return True if all bits are equal. `right` must be contiguous."""
        raw = getattr(self.torch, _RAW_NAMES[right.element_size()])
        differ = [
            (left[block].contiguous().view(raw) != right[block].view(raw)).any()
            for block in blocks(right.shape)
        ]
        return not differ or not self.number(self.torch.stack(differ).any())

    def number(self, tensor: Tensor) -> float:
        """Return a one-element tensor as a float; waits for the device."""
        return float(tensor)

    def give_back_unused(self) -> None:
        """Release the device memory that torch's caching allocator holds."""
        self.torch.cuda.empty_cache()

    def disagreement(
        self,
        got: Tensor,
        inputs: Sequence[Tensor | int | float | bool | None],
        truth: Callable[..., Tensor],
        tolerance: Tolerance,
        rows: NDArray[np.int64] | None = None,
    ) -> Disagreement | None:
        """Compare an output with the float64 truth on the device, as `compare` does on the CPU.

        Tensors in `inputs` with the output's number of rows are cut to the compared rows.

        rows: rows to compare; None for all, block by block.
        """
        worst: Disagreement | None = None
        wrong = 0
        picks: list[tuple[Any, Sequence[int]]] = [
            (b, range(b.start, b.stop)) for b in blocks(got.shape)
        ]
        if rows is not None:
            picks = [(self.index(rows), rows.tolist())]
        for pick, numbers in picks:
            want = truth(*[self._part(value, pick, got.shape[0]) for value in inputs])
            of_rows = self._worst(got[pick].double(), want, tolerance)
            if of_rows is None:
                continue
            wrong += of_rows.wrong
            if worst is None or of_rows.excess > worst.excess:
                first, *rest = of_rows.index
                worst = replace(of_rows, index=(numbers[first], *rest))
        if worst is None:
            return None
        total = got.numel() if rows is None else len(rows) * got[0].numel()
        return replace(worst, wrong=wrong, total=total)

    def churn(self, size: int = CHURN_BYTES) -> Callable[[], None]:
        """Return a function that starts a kernel which reads and writes `size` bytes.

        That also flushes L2.
        """
        source = self.torch.zeros(size // 4, device=self.device)
        target = self.torch.empty_like(source)
        return lambda: self.torch.add(source, 1.0, out=target)

    def _dtype(self, dtype: DType) -> Any:
        return getattr(self.torch, TORCH_NAMES[dtype.name])

    def _mask(self, spec: TensorSpec, recipe: Keep, generator: Any) -> Tensor:
        chance = self.torch.empty(spec.shape, device=self.device).uniform_(generator=generator)
        mask = chance < recipe.share
        if recipe.empty_rows:
            row = self.torch.empty(spec.shape[0], device=self.device)
            row = row.uniform_(generator=generator) >= recipe.empty_rows
            mask &= row.reshape(-1, *[1] * (len(spec.shape) - 1))
        return mask.to(self._dtype(spec.dtype))

    def _whole(self, values: Tensor, recipe: Whole, generator: Any) -> Tensor:
        parts = [values] if len(recipe.columns) == 1 else values.unbind(-1)
        for part, (below, step) in zip(parts, recipe.columns, strict=True):
            part.random_(0, below, generator=generator)
            if step != 1:
                part.mul_(step)
        return values.add_(recipe.first) if recipe.first else values

    def _cuts(self, values: Tensor, recipe: Cuts, generator: Any) -> Tensor:
        values.random_(0, recipe.rows + 1, generator=generator)
        values[0], values[-1] = 0, recipe.rows
        return values.sort().values

    def _twist(self, values: Tensor, recipe: Normal, generator: Any) -> Tensor:
        if recipe.twist == "large":
            values.mul_(_LARGE)
        elif recipe.twist == "minus_infinity":
            chance = self.torch.empty(values.shape, device=self.device)
            hit = chance.uniform_(generator=generator) < _INFINITE_SHARE
            hit[..., 0] = False
            values.masked_fill_(hit, float("-inf"))
        elif recipe.twist == "equal_rows":
            values.copy_(values[..., :1].clone().expand_as(values))
        elif recipe.twist == "spikes":
            column = values.float().argmax(dim=-1, keepdim=True)
            values.zero_().scatter_(-1, column, _LARGE * recipe.scale)
        elif recipe.twist == "ramp":
            columns = self.torch.linspace(0, recipe.scale, values.shape[-1], device=self.device)
            values.copy_(values[..., :1].clone().float() + columns)
        return values

    def _part(self, value: Any, pick: Any, rows: int) -> Any:
        if not isinstance(value, self.torch.Tensor):
            return value
        part: Tensor = value[pick] if value.dim() and value.shape[0] == rows else value
        return part if part.dtype == self.torch.bool else part.double()

    def _worst(self, got: Tensor, want: Tensor, tolerance: Tolerance) -> Disagreement | None:
        torch = self.torch
        allowed = tolerance.relative * want.abs() + tolerance.absolute
        excess = (got - want).abs() / allowed.clamp_min(float(np.finfo(np.float64).tiny))
        excess = torch.where(excess.isnan() | got.isinf() | want.isinf(), torch.inf, excess)
        same = (got == want) | (got.isnan() & want.isnan())
        excess = torch.where(same, 0.0, excess)
        wrong = int(self.number((excess > 1).sum()))
        if not wrong:
            return None
        place = np.unravel_index(int(excess.argmax()), excess.shape)
        index = tuple(int(i) for i in place)
        return Disagreement(
            index,
            float(got[index]),
            float(want[index]),
            wrong,
            got.numel(),
            float(excess[index]),
        )


def blocks(shape: Sequence[int]) -> list[slice]:
    """Return slices that cover the first axis, each of one row or few enough elements."""
    if not shape or 0 in shape:
        return []
    width = math.prod(shape[1:])
    step = max(1, _BLOCK_ELEMENTS // width)
    return [slice(i, min(i + step, shape[0])) for i in range(0, shape[0], step)]
