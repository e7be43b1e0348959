"""Questions about compiled programs in HLO text, generated at random.

A test shows that XLA's own parser accepts the texts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from math import prod

import numpy as np

from hotloop.judge.constants import constant
from hotloop.judge.questions import GivenFile, Question, shown
from hotloop.judge.seeds import Rng
from hotloop.tasks.modules.xla_vs_eager.answers import mismatch_with

FIGURES = ("fusions", "fused", "traffic", "largest")
BYTES = {"f32": 4, "bf16": 2, "f16": 2}
UNARY = ("tanh", "exponential", "negate", "abs", "sqrt")
BINARY = ("add", "multiply", "subtract", "maximum")
KINDS = ("kLoop", "kInput", "kOutput")
CAUSES = ("layout", "opaque", "returned", "reduction")


@dataclass
class Value:
    """A tensor in the entry computation.

    minor: minor_to_major, the fastest-varying dimension first.
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    minor: tuple[int, ...]

    @property
    def type(self) -> str:
        """The type as XLA writes it: f32[8,4]{1,0}."""
        layout = f"{{{_joined(self.minor)}}}" if self.shape else ""
        return f"{self.dtype}[{_joined(self.shape)}]{layout}"

    @property
    def bytes(self) -> int:
        """The number of bytes in memory."""
        return prod(self.shape) * BYTES[self.dtype]


