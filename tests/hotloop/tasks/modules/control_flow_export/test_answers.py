"""Plain answers: malformed ones reach no trusted program, and errors are named."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hotloop.core import paths
from hotloop.core.verdict import Ruling
from hotloop.judge.constants import constants
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.program import Program
from hotloop.judge.session import Session
from hotloop.tasks.modules.control_flow_export import (
    diagnoses,
    packages,
    successors,
    trace_counterexample,
)

ROW = [3, 4, 5]
RNG = np.random.default_rng(0)
KNOWN: dict[str, dict[str, Any]] = json.loads(
    (paths.curriculum() / "control_flow_export/recordings/failures.json").read_text(
        encoding="utf-8"
    )
)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (None, "an input is asked for"),
        ({"tokens": [ROW], "kind": 3}, "one of 0, 1 and 2"),
        ({"tokens": [ROW], "kind": True}, "one of 0, 1 and 2"),
        ({"tokens": [], "kind": 0}, "lists of the same length"),
        ({"tokens": [ROW, ROW[:2]], "kind": 0}, "lists of the same length"),
        ({"tokens": [[1] * 129], "kind": 0}, "lists of the same length"),
        ({"tokens": [[1, 512]], "kind": 0}, "a token is an int"),
        ({"tokens": [[1, 1.0]], "kind": 0}, "a token is an int"),
        ({"tokens": [[0, 1]], "kind": 0}, "no padding"),
        ({"tokens": [ROW] * 17, "kind": 0}, "lists of the same length"),
    ],
)
def test_misformed_inputs_are_refused(given: Any, sentence: str) -> None:
    assert sentence in str(trace_counterexample.misformed(given))


def test_a_plain_input_is_accepted() -> None:
    assert trace_counterexample.misformed({"tokens": [ROW, ROW], "kind": 2}) is None


@pytest.mark.slow
@pytest.mark.parametrize(("given", "fault"), [("theirs", Ruling), ("example", JudgeFault)])
def test_an_input_on_which_our_program_fails_is_not_our_failure(
    given: str,
    fault: type[Exception],
    tmp_path: Path,
    session_over: Callable[..., Session],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raises = f"""
def seen_by_trace(weights, example, given):
    if ({json.dumps(ROW)!r} in given) == ({given!r} == "theirs"):
        raise ValueError
    return {{"ways": [0, False, False], "apart": 1.0, "near": 1.0}}
"""
    (tmp_path / "program.py").write_text(raises)
    program = Program({"program.py": tmp_path / "program.py"}, "program.py")
    monkeypatch.setattr(trace_counterexample, "TRUTH", program)
    session = session_over(tmp_path, isolation="none")
    with pytest.raises(fault):
        trace_counterexample.changed(
            "kind", {"tokens": [ROW], "kind": 1}, 7, "the example", session
        )


def test_every_successor_is_one_of_the_choices() -> None:
    right = {construct: min(choices) for construct, choices in successors.SUCCESSORS.items()}
    assert set(right.values()) <= set(successors.CHOICES)
    assert successors.mismatch(right) is None
    assert "none of the choices" in str(successors.mismatch({**right, "torch.jit.save": "pickle"}))
    wrong = {**right, "torch.jit.script": "torch.compile"}
    assert "another successor" in str(successors.mismatch(wrong))
    assert "not a dict" in str(successors.mismatch([]))
    same = dict.fromkeys(right, "AOTInductor")
    assert all("every construct" in str(q.mismatch(same)) for q in successors.questions(RNG))


@pytest.mark.slow
def test_each_part_of_a_diagnosis_counts() -> None:
    right = {name: dict(KNOWN[name]) for name in diagnoses.DIAGNOSIS.names}
    assert diagnoses.DIAGNOSIS.mismatch(right) is None
    for key, other in (("cause", "branch_on_data"), ("line", 1), ("name", "x")):
        wrong = {**right, "c": {**right["c"], key: other}}
        assert str(diagnoses.DIAGNOSIS.mismatch(wrong)).startswith("failure c")
    assert {each["cause"] for each in right.values()} < set(diagnoses.CAUSES)


def requests() -> list[packages.Request]:
    truth = np.arange(8.0)[None]
    return [packages.Request([1, 2], 0, "causal, short", truth) for _ in range(2)]


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (None, "for 2 messages"),
        ([list(range(8))], "for 2 messages"),
        ([list(range(8)), [1] * 7], "its answer 2"),
        ([list(range(8)), [True] * 8], "its answer 2"),
        ([list(range(8)), [0.0] * 8], "message 2 of 2 (causal, short)"),
        ([list(range(8)), [float("inf")] * 8], "message 2 of 2"),
    ],
)
def test_a_service_that_answers_otherwise_is_told_of_which_message(
    answer: Any, sentence: str
) -> None:
    assert sentence in str(packages.answers_mismatch(answer, requests()))


def test_a_service_that_answers_well_is_not_told_anything() -> None:
    assert packages.answers_mismatch([list(range(8))] * 2, requests()) is None


@pytest.mark.slow
def test_a_variant_counts_lines_and_begins_messages_otherwise() -> None:
    right = {name: dict(KNOWN[name]) for name in diagnoses.DIAGNOSIS.names}
    own = {name: {**each, "line": each["line"] + 6} for name, each in right.items()}
    with constants({"LOG_LINE": 7, "FIRST_TOKEN": 4}):
        assert diagnoses.DIAGNOSIS.mismatch(own) is None
        wrong = str(diagnoses.DIAGNOSIS.mismatch(right))
        assert wrong.startswith("failure a: the cause is right, but line 34")
        assert trace_counterexample.misformed({"tokens": [[4, 5], [4, 6]], "kind": 0}) is None
        sentence = trace_counterexample.misformed({"tokens": [[4, 5], [3, 6]], "kind": 0})
        assert sentence == "each message begins with token 4"
