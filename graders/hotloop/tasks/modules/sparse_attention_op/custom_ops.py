"""Task 11: models with custom nodes that ONNX Runtime runs once the operator is registered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial

import numpy as np

from hotloop.judge.constants import constant
from hotloop.judge.onnx.rewrites import made_by, seed, unpacked
from hotloop.judge.questions import GivenFile, shown
from hotloop.judge.session import Session
from hotloop.judge.written_files import Assignment
from hotloop.tasks.modules.sparse_attention_op.fallbacks import MODELS, NEAR

Rng = np.random.Generator
Mismatch = Callable[[bytes], str | None]


def assignments(rng: Rng, session: Session) -> Iterable[Assignment]:
    """Yield assignments to write the outputs of models whose nodes have different attributes."""
    times = constant("TIMES", 1, range(2, 61))
    for label, model, feeds, mismatch in hidden_models(rng, session, times):
        yield Assignment(label, (model, feeds), "outputs.npz", mismatch)


def hidden_models(
    rng: Rng, session: Session, times: int = 1
) -> Iterator[tuple[str, GivenFile, GivenFile, Mismatch]]:
    """Yield label, model, inputs and a check of the outputs. times: factor on right outputs."""
    for number in range(3):
        files = made_by(MODELS, session, "bare", seed(rng))
        model = GivenFile("bare.onnx", unpacked(files["model"]))
        feeds = GivenFile("feeds.npz", unpacked(files["feeds"]))
        label = f"Model {number + 1}, four nodes"
        yield label, model, feeds, partial(_mismatch, model, feeds, session, times)


def _mismatch(
    model: GivenFile, feeds: GivenFile, session: Session, times: int, data: bytes
) -> str | None:
    outputs = GivenFile("outputs.npz", data)
    error = MODELS.given(session, "outputs").ask("far", model, feeds, outputs, times)
    if isinstance(error, float) and error <= NEAR:
        return None
    return f"its output is wrong by {shown(error)}"
