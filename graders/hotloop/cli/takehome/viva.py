"""`hotloop takehome viva`: questions made from a candidate's own code, and scores of answers."""

from __future__ import annotations

import re
import secrets
import sys
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import RenderableType
from rich.text import Text

from hotloop.cli.answer import CommandResult, require_sandbox
from hotloop.cli.judging import judging_line
from hotloop.cli.takehome.folder import TeamFolder, open_team
from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import account
from hotloop.takehome.team import Team

if TYPE_CHECKING:
    from uuid import UUID

    from hotloop.learn.predicting.items import PredictionItem
    from hotloop.learn.predicting.own_code import PredictedSubmission
    from hotloop.learn.predicting.scores import ScoredPredictions
    from hotloop.takehome.viva import Filed, Viva

_COLORS = {"+": "green", "-": "red", "@": "dim"}


def run(
    candidate: Annotated[
        str | None, typer.Argument(help="The pseudonym.", show_default=False)
    ] = None,
    folder: TeamFolder = Path(),
    role: Annotated[
        str | None,
        typer.Option(
            help="In place of a candidate: the questions on the reference, the same for everybody "
            "of this role.",
            show_default=False,
        ),
    ] = None,
    make: Annotated[
        bool,
        typer.Option("--make", help="Make new questions; it takes four minutes at most."),
    ] = False,
    accept: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="You have read these, such as 1,2,5, and they may be asked; the others may not.",
            show_default=False,
        ),
    ] = None,
    file: Annotated[
        Path | None,
        typer.Option(help="Score and keep the answers that the page saved.", show_default=False),
    ] = None,
    task: Annotated[
        str | None, typer.Option(help="Judge this task's code now.", show_default=False)
    ] = None,
    item: Annotated[
        int | None, typer.Option(help="Judge this question's code now.", show_default=False)
    ] = None,
    columns: Annotated[
        int | None,
        typer.Option(min=1, help="With --task or --item: the inputs' width.", show_default=False),
    ] = None,
    rows: Annotated[int, typer.Option(min=1, help="With --columns: the inputs' rows.")] = 16,
    change: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="OLD NEW", help="With --task: this text changed once.", show_default=False
        ),
    ] = None,
) -> CommandResult:
    """Make questions from a candidate's code, and score the answers.

    One place of the code is changed in each; the candidate says what the judge will find. Without
    an option: the questions with their answers, for you to read. --task and --item judge a
    variation in seconds while you talk.
    """
    team = open_team(folder)
    if (candidate is None) == (role is None):
        raise UserError("Name a candidate, or with --role a role: one of the two.")
    from hotloop.takehome import viva

    if candidate is None:
        assert role is not None
        team.role(role)
        return _of_role(team, role, make=make, accept=accept)
    pack = team.find(candidate).pack
    if task is not None or item is not None:
        return _varied(team, pack, task, item, columns, rows, change)
    if make:
        require_sandbox()
        with _progress() as say:
            viva.make(team, pack, account(), say)
    if accept is not None:
        viva.accept(team, viva.own_path(team, pack), _numbers(accept), account())
    if file is not None:
        from hotloop.takehome import grading

        viva.file(team, pack, file, account())
        grading.show_viva(team, pack)
    return _of_candidate(team, candidate, pack)


@contextmanager
def _progress() -> Generator[Callable[[str], None]]:
    """Yield a function that shows a text: on a line of a terminal, elsewhere each on its own."""
    if sys.stderr.isatty():
        with judging_line() as say:
            yield say
    else:
        yield lambda text: print(text, file=sys.stderr, flush=True)


def _of_role(team: Team, role: str, *, make: bool, accept: str | None) -> CommandResult:
    from hotloop.takehome import viva

    path = viva.fixed_path(team, role)
    if make:
        require_sandbox()
        with _progress() as say:
            viva.make_fixed(team, role, account(), say)
    if accept is not None:
        viva.accept(team, path, _numbers(accept), account())
    viva_questions = viva.read(path)
    document = {"role": role, "questions": _document(viva_questions)}
    return CommandResult(document, *_shown(viva_questions, f"--role {role}"))


def _of_candidate(team: Team, name: str, pack: UUID) -> CommandResult:
    from hotloop.takehome import viva, viva_page

    own = viva.read(viva.own_path(team, pack))
    fixed = viva.read(viva.fixed_path(team, team.pack(pack).role))
    is_ready = any(found is not None and found.items for found in (own, fixed))
    page, candidate_page = viva_page.write(team, pack) if is_ready else (None, None)
    answers = viva.filed(team, pack)
    document = {
        "candidate": name,
        "questions": _document(own),
        "on_the_reference": len(fixed.items) if fixed else 0,
        "page": str(page) if page else None,
        "candidate_page": str(candidate_page) if candidate_page else None,
        "filed": answers.model_dump(mode="json") if answers else None,
    }
    shown = [*_shown(own, name)]
    if page:
        shown.append(Text(f"Your screen, with the key: {page}", no_wrap=True))
        shown.append(Text(f"The candidate's screen: {candidate_page}", no_wrap=True))
    return CommandResult(document, *shown, *_filed(answers))


def _document(questions: Viva | None) -> dict[str, Any] | None:
    return None if questions is None else questions.model_dump(mode="json")


