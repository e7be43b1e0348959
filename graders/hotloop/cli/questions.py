"""`hotloop questions`: list the interview questions, show some, or export them."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import typer
from rich.console import RenderableType
from rich.markdown import Markdown
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import All, CommandResult, cut, first, listing, require
from hotloop.cli.questions_choice import (
    ForRole,
    InLanguage,
    InRound,
    Level,
    Module,
    Numbers,
    OfKind,
    Track,
    chosen,
)
from hotloop.core.user_error import UserError
from hotloop.learn.bank import numeric
from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.bank.export.labels import LABELS, Labels
from hotloop.learn.bank.interview_round import SHORTEST, InterviewRound, fit
from hotloop.learn.bank.interviews import roles_of, round_of
from hotloop.learn.bank.numeric import Instance
from hotloop.learn.bank.selection import QuestionSelection
from hotloop.learn.bank.wording import Language, Wording, blocks, wording

Format = Literal["anki", "qti", "gift", "kit"]
SUFFIXES: dict[Format, str] = {"anki": ".apkg", "qti": ".zip", "gift": ".gift", "kit": ".html"}


def run(
    keys: Annotated[
        list[str] | None,
        typer.Argument(help="Keys or ids of questions to show.", show_default=False),
    ] = None,
    track: Track = None,
    level: Level = None,
    module: Module = None,
    kind: OfKind = None,
    role: ForRole = None,
    round_: InRound = None,
    language: InLanguage = "en",
    numbers: Numbers = False,
    seed: Annotated[
        str | None,
        typer.Option(help="Draws other numbers, where a question has some.", show_default=False),
    ] = None,
    minutes: Annotated[
        int | None,
        typer.Option(
            "--minutes",
            min=SHORTEST,
            max=480,
            help="Only as many as fit a round of this length, with a clock; keys keep their order.",
            show_default=False,
        ),
    ] = None,
    export: Annotated[
        Format | None,
        typer.Option(
            "--export",
            metavar="|".join(get_args(Format)),
            help="Write them for Anki, as QTI 1.2, as GIFT, or as a kit to print for interviewers.",
            show_default=False,
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", help="The file to export to; hotloop.… if not given.")
    ] = None,
    everything: All = False,
) -> CommandResult:
    """List the interview questions, show some, or export them.

    Without keys it lists those that fit the options, and with keys it shows the questions whole.
    """
    entries = chosen(
        QuestionSelection(
            track=track,
            level=level,
            module=module,
            kind=kind,
            role=role,
            round=round_,
            language=language,
            numeric=numbers,
            keys=tuple(keys or ()),
        )
    )
    plan = None
    if minutes is not None:
        plan = fit(entries, minutes, seed or "", in_order=bool(keys))
        entries = [one.entry for one in plan.questions]
        if not entries:
            raise UserError(f"No question is short enough for a round of {minutes} minutes.")
    if export is not None:
        path = out or Path(f"hotloop{SUFFIXES[export]}")
        return _export(entries, language, export, path, plan, seed)
    if plan is not None:
        return _planned(plan, language)
    if keys:
        return _show(entries, language, seed)
    listed, more = first(entries, everything, "name a --role, --round or --level, or ")
    document = [_summary(entry, language) for entry in entries]
    return CommandResult({"questions": document}, _table(listed, language), *more)


def _export(
    entries: list[CatalogEntry],
    language: Language,
    form: Format,
    path: Path,
    plan: InterviewRound | None,
    seed: str | None,
) -> CommandResult:
    require("bank")
    path.write_bytes(_written(form, entries, language, plan, seed))
    document: dict[str, Any] = {
        "file": str(path),
        "format": form,
        "language": language,
        "questions": [entry.key for entry in entries],
    }
    lines = [f"{len(entries)} questions: {path}"]
    if form == "kit" and plan is not None:
        from hotloop.learn.bank.export import kit

        sheet = path.with_suffix(".candidate.md")
        sheet.write_text(kit.candidate_sheet(entries, language, seed), encoding="utf-8")
        document |= {"candidate": str(sheet), **_clock(plan)}
        lines.append(f"For the candidate, to paste into a shared pad: {sheet}")
    if plan is not None and plan.spare:
        lines.append(f"No time for: {', '.join(entry.key for entry in plan.spare)}.")
    return CommandResult(document, Text("\n".join(lines)))


def _clock(plan: InterviewRound) -> dict[str, Any]:
    return {
        "minutes": plan.minutes,
        "clock": [
            {"key": one.entry.key, "begins": one.begins, "ends": one.ends} for one in plan.questions
        ],
        "spare": [entry.key for entry in plan.spare],
    }


def _planned(plan: InterviewRound, language: Language) -> CommandResult:
    """Return the round's questions with the minutes from which they are asked."""
    table = listing("from minute", "level", "id", "question")
    table.add_row("0", "", "", "warm-up")
    for one in plan.questions:
        title = wording(one.entry, language).title
        question = one.entry.question
        table.add_row(str(one.begins), question.level, question.id, cut(title))
    table.add_row(str(plan.closing), "", "", "the candidate's own questions")
    return CommandResult(
        {**_clock(plan), "questions": [_summary(one.entry, language) for one in plan.questions]},
        table,
        Text("--export kit writes the kit for them, and a sheet for the candidate.", "dim"),
    )


