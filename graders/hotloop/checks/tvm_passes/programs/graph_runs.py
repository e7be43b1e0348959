"""Runs all functions of a module on the judge's numbers. Needs no TVM, and compiles nothing.

A plan, written by programs_*.py, says for each call which function it is and what it is given:
{"name", "arguments": [{"shape", "dtype", "at"} or a number, …]}; `at` is where an array's values
lie in the pool of numbers. What the calls give is written one after another to `out`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from graph_values import Graph, Unrunnable
from relax_machine import Machine as RelaxMachine
from tir_machine import Machine as TirMachine

LOADED: dict[str, Any] = {}


def load(module: str, plan: str) -> int:
    """Take a module and its plan; the number of calls."""
    LOADED["graph"] = Graph(module)
    LOADED["calls"] = json.loads(Path(plan).read_text())
    return len(LOADED["calls"])


def run(pool: Any, out: Any) -> None:
    """Make all calls with the numbers of `pool`, float64, and fill `out`, float64, with results."""
    results = called(LOADED["graph"], LOADED["calls"], pool.numpy())
    flat = np.concatenate([part.ravel() for parts in results for part in parts])
    if flat.size != out.numel():
        raise Unrunnable(f"the functions give {flat.size} numbers and should give {out.numel()}")
    out.numpy()[:] = flat


def count(pool: Any, out: Any) -> None:
    """Make all calls likewise, and fill `out` with the number of questions that each asks."""
    out.numpy()[:] = asked(LOADED["graph"], LOADED["calls"], pool.numpy())


def asked(graph: Graph, calls: list[Any], pool: np.ndarray) -> list[int]:
    """How many questions each call of a plan asks."""
    return [questions for _, questions in _made(graph, calls, pool)]


def called(graph: Graph, calls: list[Any], pool: np.ndarray) -> list[list[np.ndarray]]:
    """What each call of a plan gives."""
    return [result for result, _ in _made(graph, calls, pool)]


def _made(graph: Graph, calls: list[Any], pool: np.ndarray) -> list[tuple[list[np.ndarray], int]]:
    """What each call gives, and how many questions it asks. Relax functions ask none."""
    functions = dict(graph.functions())
    tir, relax = TirMachine(graph), RelaxMachine(graph)
    results = []
    for call in calls:
        function = functions[call["name"]]
        machine = tir if graph.kind(function) == "tirx.PrimFunc" else relax
        given = [_argument(argument, pool) for argument in call["arguments"]]
        before = tir.asked
        try:
            result = machine.run(function, given)
        except Unrunnable as why:
            raise Unrunnable(f"{call['name']}: {why}") from None
        results.append((result, tir.asked - before))
    return results


def _argument(argument: Any, pool: np.ndarray) -> Any:
    if isinstance(argument, int):
        return argument
    shape = tuple(argument["shape"])
    start = argument["at"]
    values = pool[start : start + int(np.prod(shape, dtype=np.int64))]
    return values.astype(argument["dtype"]).reshape(shape)
