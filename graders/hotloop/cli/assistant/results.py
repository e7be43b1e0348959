"""What the tools return. The protocol publishes these types as the tools' output schemas."""

from typing import Any

from hotloop.core.document import Strict
from hotloop.tasks.curriculum import Tier


class Step(Strict):
    """Something to do next."""

    what: str
    why: str
    command: str


class ModuleRow(Strict):
    """A module and how far the learner is.

    level: not begun, placed, begun, known or firm. tasks_done: of those that the judge grades.
    """

    id: str
    title: str
    track: str
    tier: Tier
    minutes: int
    level: str
    tasks_done: int
    tasks_graded: int
    questions_due: int


class Modules(Strict):
    """Modules. next: what to do next, most useful first. questions_due: of the whole bank."""

    modules: list[ModuleRow]
    next: list[Step]
    questions_due: int


class TaskRow(Strict):
    """A task and its state. state: `not checked`, or the last verdict in words.

    done: everything that this machine can measure passed at least once.
    """

    key: str
    title: str
    kind: str
    minutes: int
    possible: int
    state: str
    done: bool
    points: float
    pending: float


class Tasks(Strict):
    """The tasks of a module, in order."""

    module: str
    title: str
    summary: str
    tasks: list[TaskRow]


class Section(Strict):
    """A section of a lesson."""

    number: int
    heading: str


class Lesson(Strict):
    """A lesson's sections; or the section that was asked for, with its text."""

    module: str
    sections: list[Section]
    text: str


class AskedCheck(Strict):
    """What a check asks, and for how many points."""

    id: str
    asked: str
    points: int
    needs_gpu: bool


class Question(Strict):
    """A question of the bank, without its texts."""

    key: str
    title: str


class TaskState(Strict):
    """A task: what it asks, where the learner writes it, and how far they are.

    hints: those that were given already, of `hints_of`. questions: they practice the same.
    """

    task: TaskRow
    goal: str
    entry: str | None
    files: list[str]
    folder: str
    started: bool
    builds_on: list[str]
    checks: list[AskedCheck]
    hints: list[str]
    hints_of: int
    questions: list[Question]


class CheckVerdict(Strict):
    """The verdict of one check. sentence: empty where it repeats the task's."""

    check: str
    verdict: str
    sentence: str
    points: float
    possible: int


class TaskVerdict(Strict):
    """The judge's verdict on the work in the learner's folder."""

    task: str
    verdict: str
    sentence: str
    points: float
    pending: float
    possible: float
    seconds: float
    checks: list[CheckVerdict]


class CheckExplanation(Strict):
    """A check that did not pass: what it asks, what its verdict means, and what was measured.

    meaning: empty for a check that was skipped.
    """

    check: str
    verdict: str
    meaning: str
    asked: str
    sentence: str
    evidence: dict[str, Any]


class Explanation(Strict):
    """The last verdict on a task. next: what the learner can do now."""

    task: str
    verdict: str
    meaning: str
    sentence: str
    not_passed: list[CheckExplanation]
    next: list[str]


class Hint(Strict):
    """A hint. number: from 1."""

    number: int
    of: int
    text: str


class Numbers(Strict):
    """A computation that belongs to a question. unit: in which the number is asked for."""

    ask: str
    unit: str


class AskedQuestion(Strict):
    """A question to put to the learner. minutes: how long an interviewer gives.

    times: how often it was practiced before. numbers: null where nothing is computed.
    """

    question: str
    title: str
    prompt: str
    level: str
    minutes: int
    times: int
    hints_of: int
    numbers: Numbers | None
    practices: list[str]


class WeakAnswer(Strict):
    """A common weak answer."""

    says: str
    reveals: str


class ModelAnswer(Strict):
    """What the learner's answer is compared with.

    number_right: null where no number was given. rubric: what earns each mark, from 0 to 4.
    due: when the question returns; null until it is marked.
    """

    question: str
    seconds: int
    number_right: bool | None
    number: str
    say: str
    answer: str
    strategy: list[str]
    weak_answers: list[WeakAnswer]
    follow_ups: list[str]
    rubric: list[str]
    due: str | None


class Marked(Strict):
    """A mark that was kept. due: when the question returns, in UTC."""

    question: str
    mark: int
    due: str
