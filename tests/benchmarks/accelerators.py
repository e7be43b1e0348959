"""How alike are accelerators that seeds draw, and does a program of one help with another?

    python tests/benchmarks/accelerators.py spread --seeds 200 --keep
    python tests/benchmarks/accelerators.py reach --count 20 --seconds 10 --keep
    python tests/benchmarks/accelerators.py port --others 10 --keep

`spread` runs the naive program and three levels for each seed, and accepts seeds whose levels lie
within BOUNDS: `instances.json` of the module holds them. `reach` searches the first ones for so
many seconds each. `port` takes the best program of the first and carries it over to others: its
choices and the order of its bundles, made for the first machine, with registers, constants and
addresses of the other kernel, and bundles split where the other machine has fewer slots.
"""

from __future__ import annotations

import argparse
import json
import math
import random
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from typing import Any

from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator import walk as walks
from hotloop.engines.accelerator.machine import Machine
from hotloop.engines.accelerator.program import Program, Rejected, assemble, misfit
from hotloop.engines.accelerator.run import Fault, TooSlow, run
from hotloop.engines.accelerator.walk import Walk
from hotloop.judge.device import device_name

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "solutions" / "unknown_machine"))

import walk as solution  # noqa: E402
from scheduler import NoRoom  # noqa: E402
from walk import Choice  # noqa: E402

RESULTS = Path(__file__).parent / "results" / "accelerators.json"
INSTANCES = ROOT / "graders/hotloop/tasks/modules/unknown_machine/instances.json"

BOUNDS = {1: (0.32, 0.56), 2: (0.62, 0.80), 3: (0.68, 0.82)}
"""Of an accepted seed, the score of each level: the share of the way from naive to bound."""

LEVELS: tuple[tuple[Choice, ...], ...] = (
    (Choice(pack=False),),
    tuple(Choice(streams=u) for u in (1, 2, 3, 4)),
    tuple(
        Choice(u, p, overlap=o, gather=2, reserve=r)
        for u, p, o, r in product((2, 3, 4, 6), (1, 2), (False, True), (2,))
    ),
)
"""What each level tries: vectors; streams in packed bundles; stages, overlap and registers too."""


@dataclass(frozen=True)
class Instance:
    """What one seed draws, with an input of its own."""

    seed: int
    machine: Machine
    walk: Walk
    work: walks.Work

    @classmethod
    def of(cls, seed: int) -> Instance:
        """Return the instance of a seed."""
        walk = walks.draw(seed)
        return cls(
            seed, machines.draw(seed), walk, walks.work(walk, walks.ITEMS, random.Random(seed))
        )

    def cycles(self, program: Program) -> int:
        """Return the cycles of a program. Raises AssertionError if it is wrong."""
        text = assemble(str(program), self.machine)
        result = run(self.machine, text, self.work.memory, self.work.writable, 10**7)
        assert self.work.mismatch(result.memory) is None
        return result.cycles

    @property
    def naive(self) -> int:
        """Cycles of the naive program."""
        return self.cycles(walks.naive(self.walk, walks.ITEMS))

    @property
    def bound(self) -> int:
        """The lower bound."""
        return walks.lower_bound(self.walk, self.machine, self.work)

    def vectors(self, choice: Choice) -> Program:
        """Return the program of a choice. Raises NoRoom."""
        return solution.vectors(self.machine, self.walk, walks.ITEMS, choice)

    def best(self, choices: Iterable[Choice]) -> tuple[int, Choice]:
        """Return the fewest cycles, and the choice that takes them. Raises NoRoom if none fits."""
        reached: list[tuple[int, Choice]] = []
        for choice in choices:
            try:
                reached.append((self.cycles(self.vectors(choice)), choice))
            except NoRoom:
                continue
        if not reached:
            raise NoRoom("no choice fits")
        return min(reached, key=lambda each: each[0])


def score(cycles: float, naive: float, bound: float) -> float:
    """Return the share of the way from naive to bound, on a logarithmic scale."""
    return math.log(naive / cycles) / math.log(naive / bound)


def measured(seed: int) -> dict[str, Any]:
    """Return naive, levels and bound of a seed."""
    instance = Instance.of(seed)
    naive, bound = instance.naive, instance.bound
    levels = [instance.best(choices)[0] for choices in LEVELS]
    scores = [round(score(cycles, naive, bound), 3) for cycles in levels]
    return {"seed": seed, "naive": naive, "bound": bound, "levels": levels, "scores": scores}


