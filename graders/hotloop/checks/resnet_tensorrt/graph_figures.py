"""Networks full of what makes reading a graph go wrong, and what is asked about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, cast

from hotloop.checks.resnet_tensorrt.graphs import Rng, made_by, seed, unpacked
from hotloop.core.wire import as_list, as_message
from hotloop.judge.questions import GivenFile, Question, dict_complaint, number_complaint, shown
from hotloop.judge.session import Session

NETWORKS = 3
STRUCTURE = ("fusible", "blocked", "foldable", "unused")
COSTS = ("parameter_bytes", "macs", "peak_bytes")


@dataclass(frozen=True)
class Asked:
    """activation: the operator at a chain's end. outside, consumers: what is said of a Conv that
    begins no chain since it is an output of the graph, or since it has other readers.
    """

    activation: str = "Relu"
    outside: str | int = "output"
    consumers: str | int = "consumers"


PLAIN = Asked()


def about_structure(rng: Rng, session: Session, asked: Asked = PLAIN) -> Iterator[Question]:
    """Chains, what stands in their way, constant nodes, unused initializers."""
    return _questions(rng, session, STRUCTURE, asked)


def about_costs(rng: Rng, session: Session) -> Iterator[Question]:
    """Bytes of parameters, multiplications, the most memory alive at once."""
    return _questions(rng, session, COSTS, PLAIN)


def _questions(rng: Rng, session: Session, keys: Sequence[str], asked: Asked) -> Iterator[Question]:
    how = (asked.activation, asked.outside, asked.consumers)
    for number in range(1, NETWORKS + 1):
        batch = int(rng.integers(2, 9))
        made = made_by(session, "puzzle", seed(rng), batch, *how)
        file = GivenFile("network.onnx", unpacked(made["model"]))
        yield Question(f"Network {number}", (file, batch), _complaint_about(made["figures"], keys))


def _complaint_about(
    figures: dict[str, Any], keys: Sequence[str]
) -> Callable[[object], str | None]:
    def complaint(answer: object) -> str | None:
        told = as_message(answer)
        if told is None:
            return f"It returned {shown(answer)}, not a dict"
        found = (_complaint(key, told.get(key), figures[key]) for key in keys)
        return next((said for said in found if said), None)

    return complaint


def _complaint(key: str, got: Any, want: Any) -> str | None:
    if isinstance(want, int):
        return number_complaint(key, got, want, 0.0)
    names = as_message(want)
    if names is not None:
        return dict_complaint(key, got, names)
    return _list_complaint(key, got, as_list(want))


def _list_complaint(key: str, got: Any, want: list[Any]) -> str | None:
    """Order does not count."""
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
