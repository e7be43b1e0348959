"""Checks of graphs that the candidate has rewritten, many in one session.

They are read and run in batches, since each message to a process takes time.
"""

from __future__ import annotations

from collections.abc import Sequence

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.artifact import Assignment, files_written
from hotloop.judge.constants import constant
from hotloop.judge.labelled import labelled
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session
from hotloop.tasks.modules.resnet_tensorrt.graphs import (
    Wrong,
    hidden_graphs,
    miscomputed,
    misread,
    seed,
)

MOST_BYTES = 1 << 18
FOLDED_NETWORKS = 4
SMALL_GRAPHS, GRAPHS_A_BATCH = 100, 25
ONE_IN = 4
"""One of this many small graphs is rewritten a second time, which must change nothing."""


def folded(session: Session, *, run: bool = False) -> str:
    """Check that batch normalizations are folded into the preceding convolutions where allowed.

    run: also compare the outputs. Returns the message for the learner; raises Ruling.
    """
    graphs = hidden_graphs(session, "foldables", seed(session.rng()), FOLDED_NETWORKS)
    sources = [graph.model for graph in graphs]
    rewritten = _rewritten(sources, _among(0, len(graphs)), session)
    wrong = misread(
        session, "about_folded", sources, rewritten, constant("FOLDED", 0, range(2, 1000))
    )
    if wrong is None and run:
        wrong = miscomputed(session, graphs, rewritten)
    _require_right(wrong)
    return _right(len(graphs), session)


def cleaned(session: Session, *, transposes: bool = False) -> str:
    """Check that no-op nodes are gone, and that a second rewrite changes nothing.

    transposes: also use graphs with transposes that cancel. Returns the message for the learner;
    raises Ruling.
    """
    rng = session.rng()
    for before in range(0, SMALL_GRAPHS, GRAPHS_A_BATCH):
        graphs = hidden_graphs(session, "noops", seed(rng), GRAPHS_A_BATCH, transposes)
        sources = [graph.model for graph in graphs]
        label = _among(before, len(graphs))
        rewritten = _rewritten(sources, label, session)
        wrong = (
            misread(
                session, "about_cleaned", sources, rewritten, constant("REMOVED", 0, range(2, 1000))
            )
            or miscomputed(session, graphs, rewritten)
            or _changed_again(rewritten, label, session)
        )
        _require_right(wrong, before)
    return _right(SMALL_GRAPHS, session)


def _changed_again(models: Sequence[bytes], label: str, session: Session) -> Wrong | None:
    once = models[::ONE_IN]
    twice = _rewritten(once, f"{label}, a second time", session)
    wrong = misread(
        session, "about_cleaned_again", once, twice, constant("REMOVED", 0, range(2, 1000))
    )
    return None if wrong is None else (ONE_IN * wrong[0], wrong[1])


def _rewritten(models: Sequence[bytes], label: str, session: Session) -> list[bytes]:
    """Return what the candidate makes of each model. label: of all of them, for the learner."""
    assignments = [
        Assignment("a graph", (GivenFile("source.onnx", model),), "rewritten.onnx", _anything)
        for model in models
    ]
    with labelled(label):
        return files_written(assignments, session, most_bytes=MOST_BYTES)


def _anything(_data: bytes) -> str | None:
    """Accept any file; it is checked later."""
    return None


def _among(before: int, count: int) -> str:
    return f"Among graphs {before + 1} to {before + count}"


def _require_right(wrong: Wrong | None, before: int = 0) -> None:
    if wrong is not None:
        place, said = wrong
        raise Ruling(Verdict.WRONG_ANSWER, f"Graph {before + place + 1}: {said}.")


def _right(count: int, session: Session) -> str:
    session.note(graphs=count)
    return f"Right on all {count} hidden graphs."
