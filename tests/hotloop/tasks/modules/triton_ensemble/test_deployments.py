"""A diagnosis counts only with its step and its evidence; an invalid one gets a message."""

import json
import math
from typing import Any

import numpy as np
import pytest

from hotloop.core import paths
from hotloop.tasks.modules.triton_ensemble.deployments import CAUSES, DIAGNOSIS, MODELS

KNOWN: dict[str, dict[str, Any]] = json.loads(
    (paths.curriculum() / "triton_ensemble/recordings/deployments.json").read_text(encoding="utf-8")
)
per_deployment = pytest.mark.parametrize("name", DIAGNOSIS.names)


def diagnosis() -> dict[str, dict[str, Any]]:
    """The right diagnosis, with each deployment's strongest evidence."""
    found: dict[str, dict[str, Any]] = {}
    for name in DIAGNOSIS.names:
        known = KNOWN[name]
        evidence, share = max(known["evidence"].items(), key=lambda pair: pair[1])
        own = {"cause": known["cause"], "model": known["model"]}
        found[name] = {**own, "evidence": evidence, "share": share}
    return found


@pytest.mark.slow
def test_a_right_diagnosis_is_accepted() -> None:
    assert DIAGNOSIS.mismatch(diagnosis()) is None
    asked = list(DIAGNOSIS.questions())
    assert [question.mismatch(diagnosis()) for question in asked] == [None] * 4
    assert [question.arguments for question in asked] == [()] * 4


def test_each_deployment_is_a_question_of_its_own() -> None:
    asked = DIAGNOSIS.questions()
    wrong = {**diagnosis(), "b": None}
    assert [question.mismatch(wrong) is None for question in asked] == [True, False, True, True]


@per_deployment
def test_all_evidence_that_counts_is_accepted_with_its_own_share(name: str) -> None:
    for evidence, share in KNOWN[name]["evidence"].items():
        told = diagnosis()
        told[name] = {**told[name], "evidence": evidence, "share": round(share, 2)}
        assert DIAGNOSIS.mismatch(told) is None, "two digits are enough"


@per_deployment
@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"cause": "cosmic rays"}, "expected one of"),
        ({"cause": None}, "expected one of"),
        ({"cause": ["delay"]}, "expected one of"),
        ({"model": "topics"}, "expected one of"),
        ({"model": {}}, "expected one of"),
        ({"evidence": "request_us"}, "expected one of"),
        ({"evidence": 7}, "expected one of"),
        ({"evidence": "input_us"}, "does not show it"),
        ({"share": 0.01}, "expected"),
        ({"share": math.nan}, "expected"),
        ({"share": math.inf}, "expected"),
        ({"share": 10**400}, "far too large"),
        ({"share": None}, "not a number"),
        ({"share": True}, "not a number"),
        ({"share": "0.5"}, "not a number"),
    ],
)
def test_everything_in_it_must_be_right(name: str, change: dict[str, Any], said: str) -> None:
    wrong = diagnosis()
    wrong[name] = {**wrong[name], **change}
    found = DIAGNOSIS.mismatch(wrong)
    assert found is not None
    assert found.startswith(f"deployment {name}")
    assert said in found


@per_deployment
@pytest.mark.parametrize("key", ["cause", "model", "evidence", "share"])
def test_nothing_may_be_missing(name: str, key: str) -> None:
    wrong = diagnosis()
    del wrong[name][key]
    assert DIAGNOSIS.mismatch(wrong) is not None


@pytest.mark.slow
@per_deployment
def test_no_other_cause_and_no_other_step_will_do(name: str) -> None:
    right = diagnosis()
    for key, choices in (("cause", CAUSES), ("model", MODELS)):
        for choice in choices:
            told = {**right, name: {**right[name], key: choice}}
            assert (DIAGNOSIS.mismatch(told) is None) is (choice == right[name][key])


@pytest.mark.parametrize("junk", [None, 3, math.nan, "a", [], ["a"], {}, {"a": 3}, {"a": []}])
def test_junk_gets_a_sentence(junk: Any) -> None:
    for answer in (junk, {**diagnosis(), "d": junk}):
        said = DIAGNOSIS.mismatch(answer)
        assert said is not None
        assert 5 < len(said) < 200


def test_causes_cannot_be_swapped() -> None:
    wrong = diagnosis()
    wrong["a"], wrong["b"] = wrong["b"], wrong["a"]
    assert DIAGNOSIS.mismatch(wrong) is not None


def test_one_share_for_all_is_no_evidence() -> None:
    for share in np.linspace(0, 1, 201):
        told = {name: {**each, "share": float(share)} for name, each in diagnosis().items()}
        assert DIAGNOSIS.mismatch(told) is not None