def _show(entries: list[CatalogEntry], language: Language, seed: str | None) -> CommandResult:
    documents: list[dict[str, Any]] = []
    shown: list[RenderableType] = []
    for entry in entries:
        words, drawn = wording(entry, language), None
        if entry.question.numeric is not None:
            drawn = numeric.draw(entry.question.numeric, seed or entry.key, words.numeric)
        documents.append(_document(entry, words, drawn))
        shown += _shown(entry, words, drawn)
    return CommandResult({"questions": documents}, *shown)


def _written(
    form: Format,
    entries: list[CatalogEntry],
    language: Language,
    plan: InterviewRound | None,
    seed: str | None,
) -> bytes:
    if form == "anki":
        from hotloop.learn.bank.export import anki

        return anki.package(entries, language, time.time())
    if form == "kit":
        from hotloop.learn.bank.export import kit

        return kit.page(entries, language, plan, seed).encode()
    from hotloop.learn.bank.export import gift, qti

    if form == "qti":
        return qti.package(entries, language)
    return gift.text(entries, language).encode()


def _summary(entry: CatalogEntry, language: Language) -> dict[str, Any]:
    question = entry.question
    return {
        "key": entry.key,
        "title": wording(entry, language).title,
        "track": entry.track,
        "module": entry.module,
        "kind": question.kind,
        "roles": list(roles_of(entry)),
        "round": round_of(entry),
        "level": question.level,
        "minutes": question.minutes,
        "languages": list(entry.languages),
        "links": question.links,
        "proofs": len(entry.proofs),
        "numeric": question.numeric is not None,
    }


def _document(entry: CatalogEntry, words: Wording, drawn: Instance | None) -> dict[str, Any]:
    proofs = [
        {"program": proof.path.name, "source": proof.source, "output": proof.output}
        for proof in entry.proofs
    ]
    return {
        **_summary(entry, words.language),
        **asdict(words),
        "numeric": None if drawn is None else numeric.document(drawn),
        "proofs": proofs,
        "sources": entry.question.sources,
    }


def _table(entries: Sequence[CatalogEntry], language: Language) -> Table:
    """Return a table with one line per question, grouped by module."""
    labels = LABELS[language]
    table = listing("id", "level", labels.minutes, "question")
    for group, members in groupby(entries, lambda entry: entry.module or entry.track):
        table.add_row(Text(group, "bold"))
        for entry in members:
            about = (labels.levels[entry.question.level], str(entry.question.minutes))
            title = wording(entry, language).title
            table.add_row(f"  {entry.question.id}", *about, cut(title))
    return table


def _shown(entry: CatalogEntry, words: Wording, drawn: Instance | None) -> Iterator[RenderableType]:
    labels, question = LABELS[words.language], entry.question
    about = f"{labels.levels[question.level]}, {question.minutes} {labels.minutes}; {entry.key}"
    yield Text(words.title, "bold")
    yield Text(about, "dim")
    yield from (_block(part.text) for part in blocks(words.prompt))
    if drawn is not None:
        yield _block(drawn.ask)
        yield _block(f"{drawn.shown}. {drawn.explain}")
    for heading, texts in _sections(words, labels):
        yield Text(heading, "bold")
        yield _answer(words) if heading == labels.answer else _block("\n".join(texts))
    for proof in entry.proofs:
        yield Text(proof.path.name, "bold")
        yield _block(proof.output or "–")
    if question.links:
        yield Text(f"{labels.practise}: {', '.join(question.links)}")


def _sections(words: Wording, labels: Labels) -> Iterator[tuple[str, list[str]]]:
    yield labels.probes, [f"• {text}" for text in words.probes]
    yield labels.strategy, [f"{place}. {text}" for place, text in enumerate(words.strategy, 1)]
    yield labels.say, [words.say]
    yield labels.answer, [words.answer]
    yield (
        labels.weak_answers,
        [f"• “{says}” {labels.reveals} {reveals}" for says, reveals in words.weak_answers],
    )
    yield labels.follow_ups, [f"{place}. {text}" for place, text in enumerate(words.follow_ups, 1)]
    yield labels.rubric, [f"{mark}  {words.rubric[mark]}" for mark in range(5)]


def _answer(words: Wording) -> Padding:
    """Return the model answer, which has lists, code and bold words."""
    return Padding(Markdown(words.answer), (0, 0, 1, 2))


def _block(text: str) -> Padding:
    return Padding(Text(text), (0, 0, 1, 2))
