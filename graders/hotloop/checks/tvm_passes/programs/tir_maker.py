"""What is ours about TIR, in one process: random programs, and what a finished pass makes of them.

It sees nothing of a candidate's: what it counts is what the candidate's results are held to.
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
    """A module of ours without its decided guards, in each of the ways that are free; its plan."""
    ways = product((False, True), repeat=2)
    LOADED["graphs"] = [Graph(eliminated(module, *way)) for way in ways]
    LOADED["calls"] = json.loads(Path(plan).read_text())


def most_asked(pool: np.ndarray, out: np.ndarray) -> None:
    """For each call of the plan, the most questions that it asks in any of the ways.

    pool, out: float64, one dimension, as in graph_runs.
    """
    counts = [asked(graph, LOADED["calls"], pool) for graph in LOADED["graphs"]]
    out[:] = np.max(counts, axis=0)
