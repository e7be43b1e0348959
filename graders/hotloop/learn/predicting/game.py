"""`predict("module.task")`: a game with a learner's own code, once it passes.

One place in the code is changed. Learners predict the judge's result and give their confidence,
then see the actual result. Predictions are stored, so that learners see over time how often they
are right when confident.
"""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path

from hotloop.core import paths
from hotloop.core.user_error import UserError
from hotloop.learn.pack import manifest, work_files
from hotloop.learn.practice import predictions
from hotloop.learn.practice.predictions import PredictionLine
from hotloop.learn.predicting import items
from hotloop.learn.predicting.items import PredictionItem, Say
from hotloop.learn.predicting.outcomes import WORDS, Kind
from hotloop.learn.predicting.own_code import PredictedSubmission
from hotloop.learn.predicting.scores import GUESS, brier, calibration, drawn
from hotloop.tasks import curriculum
from hotloop.tasks.variants import beside

QUESTIONS = 4
"""Questions per game; making them takes a minute or two."""

_KINDS: tuple[Kind, ...] = tuple(WORDS)


def work(module: str, task: str, folder: Path) -> PredictedSubmission:
    """Return a learner's work in a folder.

    Raises UserError in a take-home: its questions are asked afterwards.
    """
    if manifest.find(folder) is not None:
        raise UserError("There is no predicting in a take-home: the team may ask you afterwards.")
    return PredictedSubmission(
        curriculum.load_module(module),
        (task,),
        work_files.read(folder),
        work_files.read(paths.exercises() / module),
        beside(folder, module),
    )


def questions(own: PredictedSubmission, say: Say) -> list[PredictionItem]:
    """Return questions on the only task of a work.

    Raises UserError if the task does not pass yet, or if its code has no place to change.
    """
    [task] = own.tasks
    item_set = items.make(own, QUESTIONS, say)
    before = item_set.unchanged.get(task)
    if before is None or before.kind != "none":
        sentence = before.sentence if before else "The judge came to no verdict."
        raise UserError(f"Predicting begins when {own.module.id}.{task} passes: {sentence}")
    if not item_set.items:
        raise UserError(f"Nothing in the code of {own.module.id}.{task} could be changed.")
    return item_set.items


def play(
    module: str,
    questions: Sequence[PredictionItem],
    ask: Callable[[str], str] | None = None,
    show: Callable[[str], None] = print,
) -> list[PredictionLine]:
    """Ask the questions, show the answers, store the predictions; return this game's predictions.

    An empty reply ends the game, and so does the end of the input. ask: `input`, if not given.
    """
    # A kernel replaces `input` in each cell, so it cannot be a default argument.
    ask = ask or input
    lines: list[PredictionLine] = []
    for item in questions:
        show(question(item, f"{item.number} of {len(questions)}"))
        try:
            kind = _kind(ask)
            sure = None if kind is None else _sure(ask)
        except EOFError:
            break
        if kind is None or sure is None:
            break
        was = item.outcome.kind
        key = f"{module}.{item.task}"
        at = datetime.now(UTC)
        line = PredictionLine(
            at=at, task=key, operator=item.operator, said=kind, sure=sure, was=was
        )
        predictions.note(line)
        lines.append(line)
        show(answer(item, line))
    show(f"\n{so_far()}")
    return lines


def so_far() -> str:
    """Return the calibration curve of all of this learner's predictions, as text."""
    return drawn(calibration((line.sure, line.right) for line in predictions.read()))


def question(item: PredictionItem, place: str) -> str:
    """Return the diff and the choices, as text."""
    choices = [f"  {number}  {words}" for number, words in enumerate(WORDS.values(), 1)]
    head = f"\n{place}. {item.file}, line {item.line}. What does the judge say of this change?"
    return "\n".join([head, *(f"    {line}" for line in item.diff), *choices])


def answer(item: PredictionItem, line: PredictionLine) -> str:
    """Return the judge's result and the prediction's Brier score, as text."""
    was = item.outcome.kind
    predicted: Kind = next(kind for kind in _KINDS if kind == line.said)
    score = brier(predicted, line.sure, was)
    verdict = "Right" if line.right else "Not so"
    return (
        f"{verdict}: {WORDS[was]}. {item.outcome.sentence}\n"
        f"Brier score {score:.2f}; 0 is best, an even guess gets {GUESS:.2f}."
    )


def _kind(ask: Callable[[str], str]) -> Kind | None:
    while text := ask(f"1 to {len(_KINDS)} (empty: stop) ").strip():
        if text.isdecimal() and 1 <= int(text) <= len(_KINDS):
            return _KINDS[int(text) - 1]
    return None


def _sure(ask: Callable[[str], str]) -> float | None:
    while text := ask("How sure, in percent? ").strip().rstrip("%").strip():
        if text.isdecimal() and int(text) <= 100:
            return int(text) / 100
    return None
