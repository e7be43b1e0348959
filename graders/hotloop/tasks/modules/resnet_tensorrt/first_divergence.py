"""Questions about pairs of models that should agree: which tensor is the first that differs?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from hotloop.core.wire import as_list
from hotloop.judge.constants import constant
from hotloop.judge.onnx.rewrites import Rng, made_by, seed, unpacked
from hotloop.judge.questions import GivenFile, Question, shown
from hotloop.judge.session import Session
from hotloop.tasks.modules.resnet_tensorrt.given_files import MAKERS

EQUAL_PAIRS = 2


def questions(rng: Rng, session: Session) -> Iterator[Question]:
    """Yield one pair for each kind of fault and EQUAL_PAIRS pairs without one, in random order."""
    kinds = [str(kind) for kind in as_list(MAKERS.trusted(session).ask("fault_names"))]
    faults: list[str | None] = [*kinds, *([None] * EQUAL_PAIRS)]
    for place in map(int, rng.permutation(len(faults))):
        pair = made_by(MAKERS, session, "pair", seed(rng), faults[place])
        files = ("reference.onnx", "exported.onnx", "feeds.npz")
        arguments = (GivenFile(name, unpacked(pair[name.split(".")[0]])) for name in files)
        label = "A pair of models" if faults[place] else "A pair of models that agree"
        yield Question(label, tuple(arguments), partial(_mismatch, pair["first"]))


def _mismatch(first: str | None, answer: object) -> str | None:
    agreed = constant("AGREED", 0, range(2, 1000)) or None
    if answer == (agreed if first is None else first):
        return None
    if first is None:
        return f"it says {shown(answer)}, and should say {agreed}"
    return f"it says {shown(answer)}, and the first tensor that departs is {first!r}"
