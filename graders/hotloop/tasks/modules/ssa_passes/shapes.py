"""Types and shapes of tensor programs, with symbolic extents tried with many numbers.

Whether a step works, fails, or is undecided follows from numpy's answer for each substitution of
numbers for names.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from hotloop.core.wire import as_message
from hotloop.judge.constants import constant
from hotloop.judge.graphs.builder import Builder
from hotloop.judge.graphs.graph import Graph
from hotloop.judge.questions import Question, dict_mismatch, shown

Rng = np.random.Generator
Type = tuple[str, tuple[int | str, ...]]

COUNT = 300
OWN = {"n": 101, "m": 103}
LARGEST = 100
"""No concrete extent is larger. OWN's numbers are, so that they can be turned back into names."""
DTYPES = ("float32", "float32", "int64", "bool")
EXTENTS = (1, 2, 3, 4, 4, 8, "n", "n", "m")


class Fails(Exception):
    """A step has no type; the message is the reason."""


def _result(op: str, args: list[Type], options: Mapping[str, Any]) -> str:
    """Return the result's dtype. Raises Fails for a wrong dtype or rank."""
    kinds, ranks = [kind for kind, _ in args], [len(shape) for _, shape in args]
    numeric = "bool" not in kinds
    alike = len(set(kinds)) == 1
    fits = {
        **dict.fromkeys(("add", "mul", "relu"), numeric),
        **dict.fromkeys(("less", "matmul"), numeric and alike),
        **dict.fromkeys(("sum", "transpose"), True),
        "concat": alike,
        "where": kinds[0] == "bool" and kinds[1:] in ([k, k] for k in DTYPES),
    }
    if not fits[op]:
        raise Fails("dtype")
    axis = options.get("axis", 0)
    ranks_fit = {
        "matmul": ranks == [2, 2],
        "sum": -ranks[0] <= axis < ranks[0],
        "transpose": sorted(options.get("axes", ())) == list(range(ranks[0])),
        "concat": len(set(ranks)) == 1 and axis < ranks[0],
    }
    if not ranks_fit.get(op, True):
        raise Fails("rank")
    if op in ("add", "mul"):
        return "float32" if "float32" in kinds else "int64"
    if op == "less":
        return "bool"
    return "int64" if op == "sum" and kinds[0] == "bool" else kinds[-1]


