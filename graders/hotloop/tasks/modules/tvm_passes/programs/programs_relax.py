"""Random Relax functions with products and sums, for a pass that fuses them. Trusted.

A function is first drawn as a list of values, each an operator and its operands, so that the number
of uses of each is known before a BlockBuilder writes it. Unused values are returned. No two values
of a function are the same expression: rewriting by a pattern also merges equal expressions, which
this task does not ask for.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import bare_tvm  # noqa: F401
import numpy as np
from plans import Plan
from tvm import relax, tirx

KINDS = ("float32", "float32", "float16", "float64", "int32", "int64")
SHAPES: tuple[tuple[int | str, ...], ...] = ((2, 3), (1, 4), (1, 1), (5,), (2, 1, 3), ("n", 3), ())
SYMBOL = 4
LARGEST = 500.0
MOST_VALUES = 14


def make(seed: int, functions: int) -> dict[str, Any]:
    """Return a module of random functions and a plan of calls, as `Plan.written` describes them."""
    rng, builder, plan = random.Random(seed), relax.BlockBuilder(), Plan()
    for number in range(functions):
        sampled = _SampledFunction(rng)
        sampled.write(builder, f"f{number}")
        shapes = [_concrete(value.shape) for value in sampled.values]
        arguments = [plan.array(shape, sampled.kind) for shape in shapes[: sampled.parameters]]
        results = [(shapes[value], sampled.kind) for value in sampled.results]
        plan.call(f"f{number}", arguments, results)
    module = builder.get()
    module["bystander"] = _bystander()
    return plan.written(module)


def _concrete(shape: tuple[int | str, ...]) -> list[int]:
    return [SYMBOL if isinstance(extent, str) else extent for extent in shape]


def _bystander() -> Any:
    """Return a TIR function with a product and a sum, which a Relax pass must not change."""
    a = tirx.decl_buffer((4,), "float32", "A")
    i = tirx.Var("i", "int32")
    half = tirx.FloatImm("float32", 0.5)
    store = tirx.BufferStore(a, tirx.BufferLoad(a, [i]) * half + half, [i])
    zero, four = tirx.IntImm("int32", 0), tirx.IntImm("int32", 4)
    body = tirx.For(i, zero, four, tirx.ForKind.SERIAL, store)
    return tirx.PrimFunc([a], body).with_attr("global_symbol", "bystander")


@dataclass
class _Value:
    """A value of a function. operator: None for a parameter, "const" for a constant.

    largest: bound of its magnitude. block: number of its dataflow block. exported: whether it is
    returned or used in another block.
    """

    operator: str | None
    operands: tuple[int, ...]
    shape: tuple[int | str, ...]
    largest: float
    block: int = -1
    exported: bool = False
    constant: Any = None


class _SampledFunction:
    """One random function: a list of values, parameters first."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.kind = rng.choice(KINDS)
        self.shape = rng.choice(SHAPES)
        # One in five functions has nothing to fuse.
        self.idle = rng.random() < 0.2
        self.values: list[_Value] = []
        self.seen: set[Any] = set()
        self.block = 0
        for _ in range(rng.randint(3, 4)):
            self.values.append(_Value(None, (), self.shape, 2.0))
        if self.shape not in {(), (1, 1)}:
            self.values.append(_Value(None, (), self._smaller(), 2.0))
        self.parameters = len(self.values)
        blocks = rng.choice([1, 1, 2])
        for self.block in range(blocks):
            before = len(self.values)
            while len(self.values) < before + MOST_VALUES // blocks:
                rng.choice(self._situations())()
        self._finish()

    def _situations(self) -> list[Any]:
        if self.idle:
            return [self._shared, self._exported, self._doubled, self._other, self._broadcast]
        return [
            *[self._pair] * 4,
            self._chain,
            self._both_products,
            self._shared,
            self._shared_beside_free,
            self._exported,
            self._doubled,
            self._broadcast,
            self._other,
        ]

    # --- situations

    def _pair(self) -> None:
        """A pair to fuse, with the product on either side."""
        a, b, c = self._whole(), self._whole(), self._whole()
        if (product := self._new("multiply", a, b)) is not None:
            self._either_way(product, c)

    def _chain(self) -> None:
        """Horner's scheme: each sum goes into the next product."""
        x, total = self._whole(), self._whole()
        for _ in range(self.rng.randint(2, 3)):
            product = self._new("multiply", total, x)
            if product is None:
                return
            summed = self._either_way(product, self._whole())
            if summed is None:
                return
            total = summed

    def _both_products(self) -> None:
        """A sum of two products without other uses: one of them can be fused."""
        one = self._new("multiply", self._whole(), self._whole())
        other = self._new("multiply", self._whole(), self._whole())
        if one is not None and other is not None:
            self._new("add", one, other)

    def _shared(self) -> None:
        """A product that is used a second time."""
        product = self._new("multiply", self._whole(), self._whole())
        if product is None:
            return
        again = self.rng.choice(["subtract", "maximum", "multiply", "add"])
        if self.rng.random() < 0.5:
            self._new(again, self._whole(), product)
            self._either_way(product, self._whole(), used_up=False)
        else:
            self._either_way(product, self._whole(), used_up=False)
            self._new(again, product, self._whole())
        self.values[product].exported |= self._uses(product) < 2

    def _shared_beside_free(self) -> None:
        """A sum of a product that is used elsewhere and of one that is not, in random order."""
        shared = self._new("multiply", self._whole(), self._whole())
        free = self._new("multiply", self._whole(), self._whole())
        if shared is None or free is None:
            return
        operands = [shared, free]
        self.rng.shuffle(operands)
        self._new("add", *operands)
        self._new("negative", shared)
        self.values[shared].exported |= self._uses(shared) < 2

    def _exported(self) -> None:
        """A product that is used outside of its block."""
        product = self._new("multiply", self._whole(), self._whole())
        if product is not None:
            self.values[product].exported = True
            self._either_way(product, self._whole(), used_up=False)

    def _doubled(self) -> None:
        """A product that is both operands of its sum."""
        product = self._new("multiply", self._whole(), self._whole())
        if product is not None:
            self._new("add", product, product)

    def _broadcast(self) -> None:
        """An operand of another shape, which R.ewise_fma does not broadcast."""
        if self.shape in {(), (1, 1)}:
            self._other()
            return
        small = self.rng.choice([self._constant(()), self.parameters - 1])
        if self.rng.random() < 0.5:
            product = self._new("multiply", self._whole(), self._whole())
            addend = small
        else:
            product, addend = self._new("multiply", self._whole(), small), self._whole()
        if product is not None:
            self._either_way(product, addend)

    def _other(self) -> None:
        """An operator that is neither product nor sum, or a sum without a product."""
        choice = self.rng.choice(["subtract", "maximum", "negative", "add"])
        first, second = self._operand(), self._operand()
        self._new(choice, *((first,) if choice == "negative" else (first, second)))

    # --- parts

    def _either_way(self, product: int, addend: int, *, used_up: bool = True) -> int | None:
        operands = [product, addend]
        self.rng.shuffle(operands)
        summed = self._new("add", *operands)
        if summed is None and used_up:
            self.values[product].exported = True
        return summed

    def _whole(self) -> int:
        """Return an operand of the main shape. It is no product, so that cases do not mix."""
        return self._operand() if self.rng.random() < 0.85 else self._constant(self.shape)

    def _operand(self) -> int:
        fits = [
            number
            for number, value in enumerate(self.values)
            if value.shape == self.shape and value.operator not in {"multiply", "const"}
        ]
        return self.rng.choice(fits)

    def _constant(self, shape: tuple[int | str, ...]) -> int:
        concrete = [extent for extent in shape if not isinstance(extent, str)]
        if len(concrete) < len(shape):
            return self._operand()
        numbers = [self.rng.randint(-2, 2) for _ in range(int(np.prod(concrete, dtype=np.int64)))]
        value = np.array(numbers, self.kind).reshape(concrete)
        for number, other in enumerate(self.values):
            if other.constant is not None and np.array_equal(other.constant, value):
                return number
        self.values.append(_Value("const", (), shape, 2.0, self.block, constant=value))
        return len(self.values) - 1

    def _smaller(self) -> tuple[int | str, ...]:
        """Return a shape that broadcasts to the main one."""
        return self.rng.choice([self.shape[-1:], (1,)]) if len(self.shape) > 1 else (1,)

    def _new(self, operator: str, *operands: int) -> int | None:
        """Add a value; return its number, or None if it exists already or could grow too large."""
        order = sorted(operands) if operator in {"multiply", "add", "maximum"} else operands
        key = (operator, *order)
        sizes = [self.values[operand].largest for operand in operands]
        largest = {"multiply": np.prod(sizes), "maximum": max(sizes)}.get(operator, sum(sizes))
        if key in self.seen or largest > LARGEST:
            return None
        self.seen.add(key)
        # The result has the main shape only if an operand has it.
        shapes = [self.values[operand].shape for operand in operands]
        if self.shape not in shapes:
            return None
        self.values.append(_Value(operator, operands, self.shape, float(largest), self.block))
        for operand in operands:
            if 0 <= self.values[operand].block < self.block:
                self.values[operand].exported = True
        return len(self.values) - 1

    def _uses(self, number: int) -> int:
        return sum(value.operands.count(number) for value in self.values)

    def _finish(self) -> None:
        """Return, as the function's results, all values that are unused or exported."""
        used = {operand for value in self.values for operand in value.operands}
        self.results = []
        for number, value in enumerate(self.values):
            if value.operator in {None, "const"}:
                continue
            value.exported |= number not in used
            if value.exported:
                self.results.append(number)

    # --- writing

    def write(self, builder: Any, name: str) -> None:
        """Add the function to the builder's module."""
        symbol = tirx.Var("n", "int64")
        names: dict[int, Any] = {}
        for number in range(self.parameters):
            shape = [symbol if isinstance(e, str) else e for e in self.values[number].shape]
            names[number] = relax.Var(f"p{number}", relax.TensorType(shape, self.kind))
        parameters = list(names.values())
        attributes = {"num_input": 1} if self.rng.random() < 0.3 else None
        with builder.function(name, parameters, attrs=attributes):
            for block in range(self.block + 1):
                with builder.dataflow():
                    self._write_block(builder, block, names)
            parts = [names[number] for number in self.results]
            builder.emit_func_output(parts[0] if len(parts) == 1 else relax.Tuple(parts))

    def _write_block(self, builder: Any, block: int, names: dict[int, Any]) -> None:
        for number, value in enumerate(self.values):
            if value.block != block:
                continue
            if value.operator == "const":
                names[number] = relax.const(value.constant, self.kind)
                continue
            operator = getattr(relax.op, str(value.operator))
            call = operator(*(names[operand] for operand in value.operands))
            emit = builder.emit_output if value.exported else builder.emit
            names[number] = emit(call)
