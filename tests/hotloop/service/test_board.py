"""The class board shows learners who joined, by speed, and claims no more than was measured."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.judge.client import JudgeProcess
from hotloop.learn.remote import place
from hotloop.service.app import served

from . import quick
from .conftest import School
from .test_client import own_files
from .web.serving import listening

__all__ = ["own_files"]

MODULE, NAME = "fused_softmax", "compiled_chain"


def record(ratio: float, low: float, high: float, verdict: Verdict = Verdict.PASSED) -> Record:
    """Return a record of a task with a speed check."""
    evidence = {"ratio": ratio, "interval": [low, high], "fraction_of_limit": ratio / 10}
    found = quick.record(MODULE, NAME)
    checks = tuple(
        replace(check, verdict=verdict, evidence=evidence)
        if check.check.startswith("fast")
        else check
        for check in found.checks
    )
    return replace(
        found, checks=checks, circumstances=replace(found.circumstances, device="A card")
    )


def checked(school: School, who: str, found: Record, **changes: Any) -> None:
    school.stored(who, module=MODULE, task=NAME, **changes)
    assert school.worker(judge=lambda *_: [found]).one(JudgeProcess())


def joined(school: School, who: str, name: str) -> int:
    return school.ask(who, "POST", "/api/board", json={"name": name}).status_code


def shown(school: School) -> list[tuple[int, str]]:
    boards = school.ask("bob", "GET", f"/api/board/{MODULE}").json()["boards"]
    return [(one["place"], one["name"]) for board in boards[:1] for one in board["places"]]


@pytest.fixture
def three(school: School) -> School:
    """ada and bob cannot be distinguished; grace is slower than both."""
    for who, name in (("ada", "Owl"), ("bob", "Fox"), ("grace", "Elk")):
        assert joined(school, who, name) == 204
    checked(school, "ada", record(3.0, 2.8, 3.2))
    checked(school, "bob", record(2.9, 2.7, 3.1))
    checked(school, "grace", record(2.0, 1.9, 2.1))
    return school


@pytest.mark.slow
def test_overlapping_intervals_share_a_place(three: School) -> None:
    assert shown(three) == [(1, "Owl"), (1, "Fox"), (3, "Elk")]
    (board, *_) = three.ask("ada", "GET", f"/api/board/{MODULE}").json()["boards"]
    assert (board["task"], board["device"]) == (NAME, "A card")
    assert board["places"][0]["fraction_of_limit"] == pytest.approx(0.3)
    assert "ada" not in json.dumps(board)


@pytest.mark.slow
def test_nobody_is_shown_who_has_not_joined(school: School) -> None:
    checked(school, "ada", record(3.0, 2.8, 3.2))
    assert shown(school) == []
    joined(school, "ada", "Owl")
    assert shown(school) == [(1, "Owl")]
    assert school.ask("ada", "DELETE", "/api/board").status_code == 204
    assert shown(school) == []


@pytest.mark.slow
def test_the_best_of_each_counts_and_what_is_not_passed_does_not(three: School) -> None:
    checked(three, "grace", record(5.0, 4.8, 5.2))
    checked(three, "ada", record(9.0, 8.0, 9.9, Verdict.TOO_SLOW))
    assert shown(three) == [(1, "Elk"), (2, "Owl"), (2, "Fox")]


def test_a_speed_that_the_learners_own_process_told_has_no_place(three: School) -> None:
    fast = record(50.0, 48.0, 52.0)
    checks = tuple(replace(check, instrumented=True) for check in fast.checks)
    checked(three, "grace", replace(fast, checks=checks))
    assert shown(three)[0] == (1, "Owl")


@pytest.mark.slow
@pytest.mark.parametrize("changes", [{"seeded": True}, {"variant": "ab" * 32}])
def test_what_was_not_judged_as_the_course_gave_it_does_not_count(
    three: School, changes: dict[str, Any]
) -> None:
    fast = record(50.0, 48.0, 52.0)
    checked(three, "grace", replace(fast, circumstances=replace(fast.circumstances, **changes)))
    assert shown(three)[0] == (1, "Owl")


@pytest.mark.parametrize("name", ["", "<b>", "x" * 31, " a", "é", "a\n"])
def test_what_is_no_name_is_refused(school: School, name: str) -> None:
    assert joined(school, "ada", name) == 422


@pytest.mark.slow
def test_a_name_is_taken_once(three: School) -> None:
    assert joined(three, "ada", "Fox") == 409
    assert joined(three, "ada", "Cat") == 204
    assert shown(three)[0] == (1, "Cat")


def test_strangers_see_no_board(school: School) -> None:
    for method in ("POST", "DELETE"):
        assert school.ask("", method, "/api/board", json={"name": "x"}).status_code == 401
    assert school.ask("", "GET", f"/api/board/{MODULE}").status_code == 401


@pytest.mark.slow
def test_the_command(three: School, tmp_path: Path) -> None:
    with listening(served(three.service)) as port:
        place.remember(f"http://127.0.0.1:{port}", three.tokens["ada"])
        done = CliRunner().invoke(app, ["board", MODULE, "--as", "Cat"])
        assert "Cat" in done.stdout
        assert "2.80 to 3.20" in done.stdout
        done = CliRunner().invoke(app, ["board", MODULE, "--leave", "--json"])
    places = json.loads(done.stdout)["boards"][0]["places"]
    assert [one["name"] for one in places] == ["Fox", "Elk"]


@pytest.mark.slow
def test_exact_counts_are_ranked_without_intervals(school: School) -> None:
    for who, name, cycles in (("ada", "Owl", 5000), ("bob", "Fox", 4000)):
        assert joined(school, who, name) == 204
        marks = {"naive": {"score": 0, "value": 80000}, "lower bound": {"score": 1, "value": 2000}}
        scale = {"unit": "cycles", "value": cycles, "score": 0.7, "marks": marks}
        found = record(1.0, 1.0, 1.0, Verdict.PARTIAL)
        checks = [replace(check, evidence={"open_scale": scale}) for check in found.checks[:1]]
        partial = replace(checks[0], verdict=Verdict.PARTIAL)
        checked(school, who, replace(found, checks=(partial, *found.checks[1:])))
    assert shown(school) == [(1, "Fox"), (2, "Owl")]
    (board,) = school.ask("ada", "GET", f"/api/board/{MODULE}").json()["boards"]
    assert board["device"] == "exact count"
    assert board["unit"] == "cycles"
    assert board["places"][0]["ratio"] == 20
    assert board["places"][0]["count"] == 4000
    with listening(served(school.service)) as port:
        place.remember(f"http://127.0.0.1:{port}", school.tokens["ada"])
        done = CliRunner().invoke(app, ["board", MODULE])
    for words in ("cycles", "4,000", "20.00×", "50%"):
        assert words in done.stdout
