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
        (
            Verdict.WRONG_ANSWER,
            "a.py:9: program 3 of `k` waits …, so the launch never ends.",
            "stuck",
        ),
        (Verdict.WRONG_ANSWER, "a.py:9: programs 0 and 1 …, and nothing orders them. …", "race"),
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


def test_what_took_too_long_may_be_slow_or_never_end() -> None:
    assert outcome(failed(Verdict.TIMEOUT, "It took too long.")) is None


def test_too_many_bytes_hide_no_race() -> None:
    bytes_first = [*failed(Verdict.PARTIAL, "It moves 1.50×."), *failed(Verdict.WRONG_ANSWER, RACE)]
    found = outcome(bytes_first)
    assert found is not None
    assert found.kind == "race"


def test_numbers_are_compared_and_no_seconds_or_lines() -> None:
    def figures(**evidence: object) -> str:
        passed = CheckRecord("correct", Verdict.PASSED, "Right.", evidence=evidence)
        found = outcome([passed])
        assert found is not None
        return found.figures

    first = figures(factor=1.0, judging_seconds=3.0, lines=[{"line": "a.cu:3", "bytes": 64}])
    assert first == figures(
        factor=1.0, judging_seconds=9.0, lines=[{"line": "a.cu:4", "bytes": 64}]
    )
    assert first != figures(factor=1.001, judging_seconds=3.0)
    assert figures(sites=[{"bytes": 64, "line": 3}]) == figures(sites=[{"line": 4, "bytes": 64}])
    assert figures(sites=[{"bytes": 64}]) != figures(sites=[{"bytes": 96}])


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


RIGHT = of("none", check="", factor=1.0, figures="a")


def test_what_was_so_before_is_no_effect() -> None:
    assert against(RIGHT, RIGHT) == RIGHT
    many = of("bytes", factor=2.0, figures="b")
    found = against(many, many)
    assert found is not None
    assert found.kind == "none"


def test_a_change_of_right_work_is_what_the_judge_says() -> None:
    found = against(of("none", check="", factor=1.5, figures="b"), RIGHT)
    assert found is not None
    assert found.kind == "bytes"
    assert against(of("wrong"), RIGHT) == of("wrong")


@pytest.mark.parametrize("kind", ["wrong", "race", "bounds", "stuck", "refused"])
@pytest.mark.parametrize("after", ["none", "wrong", "race"])
def test_a_change_of_work_that_is_wrong_already_has_no_outcome(kind: str, after: str) -> None:
    """256 wrong elements before, 471181 after: the verdict is the same, and much has changed."""
    assert against(of(after), of(kind)) is None


def test_an_equal_verdict_with_other_numbers_is_no_outcome() -> None:
    assert against(RIGHT.model_copy(update={"figures": "b"}), RIGHT) is None
    assert against(RIGHT.model_copy(update={"factor": 1.01, "figures": "b"}), RIGHT) is None