def _shape(op: str, shapes: list[tuple[int, ...]], options: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the result's shape for concrete shapes. Raises ValueError if numpy has none."""
    arrays = [np.broadcast_to(np.int8(0), shape) for shape in shapes]
    if op == "matmul":
        return tuple((arrays[0] @ arrays[1]).shape)
    if op == "sum":
        return tuple(arrays[0].sum(options["axis"]).shape)
    if op == "transpose":
        return tuple(arrays[0].transpose(options["axes"]).shape)
    if op == "concat":
        return tuple(np.concatenate(arrays, options["axis"]).shape)
    return np.broadcast_shapes(*shapes)


def step_type(op: str, args: list[Type], options: Mapping[str, Any]) -> Type:
    """Return the type of a step's result.

    Raises Fails, with the reason, if it has none or is undecided.
    """
    kind = _result(op, args, options)
    works = [_tried(op, args, options, numbers) for numbers in _choices(args)]
    own = _tried(op, args, options, OWN)
    if own is None and all(result is None for result in works):
        raise Fails("unequal")
    named = op == "concat" and any(isinstance(s[options["axis"]], str) for _, s in args)
    if own is None or None in works or named:
        raise Fails("undecided")
    back = {number: name for name, number in OWN.items()}
    return kind, tuple(back.get(extent, extent) for extent in own)


def _choices(args: list[Type]) -> list[dict[str, int]]:
    """Return substitutions: every number that may match something here, and OWN's, which cannot."""
    there = {extent for _, shape in args for extent in shape if isinstance(extent, int)}
    numbers = sorted({1, *there, *OWN.values()})
    return [{"n": n, "m": m} for n, m in product(numbers, repeat=2)]


def _tried(
    op: str, args: list[Type], options: Mapping[str, Any], numbers: Mapping[str, int]
) -> tuple[int, ...] | None:
    shapes = [tuple(numbers[e] if isinstance(e, str) else e for e in shape) for _, shape in args]
    try:
        return _shape(op, shapes, options)
    except ValueError:
        return None


def generated(rng: random.Random, count: int) -> tuple[Graph[Type], object]:
    """Return a program and the right answer.

    Half of the programs may end with a step that fails.
    """
    builder = Builder[Type]()
    for number in range(rng.randint(2, 4)):
        extents = tuple(rng.choice(EXTENTS) for _ in range(rng.randint(1, 3)))
        builder.input(f"x{number}", (rng.choice(DTYPES), extents))
    faultless = rng.random() < 0.5
    while len(builder.nodes) < count:
        op, args, options = _step(rng, builder.types)
        types = [builder.types[name] for name in args]
        try:
            result = step_type(op, types, options)
        except Fails as reason:
            if faultless or rng.random() < 0.6 or _entangled(types, str(reason)):
                continue
            failed = builder.node(op, *args, **options)
            return builder.graph(), {"error": [failed, str(reason)]}
        if all(isinstance(extent, str) or extent <= LARGEST for extent in result[1]):
            builder.node(op, *args, type_=result, **options)
    want = {name: [kind, list(shape)] for name, (kind, shape) in builder.types.items()}
    return builder.graph(), {"types": want}


def _two_reasons() -> tuple[Graph[Type], object]:
    """One axis certainly fails, another one may fail: the certain reason must be reported."""
    builder = Builder[Type]()
    inputs = builder.input("x0", ("float32", (4, "n"))), builder.input("x1", ("float32", (3, "m")))
    failed = builder.node("add", *inputs)
    return builder.graph(), {"error": [failed, "unequal"]}


def _entangled(types: list[Type], reason: str) -> bool:
    """Whether a step fails only because two axes would need different values of one name."""
    names = [extent for _, shape in types for extent in shape if isinstance(extent, str)]
    return reason == "unequal" and len(set(names)) < len(names)


def _step(
    rng: random.Random, types: Mapping[str, Type]
) -> tuple[str, tuple[str, ...], dict[str, Any]]:
    """Return the operator, arguments and attributes of a random step."""
    ops = ("add", "mul", "less", "where", "relu", "matmul", "matmul", "sum", "transpose", "concat")
    op = rng.choice(ops)
    count = {"where": 3, "relu": 1, "sum": 1, "transpose": 1}.get(op, 2)
    names = list(types)
    args = tuple(rng.choice(names) for _ in range(count))
    rank = len(types[args[0]][1])
    options: dict[str, Any] = {}
    if op == "sum":
        options = {"axis": rng.randint(-rank - (rng.random() < 0.1), max(rank - 1, 0))}
    if op == "concat":
        options = {"axis": rng.randint(0, max(rank - 1, 0))}
    if op == "transpose":
        options = {"axes": rng.sample(range(rank), rank)}
    return op, args, options


def questions(generator: Rng, *, faulty: bool) -> Iterator[Question]:
    """Yield questions about programs, all with a fault or all without one."""
    # A take-home's variant requires the version of the rules in each answer.
    rules = constant("RULES", 0, range(2, 1000))
    version = {"rules": rules} if rules else {}
    rng = random.Random(int(generator.integers(1 << 62)))
    count = 0
    while count < COUNT // 2:
        by_hand = faulty and count == 0
        graph, want = _two_reasons() if by_hand else generated(rng, 2 + count // 20)
        right = as_message(want) or {}
        if faulty != ("error" in right):
            continue
        count += 1
        steps = [[node.name, node.op, node.inputs, node.attributes] for node in graph.nodes]
        text = json.dumps({"inputs": graph.input_types(), "steps": steps})
        mismatch = partial(_mismatch, text, {**right, **version})
        yield Question(f"Program {count}", (text,), mismatch)


def _mismatch(text: str, want: dict[str, Any], answer: object) -> str | None:
    got = as_message(answer) or {}
    if got == want:
        return None
    if "types" in want and "types" in got and got["types"] != want["types"]:
        message = dict_mismatch("the type", got["types"], want["types"])
    else:
        message = f"the answer is {shown(answer)} and should be {shown(want)}"
    return f"{message}; the program is {text}"[:560] if len(text) < 400 else message
