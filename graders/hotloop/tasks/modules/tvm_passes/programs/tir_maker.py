"""Trusted program for TIR: makes random programs and counts the guards left by a complete pass.

It sees none of the candidate's files: its counts are the limits for the candidate's results.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import bare_tvm  # noqa: F401
import numpy as np
import tvm
from eliminating import eliminated
from graph_runs import results
from programs_tir import make

__all__ = ["load", "make", "most_guards"]

LOADED: dict[str, Any] = {}


def load(module: str, plan: str) -> None:
    """Load our module without decided guards, in each of the allowed variants, and its plan."""
    original = tvm.ir.load_json(Path(module).read_text())
    variants = product((False, True), repeat=3)
    LOADED["modules"] = [eliminated(original, *variant) for variant in variants]
    LOADED["calls"] = json.loads(Path(plan).read_text())


def most_guards(pool: np.ndarray, out: np.ndarray) -> None:
    """Write, for each call of the plan, the most guards that it evaluates in any of the variants.

    pool, out: float64, one dimension, as in graph_runs.
    """
    called = [results(module, LOADED["calls"], pool) for module in LOADED["modules"]]
    out[:] = np.max([[guards for _, guards in calls] for calls in called], axis=0)
