"""The table of named things and the page on named tools agree, and neither claims too much."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.docs.test_named_tools import ROWS, TASK

sys.path.insert(0, str(Path(__file__).parent))

import named_things

THINGS = named_things.things()


def test_every_named_thing_has_its_checks_or_says_why_not() -> None:
    assert list(named_things.faults(THINGS)) == []


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"checks": ["ssa_passes.mlir.no_such_check"]}, "no_such_check does not exist"),
        ({"pages": ["curriculum/no_such_page.md"]}, "no_such_page.md does not exist"),
        ({"how": "seen"}, "it is seen, expected one of"),
        ({"checks": []}, "nothing shows it"),
        ({"how": "miniature"}, "it does not say what is missing"),
        ({"how": "read", "lacks": "all of it"}, "it is read, with a check"),
    ],
)
def test_a_claim_without_a_check_is_told(change: dict[str, Any], fault: str) -> None:
    thing = next(thing for thing in THINGS if thing.thing == "MLIR")
    rows = [replace(thing, **change) if each is thing else each for each in THINGS]
    (told,) = named_things.faults(rows)
    assert fault in told


def test_the_page_has_the_rows_that_the_things_name() -> None:
    assert {row[0] for row in ROWS} == {name for thing in THINGS for name in thing.named}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].replace(" ", "_"))
def test_a_row_claims_the_tasks_of_its_things(row: list[str]) -> None:
    """Each task judges such a thing; where something is missing, the row says so."""
    things = [thing for thing in THINGS if row[0] in thing.named]
    judged = set[str]().union(*(thing.tasks for thing in things))
    assert set(TASK.findall(row[2])) <= judged
    assert row[3] or all(thing.how == "itself" for thing in things)


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: str(thing.n))
def test_the_rows_of_a_thing_have_its_tasks(thing: named_things.Thing) -> None:
    rows = [row for row in ROWS if row[0] in thing.named]
    assert thing.tasks <= {task for row in rows for task in TASK.findall(row[2])}
