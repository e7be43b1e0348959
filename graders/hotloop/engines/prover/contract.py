"""What a proof may assume of the call: which sizes are equal, and how tensors lie in memory.

Sizes are texts in symbols, such as `2*s0*s1 + s2`, so that a contract can be sent and read.
"""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Self

MOST_ELEMENTS = 1 << 29
"""Of a tensor. Above it kernels need 64 bits for each index, which few have."""


@dataclass(frozen=True)
class TensorArgument:
    """A tensor: sizes of its axes and its strides in elements, as texts in symbols.

    disjoint: no two of its elements share memory, as is so for every output. bytes_each: of an
    element, 0 if calls differ.
    """

    name: str
    sizes: Sequence[str]
    strides: Sequence[str]
    disjoint: bool = True
    bytes_each: int = 0


@dataclass(frozen=True)
class PlainArgument:
    """A plain argument: a text in symbols, or a value; `unknown` for a float."""

    name: str
    text: str = ""
    value: bool | int | str | None = None
    unknown: bool = False


@dataclass(frozen=True)
class Symbol:
    """A size that may be any integer from `least` on. label: as a learner knows it."""

    label: str
    least: int = 1


@dataclass(frozen=True)
class Contract:
    """One kind of call.

    at_least: pairs of texts, the first of which is never below the second. tiles: (count, size,
    each), where a size is cut into `count` tiles of `each`, the last of which may be smaller.
    """

    symbols: Mapping[str, Symbol]
    arguments: Sequence[TensorArgument | PlainArgument]
    at_least: Sequence[tuple[str, str]] = ()
    tiles: Sequence[tuple[str, str, int]] = ()

    def to_message(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            "symbols": {name: asdict(symbol) for name, symbol in self.symbols.items()},
            "arguments": [
                {"tensor": isinstance(one, TensorArgument), **asdict(one)} for one in self.arguments
            ],
            "at_least": [list(pair) for pair in self.at_least],
            "tiles": [list(each) for each in self.tiles],
        }

    @classmethod
    def from_message(cls, message: Mapping[str, Any]) -> Self:
        """Read what `to_message` returned."""
        arguments: list[TensorArgument | PlainArgument] = []
        for each in message["arguments"]:
            kind = TensorArgument if each["tensor"] else PlainArgument
            arguments.append(kind(**{k: v for k, v in each.items() if k != "tensor"}))
        return cls(
            {name: Symbol(**symbol) for name, symbol in message["symbols"].items()},
            arguments,
            [(more, less) for more, less in message["at_least"]],
            [(count, size, each) for count, size, each in message["tiles"]],
        )

    def in_words(self) -> str:
        """Return the shapes, such as `x [x.shape[0], 2*x.shape[1]]`, for a sentence."""
        shapes = [
            f"{one.name} [{', '.join(self._labeled(size) for size in one.sizes)}]"
            for one in self.arguments
            if isinstance(one, TensorArgument)
        ]
        tiles = [
            self._labeled(f"{count} = cdiv({size}, {each})") for count, size, each in self.tiles
        ]
        return "; ".join([*shapes, *tiles])

    def _labeled(self, text: str) -> str:
        for name in sorted(self.symbols, key=len, reverse=True):
            text = text.replace(name, self.symbols[name].label)
        return text


def size(text: str, values: Mapping[str, Any]) -> Any:
    """Return what a text of a contract is, for integers of Python or of z3."""
    return _size(ast.parse(text, mode="eval").body, values)


def _size(node: ast.expr, values: Mapping[str, Any]) -> Any:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name):
        return values[node.id]
    if isinstance(node, ast.BinOp):
        left, right = (_size(each, values) for each in (node.left, node.right))
        if isinstance(node.op, ast.Add):
            return left + right
        if isinstance(node.op, ast.Mult):
            return left * right
    raise ValueError(f"{ast.unparse(node)} is no size")