def is_accepted(row: dict[str, Any]) -> bool:
    """Return whether the seed is as difficult as the others."""
    return all(low <= row["scores"][n - 1] <= high for n, (low, high) in BOUNDS.items())


def spread(seeds: int) -> dict[str, Any]:
    """Measure many seeds, and say how many are accepted."""
    rows: list[dict[str, Any]] = []
    unfit = 0
    for seed in range(1, seeds + 1):
        try:
            rows.append(measured(seed))
        except NoRoom:
            unfit += 1
    kept = [row for row in rows if is_accepted(row)]
    return {
        "drawn": seeds,
        "without_registers_enough": unfit,
        "accepted": len(kept),
        "bounds": {str(n): list(each) for n, each in BOUNDS.items()},
        "spread_of_drawn": _spread(rows),
        "spread_of_accepted": _spread(kept),
        "rows": kept,
    }


def _spread(rows: Sequence[dict[str, Any]]) -> dict[str, list[float]]:
    """Return lowest, median and highest score of each level."""
    result: dict[str, list[float]] = {}
    for n in range(len(LEVELS)):
        column = [row["scores"][n] for row in rows]
        result[str(n + 1)] = [min(column), statistics.median(column), max(column)]
    return result


# --- search ---------------------------------------------------------------------------------------


def search(instance: Instance, seconds: float) -> tuple[int, Choice]:
    """Return the fewest cycles found within the time, and the choice that takes them."""
    rng = random.Random(instance.seed)
    best = instance.best(LEVELS[2])
    end, seen = time.monotonic() + seconds, set[Choice]()
    while time.monotonic() < end:
        choice = _neighbor(best[1], rng)
        if choice in seen:
            continue
        seen.add(choice)
        try:
            best = min(best, (instance.cycles(instance.vectors(choice)), choice), key=_cycles)
        except NoRoom:
            continue
    return best


def _keep_searches(every: list[dict[str, Any]], rows: Iterable[dict[str, Any]]) -> None:
    """Write what the search reached into `instances.json`."""
    searched = {row["seed"]: row["search_score"] for row in rows}
    for row in every:
        if row["seed"] in searched:
            row["search_score"] = searched[row["seed"]]
    INSTANCES.write_text(json.dumps(every) + "\n", encoding="utf-8")


def _cycles(result: tuple[int, Choice]) -> int:
    return result[0]


def _neighbor(choice: Choice, rng: random.Random) -> Choice:
    """Return a choice that differs in one decision."""
    moves: Sequence[Callable[[], Choice]] = (
        lambda: replace(choice, streams=max(1, choice.streams + rng.choice((-1, 1)))),
        lambda: replace(choice, stages=max(1, choice.stages + rng.choice((-1, 1)))),
        lambda: replace(choice, gather=rng.choice((1, 2, 3))),
        lambda: replace(choice, reserve=rng.choice((0, 1, 2, 3, 4))),
        lambda: replace(choice, overlap=not choice.overlap),
        lambda: replace(choice, select=not choice.select),
        lambda: replace(choice, noise=rng.choice((1.0, 4.0, 16.0, 64.0)), noise_seed=_any(rng)),
        lambda: replace(choice, noise_seed=_any(rng)),
    )
    return rng.choice(moves)()


def _any(rng: random.Random) -> int:
    return rng.randrange(10**6)


def reach(rows: Iterable[dict[str, Any]], seconds: float) -> Iterator[dict[str, Any]]:
    """Yield each row with what the search reaches, and its choice."""
    for row in rows:
        cycles, choice = search(Instance.of(row["seed"]), seconds)
        reached = round(score(cycles, row["naive"], row["bound"]), 3)
        yield {**row, "search": cycles, "search_score": reached, "choice": vars(choice)}


# --- a program of one machine on another ----------------------------------------------------------


