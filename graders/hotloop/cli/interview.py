"""`hotloop interview`: practise interview questions, with a clock and spaced repetition."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from hotloop.bank.selection import Selection
from hotloop.bank.wording import Language, wording
from hotloop.cli.answer import Answer, Json, UserError, answering, log
from hotloop.cli.questions_choice import InLanguage, Level, Module, Numbers, Track, chosen
from hotloop.practice import screen, store
from hotloop.practice.interview import End, Session
from hotloop.practice.labels import LABELS
from hotloop.practice.lines import Lines, Scripted, Typed
from hotloop.practice.moment import written
from hotloop.practice.plan import Planned, Waiting, session, waiting
from hotloop.practice.schedule import standings
from hotloop.practice.state import Review, State
from hotloop.yaml_lines import CurriculumError

MINUTES = 30
INTERRUPTED = 130

Answers = Annotated[
    Path | None,
    typer.Option(
        "--answers",
        help="Lines as you would type them, from this file; - for standard input.",
        show_default=False,
    ),
]


def run(
    track: Track = None,
    level: Level = None,
    module: Module = None,
    language: InLanguage = "en",
    numbers: Numbers = False,
    minutes: Annotated[int, typer.Option(min=1, help="How long the session may take.")] = MINUTES,
    ahead: Annotated[
        bool, typer.Option("--ahead", help="Also questions that are not due yet.")
    ] = False,
    plan_only: Annotated[
        bool, typer.Option("--plan", help="Show what would be asked, and ask nothing.")
    ] = False,
    answers: Answers = None,
    export_to: Annotated[
        Path | None,
        typer.Option("--export", help="Write your practice to a new file.", show_default=False),
    ] = None,
    import_from: Annotated[
        Path | None,
        typer.Option(
            "--import", help="Add the practice that such a file holds.", show_default=False
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Practise interview questions: what is due first, then new ones. Marks stay on this machine.

    Without a terminal and without --answers, as with --json, it tells the plan and asks nothing.
    """
    with answering(as_json) as answer, _told_as_errors():
        if export_to is not None or import_from is not None:
            _exchange(answer, import_from, export_to)
            return
        found = chosen(Selection(track, level, module, language, numbers))
        state = _kept(store.read())
        now = datetime.now(UTC)
        ready = waiting(found, standings(state.reviews), now)
        plan = session(ready, minutes, ahead=ahead)
        if plan_only or (answers is None and (as_json or not at_a_terminal())):
            answer.give(_document(ready, plan, language, [], None), *_plan(ready, plan, language))
            return
        reviews, end = _ask(plan, state, language, answers, as_json)
        after = [*state.reviews, *reviews]
        left = waiting(found, standings(after), now)
        answer.give(
            _document(left, plan, language, reviews, end),
            *_summary(plan, reviews, left, language),
            exit_code=INTERRUPTED if end == "interrupted" else 0,
        )


def at_a_terminal() -> bool:
    """Whether there is somebody who can be asked."""
    return sys.stdin.isatty() and sys.stdout.isatty()


@contextmanager
def lines_from(answers: Path | None, as_json: bool) -> Generator[tuple[Console, Lines]]:
    """A console and the lines to it: those of the file, or those of the person.

    With --json, what is shown goes to standard error. UserError when the file cannot be read.
    """
    if answers is None:
        yield screen.console(stderr=as_json), Typed()
        return
    width = None if sys.stdout.isatty() else 80
    console = screen.console(stderr=as_json, as_wide=width)
    if str(answers) == "-":
        yield console, Scripted(sys.stdin, console)
        return
    try:
        text = answers.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{answers} cannot be read: {error}") from None
    yield console, Scripted(text.splitlines(), console)


@contextmanager
def _told_as_errors() -> Generator[None]:
    """What is wrong with files becomes one sentence."""
    try:
        yield
    except CurriculumError as error:
        raise UserError(f"{error}. Nothing was changed: mend the file or move it away.") from None
    except OSError as error:
        raise UserError(f"Your practice cannot be kept: {error}") from None


