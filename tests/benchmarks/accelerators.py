"""How alike are accelerators that seeds draw, and does a program of one help with another?

    python tests/benchmarks/accelerators.py spread --first 1000 --count 100 --keep
    python tests/benchmarks/accelerators.py reach --count 20 --seconds 10 --keep
    python tests/benchmarks/accelerators.py port --others 10 --keep
    python tests/benchmarks/accelerators.py long --seed 1000 --seconds 300 --keep
    … --task walk: the walk of the course's seeds, below 1000, instead of a kernel that is drawn too

`spread` runs the naive program and three levels for each seed, and accepts seeds whose levels lie
within BOUNDS: `instances.json` and `kernels.json` of the module hold them. `reach` searches the
first ones for so many seconds each, `long` one of them, from where the last call ended. `port`
takes the best program of one seed over to others, twice: by renaming, which needs the same
operations, and with the source's generator of programs, which needs the same kind of kernel. Both
keep its choices and the order of its bundles, made for the first machine, with registers,
constants and addresses of the other kernel, and bundles split where the other machine has fewer
slots. What does not fit, or cannot compute the other kernel, keeps nothing. Beside them stands what
the module's solution keeps, which has a generator for each kind and is run anew.
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

from hotloop.engines.accelerator import hashing, kinds, ragged, sparse, walk
from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator.kernel import Kind, Work
from hotloop.engines.accelerator.machine import WIDE, Machine
from hotloop.engines.accelerator.program import Program, Rejected, assemble, misfit
from hotloop.engines.accelerator.run import Fault, TooSlow, run
from hotloop.judge.device import device_name

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "solutions" / "unknown_machine"))

import kernel as solution  # noqa: E402
from kernel import Choice  # noqa: E402
from scheduler import NoRoom  # noqa: E402

RESULTS = Path(__file__).parent / "results" / "accelerators.json"
MODULE = ROOT / "graders/hotloop/tasks/modules/unknown_machine"
INSTANCES = {"walk": MODULE / "instances.json", "kernel": MODULE / "kernels.json"}

BOUNDS = {
    "walk": {1: (0.32, 0.56), 2: (0.62, 0.80), 3: (0.68, 0.82)},
    "kernel": {1: (0.28, 0.56), 2: (0.45, 0.74), 3: (0.55, 0.74)},
}
"""Of an accepted seed, the score of each level: the share of the way from naive to bound."""

LEVELS: tuple[tuple[Choice, ...], ...] = (
    (Choice(pack=False),),
    tuple(Choice(streams=u) for u in (1, 2, 3, 4)),
    tuple(
        Choice(way, u, n, sort, stages=p, overlap=o, gather=2)
        for way, u, n, sort, p, o in product(
            ("lanes", "flat"), (1, 2, 3, 4, 6), (1, 2), (False, True), (1, 2), (False, True)
        )
    ),
)
"""What each level tries: vectors; streams in packed bundles; all that the solution can do."""


@dataclass(frozen=True)
class Instance:
    """What one seed draws, with an input of its own."""

    seed: int
    machine: Machine
    kind: Kind[Any]
    shape: Any
    work: Work

    @classmethod
    def of(cls, seed: int, kind: Kind[Any] | None = None) -> Instance:
        """Return the instance of a seed: its kind is drawn, except where machines are alike."""
        kind = kind or (kinds.draw(seed) if seed >= WIDE else walk.KIND)
        shape = kind.draw(seed)
        work = kind.work(shape, kind.items, random.Random(seed))
        return cls(seed, machines.draw(seed), kind, shape, work)

    def cycles(self, program: Program) -> int:
        """Return the cycles of a program. Raises AssertionError if it is wrong."""
        text = assemble(str(program), self.machine)
        result = run(self.machine, text, self.work.memory, self.work.writable, 10**7)
        assert self.work.mismatch(result.memory) is None
        return result.cycles

    def text(self, choice: Choice, items: int) -> str:
        """Return the text of a choice's program for another number of items."""
        return str(solution.program(self.machine, self.shape, items, choice))

    @property
    def naive(self) -> int:
        """Cycles of the naive program."""
        return self.cycles(self.kind.naive(self.shape, self.kind.items))

    @property
    def bound(self) -> int:
        """The lower bound."""
        return self.kind.bound(self.shape, self.machine, self.work)

    def vectors(self, choice: Choice) -> Program:
        """Return the program of a choice. Raises NoRoom."""
        return solution.program(self.machine, self.shape, self.kind.items, choice)

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
    return {
        "seed": seed,
        "kind": instance.kind.name,
        "naive": naive,
        "bound": bound,
        "levels": levels,
        "scores": scores,
    }


