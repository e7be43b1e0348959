"""Tools that practice interview questions: ask, hint, answer, mark."""

from datetime import UTC, datetime
from typing import Annotated

from mcp.server.mcpserver import Context, Elicit, Resolve
from pydantic import BaseModel, Field

from hotloop.cli.assistant import results
from hotloop.cli.practice_page import practice_record
from hotloop.cli.questions_choice import chosen
from hotloop.core.document import Identifier
from hotloop.core.moment import written
from hotloop.core.user_error import UserError
from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.bank.selection import QuestionSelection
from hotloop.learn.bank.wording import Language
from hotloop.learn.practice import plan
from hotloop.learn.practice.interview import Interview, OpenQuestion
from hotloop.learn.practice.state import PracticeRecord
from hotloop.tasks.curriculum import TaskKey, Tier

Key = Annotated[TaskKey, Field(description="The key of the question that is being asked.")]


class Confirmation(BaseModel):
    """What the learner says in the client's own form, which the assistant does not fill in."""

    own: Annotated[bool, Field(title="This is my own answer", description="Yes shows the answer.")]


def confirmation(
    question: str, answer: str, gives_up: bool, ctx: Context
) -> Confirmation | Elicit[Confirmation]:
    """Ask the learner, where the client can, whether the answer is their own."""
    known = ctx.client_capabilities
    forms = None if known is None else known.elicitation
    if forms is None or (forms.form is None and forms.url is not None):
        return Confirmation(own=True)
    said = "“I do not know”, for the mark 0" if gives_up else answer
    return Elicit(f"{question}: is this your own answer?\n\n{said}", Confirmation)


class PracticeTools:
    """The tools. One question is asked at a time."""

    def __init__(self) -> None:
        self._interview = Interview()

    def ask_question(
        self,
        question: Annotated[
            TaskKey | None,
            Field(description="This one; if not given, the next that is due, else a new one."),
        ] = None,
        module: Annotated[Identifier | None, Field(description="Only of this module.")] = None,
        track: Annotated[Identifier | None, Field(description="Only of this track.")] = None,
        level: Annotated[Tier | None, Field(description="Only of this level.")] = None,
        language: Annotated[Language, Field(description="en, or zh for Chinese.")] = "en",
    ) -> results.AskedQuestion:
        """Begin an interview question: put it to the learner and wait for their own answer.

        The model answer and the rubric follow after `answer_question`.
        """
        record = practice_record()
        keys = () if question is None else (question,)
        entries = chosen(
            QuestionSelection(track=track, level=level, module=module, language=language, keys=keys)
        )
        entry = entries[0] if question else _next(entries, record)
        return _asked(self._interview.ask(entry, language), record)

    def question_hint(self, question: Key) -> results.Hint:
        """Give the next hint on the question that is being asked, in order."""
        number, of, text = self._interview.hint(question)
        return results.Hint(number=number, of=of, text=text)

    def answer_question(
        self,
        question: Key,
        confirmed: Annotated[Confirmation, Resolve(confirmation)],
        answer: Annotated[
            str, Field(max_length=20_000, description="The learner's own words, whole.")
        ] = "",
        number: Annotated[
            float | None,
            Field(
                allow_inf_nan=False,
                description="The learner's number, in the unit that was asked for.",
            ),
        ] = None,
        gives_up: Annotated[
            bool, Field(description="The learner cannot answer: the question is marked 0.")
        ] = False,
    ) -> results.ModelAnswer:
        """Take the learner's own answer; return the model answer and the rubric to mark it by.

        Do not answer in the learner's place. Then agree on a mark and call `mark_question`.
        """
        if not confirmed.own:
            raise UserError(f"The learner says that this is not their own answer to {question}.")
        if gives_up:
            asked, due = self._interview.give_up(question)
            return _model_answer(asked, written(due))
        return _model_answer(self._interview.answer(question, answer, number), None)

    def mark_question(
        self,
        question: Key,
        mark: Annotated[int, Field(ge=0, le=4, description="By the rubric, as agreed.")],
    ) -> results.Marked:
        """Keep the mark of the answered question in the learner's practice record."""
        due = self._interview.mark(question, mark)
        return results.Marked(question=question, mark=mark, due=written(due))


def _next(entries: list[CatalogEntry], record: PracticeRecord) -> CatalogEntry:
    waiting = plan.waiting(entries, record, datetime.now(UTC))
    if not waiting:
        first = min(record.due[entry.key] for entry in entries)
        raise UserError(f"Nothing is due: the next of these questions returns on {first:%d %B %Y}.")
    return waiting[0]


def _asked(asked: OpenQuestion, record: PracticeRecord) -> results.AskedQuestion:
    question, drawn = asked.entry.question, asked.drawn
    return results.AskedQuestion(
        question=asked.key,
        title=asked.words.title,
        prompt=asked.words.prompt,
        level=question.level,
        minutes=question.minutes,
        times=sum(review.question == asked.key for review in record.reviews),
        hints_of=len(asked.all_hints),
        numbers=None if drawn is None else results.Numbers(ask=drawn.ask, unit=drawn.unit),
        practices=question.links,
    )


def _model_answer(asked: OpenQuestion, due: str | None) -> results.ModelAnswer:
    words, drawn = asked.words, asked.drawn
    return results.ModelAnswer(
        question=asked.key,
        seconds=asked.seconds or 0,
        number_right=asked.right,
        number="" if drawn is None else f"{drawn.shown}. {drawn.explain}",
        say=words.say,
        answer=words.answer,
        strategy=list(words.strategy),
        weak_answers=[
            results.WeakAnswer(says=says, reveals=reveals) for says, reveals in words.weak_answers
        ],
        follow_ups=list(words.follow_ups),
        rubric=[words.rubric[mark] for mark in range(5)],
        due=due,
    )
