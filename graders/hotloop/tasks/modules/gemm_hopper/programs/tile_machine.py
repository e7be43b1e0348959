"""Runs cuTile's Tile IR on numpy, one block after the other in a random order.

It gets the bytecode that a candidate's compiler wrote, and none of the candidate's code; it reads
what tileirdisasm prints of it. What a load finds outside of an array is NaN unless its padding says
otherwise.
"""

from __future__ import annotations

import importlib.util
import itertools
import random
import re
import subprocess
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

TIMEOUT_S = 60
MOST_STEPS = 1_000_000
_NAME = re.compile(r"%\w+(?:#\d+)?")
_TILE = re.compile(r"tile<((?:\d+x)*)(\w+)>")
_RESULTS = re.compile(r"(%\w+(?::\d+)?(?:, %\w+)*) = (.*)")
_DTYPES = {
    "f16": np.float16,
    "f32": np.float32,
    "f64": np.float64,
    "i1": np.bool_,
    "i8": np.int8,
    "i16": np.int16,
    "i32": np.int32,
    "i64": np.int64,
}
_PADDING = {"zero": 0.0, "neg_zero": -0.0, "pos_inf": np.inf, "neg_inf": -np.inf}
_ROUNDING = {"positive_inf": lambda a, b: -(-a // b), "negative_inf": lambda a, b: a // b}
_TWO: dict[str, Callable[[Any, Any], Any]] = {
    "addi": np.add,
    "addf": np.add,
    "subi": np.subtract,
    "subf": np.subtract,
    "muli": np.multiply,
    "mulf": np.multiply,
    "divf": np.divide,
    "andi": np.bitwise_and,
    "ori": np.bitwise_or,
    "xori": np.bitwise_xor,
    "maxi": np.maximum,
    "mini": np.minimum,
    "maxf": np.maximum,
    "minf": np.minimum,
    "remi": np.fmod,
}
_COMPARED: dict[str, Callable[[Any, Any], Any]] = {
    "equal": np.equal,
    "not_equal": np.not_equal,
    "less_than": np.less,
    "less_than_or_equal": np.less_equal,
    "greater_than": np.greater,
    "greater_than_or_equal": np.greater_equal,
}
_CASTS = frozenset({"ftof", "exti", "trunci", "itof", "ftoi"})
_SAME = frozenset({"assume", "make_token", "join_tokens"})


class UnknownOperation(Exception):
    """Something that the machine does not run."""


@dataclass
class Operation:
    """An operation. results: their names. text: what stands behind the name of the operation."""

    results: list[str]
    name: str
    text: str
    regions: list[list[Operation]] = field(default_factory=list[list["Operation"]])


@dataclass(frozen=True)
class Partition:
    """Tiles of an array. axes: the array's axis of each axis of a tile."""

    array: np.ndarray
    tile: tuple[int, ...]
    axes: tuple[int, ...]
    padding: float


Values = dict[str, Any]
Leave = tuple[str, list[Any]]
"""How a region ends: continue, yield, break or return, and with what."""


def run(path: str, a: list[list[float]], b: list[list[float]], tile: list[int]) -> dict[str, Any]:
    """Return `c` = a @ b in float16, as the kernel computes it, NaN as None; or an `error`."""
    folders = importlib.util.find_spec("nvidia.cu13")
    assert folders is not None
    [folder] = folders.submodule_search_locations or ()
    command = [f"{folder}/bin/tileirdisasm", path]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    if done.returncode:
        return {"error": done.stderr.strip()[:300] or "tileirdisasm fails"}
    left, right = np.array(a, np.float16), np.array(b, np.float16)
    out = np.full((len(left), right.shape[1]), np.nan, np.float16)
    try:
        Machine(done.stdout, [left, right, out], tile).run()
    except (UnknownOperation, ValueError, TypeError, IndexError, KeyError) as error:
        return {"error": f"{type(error).__name__}: {str(error)[:200]}"}
    rows = [[None if np.isnan(n) else float(n) for n in row] for row in out]
    return {"error": None, "c": rows}


class Machine:
    """A kernel's operations, its arrays, and its grid: a block for each tile of the last array."""

    def __init__(self, text: str, arrays: Sequence[np.ndarray], tile: Sequence[int]) -> None:
        lines = iter(text.splitlines())
        head = next(line for line in lines if line.startswith("entry "))
        self.operations = next(_region(lines))
        names = iter(re.findall(r"(%\w+): tile", head))
        self.arguments: Values = {}
        for array in arrays:
            strides = [stride // array.itemsize for stride in array.strides]
            self.arguments[next(names)] = array
            self.arguments |= {next(names): np.int32(n) for n in (*array.shape, *strides)}
        rows, columns = arrays[-1].shape
        self.grid = (-(-rows // tile[0]), -(-columns // tile[1]), 1)
        self.block = (0, 0, 0)
        self.steps = 0

    def run(self) -> None:
        """Run all blocks."""
        blocks = list(itertools.product(*map(range, self.grid)))
        random.shuffle(blocks)
        for block in blocks:
            self.block = block
            self._region(self.operations, dict(self.arguments))

    def _region(self, operations: Sequence[Operation], values: Values) -> Leave:
        for one in operations:
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise UnknownOperation("the kernel does not end")
            operands = [values[name] for name in _operands(one)]
            if one.name in ("continue", "yield", "break", "return"):
                return one.name, operands
            if one.name in ("for", "loop", "if"):
                end, results = getattr(self, f"_{one.name}")(one, operands, values)
                if end in ("break", "continue", "return") and one.name == "if":
                    return end, results
            else:
                results = self._results(one, operands)
            values.update(zip(one.results, results, strict=False))
        return "yield", []

    def _for(self, one: Operation, operands: list[Any], values: Values) -> Leave:
        first, stop, step, *state = operands
        own = re.findall(r"(%\w+)", one.text.partition(" in ")[0])
        names = re.findall(r"(%\w+) = %", one.text)
        for index in range(int(first), int(stop), int(step)):
            inside = {**values, own[0]: np.int32(index)}
            _, state = self._region(one.regions[0], inside | dict(zip(names, state, strict=True)))
        return "yield", state

    def _loop(self, one: Operation, operands: list[Any], values: Values) -> Leave:
        names, state, end = re.findall(r"(%\w+) = %", one.text), operands, "continue"
        while end == "continue":
            end, state = self._region(one.regions[0], values | dict(zip(names, state, strict=True)))
        return "yield", state

    def _if(self, one: Operation, operands: list[Any], values: Values) -> Leave:
        regions = [*one.regions, []]
        return self._region(regions[0 if operands[0] else 1], dict(values))

    def _results(self, one: Operation, operands: list[Any]) -> list[Any]:
        name, text = one.name, one.text
        if name in _SAME:
            return operands[:1] or [None]
        if name == "get_tile_block_id":
            return [np.int32(n) for n in self.block]
        if name == "get_num_tile_blocks":
            return [np.int32(n) for n in self.grid]
        if name == "constant":
            return [_constant(text)]
        if name == "make_tensor_view":
            return [operands[0]]
        if name == "make_partition_view":
            return [_partition(operands[0], text)]
        if name == "get_index_space_shape":
            view: Partition = operands[0]
            shape = [view.array.shape[axis] for axis in view.axes]
            return [np.int32(-(-n // t)) for n, t in zip(shape, view.tile, strict=True)]
        if name == "load_view_tko":
            return [_load(operands[0], operands[1 : 1 + len(operands[0].tile)]), None]
        if name == "store_view_tko":
            _store(operands[1], operands[2 : 2 + len(operands[1].tile)], operands[0])
            return [None]
        return [_computed(name, text, operands)]


def _region(lines: Iterator[str]) -> Iterator[list[Operation]]:
    """Yield the regions of an operation whose first line has been read."""
    operations: list[Operation] = []
    for raw in lines:
        line = raw.strip()
        if line.startswith("}"):
            yield operations
            if not line.endswith("{"):
                return
            operations = []
            continue
        match = _RESULTS.fullmatch(line)
        results, text = (match[1], match[2]) if match else ("", line)
        name, _, rest = text.partition(" ")
        several = re.fullmatch(r"(%\w+):(\d+)", results)
        names = (
            [f"{several[1]}#{i}" for i in range(int(several[2]))]
            if several
            else _NAME.findall(results)
        )
        one = Operation(names, name, rest)
        if line.endswith("{"):
            one.regions = list(_region(lines))
        operations.append(one)


def _operands(one: Operation) -> list[str]:
    if one.name == "constant":
        return []
    text = one.text
    if one.name == "for":
        bounds, _, state = text.partition(" in ")[2].partition(") : ")
        return _NAME.findall(bounds) + re.findall(r"= (%\w+(?:#\d+)?)", state)
    if one.name == "loop":
        return re.findall(r"= (%\w+(?:#\d+)?)", text)
    return _NAME.findall(text)


def _type(text: str) -> tuple[tuple[int, ...], Any]:
    tiles = _TILE.findall(text)
    if not tiles or tiles[-1][1] not in _DTYPES:
        raise UnknownOperation(f"the machine does not run {text[:80]}")
    sizes, dtype = tiles[-1]
    return tuple(int(n) for n in sizes.split("x") if n), _DTYPES[dtype]


def _constant(text: str) -> np.ndarray:
    shape, dtype = _type(text)
    value = text.partition(": ")[2].partition(">")[0]
    if value.startswith("0x") and dtype in (np.float16, np.float32, np.float64):
        bits = np.dtype(f"u{np.dtype(dtype).itemsize}").type(int(value, 16))
        return np.full(shape, bits.view(dtype))
    if value in ("true", "false"):
        return np.full(shape, value == "true")
    return np.full(shape, float(value) if "f" in np.dtype(dtype).name[:1] else int(value), dtype)


def _partition(array: np.ndarray, text: str) -> Partition:
    tile = re.search(r"partition_view<tile=\(([\dx]+)\)", text)
    assert tile is not None
    sizes = tuple(map(int, tile[1].split("x")))
    axes = re.search(r"dim_map=\[([\d, ]+)\]", text)
    order = tuple(map(int, axes[1].split(","))) if axes else tuple(range(len(sizes)))
    padding = re.search(r"padding_value = (\w+)", text)
    return Partition(array, sizes, order, _PADDING.get(padding[1], np.nan) if padding else np.nan)


def _places(view: Partition, index: Sequence[Any]) -> tuple[np.ndarray, list[slice]]:
    """Return the array with the axes of a tile, and where the tile lies in it."""
    firsts = [int(i) * n for i, n in zip(index, view.tile, strict=True)]
    inside = all(first >= 0 for first in firsts)
    places = [
        slice(first, first + n) if inside else slice(0, 0)
        for first, n in zip(firsts, view.tile, strict=True)
    ]
    return view.array.transpose(view.axes), places


def _load(view: Partition, index: Sequence[Any]) -> np.ndarray:
    array, places = _places(view, index)
    tile = np.full(view.tile, view.padding, array.dtype)
    part = array[tuple(places)]
    tile[tuple(slice(0, n) for n in part.shape)] = part
    return tile


def _store(view: Partition, index: Sequence[Any], tile: np.ndarray) -> None:
    array, places = _places(view, index)
    part = array[tuple(places)]
    part[...] = tile[tuple(slice(0, n) for n in part.shape)]


def _computed(name: str, text: str, operands: Sequence[Any]) -> Any:
    if name in _TWO:
        return _TWO[name](*operands[:2])
    if name in _CASTS:
        return operands[0].astype(_type(text)[1])
    if name in ("cmpi", "cmpf"):
        return _COMPARED[text.split(" ")[0]](*operands[:2])
    if name == "divi":
        rounding = re.search(r"rounding<(\w+)>", text)
        ways = _ROUNDING.get(rounding[1] if rounding else "")
        a, b = operands[:2]
        return ways(a, b) if ways else np.trunc(a / b).astype(np.asarray(a).dtype)
    if name == "select":
        return np.where(*operands[:3])
    if name == "fma":
        return operands[0] * operands[1] + operands[2]
    if name == "mmaf":
        x, y, z = operands[:3]
        sums = z.astype(np.float32) + x.astype(np.float32) @ y.astype(np.float32)
        return sums.astype(z.dtype)
    return _shaped(name, text, operands)


def _shaped(name: str, text: str, operands: Sequence[Any]) -> Any:
    if name == "reshape":
        return np.reshape(operands[0], _type(text)[0])
    if name == "broadcast":
        return np.broadcast_to(operands[0], _type(text)[0])
    if name == "permute":
        order = re.search(r"\[([\d, ]+)\]", text)
        assert order is not None
        return operands[0].transpose(tuple(map(int, order[1].split(","))))
    if name == "iota":
        shape, dtype = _type(text)
        return np.arange(shape[0], dtype=dtype)
    raise UnknownOperation(f"the machine does not run {name}")
