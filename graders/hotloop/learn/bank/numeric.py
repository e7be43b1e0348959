"""Questions with numbers: draws an instance from the parameters and computes its answer."""

import ast
import hashlib
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import simpleeval

from hotloop.learn.bank import units
from hotloop.learn.bank.question import PLACE, Numeric
from hotloop.learn.bank.translation import NumericText

_ALLOWED = (
    ast.Add,
    ast.Sub,
    ast.Mult,
    ast.Div,
    ast.FloorDiv,
    ast.Mod,
    ast.Pow,
    ast.USub,
    ast.UAdd,
)
# simpleeval's types do not describe its operators.
_EVALUATOR: Any = simpleeval
_OPERATORS: dict[Any, Any] = {kind: _EVALUATOR.DEFAULT_OPERATORS[kind] for kind in _ALLOWED}
_NODES = (ast.Expr, ast.BinOp, ast.UnaryOp, ast.Constant, ast.Name, ast.Call)
_FUNCTIONS: Mapping[str, Callable[..., float]] = {
    "min": min,
    "max": max,
    "ceil": math.ceil,
    "floor": math.floor,
    "sqrt": math.sqrt,
    "log2": math.log2,
}
_TELLTALES: tuple[tuple[float, str], ...] = (
    *((1000.0**n, "look at the prefix: it is a power of 1000 away") for n in (1, 2, 3, 4)),
    (8, "a factor of 8: bits against bytes?"),
    (4, "a factor of 4: the width of a number, or two factors of 2?"),
    (2, "a factor of 2: something was counted twice, or once too few"),
)
_BINARY = tuple((1.024**n, "1 KiB is 1024 bytes, and 1 kB is 1000") for n in (1, 2, 3, 4))


@dataclass(frozen=True)
class Instance:
    """A question with its numbers. answer: in `unit`; tolerance: as a fraction of the answer."""

    values: Mapping[str, float]
    ask: str
    answer: float
    unit: str
    tolerance: float
    explain: str

    @property
    def shown(self) -> str:
        """The answer, formatted for people."""
        return units.shown(self.answer, self.unit)


def draw(numeric: Numeric, seed: int | str, words: NumericText | None = None) -> Instance:
    """Return the instance of that seed, the same on every machine. words: in another language."""
    chosen: dict[str, float] = {}
    for name, values in numeric.parameters.items():
        # Draws of `random` can change with Python's version.
        digest = hashlib.sha256(f"{seed}.{name}".encode()).digest()
        chosen[name] = values[int.from_bytes(digest[:8]) % len(values)]
    return _instance(numeric, chosen, words)


def instances(numeric: Numeric, words: NumericText | None = None) -> Iterator[Instance]:
    """Yield all instances, in the order of the parameters and of their values."""
    for values in product(*numeric.parameters.values()):
        yield _instance(numeric, dict(zip(numeric.parameters, values, strict=True)), words)


def evaluate(formula: str, values: Mapping[str, float]) -> float:
    """Return the formula's value. Raises ValueError if it is undefined, 0 or not finite."""
    evaluator = _EVALUATOR.SimpleEval(operators=_OPERATORS, functions=_FUNCTIONS, names=values)
    evaluator.nodes = {kind: evaluator.nodes[kind] for kind in _NODES}
    try:
        value = float(evaluator.eval(formula))
    except (
        simpleeval.InvalidExpression,
        ArithmeticError,
        ValueError,
        TypeError,
        SyntaxError,
    ) as error:
        raise ValueError(f"the formula {formula!r} cannot be computed: {error}") from None
    if not math.isfinite(value) or value == 0:
        raise ValueError(f"the formula {formula!r} gives {value}, which nobody could be asked for")
    return value


def document(instance: Instance) -> dict[str, Any]:
    """Return what a page needs to check answers by itself: see `units.readings`.

    telltales: factors by which typical mistakes miss the answer, each with its hint.
    """
    telltales = (*_TELLTALES, *_BINARY) if units.is_bytes(instance.unit) else _TELLTALES
    return {
        "values": dict(instance.values),
        "ask": instance.ask,
        "answer": instance.answer,
        "shown": instance.shown,
        "unit": instance.unit,
        "tolerance": instance.tolerance,
        "explain": instance.explain,
        "readings": units.readings(instance.unit),
        "base_factor": units.base_factor(instance.unit),
        "telltales": [list(telltale) for telltale in telltales],
    }


def _instance(numeric: Numeric, values: Mapping[str, float], words: NumericText | None) -> Instance:
    texts = words or numeric
    return Instance(
        values,
        PLACE.sub(lambda place: _formatted(values[place[1]]), texts.ask),
        evaluate(numeric.formula, values),
        numeric.unit,
        numeric.tolerance,
        texts.explain,
    )


def _formatted(value: float) -> str:
    if isinstance(value, int):
        return f"{value:,}" if abs(value) >= 10_000 else str(value)
    return f"{value:g}"
