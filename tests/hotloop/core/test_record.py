"""A record can be written to a file and read back; anything else is refused."""

import json

import pytest

from hotloop.core.record import LONGEST_SENTENCE, CheckRecord, Record, summarize
from hotloop.core.verdict import Verdict
from hotloop.judge.client import lost
from hotloop.judge.job import Job
from hotloop.judge.spec import TaskSpec

PASSED = CheckRecord("correct", Verdict.PASSED, "Right.", 1.0)
FAILED = CheckRecord("fast", Verdict.TOO_SLOW, "Slow.")
OPEN = CheckRecord("gpu", Verdict.NOT_MEASURED, "No GPU.")


def test_a_record_survives_json() -> None:
    record = lost(Job("m", "t", TaskSpec("f", ("f.py",))), RuntimeError("x"))
    again = Record.from_json(json.loads(json.dumps(record.to_json())))
    assert again == record
    assert again.pending


@pytest.mark.parametrize(
    "change",
    [
        {"extra": 1},
        {"format": 99},
        {"verdict": "excellent"},
        {"circumstances": {}},
        {"checks": [{"check": "x"}]},
    ],
)
def test_what_is_not_a_record_is_refused(change: dict) -> None:
    document = lost(Job("m", "t", TaskSpec("f", ("f.py",))), RuntimeError("x")).to_json() | change
    with pytest.raises(ValueError, match=r"."):
        Record.from_json(document)


def test_a_failure_outranks_what_is_open() -> None:
    assert summarize([PASSED])[0] is Verdict.PASSED
    assert summarize([FAILED, OPEN]) == (Verdict.TOO_SLOW, "Slow.")
    assert summarize([PASSED, FAILED, OPEN]) == (Verdict.PARTIAL, "Slow.")
    assert summarize([OPEN])[0] is Verdict.NOT_MEASURED
    verdict, sentence = summarize([PASSED, OPEN])
    assert verdict is Verdict.PARTIAL
    assert "Pending: gpu" in sentence


def test_a_sentence_does_not_grow_with_what_a_candidate_calls_its_things() -> None:
    check = CheckRecord("sound", Verdict.WRONG_ANSWER, "It has the name " + "n" * 300_000)
    assert len(check.sentence) == LONGEST_SENTENCE
    assert check.sentence.startswith("It has the name n")
    assert check.sentence.endswith("…")