def _kept(kept: store.Kept) -> State:
    if kept.notice:
        log(kept.notice)
    return kept.state


def _ask(
    plan: list[Planned], state: State, language: Language, answers: Path | None, as_json: bool
) -> tuple[list[Review], End]:
    def keep(review: Review) -> None:
        _kept(store.add(State(reviews=[review])))

    with lines_from(answers, as_json) as (console, lines):
        asked = Session(console, lines, language, keep, earlier=state.reviews)
        end = asked.run(plan)
    return asked.reviews, end


def _exchange(answer: Answer, source: Path | None, target: Path | None) -> None:
    before = _kept(store.read())
    if source is not None:
        _kept(store.add(store.parse(source)))
    state = store.read().state
    new = len(state.reviews) - len(before.reviews)
    if target is not None:
        try:
            with target.open("x", encoding="utf-8") as stream:
                stream.write(state.text())
        except FileExistsError:
            raise UserError(f"{target} is there already: name another file.") from None
    document = {
        "reviews": len(state.reviews),
        "placements": len(state.placements),
        "new_reviews": new,
        "new_placements": len(state.placements) - len(before.placements),
        "exported_to": str(target) if target else None,
    }
    told = f"{len(state.reviews)} reviews are kept, {new} of them new."
    written_to = [Text(f"Written to {target}.")] if target else []
    answer.give(document, Text(told), *written_to)


def _document(
    ready: Waiting,
    plan: list[Planned],
    language: Language,
    reviews: list[Review],
    end: End | None,
) -> dict[str, Any]:
    return {
        "due": len(ready.due),
        "new": len(ready.new),
        "next_due": written(ready.next_due) if ready.next_due else None,
        "minutes": sum(each.entry.question.minutes for each in plan),
        "plan": [_planned(each, language) for each in plan],
        "end": end,
        "reviews": [review.model_dump(mode="json") for review in reviews],
        "kept_in": str(store.path()),
    }


def _planned(planned: Planned, language: Language) -> dict[str, Any]:
    entry, standing = planned.entry, planned.standing
    return {
        "key": entry.key,
        "title": wording(entry, language).title,
        "track": entry.track,
        "module": entry.module,
        "level": entry.question.level,
        "minutes": entry.question.minutes,
        "numeric": entry.question.numeric is not None,
        "times": planned.times,
        "last_mark": standing.last.mark if standing else None,
        "due": written(standing.due) if standing else None,
    }


def _plan(ready: Waiting, plan: list[Planned], language: Language) -> Iterator[RenderableType]:
    if not plan:
        yield Text(_nothing(ready))
        return
    table = Table("question", "level", "min", "last mark", box=SIMPLE_HEAD)
    for each in plan:
        entry = each.entry
        last = str(each.standing.last.mark) if each.standing else "new"
        title = Text.assemble(wording(entry, language).title, (f"\n{entry.key}", "dim"))
        table.add_row(title, entry.question.level, str(entry.question.minutes), last)
    yield table
    minutes = sum(each.entry.question.minutes for each in plan)
    yield Text(
        f"{minutes} minutes. In all {len(ready.due)} are due and {len(ready.new)} are new; "
        "with a terminal, `hotloop interview` asks them."
    )


def _summary(
    plan: list[Planned], reviews: list[Review], left: Waiting, language: Language
) -> Iterator[RenderableType]:
    labels = LABELS[language]
    if not plan:
        yield Text(_nothing(left))
        return
    if not reviews:
        yield Text(labels.nothing_marked)
        return
    minutes = f"{sum(review.seconds for review in reviews) / 60:.0f}"
    yield Text(labels.ended.format(marked=len(reviews), minutes=minutes, due=len(left.due)))


def _nothing(ready: Waiting) -> str:
    when = ready.next_due
    date = f" The next one is due on {when.astimezone().date().isoformat()}." if when else ""
    return f"Nothing is due and nothing is new here.{date} --ahead asks all the same."
