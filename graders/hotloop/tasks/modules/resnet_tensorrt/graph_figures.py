"""Questions about networks that contain everything that is easily misread in a graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, cast

from hotloop.core.wire import as_list, as_message
from hotloop.judge.constants import constant
from hotloop.judge.onnx.rewrites import Rng, made_by, seed, unpacked
from hotloop.judge.questions import GivenFile, Question, dict_mismatch, number_mismatch, shown
from hotloop.judge.session import Session
from hotloop.tasks.modules.resnet_tensorrt.given_files import MAKERS

NETWORKS = 3
STRUCTURE = ("fusible", "blocked", "foldable", "unused")
COSTS = ("parameter_bytes", "macs", "peak_bytes")


def questions(rng: Rng, session: Session, *, keys: Sequence[str]) -> Iterator[Question]:
    """Yield questions to `read_graph`, which compare only the figures in `keys`."""
    for number in range(1, NETWORKS + 1):
        batch = int(rng.integers(2, 9))
        puzzle = made_by(
            MAKERS,
            session,
            "puzzle",
            seed(rng),
            batch,
            constant("ACTIVATION", "Relu", ("Relu", "Sigmoid", "Tanh")),
            constant("OUTSIDE", 0, range(1, 50)) or "output",
            constant("CONSUMERS", 0, range(50, 100)) or "consumers",
        )
        file = GivenFile("network.onnx", unpacked(puzzle["model"]))
        mismatch = partial(_mismatch, puzzle["figures"], keys)
        yield Question(f"Network {number}", (file, batch), mismatch)


def _mismatch(figures: dict[str, Any], keys: Sequence[str], answer: object) -> str | None:
    reported = as_message(answer)
    if reported is None:
        return f"It returned {shown(answer)}, not a dict"
    mismatches = (_figure_mismatch(key, reported.get(key), figures[key]) for key in keys)
    return next((mismatch for mismatch in mismatches if mismatch), None)


def _figure_mismatch(key: str, got: Any, want: Any) -> str | None:
    if isinstance(want, int):
        return number_mismatch(key, got, want, 0.0)
    names = as_message(want)
    if names is not None:
        return dict_mismatch(key, got, names)
    return _list_mismatch(key, got, as_list(want))


def _list_mismatch(key: str, got: Any, want: list[Any]) -> str | None:
    """Compare lists regardless of order; return a message fragment, or None."""
    if not isinstance(got, list):
        return f"{key} is {shown(got)}, not a list"
    entries = as_list(cast(object, got))
    for entry in want:
        if entry not in entries:
            return f"{key} lacks {shown(entry)}"
    for entry in entries:
        if entry not in want:
            return f"{key} has {shown(entry)}, which does not belong there"
    if len(entries) != len(want):
        return f"{key} has an entry more than once"
    return None
