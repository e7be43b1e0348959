"""Run all functions of a module on the judge's numbers. Compiles nothing.

A plan, written by plans.py, gives for each call the function and its arguments:
{"name", "arguments": [{"shape", "dtype", "at"} or a number, …]}; `at` is the index of the array's
first value in the pool of numbers. The calls' results are written one after another to `out`.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import bare_tvm  # noqa: F401
import numpy as np
import relax_machine
import tvm
from tir_machine import Machine, Unrunnable
from tvm import tirx

LOADED: dict[str, Any] = {}


def load(module: str, plan: str) -> int:
    """Load a module and its plan; return the number of calls."""
    LOADED["module"] = tvm.ir.load_json(Path(module).read_text())
    LOADED["calls"] = json.loads(Path(plan).read_text())
    return len(LOADED["calls"])


def run(pool: Any, out: Any) -> None:
    """Run all calls on the numbers of `pool`, float64, and write the results to `out`, float64.

    Raises Unrunnable if the number of results is not the size of `out`.
    """
    called = results(LOADED["module"], LOADED["calls"], pool.numpy())
    flat = np.concatenate([part.ravel() for parts, _ in called for part in parts])
    if flat.size != out.numel():
        raise Unrunnable(f"the functions give {flat.size} numbers and should give {out.numel()}")
    out.numpy()[:] = flat


def count(pool: Any, out: Any) -> None:
    """Run all calls likewise; write how many guards each call evaluates to `out`, float64."""
    called = results(LOADED["module"], LOADED["calls"], pool.numpy())
    out.numpy()[:] = [guards for _, guards in called]


def results(
    module: tvm.IRModule, calls: list[Any], pool: np.ndarray
) -> list[tuple[list[np.ndarray], int]]:
    """Return each call's outputs and how many guards it evaluates: 0 for Relax functions."""
    machine = Machine()
    called = []
    for call in calls:
        function = module[call["name"]]
        run = machine.run if isinstance(function, tirx.PrimFunc) else relax_machine.run
        before = machine.guards
        try:
            outputs = run(function, [argument(each, pool) for each in call["arguments"]])
        except Unrunnable as why:
            raise Unrunnable(f"{call['name']}: {why}") from None
        called.append((outputs, machine.guards - before))
    return called


def argument(planned: Any, pool: np.ndarray) -> Any:
    """Return an argument of a plan's call: a number, or an array from the pool."""
    if isinstance(planned, int):
        return planned
    values = pool[planned["at"] :][: int(np.prod(planned["shape"], dtype=np.int64))]
    return values.astype(planned["dtype"]).reshape(planned["shape"])
