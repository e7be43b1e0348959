"""Pairs of models that should be the same: which tensor is the first that is not?"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hotloop.checks.resnet_tensorrt.graphs import MAKERS, Rng, made_by, seed, unpacked
from hotloop.core.wire import as_list
from hotloop.judge.questions import GivenFile, Question, shown
from hotloop.judge.session import Session

EQUAL_PAIRS = 2


def questions(rng: Rng, session: Session, agreed: int | None = None) -> Iterator[Question]:
    """One pair for each kind of fault, and some without any, in random order.

    agreed: what is answered about models that agree.
    """
    kinds = [str(kind) for kind in as_list(MAKERS.trusted(session).ask("fault_names"))]
    drawn: list[str | None] = [*kinds, *([None] * EQUAL_PAIRS)]
    for place in map(int, rng.permutation(len(drawn))):
        made = made_by(session, "pair", seed(rng), drawn[place])
        files = ("reference.onnx", "exported.onnx", "feeds.npz")
        given = (GivenFile(name, unpacked(made[name.split(".")[0]])) for name in files)
        label = "A pair of models" if drawn[place] else "A pair of models that agree"
        yield Question(label, tuple(given), _complaint_about(made["first"], agreed))


def _complaint_about(first: str | None, agreed: int | None) -> Callable[[object], str | None]:
    def complaint(answer: object) -> str | None:
        if answer == (agreed if first is None else first):
            return None
        if first is None:
            return f"it says {shown(answer)}, and should say {agreed}"
        return f"it says {shown(answer)}, and the first tensor that departs is {first!r}"

    return complaint
