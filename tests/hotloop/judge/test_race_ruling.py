"""What the judge says about programs that race or wait for ever."""

from typing import Any

import pytest

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.race_ruling import claimed, hang, race

FIRST = {"program": [0, 0, 0], "line": 12, "writes": True, "atomic": False}
SECOND = {"program": [1, 0, 0], "line": 14, "writes": False, "atomic": False}


def test_a_race_names_both_programs_both_lines_and_the_element() -> None:
    found = race("k.py, line 14", "add", "out_ptr[3]", [FIRST, SECOND])
    assert found.verdict is Verdict.WRONG_ANSWER
    assert found.sentence == (
        "k.py, line 14: programs 0 and 1 of `add` both use `out_ptr[3]`: line 12 writes it, "
        "line 14 reads it, and nothing orders them. On a GPU they run at the same time: use "
        "tl.atomic_add, or give each program its own place."
    )


def test_programs_of_a_grid_are_told_with_the_dimensions_that_they_need() -> None:
    found = race("k.py, line 14", "add", "x[0]", [FIRST, {**SECOND, "program": [0, 2, 0]}])
    assert "programs (0, 0) and (0, 2) of" in found.sentence


def test_half_an_atomic_is_told_to_be_made_whole() -> None:
    found = race("k.py, line 14", "add", "x[0]", [{**FIRST, "atomic": True}, SECOND])
    assert "line 12 changes it atomically" in found.sentence
    assert "make both atomic" in found.sentence


def test_lanes_and_waits_have_sentences_of_their_own() -> None:
    assert "one tl.store" in race("k.py, line 12", "add", "x[0]", [FIRST]).sentence
    waits = hang("k.py, line 12", "add", "x[0]", [3, 0, 0])
    assert waits.sentence.startswith(
        "k.py, line 12: program 3 of `add` waits for a value of `x[0]` that no program writes"
    )


def test_a_hang_is_one_verdict_and_one_sentence_whoever_reports_it() -> None:
    """The candidate's process (`claimed`) and the replay (`hang`)."""
    report = {"kind": "hang", "kernel": "add", "tensor": "x", "index": 0, "program": [3, 0, 0]}
    told = claimed({**report, "file": "/tmp/k.py", "line": 12})
    replayed = hang("k.py, line 12", "add", "x[0]", [3, 0, 0])
    assert (told.verdict, told.sentence) == (replayed.verdict, replayed.sentence)


@pytest.mark.parametrize(
    "report",
    [
        None,
        {},
        {"kernel": "k", "tensor": "x", "index": "0", "accesses": [FIRST]},
        {"kernel": "k", "tensor": "x", "index": 0, "accesses": []},
        {"kind": "hang", "kernel": "k", "tensor": "x", "index": 0, "program": ["a"]},
        {"kernel": "k", "tensor": "x", "index": 0, "accesses": [FIRST, 3]},
        {"kernel": "k", "tensor": "x", "index": 0, "accesses": [FIRST, SECOND, FIRST]},
        {"kernel": "k", "tensor": "x", "index": 0, "accesses": [{**FIRST, "program": ["a"]}]},
    ],
)
def test_a_malformed_report_is_tampered(report: Any) -> None:
    with pytest.raises(Ruling) as found:
        raise claimed(report)
    assert found.value.verdict is Verdict.TAMPERED
