"""Options are plain data of a few kinds; threads are as many as were given, and do not spin."""

from typing import Any

import numpy as np
import pytest

from hotloop.tasks.modules.yolo_on_mobile import session_options

GOOD: dict[str, Any] = {
    "graph_optimization_level": "all",
    "intra_op_num_threads": 2,
    "intra_op_spinning": False,
}


def test_good_options_are_accepted() -> None:
    assert session_options.mismatch(GOOD, 2) is None
    assert session_options.mismatch({"intra_op_num_threads": 1}, 1) is None
    assert session_options.mismatch({**GOOD, "intra_op_num_threads": 1}, 1) is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"intra_op_num_threads": 1}, "2 threads are given"),
        ({"intra_op_num_threads": 0}, "not a number of threads"),
        ({"intra_op_num_threads": True}, "not a number of threads"),
        ({"intra_op_spinning": True}, "spinning"),
        ({"intra_op_spinning": None}, "not True or False"),
        ({"graph_optimization_level": "most"}, "is asked for"),
        ({"graph_optimization_level": ["all"]}, "is asked for"),
        ({"register_custom_ops_library": "x.so"}, "none of the options"),
    ],
)
def test_other_options_are_refused(change: dict[str, Any], said: str) -> None:
    found = session_options.mismatch({**GOOD, **change}, 2)
    assert found is not None
    assert said in found


def test_what_is_no_dict_is_refused() -> None:
    assert session_options.mismatch([1], 1) is not None


def test_three_numbers_of_threads_are_asked_for() -> None:
    asked = [q.arguments[0] for q in session_options.questions(np.random.default_rng(1))]
    assert asked[:2] == [1, 2]
    assert len(set(asked)) == 3
