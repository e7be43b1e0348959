"""Rung: graphs that the candidate has rewritten, many in one judging.

They are read and run many at a time, as each message to a process has its price.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from hotloop.checks.resnet_tensorrt.graphs import (
    HiddenGraph,
    Rng,
    Wrong,
    hidden_graphs,
    miscomputed,
    misread,
    seed,
)
from hotloop.judge.artifact import Assignment, made_together
from hotloop.judge.labelled import labelled
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session
from hotloop.judge.verdict import Ruling, Verdict

FILE = "rewrites.py"
MOST_BYTES = 1 << 18
FOLDED_NETWORKS = 4
SMALL_GRAPHS, GRAPHS_A_BATCH = 100, 25

Graphs = Sequence[HiddenGraph]


@dataclass(frozen=True)
class Rewrites:
    """Every graph must be rewritten as asked; some of them twice, which changes nothing more.

    batches: of hidden graphs. about: the reader's function. runs: they are run as well.
    again: the reader's function about a second rewrite, and of how many graphs one has it.
    versions: as in `misread`.
    """

    batches: Callable[[Rng, Session], Iterable[Graphs]]
    about: str
    runs: bool = True
    again: tuple[str, int] | None = None
    versions: int = 0
    after: tuple[str, ...] = ()

    def __call__(self, session: Session) -> str:
        """Batch by batch; the first wrong graph rules."""
        count = 0
        for batch in self.batches(session.rng(), session):
            wrong = self._wrong(batch, session, count)
            if wrong is not None:
                place, said = wrong
                raise Ruling(Verdict.WRONG_ANSWER, f"Graph {count + place + 1}: {said}.")
            count += len(batch)
        said = f"Right on all {count} hidden graphs."
        session.note(graphs=count)
        return said

    def _wrong(self, batch: Graphs, session: Session, before: int) -> Wrong | None:
        sources = [graph.model for graph in batch]
        label = f"Among graphs {before + 1} to {before + len(batch)}"
        rewritten = _rewritten(sources, label, session)
        wrong = misread(session, self.about, sources, rewritten, self.versions)
        if wrong is None and self.runs:
            wrong = miscomputed(session, batch, rewritten)
        if wrong is None and self.again is not None:
            wrong = self._wrong_again(rewritten, session, label)
        return wrong

    def _wrong_again(self, models: Sequence[bytes], session: Session, label: str) -> Wrong | None:
        assert self.again is not None
        about, one_in = self.again
        chosen = range(0, len(models), one_in)
        once = [models[place] for place in chosen]
        twice = _rewritten(once, f"{label}, a second time", session)
        wrong = misread(session, about, once, twice, self.versions)
        return None if wrong is None else (chosen[wrong[0]], wrong[1])


def networks(rng: Rng, session: Session) -> Iterable[Graphs]:
    """With normalizations that may be folded, and some that may not."""
    yield hidden_graphs(session, "foldables", seed(rng), FOLDED_NETWORKS)


def _small_graphs(rng: Rng, session: Session, *, transposes: bool) -> Iterable[Graphs]:
    for _ in range(0, SMALL_GRAPHS, GRAPHS_A_BATCH):
        yield hidden_graphs(session, "noops", seed(rng), GRAPHS_A_BATCH, transposes)


def _rewritten(models: Sequence[bytes], label: str, session: Session) -> list[bytes]:
    """What the candidate makes of each. label: of all of them, for the learner."""
    assignments = [
        Assignment("a graph", (GivenFile("source.onnx", model),), "rewritten.onnx", _anything)
        for model in models
    ]
    with labelled(label):
        return made_together(assignments, session, most_bytes=MOST_BYTES)


def _anything(_data: bytes) -> str | None:
    """What was made is looked at afterwards."""
    return None


FOLDED = Rewrites(networks, "about_folded", runs=False)
FOLDED_AND_RUN = Rewrites(networks, "about_folded", after=("structure",))
IDENTITIES = Rewrites(
    partial(_small_graphs, transposes=False), "about_cleaned", again=("about_cleaned_again", 4)
)
TRANSPOSES = Rewrites(
    partial(_small_graphs, transposes=True), "about_cleaned", again=("about_cleaned_again", 4)
)
