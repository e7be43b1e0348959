"""Checks of graphs that the candidate has rewritten, many in one session."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.case_label import labeled
from hotloop.judge.constants import constant
from hotloop.judge.onnx.rewrites import (
    HiddenGraph,
    Wrong,
    hidden_graphs,
    miscomputed,
    misread,
    rewritten,
    seed,
)
from hotloop.judge.session import Session
from hotloop.tasks.modules.resnet_tensorrt.given_files import MAKERS, READER

FOLDED_NETWORKS = 4
SMALL_GRAPHS, GRAPHS_A_BATCH = 100, 25
ONE_IN = 4
"""One of this many small graphs is rewritten a second time, which must change nothing."""


def folded(session: Session, *, run: bool = False) -> str:
    """Check that batch normalizations are folded into the preceding convolutions where allowed.

    run: also compare the outputs. Returns the message for the learner; raises Ruling.
    """
    graphs = hidden_graphs(MAKERS, session, "foldables", seed(session.rng()), FOLDED_NETWORKS)
    sources = [graph.model for graph in graphs]
    version = constant("FOLDED", 0, range(2, 1000))
    with labeled(f"Among graphs 1 to {len(graphs)}"):
        models = rewritten(sources, session)
    _require_right(misread(READER, session, "about_folded", sources, models, version))
    if run:
        _require_right(miscomputed(session, graphs, models))
    return _right(len(graphs), session)


def cleaned(session: Session, *, transposes: bool = False) -> str:
    """Check that no-op nodes are gone, and that a second rewrite changes nothing.

    transposes: also use graphs with transposes that cancel. Returns the message for the learner;
    raises Ruling.
    """
    rng = session.rng()
    for before in range(0, SMALL_GRAPHS, GRAPHS_A_BATCH):
        graphs = hidden_graphs(MAKERS, session, "noops", seed(rng), GRAPHS_A_BATCH, transposes)
        for wrong in _uncleaned(graphs, f"{before + 1} to {before + len(graphs)}", session):
            _require_right(wrong, before)
    return _right(SMALL_GRAPHS, session)


def _uncleaned(
    graphs: Sequence[HiddenGraph], numbers: str, session: Session
) -> Iterator[Wrong | None]:
    """Yield what is wrong with the structure, the outputs, and a second rewrite of the graphs."""
    sources = [graph.model for graph in graphs]
    version = constant("REMOVED", 0, range(2, 1000))
    with labeled(f"Among graphs {numbers}"):
        once = rewritten(sources, session)
    yield misread(READER, session, "about_cleaned", sources, once, version)
    yield miscomputed(session, graphs, once)
    some = once[::ONE_IN]
    with labeled(f"Among graphs {numbers}, a second time"):
        twice = rewritten(some, session)
    wrong = misread(READER, session, "about_cleaned_again", some, twice, version)
    yield None if wrong is None else (ONE_IN * wrong[0], wrong[1])


def _require_right(wrong: Wrong | None, before: int = 0) -> None:
    if wrong is not None:
        raise Ruling(Verdict.WRONG_ANSWER, f"Graph {before + wrong[0] + 1}: {wrong[1]}.")


def _right(count: int, session: Session) -> str:
    session.note(graphs=count)
    return f"Right on all {count} hidden graphs."
