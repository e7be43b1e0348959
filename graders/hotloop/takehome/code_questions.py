"""Interview questions about lines of the candidate's code.

They ask about the judge's findings and about what the code does. Understanding the code answers
them; the published answers do not.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, Field

from hotloop.core.document import Identifier, Strict, Text
from hotloop.core.yaml_lines import load
from hotloop.course.alike.parts import Language
from hotloop.learn.bank.question import WeakAnswer
from hotloop.takehome import code_shown
from hotloop.takehome.report import CheckReport, CodeShown, FollowUp, TaskReport

MOST = 3
AROUND = 2
MINUTES = 4

RUBRIC = {
    0: "cannot say what the lines do",
    1: "reads the lines aloud, without a reason for them",
    2: "says what they do, and errs on what a change brings about",
    3: "says why they are there and predicts what a change brings about",
    4: "also names the limits of the choice, and a better one where there is one",
}


def _expression(text: str) -> str:
    re.compile(text)
    return text


class CodeQuestion(Strict):
    """A question in code_questions.yaml."""

    id: Identifier
    languages: list[Language]
    find: Annotated[Text, AfterValidator(_expression)]
    checks: list[Identifier]
    title: Text
    prompt: Text
    probes: Annotated[list[Text], Field(min_length=2)]
    answer: Text
    weak: Annotated[list[WeakAnswer], Field(min_length=1)]
    then: Annotated[list[Text], Field(min_length=1)]


class CodeQuestions(Strict):
    """Content of code_questions.yaml, in order of preference."""

    questions: list[CodeQuestion]


@cache
def known() -> tuple[CodeQuestion, ...]:
    """Return all questions."""
    path = Path(__file__).with_name("code_questions.yaml")
    return tuple(load(path, CodeQuestions).questions)


def about(tasks: Sequence[TaskReport]) -> list[FollowUp]:
    """Return at most MOST questions on the code of these tasks.

    Questions on the judge's findings come first, by points lost, then questions on what the code
    does, if possible one per task and about failed checks.
    """
    findings = sorted(
        ((task, check) for task in tasks for check in _failed(task)),
        key=lambda one: -one[0].weight * (one[1].possible - one[1].points.high) / one[0].possible,
    )
    chosen = [_on_finding(task, check) for task, check in findings[: MOST - 1]]
    used: set[str] = set()
    candidates = [(task, question) for task in tasks for question in _on_code(task)]
    # Prefer failed checks, then tasks without a question yet.
    candidates.sort(key=lambda one: not one[1].weak)
    for again in (False, True):
        for task, question in candidates:
            id_ = question.key.partition(".")[2]
            is_new = id_ not in used and question not in chosen
            with_question = {one.key.partition(".")[0] for one in chosen}
            if len(chosen) < MOST and is_new and (again or task.task not in with_question):
                chosen.append(question)
                used.add(id_)
    return chosen


def _failed(task: TaskReport) -> Iterator[CheckReport]:
    """Yield the first counted check that certainly lost points; later ones were not reached."""
    yield from task.failed[:1] if task.kind == "code" and task.code else ()


def _on_finding(task: TaskReport, check: CheckReport) -> FollowUp:
    """Return a question about the judge's message, with the lines that it names."""
    cited = next((shown for shown in task.code if check.check in shown.cited), None)
    where, code = ("", "") if cited is None else _lines(cited, cited.cited[check.check])
    return FollowUp(
        key=f"{task.task}.{check.check}",
        title=f"{task.title}: what happened at “{check.check}”?",
        level="intermediate",
        minutes=MINUTES + 1,
        why=f"{task.title}: points were lost at {check.check}.",
        weak=True,
        prompt=(
            f"The judge said: {check.sentence}\n\nGive a smallest input, or an order of threads or "
            "calls, for which it goes wrong. Follow it through your code up to the first wrong "
            "value. What would you change, and what else does that change touch?"
        ),
        where=where,
        code=code,
        probes=[
            "finds the cause in their own code, not only the symptom",
            "builds a concrete case before proposing a change",
            "says how they would have noticed it themselves",
        ],
        answer=(
            f"What the judge measured is in its sentence. The check asks: {check.what} A good "
            "answer leads from the named lines to that sentence and ends with a change that keeps "
            "the other checks."
        ),
        weak_answers=[
            WeakAnswer(
                says="I ran out of time there.",
                reveals="may be true: ask for the case and the change now, without haste",
            )
        ],
        follow_ups=["How would you test for it without the judge?"],
        rubric=RUBRIC,
    )


def _on_code(task: TaskReport) -> Iterator[FollowUp]:
    """Yield all questions that match the code written for the task, in order of the file."""
    failed = {check.check for check in _failed(task)}
    for question in known():
        for shown in task.code:
            line = _first(question, shown)
            if line is None:
                continue
            where, code = _lines(shown, [line])
            weak = bool(failed & set(question.checks))
            yield FollowUp(
                key=f"{task.task}.{question.id}",
                title=question.title,
                level="intermediate",
                minutes=MINUTES,
                why=f"{task.title}: the candidate's own line {line} of {where}.",
                weak=weak,
                prompt=question.prompt,
                where=where,
                code=code,
                probes=question.probes,
                answer=question.answer,
                weak_answers=question.weak,
                follow_ups=question.then,
                rubric=RUBRIC,
            )
            break


def _first(question: CodeQuestion, shown: CodeShown) -> int | None:
    """Return the first added line that a question matches, ignoring comments; None without one."""
    if code_shown.language(shown) not in question.languages:
        return None
    for number in shown.added:
        line = shown.lines[number - 1] if number <= len(shown.lines) else ""
        text = re.sub(r"(?:#|//).*", "", line)
        if re.search(question.find, text):
            return number
    return None


def _lines(shown: CodeShown, numbers: Sequence[int]) -> tuple[str, str]:
    """Return the file's name, and the given lines with context, numbered."""
    near_lines = sorted({near for n in numbers for near in range(n - AROUND, n + AROUND + 1)})
    marks: Mapping[bool, str] = {True: "▶", False: " "}
    text = [
        f"{marks[n in numbers]}{n:4}  {shown.lines[n - 1]}"
        for n in near_lines
        if 1 <= n <= len(shown.lines)
    ]
    return shown.name, "\n".join(text)
