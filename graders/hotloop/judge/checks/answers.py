"""Correct plain-data answers to hidden questions."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hotloop.core.verdict import Partly, Ruling, Verdict
from hotloop.judge.author_guard import Check
from hotloop.judge.candidate import OF_DATA, Kind
from hotloop.judge.case_label import labeled
from hotloop.judge.questions import Question, ask_plainly
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import WorkerConnection


@dataclass(frozen=True)
class Answers(Check):
    """Every question must be answered correctly, or each earns its share.

    questions: generates the questions from a secret generator, anew for each judging.
    timeout_s: seconds for each question.
    shares: whether wrong answers cost only their own share of the points. Who gives one answer to
        all of several different questions has answered none, whichever it happens to fit.
    """

    fits: ClassVar[frozenset[Kind]] = OF_DATA
    questions: Callable[[np.random.Generator], Iterable[Question]]
    timeout_s: float = 60.0
    shares: bool = False

    def __call__(self, session: Session) -> str:
        """Ask every question.

        Raises Ruling(WRONG_ANSWER) at the first wrong answer. With `shares` it asks all of them,
        and raises Partly with the first mismatch if some answers are right.
        """
        session.worker()
        count, wrong, given = 0, list[Ruling](), list[tuple[Question, object]]()
        for question in self.questions(session.rng()):
            count += 1
            # Making the question may have called another function of the candidate.
            worker = session.worker()
            try:
                self._ask(question, worker, session, given)
            except Ruling as ruling:
                if not self.shares or ruling.verdict is not Verdict.WRONG_ANSWER:
                    raise
                wrong.append(ruling)
        if len(wrong) == count > 0 or (wrong and _is_one_for_all(given)):
            raise wrong[0]
        session.note(questions=count, right=count - len(wrong))
        if wrong:
            right = count - len(wrong)
            raise Partly(right / count, f"{right} of {count} are right. {wrong[0].sentence}")
        return f"Right on all {count} hidden questions." if count > 1 else "All of it is right."

    def _ask(
        self,
        question: Question,
        worker: WorkerConnection,
        session: Session,
        given: list[tuple[Question, object]],
    ) -> None:
        with labeled(question.label, question):
            answer = ask_plainly(worker, question.arguments, session.timeout(self.timeout_s))
            given.append((question, answer))
            mismatch = question.mismatch(answer)
            if mismatch is not None:
                raise Ruling(Verdict.WRONG_ANSWER, f"{mismatch}.")


def _is_one_for_all(given: Sequence[tuple[Question, object]]) -> bool:
    """Whether questions with different arguments have all got the same answer."""
    if not given:
        return False
    (first, answer), *others = given
    return any(first.arguments != question.arguments for question, _ in others) and all(
        answer == other for _, other in others
    )
