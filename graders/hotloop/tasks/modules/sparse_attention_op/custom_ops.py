"""Task 11: models with custom nodes that ONNX Runtime runs once the operator is registered."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from hotloop.judge.constants import constant
from hotloop.judge.onnx.rewrites import made_by, seed, unpacked
from hotloop.judge.questions import GivenFile, shown
from hotloop.judge.session import Session
from hotloop.judge.written_files import Assignment
from hotloop.tasks.modules.sparse_attention_op.fallbacks import MODELS, NEAR

Rng = np.random.Generator
Right = Callable[[bytes], str | None]


def assignments(rng: Rng, session: Session) -> Iterable[Assignment]:
    """Yield assignments to write the outputs of models whose nodes have different attributes."""
    for label, model, feeds, right in hidden_models(
        rng, session, constant("TIMES", 1, range(2, 61))
    ):
        yield Assignment(label, (model, feeds), "outputs.npz", right)


def hidden_models(
    rng: Rng, session: Session, times: int = 1
) -> Iterator[tuple[str, GivenFile, GivenFile, Right]]:
    """Yield label, model, inputs and a check of the outputs. times: factor on right outputs."""
    for number in range(3):
        made = made_by(MODELS, session, "bare", seed(rng))
        model = GivenFile("bare.onnx", unpacked(made["model"]))
        feeds = GivenFile("feeds.npz", unpacked(made["feeds"]))
        label = f"Model {number + 1}, four nodes"
        yield label, model, feeds, _right(model, feeds, session, times)


def _right(model: GivenFile, feeds: GivenFile, session: Session, times: int) -> Right:
    def mismatch(data: bytes) -> str | None:
        answer = GivenFile("outputs.npz", data)
        apart = MODELS.given(session, "outputs").ask("far", model, feeds, answer, times)
        if isinstance(apart, float) and apart <= NEAR:
            return None
        return f"its output is wrong by {shown(apart)}"

    return mismatch