@dataclass
class Dump:
    """The text of a module, line by line, and the right answers about it."""

    rng: Rng
    dtype: str
    shape: tuple[int, ...]
    computations: list[str] = field(default_factory=list[str])
    entry: list[str] = field(default_factory=list[str])
    fusions: dict[str, int] = field(default_factory=dict[str, int])
    fused: int = 0
    moved: dict[str, int] = field(default_factory=dict[str, int])
    relayouts: list[str] = field(default_factory=list[str])
    numbers: Iterator[int] = field(default_factory=lambda: count(1))

    def name(self, of: str) -> str:
        """Return a new name. As in XLA, its number does not follow the program's order."""
        return f"{of}.{next(self.numbers) * 3 + int(self.rng.integers(3))}"

    def parameter(self, number: int) -> Value:
        """Add an argument of the program."""
        value = self.value("Arg_" + str(number), self.default)
        self.entry.append(f"%{value.name} = {value.type} parameter({number})")
        return value

    @property
    def default(self) -> tuple[int, ...]:
        """Row-major: the last dimension varies fastest."""
        return tuple(reversed(range(len(self.shape))))

    def value(self, of: str, minor: tuple[int, ...]) -> Value:
        """Return a new value of the dump's dtype and shape."""
        return Value(self.name(of), self.dtype, self.shape, minor)

    def fusion(self, *operands: Value, kind: str = "kLoop") -> Value:
        """Add a fusion of several elementwise operations."""
        inner = self._fused_computation(operands)
        result = self.value("fusion", operands[0].minor)
        self._emit(result, "fusion", operands, f"kind={kind}, calls=%{inner}")
        self.fusions[kind] = self.fusions.get(kind, 0) + 1
        return result

    def alone(self, operand: Value) -> Value:
        """Add an elementwise operation outside of any fusion."""
        op = str(self.rng.choice(UNARY))
        result = self.value(op, operand.minor)
        self._emit(result, op, (operand,))
        return result

    def copied(self, operand: Value, minor: tuple[int, ...]) -> Value:
        """Add a copy with the layout `minor`; a relayout unless `operand` already has it."""
        result = self.value("copy", minor)
        self._emit(result, "copy", (operand,))
        if minor != operand.minor:
            self.relayouts.append(result.name)
        return result

    def transposed(self, operand: Value) -> Value:
        """Add a transpose.

        Half of the transposes permute the layout as well, so no byte moves.
        """
        turn = 1 + int(self.rng.integers(len(self.shape) - 1))  # never the identity
        order = tuple(int(n) for n in np.roll(range(len(self.shape)), turn))
        shape = tuple(operand.shape[n] for n in order)
        free = bool(self.rng.random() < 0.5)
        # Dimension d of the result is dimension order[d] of the operand.
        minor = tuple(order.index(n) for n in operand.minor) if free else operand.minor
        result = Value(self.name("transpose"), self.dtype, shape, minor)
        self._emit(result, "transpose", (operand,), f"dimensions={{{_joined(order)}}}")
        if minor != tuple(order.index(n) for n in operand.minor):
            self.relayouts.append(result.name)
        return result

    def opaque(self, operand: Value) -> Value:
        """Add a custom call."""
        result = self.value("custom-call", operand.minor)
        target = str(self.rng.choice(["my_normalization", "vendor_topk", "host_lookup"]))
        self._emit(result, "custom-call", (operand,), f'custom_call_target="{target}"')
        return result

    def reduced(self, operand: Value) -> Value:
        """Add the sum over the last dimension; `spread` broadcasts it again."""
        region = self.name("region")
        kind = self.dtype
        self.computations.append(
            f"%{region} (a: {kind}[], b: {kind}[]) -> {kind}[] {{\n"
            f"  %a = {kind}[] parameter(0)\n  %b = {kind}[] parameter(1)\n"
            f"  ROOT %sum.{next(self.numbers)} = {kind}[] add(%a, %b)\n}}"
        )
        zero = Value(self.name("constant"), kind, (), ())
        self.entry.append(f"%{zero.name} = {zero.type} constant(0)")
        result = Value(
            self.name("reduce"),
            kind,
            self.shape[:-1],
            tuple(n for n in operand.minor if n < len(self.shape) - 1),
        )
        dimension = len(self.shape) - 1
        self._emit(
            result, "reduce", (operand, zero), f"dimensions={{{dimension}}}, to_apply=%{region}"
        )
        return result

    def spread(self, operand: Value, like: Value) -> Value:
        """Add a fusion that subtracts `operand`, broadcast, from `like`, its reduction's input."""
        inner, first, second = self.name("fused_computation"), "p.0", "p.1"
        all_but_last = _joined(range(len(self.shape) - 1))
        wide = Value("wide", self.dtype, self.shape, like.minor)
        body = (
            f"  %{first} = {operand.type} parameter(0)\n  %{second} = {like.type} parameter(1)\n"
            f"  %wide = {wide.type} broadcast(%{first}), dimensions={{{all_but_last}}}\n"
            f"  ROOT %rest = {wide.type} subtract(%{second}, %wide)\n"
        )
        bare = (f"{v.dtype}[{_joined(v.shape)}]" for v in (operand, like, like))
        a, b, out = bare
        self.computations.append(f"%{inner} ({first}: {a}, {second}: {b}) -> {out} {{\n{body}}}")
        self.fused += 2
        result = self.value("fusion", like.minor)
        self._emit(result, "fusion", (operand, like), f"kind=kLoop, calls=%{inner}")
        self.fusions["kLoop"] = self.fusions.get("kLoop", 0) + 1
        return result

    def text(self, results: list[Value]) -> str:
        """Return the module's text; it returns `results`."""
        returned = ", ".join(result.type for result in results)
        names = ", ".join(f"%{result.name}" for result in results)
        root = f"  ROOT %{self.name('tuple')} = ({returned}) tuple({names})"
        body = "\n".join(f"  {line}" for line in self.entry)
        parameters = [line.split(" = ") for line in self.entry if " parameter(" in line]
        takes = ", ".join(f"{name[1:]}: {rest.split('{')[0]}" for name, rest in parameters)
        gives = ", ".join(f"{r.dtype}[{_joined(r.shape)}]" for r in results)
        inner = "\n\n".join(self.computations)
        entry = f"ENTRY %main.{next(self.numbers)} ({takes}) -> ({gives}) {{\n{body}\n{root}\n}}"
        return f"HloModule jit_step, is_scheduled=true\n\n{inner}\n\n{entry}\n"

    def _emit(self, result: Value, op: str, operands: tuple[Value, ...], more: str = "") -> None:
        names = ", ".join(f"%{value.name}" for value in operands)
        tail = f", {more}" if more else ""
        path = f'metadata={{op_name="jit(step)/{op}({int(self.rng.integers(9))}, x)"}}'
        self.entry.append(f"%{result.name} = {result.type} {op}({names}){tail}, {path}")
        self.moved[result.name] = result.bytes + sum(value.bytes for value in operands)

    def _fused_computation(self, inputs: tuple[Value, ...]) -> str:
        name = self.name("fused_computation")
        lines = [f"%p.{n} = {value.type} parameter({n})" for n, value in enumerate(inputs)]
        before = [f"p.{n}" for n in range(len(inputs))]
        steps = max(int(self.rng.integers(2, 6)), len(inputs))
        for step in range(steps):
            op = str(self.rng.choice(BINARY if step < len(inputs) - 1 else UNARY))
            operands = before[:2] if op in BINARY else before[-1:]
            if op in BINARY:
                before = before[2:]
            inner = f"{op}.{next(self.numbers)}"
            root = "ROOT " if step == steps - 1 else ""
            written = ", ".join(f"%{operand}" for operand in operands)
            lines.append(f"{root}%{inner} = {inputs[0].type} {op}({written})")
            before = [inner, *before]
        takes = ", ".join(f"p.{n}: {v.dtype}[{_joined(v.shape)}]" for n, v in enumerate(inputs))
        gives = f"{self.dtype}[{_joined(self.shape)}]"
        body = "\n".join(f"  {line}" for line in lines)
        self.computations.append(f"%{name} ({takes}) -> {gives} {{\n{body}\n}}")
        self.fused += steps
        return name