def is_accepted(row: dict[str, Any], task: str) -> bool:
    """Return whether the seed is as difficult as the others."""
    return all(low <= row["scores"][n - 1] <= high for n, (low, high) in BOUNDS[task].items())


def spread(task: str, first: int, count: int) -> dict[str, Any]:
    """Measure many seeds, and say how many are accepted."""
    rows: list[dict[str, Any]] = []
    unfit = 0
    for seed in range(first, first + count):
        try:
            rows.append(measured(seed))
            print(rows[-1], file=sys.stderr, flush=True)
        except NoRoom:
            unfit += 1
    kept = [row for row in rows if is_accepted(row, task)]
    return {
        "drawn": count,
        "without_registers_enough": unfit,
        "accepted": len(kept),
        "bounds": {str(n): list(each) for n, each in BOUNDS[task].items()},
        "kinds_drawn": dict(Counter(row["kind"] for row in rows)),
        "kinds_accepted": dict(Counter(row["kind"] for row in kept)),
        "spread_of_drawn": _spread(rows),
        "spread_of_accepted": _spread(kept),
        "rejected": [
            {"seed": row["seed"], "kind": row["kind"], "scores": row["scores"]}
            for row in rows
            if row not in kept
        ],
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


def search(instance: Instance, seconds: float, first: Choice | None = None) -> Search:
    """Search for so long, from a choice on or from the best of the highest level."""
    rng = random.Random(f"{instance.seed} {first}")
    best = instance.best(LEVELS[2] if first is None else (first,))
    begin, seen = time.monotonic(), set[Choice]()
    history = [(0.0, best[0])]
    while (now := time.monotonic() - begin) < seconds:
        choice = _neighbor(best[1], rng)
        if choice in seen:
            continue
        seen.add(choice)
        try:
            reached = instance.cycles(instance.vectors(choice)), choice
        except NoRoom:
            continue
        if reached[0] < best[0]:
            history.append((round(now, 1), reached[0]))
        best = min(best, reached, key=_cycles)
    return Search(*best, len(seen), history)


@dataclass(frozen=True)
class Search:
    """The fewest cycles that a search reached, with its choice. history: seconds and cycles."""

    cycles: int
    choice: Choice
    programs: int
    history: list[tuple[float, int]]


def _keep_searches(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    """Write what the search reached into the module's file."""
    every = json.loads(path.read_text(encoding="utf-8"))
    searched = {row["seed"]: row["search_score"] for row in rows}
    for row in every:
        if row["seed"] in searched:
            row["search_score"] = searched[row["seed"]]
    _write(path, every)


def _write(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    lines = ",\n".join(json.dumps(row) for row in rows)
    path.write_text(f"[\n{lines}\n]\n", encoding="utf-8")


def _cycles(result: tuple[int, Choice]) -> int:
    return result[0]


def _neighbor(choice: Choice, rng: random.Random) -> Choice:
    """Return a choice that differs in one decision."""
    moves: Sequence[Callable[[], Choice]] = (
        lambda: replace(choice, streams=max(1, choice.streams + rng.choice((-1, 1)))),
        lambda: replace(choice, unroll=max(1, choice.unroll + rng.choice((-1, 1)))),
        lambda: replace(choice, sort=not choice.sort),
        lambda: replace(choice, way=rng.choice(("lanes", "flat"))),
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
    """Yield each row with what the search reaches, its choice, and the seconds of a judging."""
    for row in rows:
        instance = Instance.of(row["seed"])
        best = search(instance, seconds)
        reached = round(score(best.cycles, row["naive"], row["bound"]), 3)
        yield {
            **row,
            "search": best.cycles,
            "search_score": reached,
            "programs": best.programs,
            "choice": vars(best.choice),
            "judging_s": round(judging_s(instance, best.choice), 2),
        }


def judging_s(instance: Instance, choice: Choice) -> float:
    """Return the seconds that the judge takes for inputs, naive programs, bounds and programs."""
    kind, shape, machine = instance.kind, instance.shape, instance.machine
    programs = {n: instance.text(choice, n) for n in (16, 80, kind.items)}
    begin = time.monotonic()
    for items, text in programs.items():
        work = kind.work(shape, items, random.Random(1))
        run(machine, kind.naive(shape, items), work.memory, work.writable, 10**7)
        kind.bound(shape, machine, work)
        run(machine, assemble(text, machine), work.memory, work.writable, 10**7)
    return time.monotonic() - begin


def long_search(known: dict[str, Any], seed: int, seconds: float) -> dict[str, Any]:
    """Search one seed for so long, and go on where an earlier call ended."""
    before = known.get("long", {})
    before = before if before.get("seed") == seed else {}
    instance = Instance.of(seed)
    first = Choice(**before["choice"]) if before else None
    best = search(instance, seconds, first)
    already = before.get("seconds", 0.0)
    later = [(round(already + at, 1), cycles) for at, cycles in best.history]
    return {
        "seed": seed,
        "kind": instance.kind.name,
        "seconds": already + seconds,
        "programs": before.get("programs", 0) + best.programs,
        "naive": instance.naive,
        "bound": instance.bound,
        "cycles": best.cycles,
        "score": round(score(best.cycles, instance.naive, instance.bound), 3),
        "choice": vars(best.choice),
        "history": [*before.get("history", []), *later[bool(before) :]],
    }


# --- a program of one machine on another ----------------------------------------------------------


def operations(shape: Any) -> tuple[Any, ...]:
    """Return what renaming cannot change: the operations of a kernel, without its numbers."""
    if isinstance(shape, walk.Walk):
        steps = tuple(kind for kind, _, _ in shape.hash)
        return shape.bits, shape.levels, shape.combine, bool(shape.stop), steps
    if isinstance(shape, hashing.Hashing):
        return shape.low, shape.spread, tuple(kind for kind, _ in shape.steps)
    if isinstance(shape, sparse.Sparse):
        return shape.packed, shape.combine
    assert isinstance(shape, ragged.Ragged)
    return shape.score, shape.norm


def ported(source: Instance, choice: Choice, other: Instance) -> int | None:
    """Return the cycles of the source's best program on the other machine, or None.

    It is scheduled for the source: its slots, width and latencies. What would not even assemble is
    the other machine's: lanes, registers, banks, memories, and which instructions exist.
    """
    if other.kind is not source.kind:
        return None
    theirs = replace(
        other.machine,
        slots=source.machine.slots,
        width=source.machine.width,
        latency=source.machine.latency,
        program=10**6,
    )
    while True:
        try:
            program = solution.program(theirs, other.shape, other.kind.items, choice)
            break
        except NoRoom:
            fewer = _fewer(choice)
            if fewer is None:
                return None
            choice = fewer
    try:
        fitted = split(program, other.machine)
    except NoRoom:
        return None
    return other.cycles(fitted) if len(fitted.bundles) <= other.machine.program else None


def _fewer(choice: Choice) -> Choice | None:
    """Return the choice with the least that must change where a machine has less room."""
    if choice.overlap:
        return replace(choice, overlap=False)
    if choice.streams > 1:
        return replace(choice, streams=choice.streams - 1)
    if choice.stages > 1:
        return replace(choice, stages=choice.stages - 1)
    return None


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


@dataclass(frozen=True)
class Share:
    """What a source's best program keeps on another row: shares of what the search gains there.

    text: what becomes of the unchanged text. renamed, generator: see the module's words.
    """

    to: int
    kind: str
    text: str
    renamed: float
    generator: float


def carry(source: dict[str, Any], others: Iterable[dict[str, Any]]) -> Iterator[Share]:
    """Carry the best program of one row over to other rows."""
    instance, choice = Instance.of(source["seed"]), Choice(**source["choice"])
    text = str(instance.vectors(choice))
    for row in others:
        other = Instance.of(row["seed"])
        cycles = ported(instance, choice, other)
        share = 0.0
        if cycles is not None:
            share = round(score(cycles, row["naive"], row["bound"]) / row["search_score"], 3)
        alike = operations(other.shape) == operations(instance.shape)
        renamed = share if alike else 0.0
        yield Share(row["seed"], row["kind"], unchanged(text, other), renamed, share)


def _shares(shares: Sequence[float]) -> dict[str, float]:
    """Return median, mean, most, and how many keep nothing."""
    return {
        "median": statistics.median(shares),
        "mean": round(statistics.mean(shares), 3),
        "most": max(shares),
        "of": len(shares),
        "nothing": sum(share == 0 for share in shares),
    }


def _summary(every: Sequence[Share]) -> dict[str, Any]:
    return {
        "text_unchanged": dict(Counter(each.text for each in every)),
        "renamed": _shares([each.renamed for each in every]),
        "generator": _shares([each.generator for each in every]),
    }


def port(rows: Sequence[dict[str, Any]], others: int) -> dict[str, Any]:
    """Carry each row to the rows behind it, from the last to the first; and to its kind alone."""
    result: list[dict[str, Any]] = []
    drawn: list[Share] = []
    alike: dict[str, list[Share]] = {}
    for at, source in enumerate(rows):
        behind = [*rows[at + 1 :], *rows[:at]]
        any_kind = list(carry(source, behind[:others]))
        drawn += any_kind
        own = (row for row in behind if row["kind"] == source["kind"])
        alike.setdefault(source["kind"], []).extend(carry(source, own))
        each = {f"{one.to} {one.kind}": [one.renamed, one.generator] for one in any_kind}
        result.append(
            {"from": f"{source['seed']} {source['kind']}", **_summary(any_kind), "each": each}
        )
    again = [row["scores"][2] / row["search_score"] for row in rows]
    return {
        # Whoever has the generators of all kinds changes the seed alone.
        "all_generators_with_another_seed": _shares([round(share, 3) for share in again]),
        "any_kind": _summary(drawn),
        "same_kind": {kind: _summary(every) for kind, every in alike.items() if every},
        "sources": result,
    }


def _results() -> dict[str, Any]:
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.is_file() else {}


def main() -> None:
    """Measure, print, and with --keep write the results."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("spread", "reach", "port", "long"))
    parser.add_argument("--task", choices=tuple(INSTANCES), default="kernel")
    parser.add_argument("--first", type=int, default=WIDE)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--others", type=int, default=10)
    parser.add_argument("--seed", type=int, default=WIDE)
    parser.add_argument("--keep", action="store_true")
    asked = parser.parse_args()
    known: dict[str, Any] = _results().get(asked.task, {})
    path = INSTANCES[asked.task]
    if asked.what == "spread":
        result = spread(asked.task, asked.first, asked.count)
        if asked.keep:
            _write(path, result["rows"])
    elif asked.what == "reach":
        rows = json.loads(path.read_text(encoding="utf-8"))[: asked.count]
        result = {"seconds_each": asked.seconds, "rows": list(reach(rows, asked.seconds))}
        if asked.keep:
            _keep_searches(path, result["rows"])
    elif asked.what == "long":
        result = long_search(known, asked.seed, asked.seconds)
    else:
        result = port(known["reach"]["rows"], asked.others)
    print(json.dumps(result, indent=1))
    if asked.keep:
        every = _results()  # again: another run may have written meanwhile
        every |= {"device": device_name(), "date": datetime.now(UTC).date().isoformat()}
        every.setdefault(asked.task, {})[asked.what] = result
        RESULTS.write_text(json.dumps(every, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