def _shown(viva: Viva | None, of: str) -> Iterable[RenderableType]:
    if viva is None:
        yield Text(f"There are no questions yet: hotloop takehome viva {of} --make")
        return
    for one in viva.questions.items:
        accepted = "accepted" if one.number in viva.accepted else "not accepted"
        yield Text(f"{one.number}. {one.task}, {one.file}, {one.operator} ({accepted})", "bold")
        yield _diff(one)
        yield _key(one)
    made = viva.questions
    for task, why in made.left_out.items():
        yield Text(f"No questions on {task}. {why}")
    yield Text(
        f"{len(made.items)} questions of {made.tried} changes that were judged, {made.unclear} of "
        f"them without one clear outcome; {made.seconds:.0f} s."
    )
    if not viva.accepted:
        yield Text(f"Read them, then: hotloop takehome viva {of} --accept 1,2,…")


def _diff(item: PredictionItem) -> Text:
    lines = Text()
    for line in item.diff:
        lines.append(f"   {line}\n", _COLORS.get(line[:1], ""))
    return lines


def _key(item: PredictionItem) -> Text:
    from hotloop.learn.predicting.outcomes import WORDS
    from hotloop.takehome.viva_page import facts

    outcome = item.outcome
    line = f"   {WORDS[outcome.kind]}. {outcome.sentence} {facts(item)}\n"
    return Text(line)


def _filed(answers: Filed | None) -> Iterable[Text]:
    if answers is None:
        return
    for what, score in (("own code", answers.score.own), ("reference", answers.score.fixed)):
        if score is not None:
            yield Text(f"{what}: {sentence(score)}")


def sentence(score: ScoredPredictions) -> str:
    """Describe a score with the values of guessing and of a perfect score."""
    reasoning = "not marked" if score.reasoning is None else f"{score.reasoning:.1f} of 4"
    followed = score.follow_up
    other_sizes = f"; at other sizes {followed.hits} of {followed.of} right" if followed.of else ""
    return (
        f"reasons {reasoning}; {score.right} of {score.items} right (95 %: {score.rate.low:.0%} to "
        f"{score.rate.high:.0%}; guessing {score.guess_rate:.0%}); Brier {score.brier:.2f} (95 %: "
        f"{score.interval.low:.2f} to {score.interval.high:.2f}), where 0 is best and an even "
        f"guess gets {score.guess:.2f}{other_sizes}."
    )


def _numbers(text: str) -> list[int]:
    if not re.fullmatch(r"\s*\d+(\s*,\s*\d+)*\s*", text):
        raise UserError(f"{text!r} is no list of numbers such as 1,2,5.")
    return [int(number) for number in text.split(",")]


def _varied(
    team: Team,
    pack: UUID,
    task: str | None,
    number: int | None,
    columns: int | None,
    rows: int,
    change: tuple[str, str] | None,
) -> CommandResult:
    """Judge the work, or a question's code, with one text changed or other input sizes if given."""
    require_sandbox()
    from hotloop.judge.client import JudgeProcess
    from hotloop.learn.predicting.judges import judged
    from hotloop.learn.predicting.outcomes import WORDS, against
    from hotloop.learn.predicting.widths import Size, judged_at
    from hotloop.takehome import viva

    plain, _ = viva.work_of(team, pack)
    work = plain
    if number is not None:
        question = _item(viva.read(viva.own_path(team, pack)), number)
        work, task = question.made_in(work), question.task
    assert task is not None
    if task not in work.tasks:
        raise UserError(f"{task} is none of this work's tasks: {', '.join(work.tasks)}.")
    if change is not None:
        work = _changed(work, task, *change)
    began = time.monotonic()
    with judging_line() as say:
        say(f"{task} at {columns} columns" if columns else task)
        if columns is not None:
            size, seed = Size((columns,), rows), secrets.token_hex(16)
            outcome = judged_at(work, task, size, seed)
            if outcome is not None and outcome.kind == "bytes" and work is not plain:
                # Narrow rows move more than they need, whatever the code.
                before = judged_at(plain, task, size, seed)
                outcome = against(outcome, before) if before is not None else None
        else:
            with closing(JudgeProcess()) as process:
                outcome = judged(work, task, "", process)
    if outcome is None:
        raise UserError(f"The judge came to no verdict on {task}: try once more.")
    seconds = round(time.monotonic() - began, 1)
    document = {
        "task": task,
        "columns": columns,
        "outcome": outcome.model_dump(mode="json"),
        "seconds": seconds,
    }
    result = WORDS[outcome.kind]
    if outcome.kind == "none":
        result = "as without the change" if outcome.check else "right"
    return CommandResult(document, Text(f"{task}: {result}. {outcome.sentence} ({seconds} s)"))


def _item(viva: Viva | None, number: int) -> PredictionItem:
    for one in viva.questions.items if viva else ():
        if one.number == number:
            return one
    raise UserError(f"There is no question {number}.")


def _changed(work: PredictedSubmission, task: str, old: str, new: str) -> PredictedSubmission:
    from hotloop.learn.predicting.own_code import code_of

    for code in code_of(work, task):
        places = [found.start() for found in re.finditer(re.escape(old), code.text)]
        own = [at for at in places if code.text.count("\n", 0, at) + 1 in code.own]
        if len(own) == 1:
            start, end = own[0], own[0] + len(old)
            return work.with_text(code, code.text[:start] + new + code.text[end:])
    raise UserError(
        f"{old!r} does not stand exactly once in the lines that the candidate wrote for {task}."
    )
