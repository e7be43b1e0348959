"""The clocks of links, and the checks that read what came of all-reduces."""

import runpy
from typing import Any

import pytest

from hotloop.core import paths
from hotloop.tasks.modules.portable_trainer import reductions
from hotloop.tasks.modules.portable_trainer.reductions import Vectors

LINKS: Any = runpy.run_path(str(paths.exercises() / "portable_trainer" / "links.py"))


def after(*moves: tuple[str, int, int, int]) -> tuple[int, int]:
    """Steps and bytes after messages: ("send" or "receive", from, to, bytes)."""
    costs = LINKS["Costs"](4)
    for what, source, target, size in moves:
        if what == "send":
            costs.send(source, target, bytes(size))
        else:
            assert costs.receive(source, target) == bytes(size)
    return costs.steps, costs.bytes


def test_a_rank_sends_one_message_at_a_time() -> None:
    assert after(("send", 0, 1, 10), ("send", 0, 2, 5)) == (2, 15)


def test_ranks_send_at_the_same_time() -> None:
    assert after(("send", 0, 1, 10), ("send", 1, 0, 5)) == (1, 10)


def test_a_rank_receives_one_message_at_a_time() -> None:
    sent = (("send", 1, 0, 10), ("send", 2, 0, 10))
    assert after(*sent, ("receive", 1, 0, 10), ("receive", 2, 0, 10)) == (2, 20)


def test_what_follows_a_message_comes_later() -> None:
    chain = ("send", 0, 1, 10), ("receive", 0, 1, 10), ("send", 1, 2, 10), ("receive", 1, 2, 10)
    assert after(*chain) == (2, 20)


def test_nothing_comes_before_it_was_sent() -> None:
    assert LINKS["Costs"](2).receive(0, 1) is None


def test_bounds() -> None:
    case = Vectors("eight ranks", 8, 1000)
    assert case.fewest_bytes == 2 * 7 / 8 * 4000
    assert [Vectors("", ranks, 1).tree_steps for ranks in (2, 3, 4, 5, 8, 9)] == [2, 4, 4, 6, 6, 8]


RIGHT = {"error": 1e-6, "equal": True, "untouched": [], "steps": 2, "bytes": 8, "pairs": []}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, None),
        ({"error": None}, "another shape"),
        ({"error": float("nan")}, "off by nan"),
        ({"error": 0.2}, "off by 0.2"),
        ({"equal": False}, "last bits"),
        ({"untouched": [1]}, "altered on their way"),
    ],
)
def test_what_is_wrong_is_said(change: dict[str, Any], words: str | None) -> None:
    found = reductions._mismatch({**RIGHT, **change})
    assert (found is None) if words is None else (found is not None and words in found)
