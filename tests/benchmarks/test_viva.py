"""The simulation of a viva distinguishes people."""

import json
import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import viva


@pytest.mark.slow
def test_who_says_that_they_guess_is_never_told_from_a_guess(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(viva, "TRIALS", 500)
    rng = random.Random(5)
    power = viva.power_at(8, rng)
    assert power["guesses and says so: Brier better than a guess"] == 0
    assert power["guesses and says so: more right than by guessing"] < 0.05
    assert power["understands: more right than by guessing"] > 0.95
    more = viva.power_at(48, rng)
    assert more["understands: Brier better than a guess"] > 0.95
    assert (
        more["understands, Brier better than: bluffs"]
        > power["understands, Brier better than: bluffs"]
    )


@pytest.mark.slow
def test_who_reads_out_what_an_assistant_says_is_not_told_from_who_understands(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """If it is right as often: the predictions do not show it, with 8 questions or with 48."""
    monkeypatch.setattr(viva, "TRIALS", 300)
    for count in (8, 48):
        power = viva.power_at(count, random.Random(5))
        assert power["understands, more right than: reads out an assistant"] < 0.05
        assert power["reads out an assistant: more right than by guessing"] > 0.95


def test_enough_is_enough_from_there_on() -> None:
    counts = len(viva.COUNTS)
    assert viva.fewest([0.9] * counts) == "4"
    assert viva.fewest([0.9, 0.1, *[0.9] * (counts - 2)]) == "8"
    assert viva.fewest([0.9] * (counts - 1) + [0.1]) == "more than 48"


@pytest.mark.slow
def test_the_stored_simulation_is_what_the_script_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first number of questions, whose trials come first; and what pages quote of all."""
    stored = json.loads(viva.RESULT.read_text(encoding="utf-8"))
    assert stored["trials"] == viva.TRIALS
    monkeypatch.setattr(viva, "COUNTS", viva.COUNTS[:1])
    first = {row["told"]: row["4"] for row in viva.simulation()}
    assert first == {row["told"]: row["4"] for row in stored["rows"]}
    assert {k: stored[k] for k in ("enough", "with_8")} == viva.by_name(stored["rows"])
