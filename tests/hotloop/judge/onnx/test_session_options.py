"""Options are plain data of a few kinds; threads are as many as were given, and do not spin."""

from typing import Any

import numpy as np
import pytest

from hotloop.judge.onnx import session_options

GOOD: dict[str, Any] = {
    "graph_optimization_level": "all",
    "execution_mode": "sequential",
    "intra_op_num_threads": 2,
    "inter_op_num_threads": 1,
    "intra_op_spinning": False,
}


def test_good_options_are_accepted() -> None:
    assert session_options.mismatch(GOOD, 2) is None
    assert session_options.mismatch({"intra_op_num_threads": 1}, 1) is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"intra_op_num_threads": 1}, "2 threads are given"),
        ({"intra_op_num_threads": 0}, "1 to 64"),
        ({"intra_op_num_threads": True}, "1 to 64"),
        ({"inter_op_num_threads": 10**9}, "1 to 64"),
        ({"intra_op_spinning": True}, "spinning"),
        ({"intra_op_spinning": None}, "one of True, False"),
        ({"graph_optimization_level": "most"}, "is asked for"),
        ({"graph_optimization_level": ["all"]}, "is asked for"),
        ({"execution_mode": 0}, "is asked for"),
        ({"register_custom_ops_library": "x.so"}, "none of the options"),
        ({"optimized_model_filepath": "/tmp/x"}, "none of the options"),
    ],
)
def test_others_are_not(change: dict[str, Any], said: str) -> None:
    mismatch = session_options.mismatch({**GOOD, **change}, 2)
    assert mismatch is not None
    assert said in mismatch


@pytest.mark.parametrize("key", ["intra_op_num_threads", "intra_op_spinning"])
def test_what_matters_must_be_said(key: str) -> None:
    options = {name: value for name, value in GOOD.items() if name != key}
    assert session_options.mismatch(options, 2) is not None


@pytest.mark.parametrize("junk", [None, 3, "all", [], [GOOD]])
def test_junk_gets_a_sentence(junk: Any) -> None:
    assert session_options.mismatch(junk, 1)


def test_each_question_asks_for_its_own_threads() -> None:
    for question in session_options.questions(np.random.default_rng(0)):
        (threads,) = question.arguments
        assert question.mismatch({**GOOD, "intra_op_num_threads": threads}) is None
        assert question.mismatch({**GOOD, "intra_op_num_threads": 40}) is not None


def test_three_numbers_of_threads_are_asked_for() -> None:
    asked = [q.arguments[0] for q in session_options.questions(np.random.default_rng(1))]
    assert asked[:2] == [1, 2]
    assert len(set(asked)) == 3