def figure_questions(rng: Rng) -> Iterator[Question]:
    """Yield questions about fusions, fused instructions, bytes, and the largest mover."""
    for number, (dump, text) in enumerate(dumps(rng), start=1):
        largest = max(dump.moved, key=lambda name: dump.moved[name])
        truth = {
            "fusions": dump.fusions,
            "fused": dump.fused,
            "traffic": constant("RUNS", 1, range(2, 401)) * sum(dump.moved.values()),
            "largest": largest,
        }
        yield Question(f"Dump {number}", (_file(text),), mismatch_with(truth, FIGURES))


def relayout_questions(rng: Rng) -> Iterator[Question]:
    """Yield questions about the copies and transposes that change the order in memory."""
    for number, (dump, text) in enumerate(dumps(rng), start=1):
        truth = {"relayouts": sorted(dump.relayouts)}
        yield Question(f"Dump {number}", (_file(text),), mismatch_with(truth, ("relayouts",)))


def fusion_questions(rng: Rng) -> Iterator[Question]:
    """Yield questions about why two fusions were not merged; each cause occurs twice."""
    for number, cause in enumerate(rng.permutation([*CAUSES, *CAUSES]), start=1):
        text, first, second = unfused(rng, str(cause))
        yield Question(
            f"Pair {number}",
            (_file(text), first, second),
            lambda answer, cause=str(cause): (
                None if answer == cause else f"{shown(answer)} is not why they are two"
            ),
        )


def dumps(rng: Rng) -> Iterator[tuple[Dump, str]]:
    """Yield one dump per dtype.

    At least one has unsorted `relayouts`; in some, but not all, a transpose moves memory.
    """
    while True:
        pairs = [random_chain(rng, dtype) for dtype in rng.permutation(list(BYTES)).tolist()]
        relayouts = [dump.relayouts for dump, _ in pairs]
        turned = [any(name.startswith("transpose") for name in names) for names in relayouts]
        if any(names != sorted(names) for names in relayouts) and len(set(turned)) == 2:
            yield from pairs
            return


def random_chain(rng: Rng, dtype: str) -> tuple[Dump, str]:
    """Return a chain with every kind of instruction; one instruction moves the most bytes."""
    while True:
        dump = _new(rng, dtype)
        now, other = dump.parameter(0), dump.parameter(1)
        ends: list[Value] = []
        turned = tuple(int(n) for n in rng.permutation(len(dump.shape)))
        for step in rng.permutation([0, 0, 0, 1, 2, 3, 4, 5]):
            if step == 0:
                now = dump.fusion(now, kind=str(rng.choice(KINDS)))
            elif step == 1:
                now = dump.alone(now)
            elif step == 2:
                now = dump.copied(now, turned)
            elif step == 3:
                now = dump.copied(now, now.minor)
            elif step == 4:
                ends.append(dump.transposed(now))
            elif now.minor == other.minor:
                now = dump.fusion(now, other)
        now = dump.opaque(now) if rng.random() < 0.5 else now
        most = sorted(dump.moved.values())[-2:]
        if most[0] < most[1]:
            return dump, dump.text([now, *ends])


def unfused(rng: Rng, cause: str) -> tuple[str, str, str]:
    """Return a dump's text, and the names of two fusions in it that `cause` kept apart."""
    dump = _new(rng, str(rng.choice(list(BYTES))))
    start = dump.fusion(dump.parameter(0))
    # Distractors: a layout change and a custom call on another path.
    aside = dump.copied(dump.parameter(1), tuple(reversed(dump.default)))
    results = [dump.opaque(aside)]
    first = dump.fusion(start)
    if cause == "layout":
        second = dump.fusion(dump.copied(first, tuple(reversed(first.minor))))
    elif cause == "opaque":
        # A copy that keeps the layout does not prevent fusion.
        second = dump.fusion(dump.opaque(dump.copied(first, first.minor)))
    elif cause == "reduction":
        second = dump.spread(dump.reduced(first), first)
    else:
        second = dump.fusion(first)
        results.append(first)
    results.append(dump.fusion(second))
    text = dump.text([results[int(n)] for n in rng.permutation(len(results))])
    return text, first.name, second.name


def _new(rng: Rng, dtype: str) -> Dump:
    rank = int(rng.integers(2, 4))
    shape = tuple(int(n) for n in rng.choice(np.arange(3, 40), rank, replace=False))
    return Dump(rng, dtype, shape)


def _file(text: str) -> GivenFile:
    return GivenFile("module.txt", text.encode())


def _joined(numbers: range | tuple[int, ...]) -> str:
    return ",".join(map(str, numbers))
