"""Streams of calls of a function under jax.jit, and the number of programs it compiles.

The stream is really called, and compilations are counted through jax.monitoring. Runs in a process
that sees nothing of the learner's.
"""

from __future__ import annotations

import json
import tempfile
import warnings
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

COMPILED = "/jax/core/compile/backend_compile_duration"
CAUSES = ("shape", "dtype", "weak_type", "static", "static", "shape")
SCALARS = ("int", "float", "float", "bool", "int", "bool")
"""For each stream, the Python type of the numbers that jax.jit does not distinguish."""
NAMES = ("images", "lengths", "scale", "shift", "mask", "temperature", "rows", "table")
STATIC_NAMES = ("mode", "depth", "window")
NARROW = {"float64": "float32", "int64": "int32", "uint64": "uint32"}
PYTHON = {"float": "float32", "int": "int32", "bool": "bool"}
DTYPES = (
    *NARROW,
    *NARROW.values(),
    *("bfloat16", "float16", "uint8", "int8", "int16", "bool"),
)

Argument = dict[str, Any]
Call = dict[str, Argument]

heard: list[str] = []
jax.monitoring.register_event_duration_secs_listener(
    lambda event, _seconds, **_more: heard.append(event)
)


def kinds() -> int:
    """Return the number of kinds of streams."""
    return len(CAUSES)


def make(kind: int, seed: int) -> dict[str, Any]:
    """Write a stream to a file; return its path and the truth about it."""
    rng = np.random.default_rng(seed)
    cause = CAUSES[kind]
    while True:
        calls, culprit = _stream(cause, SCALARS[kind], rng)
        left = {name: _distinct(calls, name) for name in calls[0]}
        others = [count for name, count in left.items() if name != culprit]
        if left[culprit] < min(others) and _is_telling(cause, calls, culprit):
            break
    path = Path(tempfile.mkdtemp()) / "calls.json"
    path.write_text(json.dumps({"calls": calls}))
    counted = _compiled(calls)
    if counted != _distinct(calls):
        raise ValueError(f"jax.jit made {counted} programs, {_distinct(calls)} were expected")
    return {"path": str(path), "programs": counted, "culprit": culprit, "cause": cause}


def _stream(cause: str, scalar: str, rng: np.random.Generator) -> tuple[list[Call], str]:
    names = [str(name) for name in rng.permutation(NAMES)[:4]]
    statics = [str(name) for name in rng.permutation(STATIC_NAMES)[:2]]
    culprit = statics[0] if cause == "static" else names[0]
    # A second argument varies less; a third one varies in ways that jax.jit does not see.
    second, harmless = names[1], names[2]
    calls = []
    for varied in _varied(cause, int(rng.integers(24, 36)), rng):
        call = {name: _array([3], "float32") for name in names}
        call |= {name: _static("on") for name in statics}
        call[culprit] = varied
        call[second] = _slightly(cause, rng)
        call[harmless] = _harmless(scalar, rng)
        calls.append(call)
    order = [str(name) for name in rng.permutation([*names, *statics])]
    return [{name: call[name] for name in order} for call in calls], culprit


def _is_telling(cause: str, calls: list[Call], culprit: str) -> bool:
    """Return whether the stream exposes two usual mistakes.

    They are to blame the argument that varies most, and to count wide dtypes as separate.
    """
    if cause not in ("dtype", "weak_type"):
        return True
    seen = {name: len({json.dumps(call[name]) for call in calls}) for name in calls[0]}
    most = max(count for name, count in seen.items() if name != culprit)
    return most > seen[culprit] and (cause == "weak_type" or _each_wide_one_matters(calls))


def _each_wide_one_matters(calls: list[Call]) -> bool:
    known = _distinct(calls)
    others = ({k: v for k, v in NARROW.items() if k != wide} for wide in NARROW)
    return all(_distinct(calls, narrow=narrow) > known for narrow in others)


def _varied(cause: str, count: int, rng: np.random.Generator) -> list[Argument]:
    """Return the culprit's value in each call. With cause "dtype", every dtype occurs."""
    if cause == "dtype":
        sampled = [*DTYPES, *rng.choice(DTYPES, count - len(DTYPES))]
        return [_array([4], str(dtype)) for dtype in rng.permutation(sampled)]
    return [_varied_once(cause, rng) for _ in range(count)]


def _varied_once(cause: str, rng: np.random.Generator) -> Argument:
    if cause == "shape":
        return _array([int(rng.integers(1, 40)), 2], "float32")
    if cause == "static":
        return _static(int(rng.integers(0, 30)))
    if rng.random() < 0.5:
        return _python("float", float(np.round(rng.normal(), 3)))
    return _array([], "float32", weak=bool(rng.random() < 0.3))


def _slightly(cause: str, rng: np.random.Generator) -> Argument:
    """Return an argument that causes at most two programs, and one if the culprit causes two."""
    if cause == "weak_type":
        return _array([5], "float32")
    return _array([int(rng.choice([7, 7, 7, 9]))], "float32")


def _harmless(scalar: str, rng: np.random.Generator) -> Argument:
    """Return a new number, or an array of the same type: always the same program."""
    if rng.random() < 0.4:
        return _array([], PYTHON[scalar], weak=scalar != "bool")
    sampled = {"float": np.round(rng.normal(), 3), "int": rng.integers(99), "bool": rng.integers(2)}
    python: dict[str, type[float] | type[int] | type[bool]]
    python = {"float": float, "int": int, "bool": bool}
    return _python(scalar, python[scalar](sampled[scalar]))


def _array(shape: list[int], dtype: str, *, weak: bool = False) -> Argument:
    return {"kind": "array", "shape": shape, "dtype": dtype, "weak_type": weak}


def _python(kind: str, value: float) -> Argument:
    return {"kind": "python", "type": kind, "value": value}


def _static(value: int | str) -> Argument:
    return {"kind": "static", "value": value}


def _signature(argument: Argument, narrow: dict[str, str]) -> tuple[Any, ...]:
    if argument["kind"] == "static":
        return ("static", argument["value"])
    if argument["kind"] == "python":
        return ((), PYTHON[argument["type"]], argument["type"] != "bool")
    dtype = narrow.get(argument["dtype"], argument["dtype"])
    return (tuple(argument["shape"]), dtype, argument["weak_type"])


def _distinct(calls: list[Call], fixed: str | None = None, narrow: dict[str, str] = NARROW) -> int:
    return len(
        {
            tuple(
                _signature(calls[0][name] if name == fixed else argument, narrow)
                for name, argument in call.items()
            )
            for call in calls
        }
    )


def _compiled(calls: list[Call]) -> int:
    """Return the number of programs that jax.jit makes when the stream is called."""

    def function(**arguments: Any) -> jax.Array:
        return jnp.float32(0) * len(arguments)

    statics = [name for name, argument in calls[0].items() if argument["kind"] == "static"]
    compiled = jax.jit(function, static_argnames=statics)
    values = [{name: _value(argument) for name, argument in call.items()} for call in calls]
    heard.clear()
    for arguments in values:
        compiled(**arguments)
    return heard.count(COMPILED)


def _value(argument: Argument) -> Any:
    if argument["kind"] != "array":
        return argument["value"]
    if argument["weak_type"]:
        return jnp.asarray(1.0 if argument["dtype"] == "float32" else 1)  # Python numbers are weak
    dtype = jnp.bfloat16 if argument["dtype"] == "bfloat16" else argument["dtype"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return np.ones(argument["shape"], dtype)
