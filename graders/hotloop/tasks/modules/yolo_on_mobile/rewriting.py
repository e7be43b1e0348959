"""Graphs in which the candidate replaced operators that a delegate does not support."""

from __future__ import annotations

from collections.abc import Iterator

from hotloop.judge.checks.assertions import Assertion
from hotloop.judge.constants import constant
from hotloop.judge.onnx.programs import onnx_program
from hotloop.judge.onnx.rewrites import hidden_graphs, miscomputed, misread, rewritten, seed
from hotloop.judge.session import Session
from hotloop.tasks.modules.yolo_on_mobile.given_files import PROGRAMS

PROGRAM = onnx_program("rewriting.py", {"rewriting.py": PROGRAMS / "rewriting.py"})
GRAPHS = 12


def looks(session: Session, *, kind: str) -> Iterator[Assertion]:
    """Inspect all graphs of a kind, to make, read and run them in one message each."""
    yield Assertion("Your graphs", lambda: _mismatch(session, kind))


def _mismatch(session: Session, kind: str) -> str | None:
    graphs = hidden_graphs(PROGRAM, session, "make", seed(session.rng()), GRAPHS, kind)
    sources = [graph.model for graph in graphs]
    results = rewritten(sources, session)
    version = constant("REPLACED_VERSION", 0, range(2, 1000))
    wrong = misread(PROGRAM, session, "structure", sources, results, version) or miscomputed(
        session, graphs, results
    )
    return None if wrong is None else f"graph {wrong[0] + 1} of {GRAPHS}: {wrong[1]}"
