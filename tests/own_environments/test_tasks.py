"""Tasks that need an environment of their own, judged in it.

`make test-torch-xla` and `make test-tile-languages` make these environments.
`tests/test_contract.py` judges all other tasks; what it imports is not in them.
"""

import pytest

from hotloop.core import extras, own_environments
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess
from hotloop.tasks import curriculum, render
from hotloop.tasks.curriculum import Module, Task
from hotloop.tasks.local_judging import judge_submission

APART = own_environments.names()
FOUND = [
    (module, task)
    for module in curriculum.modules()
    for task in module.tasks
    if any(need in APART for check in task.checks for need in module.needs_of(check))
]
WRONG = [
    (module, wrong)
    for module in {module.id: module for module, _ in FOUND}.values()
    for wrong in render.wrong_answers(module.id)
    if any(task.id == wrong.task for _, task in FOUND)
]
pytestmark = [pytest.mark.sandbox, pytest.mark.slow, pytest.mark.timeout(600)]


def _require(module: Module, task: Task) -> None:
    for need in {need for check in task.checks for need in module.needs_of(check)}:
        if need in extras.IMPORTED and (lacking := extras.missing(need)):
            pytest.skip(f"{lacking[0]} is not installed: {extras.remedy(need)}")


@pytest.mark.parametrize(("module", "task"), FOUND, ids=[f"{m.id}.{t.id}" for m, t in FOUND])
def test_the_reference_passes(module: Module, task: Task, judge: JudgeProcess) -> None:
    _require(module, task)
    files = render.submission(module.id)
    record = judge_submission(files, module.id, [task.id], judge=judge, seed="7" * 32)[task.id]
    said = [f"{check.check}: {check.verdict}: {check.sentence}" for check in record.checks]
    assert all(check.verdict is Verdict.PASSED for check in record.checks), said


@pytest.mark.parametrize(("module", "wrong"), WRONG, ids=[f"{m.id}.{w.name}" for m, w in WRONG])
def test_a_wrong_answer_fails_where_it_says(
    module: Module, wrong: render.WrongAnswer, judge: JudgeProcess
) -> None:
    task = module.task(wrong.task)
    _require(module, task)
    names = [check.id for check in task.checks]
    asked = names[: names.index(wrong.check) + 1]
    files = render.submission(module.id, wrong.path)
    found = judge_submission(files, module.id, [task.id], asked, judge=judge, seed="7" * 32)
    *before, last = found[task.id].checks
    assert all(check.verdict is Verdict.PASSED for check in before)
    assert last.verdict in {Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR}, last.sentence
