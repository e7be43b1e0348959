"""Read TVM's JSON as a graph, without TVM: nodes with a type and the indices of their parts.

`tvm.ir.save_json` of apache-tvm 0.27 writes {"root_index": r, "nodes": [{"type", "data"}, …]}; a
part is given by its node's index, except for numbers and strings that a TVM class stores by value.
Nothing here runs the module: see tir_machine.py and relax_machine.py.
"""

from __future__ import annotations

import base64
import json
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

Node = dict[str, Any]

TENSOR_MAGIC = 0xDD5E40F096B4A13F
_HEADER = struct.Struct("<QQiiiBBH")
_KINDS = {(0, 32): "int32", (0, 64): "int64", (2, 16): "float16", (2, 32): "float32"}
_KINDS |= {(2, 64): "float64", (6, 8): "bool"}


class Unrunnable(ValueError):
    """The module uses something unsupported here. The message is the beginning of a sentence."""


class Graph:
    """The nodes of a module that is read from a file."""

    def __init__(self, path: str | Path) -> None:
        graph = json.loads(Path(path).read_text())
        self.nodes: list[Node] = graph["nodes"]
        self.root: int = graph["root_index"]

    def kind(self, index: int) -> str:
        """Return a node's type."""
        return self.nodes[index]["type"]

    def data(self, index: int) -> Any:
        """Return a node's data: a dict of node indices, a list of them, or a plain value."""
        return self.nodes[index]["data"]

    def items(self, index: int) -> list[int]:
        """Return the node indices of an array's elements."""
        return self.nodes[index].get("data", [])

    def is_none(self, index: int) -> bool:
        """Whether an optional part is absent."""
        return self.kind(index) == "None"

    def number(self, index: int) -> int:
        """Return the value of an integer literal. Raises Unrunnable for any other node."""
        if self.kind(index) != "ir.IntImm":
            raise Unrunnable(f"{self.kind(index)} stands where a number has to")
        return int(self.data(self.data(index)["value"]))

    def dtype(self, index: int) -> str:
        """Return the dtype of an expression."""
        return self.data(self.data(index)["ty"])["dtype"]

    def functions(self) -> Iterator[tuple[str, int]]:
        """Yield the name and node index of each function of the module."""
        flat = self.items(self.data(self.root)["functions"])
        for variable, function in zip(flat[::2], flat[1::2], strict=True):
            yield self.data(self.data(variable)["name_hint"]), function


def tensor(text: str) -> np.ndarray:
    """Decode a constant from TVM's base64: magic, device, rank, dtype, shape, bytes.

    Raises Unrunnable if the header is not as TVM writes it, or the dtype is unknown.
    """
    raw = base64.b64decode(text)
    magic, _, _, _, rank, code, bits, lanes = _HEADER.unpack_from(raw)
    kind = _KINDS.get((code, bits))
    if magic != TENSOR_MAGIC or lanes != 1 or kind is None or rank > 8:
        raise Unrunnable("a constant is not written as TVM writes it")
    shape = struct.unpack_from(f"<{rank}q", raw, _HEADER.size)
    values = raw[_HEADER.size + 8 * rank + 8 :]
    return np.frombuffer(values, kind).reshape(shape)
