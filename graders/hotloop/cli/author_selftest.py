"""`hotloop check --from DIR --selftest`, and what an author is told of a problem's own faults."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import CommandResult, require_sandbox
from hotloop.cli.judging import judging_line
from hotloop.core.record import Record
from hotloop.tasks import own_problem
from hotloop.tasks.own_problem import AnswerVerdict
from hotloop.tasks.problem import load_problem

_WORDS = {True: "as wanted", False: "not as wanted", None: "not shown here"}


def judged(source: Path) -> CommandResult:
    """Judge the answers beside a problem; exit code 1 if one does other than it must."""
    require_sandbox()
    from hotloop.judge.client import JudgeProcess

    problem = load_problem(source)
    answers = own_problem.answers_beside(source, problem)
    for task in {answer.task.id: answer.task for answer in answers}.values():
        own_problem.require_checks(problem, task, source)
    with JudgeProcess(quiet=True) as judge, judging_line() as say:
        outcomes = list(own_problem.judged(source, answers, judge, say))
    unproved = own_problem.unproved(problem, answers)
    table = Table("answer", "must", "", "sentence")
    for outcome in outcomes:
        must = f"fail {outcome.answer.fails}" if outcome.answer.fails else "pass"
        word = Text(_WORDS[outcome.as_wanted], "" if outcome.as_wanted else "bold")
        table.add_row(_name(outcome, source), must, word, Text(outcome.sentence))
    lines = [Text(str(fault)) for outcome in outcomes for fault in outcome.faults]
    lines += [
        Text(f"No answer in {own_problem.WRONG}/ must fail {name}: nothing shows that it refuses.")
        for name in unproved
    ]
    document = {
        "problem": problem.id,
        "answers": [_document(outcome, source) for outcome in outcomes],
        "unproved": unproved,
    }
    failed = any(outcome.as_wanted is False for outcome in outcomes)
    return CommandResult(document, table, *lines, exit_code=int(failed))


def faults(records: Mapping[str, Record], source: Path) -> list[Text]:
    """Return a line for each fault of the problem itself."""
    return [Text(str(fault)) for fault in own_problem.faults(records, source)]


def _name(outcome: AnswerVerdict, source: Path) -> str:
    return outcome.answer.folder.relative_to(source).as_posix()


def _document(outcome: AnswerVerdict, source: Path) -> dict[str, Any]:
    return {
        "answer": _name(outcome, source),
        "task": outcome.answer.task.id,
        "must_fail": outcome.answer.fails or None,
        "as_wanted": outcome.as_wanted,
        "sentence": outcome.sentence,
        "faults": [vars(fault) for fault in outcome.faults],
    }
