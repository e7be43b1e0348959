"""Kinds of outcome that can be predicted: each of the judge's sentences maps to one."""

import pytest

from hotloop.core.record import CheckRecord
from hotloop.core.verdict import Verdict
from hotloop.learn.predicting.outcomes import WORDS, JudgedPrediction, against, agreed, outcome

SHAPE = "Many short rows (float32 [300, 11])"
RACE = (
    f"{SHAPE}: softmax.cu:63 and softmax.cu:60: Data race on byte 4 of shared variable `partial`: "
    "one thread reads and another writes it, with no __syncthreads() in between."
)
WRONG = f"{SHAPE}: Wrong: at [0, 1]: got 0.5, expected 0.25; 4 of 9 elements are wrong."


def failed(verdict: Verdict, sentence: str, **evidence: float) -> list[CheckRecord]:
    return [CheckRecord("correct", verdict, sentence, evidence=evidence)]


@pytest.mark.parametrize(
    ("verdict", "sentence", "kind"),
    [
        (Verdict.PASSED, "Right.", "none"),
        (Verdict.WRONG_ANSWER, WRONG, "wrong"),
        (Verdict.WRONG_ANSWER, f"{SHAPE}: NaN, or never written: at [0, 0]: …", "wrong"),
        (Verdict.WRONG_ANSWER, RACE, "race"),
        (Verdict.WRONG_ANSWER, f"{WRONG} And {RACE}", "race"),
        (Verdict.RUNTIME_ERROR, "softmax.cu:50: Index 383 lies outside of the array.", "bounds"),
        (Verdict.RUNTIME_ERROR, "softmax.cu:46: Out-of-bounds read of 4 bytes, just …", "bounds"),
        (Verdict.RUNTIME_ERROR, "The address is a multiple of 4, and this access …", "bounds"),
        (Verdict.RUNTIME_ERROR, "9 threads of the block wait at __syncthreads(), and …", "stuck"),
        (Verdict.TIMEOUT, "It took too long.", "stuck"),
        (Verdict.PARTIAL, "Your kernel moves 1.50× the fewest bytes.", "bytes"),
        (Verdict.COMPILE_ERROR, "It does not compile: …", "refused"),
        (Verdict.RUNTIME_ERROR, "It raised NameError: …", "refused"),
    ],
)
def test_kinds(verdict: Verdict, sentence: str, kind: str) -> None:
    found = outcome(failed(verdict, sentence))
    assert found is not None
    assert found.kind == kind
    assert kind in WORDS


def test_where_and_at_which_width() -> None:
    found = outcome(failed(Verdict.WRONG_ANSWER, RACE))
    assert found is not None
    assert (found.lines, found.input, found.width) == ([60, 63], "Many short rows", 11)


@pytest.mark.parametrize("verdict", [Verdict.JUDGE_ERROR, Verdict.UNDECIDED])
def test_what_the_judge_could_not_say_is_no_outcome(verdict: Verdict) -> None:
    passed = CheckRecord("correct", Verdict.PASSED, "Right.")
    assert outcome([passed, *failed(verdict, "Our fault.")]) is None
    assert outcome(failed(Verdict.NOT_MEASURED, "No GPU here.")) is None
    assert outcome([passed, *failed(Verdict.NOT_MEASURED, "No GPU here.")]) is not None


def of(kind: str, **more: object) -> JudgedPrediction:
    return JudgedPrediction.model_validate(
        {"kind": kind, "check": "correct", "sentence": "…", **more}
    )


def test_seeds_must_agree() -> None:
    assert agreed([of("race"), of("race"), of("race")]) == of("race")
    assert agreed([of("race"), of("race"), of("wrong")]) is None
    assert agreed([of("race"), of("race"), None]) is None
    assert agreed([of("wrong"), of("wrong", check="clean"), of("wrong")]) is None
    assert agreed([of("bytes", factor=1.5), of("bytes", factor=1.51)]) is not None
    assert agreed([of("bytes", factor=1.5), of("bytes", factor=2.0)]) is None


def test_details_stay_only_where_all_name_the_same() -> None:
    found = agreed([of("race", lines=[3], width=7), of("race", lines=[3], width=9)])
    assert found == of("race", lines=[3])


def test_what_was_so_before_is_no_effect() -> None:
    race = of("race", lines=[3, 4])
    assert against(race, race).kind == "none"
    assert against(of("race", lines=[9]), race).kind == "race"
    right = of("none", check="", factor=1.0)
    assert against(right, right).kind == "none"
    assert against(of("none", check="", factor=1.5), right).kind == "bytes"
    assert against(of("wrong"), right).kind == "wrong"
