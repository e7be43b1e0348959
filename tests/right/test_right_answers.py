"""No right answer is refused, in whatever style it is written."""

from collections import Counter

import pytest

from hotloop.core.verdict import Verdict
from hotloop.tasks import curriculum
from hotloop.tasks.local_judging import judge_submission

from .answers import RightAnswer, refusals, right_answers

ANSWERS = right_answers()
FEWEST_IN_ALL = 200
FEWEST_A_MODULE = 12


@pytest.mark.slow
@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer.name)
def test_a_right_answer_passes(answer: RightAnswer) -> None:
    files = answer.submission()
    record = judge_submission(files, answer.module, [answer.task], answer.checks)[answer.task]
    if all(check.verdict is Verdict.NOT_MEASURED for check in record.checks):
        pytest.skip(record.checks[0].sentence)
    assert [(check.check, check.verdict.value, check.sentence) for check in refusals(record)] == []


def test_every_module_has_right_answers_in_several_styles() -> None:
    counts = Counter(answer.module for answer in ANSWERS)
    few = [m.id for m in curriculum.modules() if counts[m.id] < FEWEST_A_MODULE]
    assert few == []
    assert sum(counts.values()) >= FEWEST_IN_ALL
