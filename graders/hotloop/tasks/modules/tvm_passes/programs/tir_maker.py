"""Trusted program for TIR: makes random programs and counts the guards left by a complete pass.

It sees none of the candidate's files: its counts are the limits for the candidate's results.
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from eliminating import eliminated
from graph_runs import asked
from graph_values import Graph
from programs_tir import make

__all__ = ["load", "make", "most_asked"]

LOADED: dict[str, Any] = {}


def load(module: str, plan: str) -> None:
    """Load our module without decided guards, in each of the allowed variants, and its plan."""
    ways = product((False, True), repeat=3)
    LOADED["graphs"] = [Graph(eliminated(module, *way)) for way in ways]
    LOADED["calls"] = json.loads(Path(plan).read_text())


def most_asked(pool: np.ndarray, out: np.ndarray) -> None:
    """Write, for each call of the plan, the most guards that it evaluates in any of the variants.

    pool, out: float64, one dimension, as in graph_runs.
    """
    counts = [asked(graph, LOADED["calls"], pool) for graph in LOADED["graphs"]]
    out[:] = np.max(counts, axis=0)
