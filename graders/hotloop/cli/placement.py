"""`hotloop placement`: about eight questions that find the module to begin with."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.padding import Padding
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from hotloop import curriculum
from hotloop.bank import units
from hotloop.cli import find
from hotloop.cli.answer import Json, UserError, answering, log
from hotloop.cli.interview import INTERRUPTED, Answers, at_a_terminal, lines_from
from hotloop.curriculum import Module, Tier
from hotloop.learning.graph import way
from hotloop.learning.items import Item, items, letter
from hotloop.learning.placement import RULE, Placed, Tried, most_questions, place
from hotloop.practice import store
from hotloop.practice.lines import Lines
from hotloop.practice.state import Answered, Placement, State
from hotloop.yaml_lines import CurriculumError

Items = dict[Tier, list[Item]]


def run(
    track: Annotated[str, typer.Argument(help="Which track you want to learn.")],
    seed: Annotated[
        str | None,
        typer.Option(help="The same seed asks the same questions.", show_default=False),
    ] = None,
    answers: Answers = None,
    as_json: Json = False,
) -> None:
    """Find the module of a track to begin with.

    About eight questions find it.

    Without a terminal and without --answers it tells the way and the rule, and asks nothing.
    """
    with answering(as_json) as answer:
        drawn = seed or str(secrets.randbelow(1_000_000))
        modules, found = _prepare(track, drawn)
        if answers is None and (as_json or not at_a_terminal()):
            answer.give(_outline(track, drawn, modules, found), *_told(track, modules, found))
            return
        try:
            placed = _ask(modules, found, answers, as_json)
        except EOFError:
            raise UserError("The test was left before its end; nothing was kept.") from None
        except KeyboardInterrupt:
            log("The test was left before its end; nothing was kept.")
            raise typer.Exit(INTERRUPTED) from None
        _keep(track, drawn, placed)
        document = {**_outline(track, drawn, modules, found), **_outcome(placed)}
        answer.give(document, *_result(track, drawn, placed))


def _prepare(track: str, seed: str) -> tuple[list[Module], Items]:
    try:
        known = [each.id for each in curriculum.curriculum().tracks]
        if track not in known:
            raise UserError(find.unknown("track", track, known))
        modules = way(track)
        found = items(track, modules, seed)
    except (CurriculumError, FileNotFoundError) as error:
        raise UserError(str(error)) from None
    if not any(module.track == track for module in modules):
        raise UserError(
            f"{track} has no module yet. Its questions are there: "
            f"`hotloop interview --track {track}`."
        )
    return modules, found


def _ask(modules: list[Module], found: Items, answers: Path | None, as_json: bool) -> Placed:
    most = most_questions(found)
    with lines_from(answers, as_json) as (console, lines):

        def answer(item: Item, number: int) -> bool:
            _show(console, item, number, most)
            return _given(lines, console, item)

        return place(modules, found, answer)


def _show(console: Console, item: Item, number: int, most: int) -> None:
    console.print(Rule(f"Question {number}, of {most} at most", align="left"))
    console.print(Padding(Text(item.ask), (0, 0, 1, 2)))
    rows = Table.grid(padding=(0, 1))
    for at, option in enumerate(item.options):
        rows.add_row(f"{letter(at)}", Text(option))
    if item.options:
        console.print(Padding(rows, (0, 0, 1, 2)))


def _given(lines: Lines, console: Console, item: Item) -> bool:
    """Whether the answer was right. An honest `?` places better than a guess."""
    if item.instance is not None:
        asked = f" in {item.instance.unit}" if item.instance.unit else ""
        prompt = f"a number{asked}; ? if you don't know"
        while (said := lines.ask(prompt).strip()) != "?" and units.read(said) is None:
            console.print(Text("A number, with or without its unit, or ?."))
        return item.is_right(said)
    letters = [letter(at) for at in range(len(item.options))]
    prompt = f"{letters[0]} to {letters[-1]}; ? if you don't know"
    while (said := lines.ask(prompt).strip().lower()) not in (*letters, "?"):
        console.print(Text(f"One of {', '.join(letters)}, or ?."))
    return item.is_right(said)


def _keep(track: str, seed: str, placed: Placed) -> None:
    placement = Placement(
        at=datetime.now(UTC),
        track=track,
        seed=seed,
        known=list(placed.known),
        start=placed.start.id if placed.start else None,
        answers=[Answered(question=g.item.question, right=g.right) for g in placed.given],
    )
    try:
        kept = store.add(State(placements=[placement]))
    except (CurriculumError, OSError) as error:
        log(f"The outcome could not be kept: {error}")
        return
    if kept.notice:
        log(kept.notice)


def _outline(track: str, seed: str, modules: list[Module], found: Items) -> dict[str, Any]:
    return {
        "track": track,
        "seed": seed,
        "rule": RULE,
        "way": [{"module": each.id, "title": each.title, "tier": each.tier} for each in modules],
        "items": {tier: len(each) for tier, each in found.items()},
        "most_questions": most_questions(found),
    }


def _outcome(placed: Placed) -> dict[str, Any]:
    return {
        "start": placed.start.id if placed.start else None,
        "skipped": [module.id for module in placed.skipped],
        "known": list(placed.known),
        "tiers": [
            {
                "tier": tried.tier,
                "asked": len(tried.given),
                "right": tried.right,
                "needed": tried.needed,
                "known": tried.known,
            }
            for tried in placed.tried
        ],
        "answers": [
            {"question": given.item.question, "tier": given.item.tier, "right": given.right}
            for given in placed.given
        ],
    }


def _told(track: str, modules: list[Module], found: Items) -> Iterator[RenderableType]:
    yield Text(f"The way to the end of {track}:")
    table = Table("module", "tier", "items", box=SIMPLE_HEAD)
    for each in modules:
        table.add_row(each.id, each.tier, str(len(found.get(each.tier, ()))))
    yield table
    yield Text(f"{RULE} That makes {most_questions(found)} questions at most.")
    yield Text("It needs a terminal, or answers from a file (--answers).")


def _result(track: str, seed: str, placed: Placed) -> Iterator[RenderableType]:
    yield Rule("Where you begin", align="left")
    for tried in placed.tried:
        yield Text(_why(tried))
    if placed.start is None:
        yield Text(f"You know what the modules of {track} teach. Try its questions:")
        yield Text(f"  hotloop interview --track {track}", "cyan")
    else:
        yield Text.assemble("Begin with ", (placed.start.title, "bold"), ":")
        yield Text(f"  hotloop start {placed.start.id}", "cyan")
    if placed.skipped:
        names = ", ".join(module.id for module in placed.skipped)
        yield Text(f"What you may skip: {names}.")
    yield Text(f"\n{RULE} (--seed {seed} asks the same questions again.)", "dim")
    wrong = [given.item for given in placed.given if not given.right]
    if wrong:
        yield Text("\nWhat was not right", "bold")
    for item in wrong:
        yield Text.assemble(("• ", "dim"), f"{item.solution}\n  {item.because}")
        yield Text(f"  hotloop questions {item.question}", "cyan")


def _why(tried: Tried) -> str:
    if not tried.given:
        return f"{tried.tier}: too few questions to tell, so it counts as not known."
    outcome = "known" if tried.known else "not known yet"
    asked = len(tried.given)
    return f"{tried.tier}: {tried.right} of {asked} right ({tried.needed} needed): {outcome}."
