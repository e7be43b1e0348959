"""Shares of the work, from what a submission's process says of a call."""

from typing import Any

import pytest

from hotloop.author.external.own_work.ran import Ran
from hotloop.core.verdict import Ruling, Verdict


def reply(operations: list[Any], kernels: list[Any], **more: Any) -> dict[str, Any]:
    told = {"operations": operations, "kernels": kernels, "reaches": True, **more}
    return {"watched": [told]}


def test_products_are_compared_with_those_of_the_problem() -> None:
    ran = Ran.of(reply([["mm", 7, 2, 300, 50], ["add", 9, 1, 0, 80]], [["own", 1, 100, 40]]))
    share, most, what = ran.share(1000.0)
    assert (share, most and (most.name, most.line), what) == (0.3, ("mm", 7), "multiplications")
    assert ran.share(10.0)[0] == 0.75


def test_a_kernel_that_only_sums_is_not_overshadowed_by_a_small_product() -> None:
    ran = Ran.of(reply([["mm", 7, 1, 8, 50]], [["own", 1, 0, 4000]]))
    assert ran.share(1000.0)[0] == 0.008


def test_without_products_bytes_are_compared() -> None:
    ran = Ran.of(reply([["_softmax", 3, 1, 0, 900]], [["own", 1, 0, 100]]))
    share, most, what = ran.share(0.0)
    assert (share, most and most.line, what) == (0.9, 3, "bytes")
    assert Ran.of(reply([], [])).share(0.0) == (0.0, None, "bytes")


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"watched": []},
        {"watched": [7]},
        reply([["mm", 7]], []),
        reply([["mm", "here", 1, 2, 3]], []),
        reply([7], []),
        reply([], [["own", 1, 2]]),
    ],
)
def test_a_malformed_reply_is_tampered(wrong: dict[str, Any]) -> None:
    with pytest.raises(Ruling) as caught:
        Ran.of(wrong)
    assert caught.value.verdict is Verdict.TAMPERED


def test_numbers_out_of_range_are_cut() -> None:
    ran = Ran.of(reply([["mm", 7, 1, -5, 1 << 80]], [], reaches="yes"))
    assert (ran.operations[0].flops, ran.operations[0].bytes) == (0, 1 << 62)
    assert not ran.reaches
