"""Whatever a worker claims about its launches becomes a plan or a ruling, never an exception."""

import contextlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotloop.core.verdict import Ruling
from hotloop.judge.launch_plan import Launch, Pointer, Scalar, Scratch, TypeName, read

leaves = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
anything = st.recursive(
    leaves, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=10
)
argument = st.dictionaries(
    st.sampled_from(
        ["value", "float", "type", "tensor", "index", "offset", "dtype", "unsupported"]
    ),
    anything | st.sampled_from(["argument", "scratch", "fp32", "inf", 0, 1]),
)
launch = st.fixed_dictionaries(
    {
        "kernel": st.just("k") | anything,
        "grid": st.lists(st.integers(0, 4), max_size=4) | anything,
        "arguments": st.dictionaries(st.just("x") | st.text(), argument | anything) | anything,
        "num_warps": st.just(4) | anything,
        "num_stages": st.just(3) | anything,
    }
)
scratch = st.fixed_dictionaries(
    {"bytes": st.integers(-1, 1 << 50) | anything, "fill": st.none() | st.text("0f", max_size=20)}
)
plan = st.fixed_dictionaries(
    {"launches": st.lists(launch) | anything, "scratch": st.lists(scratch) | anything}
)


@pytest.mark.slow
@given(plan | anything)
def test_any_claim_is_read_or_ruled_on(claim: Any) -> None:
    with contextlib.suppress(Ruling):
        read(claim, 2)


def test_a_claim_is_read_and_told_on_unchanged() -> None:
    arguments = {
        "x": {"tensor": "argument", "index": 1, "offset": 8, "dtype": "bf16"},
        "y": {"tensor": "scratch", "index": 0, "offset": 0, "dtype": "fp32"},
        "n": {"value": 3},
        "shift": {"float": "-inf"},
        "kind": {"type": "fp16"},
        "nothing": {"value": None},
        "how": {"value": "leaky_relu"},
    }
    told = {"kernel": "k", "grid": [2, 3], "arguments": arguments}
    claim = {
        "launches": [{**told, "num_warps": 8, "num_stages": 1}],
        "scratch": [{"bytes": 64, "fill": "0000803f"}],
    }
    found = read(claim, 2)
    assert found.launches == [
        Launch(
            "k",
            (2, 3, 1),
            {
                "x": Pointer("argument", 1, 8, "bf16"),
                "y": Pointer("scratch", 0, 0, "fp32"),
                "n": Scalar(3),
                "shift": Scalar(float("-inf")),
                "kind": TypeName("fp16"),
                "nothing": Scalar(None),
                "how": Scalar("leaky_relu"),
            },
            8,
            1,
        )
    ]
    assert found.scratch == [Scratch(64, "0000803f")]
    message = found.to_message()
    assert message["launches"] == [{**told, "grid": [2, 3, 1]}]
    assert message["scratch"] == claim["scratch"]
    again = {"launches": [{**message["launches"][0], "num_warps": 8, "num_stages": 1}]}
    assert read({**again, "scratch": message["scratch"]}, 2) == found
