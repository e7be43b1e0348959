"""How many questions a viva takes to tell who understands the code: a simulation.

    python tests/benchmarks/viva.py --keep     seconds

People who understand, who half understand, who guess and say so, who bluff, and who read out what
an assistant answers, answer n questions. How often is the one who understands distinguished from
the others, by the Brier score and by the number of right answers? That is, the whole 95 % interval
is better than an even guess, or than the other's interval. How often people are right is assumed.
`--keep` writes viva_power.json to tests/benchmarks/results. Whether the keys of real questions
hold: viva_keys.py.
"""

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hotloop.core.intervals import Interval, rate_interval
from hotloop.judge.device import device_name
from hotloop.learn.predicting.outcomes import WORDS, Kind
from hotloop.learn.predicting.scores import GUESS, brier, mean_interval

RESULT = Path(__file__).parent / "results" / "viva_power.json"


def main() -> None:
    """Simulate, print and, with --keep, write the result."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--keep", action="store_true", help=f"write {RESULT.name}")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    told = simulation()
    head = {"format": 1, "device": device_name(), "date": datetime.now(UTC).date().isoformat()}
    power = {**head, "trials": TRIALS, **by_name(told), "rows": told}
    if arguments.keep:
        RESULT.write_text(json.dumps(power, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(power, indent=1) if arguments.json else text(told))


@dataclass(frozen=True)
class Person:
    """hits: share of right answers. sure: the stated confidence if right, and if wrong."""

    hits: float
    sure: tuple[float, float]


PEOPLE = {
    "understands": Person(0.85, (0.9, 0.7)),
    "understands half": Person(0.55, (0.7, 0.5)),
    "guesses and says so": Person(1 / len(WORDS), (0.15, 0.15)),
    "bluffs": Person(0.25, (0.9, 0.9)),
    "reads out an assistant": Person(0.85, (0.9, 0.9)),
}
"""Assumed, not measured: there are no data of real vivas. An assistant is as often right as who
understands, and as sure where it is wrong."""

COUNTS = (4, 6, 8, 10, 12, 16, 20, 24, 32, 48)
TRIALS = 4000
POWER = 0.8


def simulation(seed: int = 1) -> list[dict[str, Any]]:
    """Return for each distinction how often it is made, by number of questions.

    Also from which number on it is made in 80 % of the vivas.
    """
    rng = random.Random(seed)
    power = {count: power_at(count, rng) for count in COUNTS}
    return [
        {
            "told": name,
            **{str(count): power[count][name] for count in COUNTS},
            "80 % from": fewest([power[count][name] for count in COUNTS]),
        }
        for name in power[COUNTS[0]]
    ]


def by_name(told: Sequence[dict[str, Any]]) -> dict[str, dict[str, str]]:
    """Return what pages quote: from how many questions on, and how often with eight."""
    names = [re.sub(r"\W+", "_", row["told"]) for row in told]
    return {
        "enough": {name: row["80 % from"] for name, row in zip(names, told, strict=True)},
        "with_8": {name: f"{row['8']:.0%}" for name, row in zip(names, told, strict=True)},
    }


def fewest(shares: Sequence[float]) -> str:
    """Return the number of questions from which on all shares are large enough."""
    enough = [all(share >= POWER for share in shares[place:]) for place in range(len(shares))]
    return str(COUNTS[enough.index(True)]) if True in enough else f"more than {COUNTS[-1]}"


def power_at(count: int, rng: random.Random) -> dict[str, float]:
    """Return how often each distinction is made with `count` questions."""
    told: Counter[str] = Counter()
    for _ in range(TRIALS):
        sat = {name: answered(person, count, rng) for name, person in PEOPLE.items()}
        best = sat["understands"]
        for name, other in sat.items():
            told[f"{name}: Brier better than a guess"] += other.brier.high < GUESS
            told[f"{name}: more right than by guessing"] += other.right.low > 1 / len(WORDS)
            if name != "understands":
                told[f"understands, Brier better than: {name}"] += best.brier.high < other.brier.low
                told[f"understands, more right than: {name}"] += best.right.low > other.right.high
    return {name: hits / TRIALS for name, hits in sorted(told.items())}


@dataclass(frozen=True)
class Sat:
    """The two intervals of one viva."""

    brier: Interval
    right: Interval


def answered(person: Person, count: int, rng: random.Random) -> Sat:
    """Simulate one viva; its outcomes are as evenly spread as in real ones."""
    kinds: Sequence[Kind] = list(WORDS)
    scores: list[float] = []
    hits = 0
    for number in range(count):
        truth = kinds[number % len(kinds)]
        right = rng.random() < person.hits
        others: list[Kind] = [kind for kind in kinds if kind != truth]
        said = truth if right else rng.choice(others)
        scores.append(brier(said, person.sure[0] if right else person.sure[1], truth))
        hits += right
    rate = rate_interval(hits, count)
    assert rate is not None
    return Sat(mean_interval(scores), rate)


def text(power: Sequence[dict[str, Any]]) -> str:
    """Format the simulation as a table."""
    lines: list[str] = []
    for row in power:
        shown = "  ".join(f"{count}: {row[str(count)]:.0%}" for count in COUNTS)
        lines.append(f"{row['told']}\n    {shown}\n    80 % from {row['80 % from']} questions on")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
