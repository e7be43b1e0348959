"""Run all functions of a module on the judge's numbers. Needs no TVM and compiles nothing.

A plan, written by programs_*.py, gives for each call the function and its arguments:
{"name", "arguments": [{"shape", "dtype", "at"} or a number, …]}; `at` is the index of the array's
first value in the pool of numbers. The calls' results are written one after another to `out`.
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
    """Load a module and its plan; return the number of calls."""
    LOADED["graph"] = Graph(module)
    LOADED["calls"] = json.loads(Path(plan).read_text())
    return len(LOADED["calls"])


def run(pool: Any, out: Any) -> None:
    """Run all calls on the numbers of `pool`, float64, and write the results to `out`, float64.

    Raises Unrunnable if the number of results is not the size of `out`.
    """
    results = called(LOADED["graph"], LOADED["calls"], pool.numpy())
    flat = np.concatenate([part.ravel() for parts in results for part in parts])
    if flat.size != out.numel():
        raise Unrunnable(f"the functions give {flat.size} numbers and should give {out.numel()}")
    out.numpy()[:] = flat


def count(pool: Any, out: Any) -> None:
    """Run all calls likewise; write how many guards each call evaluates to `out`, float64."""
    out.numpy()[:] = asked(LOADED["graph"], LOADED["calls"], pool.numpy())


def asked(graph: Graph, calls: list[Any], pool: np.ndarray) -> list[int]:
    """Return how many guards each call of a plan evaluates."""
    return [questions for _, questions in _made(graph, calls, pool)]


def called(graph: Graph, calls: list[Any], pool: np.ndarray) -> list[list[np.ndarray]]:
    """Return the output arrays of each call of a plan."""
    return [result for result, _ in _made(graph, calls, pool)]


def _made(graph: Graph, calls: list[Any], pool: np.ndarray) -> list[tuple[list[np.ndarray], int]]:
    """Return each call's outputs and how many guards it evaluates: 0 for Relax functions."""
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