def ported(source: Instance, choice: Choice, other: Instance) -> int | None:
    """Return the cycles of the source's best program on the other machine, or None.

    It is scheduled for the source: its slots, width and latencies. What would not even assemble is
    the other machine's: lanes, registers, banks, memories, and which instructions exist.
    """
    theirs = replace(
        other.machine,
        slots=source.machine.slots,
        width=source.machine.width,
        latency=source.machine.latency,
        program=10**6,
    )
    while True:
        try:
            program = solution.vectors(theirs, other.walk, walks.ITEMS, choice)
            break
        except NoRoom:
            if choice.streams == choice.stages == 1:
                return None
            # Fewer streams or stages are the least that must change.
            choice = replace(
                choice,
                streams=max(1, choice.streams - (choice.streams > 1)),
                stages=choice.stages - (choice.streams == 1),
            )
    fitted = split(program, other.machine)
    return other.cycles(fitted) if len(fitted.bundles) <= other.machine.program else None


def split(program: Program, machine: Machine) -> Program:
    """Return the program with bundles split, in order, until the machine has slots for each.

    An instruction whose register an earlier part would overwrite goes before that part.
    """
    result = Program()
    for at, bundle in enumerate(program.bundles):
        for name, where in program.labels.items():
            if where == at:
                result.label(name)
        left = list(bundle)
        while left:
            part: list[Any] = []
            for each in left:
                others = [o for o in left if o is not each and o not in part]
                overwrites = any(set(each.writes) & set(o.reads) for o in others)
                ends = each.unit == "flow" and others
                fits = len(part) < machine.width and not misfit([*part, each], machine)
                if fits and not overwrites and not ends:
                    part.append(each)
            if not part:  # they exchange registers: together, or not at all
                raise NoRoom("instructions of a bundle overwrite each other's registers")
            result.bundles.append(tuple(part))
            left = [each for each in left if each not in part]
    return result


def unchanged(text: str, other: Instance) -> str:
    """Return what becomes of the text of a program on another machine with another kernel."""
    try:
        program = assemble(text, other.machine)
        result = run(other.machine, program, other.work.memory, other.work.writable, 10**6)
    except (Rejected, Fault, TooSlow) as error:
        return type(error).__name__.lower()
    return "right" if other.work.mismatch(result.memory) is None else "wrong"


def port(rows: Sequence[dict[str, Any]], others: int) -> dict[str, Any]:
    """Carry the first row's best program over to the next rows."""
    first = rows[0]
    source, choice = Instance.of(first["seed"]), Choice(**first["choice"])
    text = str(source.vectors(choice))
    texts = Counter(unchanged(text, Instance.of(row["seed"])) for row in rows[1 : others + 1])
    shares: list[dict[str, Any]] = []
    for row in rows[1 : others + 1]:
        try:
            cycles = ported(source, choice, Instance.of(row["seed"]))
        except NoRoom:
            cycles = None
        if cycles is None:
            shares.append({"seed": row["seed"], "cycles": None, "share": 0.0})
            continue
        share = score(cycles, row["naive"], row["bound"]) / row["search_score"]
        more = row["search"] / cycles
        shares.append(
            {
                "seed": row["seed"],
                "cycles": cycles,
                "share": round(share, 3),
                "speed_against_search": round(more, 3),
                "level_2": row["levels"][1],
            }
        )
    fits = [each for each in shares if each["cycles"] is not None]
    slower = [each["speed_against_search"] for each in fits]
    return {
        "from": first["seed"],
        "text_unchanged": dict(texts),
        "do_not_fit": len(shares) - len(fits),
        "median_share_of_score": statistics.median(each["share"] for each in shares),
        "median_share_of_score_where_it_fits": statistics.median(e["share"] for e in fits),
        "median_speed_against_search_where_it_fits": statistics.median(slower),
        "others": shares,
    }


def main() -> None:
    """Measure, print, and with --keep write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("spread", "reach", "port"))
    parser.add_argument("--seeds", type=int, default=200)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--others", type=int, default=10)
    parser.add_argument("--keep", action="store_true")
    asked = parser.parse_args()
    known: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    if asked.what == "spread":
        found = spread(asked.seeds)
        if asked.keep:
            INSTANCES.write_text(json.dumps(found["rows"]) + "\n", encoding="utf-8")
    elif asked.what == "reach":
        every = json.loads(INSTANCES.read_text())
        found = {
            "seconds_each": asked.seconds,
            "rows": list(reach(every[: asked.count], asked.seconds)),
        }
        if asked.keep:
            _keep_searches(every, found["rows"])
    else:
        found = port(known["reach"]["rows"], asked.others)
    print(json.dumps(found, indent=1))
    if asked.keep:
        known |= {"device": device_name(), "date": datetime.now(UTC).date().isoformat()}
        known[asked.what] = found
        RESULTS.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
