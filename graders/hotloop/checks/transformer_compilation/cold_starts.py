"""What new processes pay before their first answer, and after how many calls that has paid.

Hidden records of made-up starts are read by the learner's `break_even`; its `measured` runs in a
made-up world, in a process of ours that has the learner's file in it (`instrumented`). No figure
that the learner's machine has given is believed.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from hotloop.checks.transformer_compilation.given_files import EXERCISE, PROGRAMS, submitted
from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.constants import constant
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile, Question, number_mismatch, shown
from hotloop.judge.rung import rung
from hotloop.judge.session import Session

Rng = np.random.Generator
Record = dict[str, Any]
"""{"ways": {way: {"build_s": …, "runs": [{"kept": …, "seconds": […]}, …]}}, "calls_each": …}"""

PROGRAM = Program(
    {"made_up_starts.py": PROGRAMS / "made_up_starts.py", "starts.py": EXERCISE / "starts.py"},
    "made_up_starts.py",
)

WAYS = ("eager", "compiled", "package")
EXACT = 1e-6
NEAR = 0.05
"""Of a median in the made-up world, whose noise is 1 %."""
PROCESSES, CALLS = 5, 12
MOST_S = 1e9
"""No time is longer: what is, would not be a float any more."""
FEW, SOME, MANY = (5, 30), (40, 400), (2500, 4000)
"""Calls of each process of a service: fewer than compiling needs to pay, or more."""
LEAST_FRACTION = 0.02
"""So far from a whole number is each quotient that is rounded up: no rounding of floats decides."""


@dataclass(frozen=True)
class Way:
    """Seconds. ready_s: before the first answer, where nothing was kept; found_s: where it was."""

    import_s: float
    ready_s: float
    found_s: float
    call_s: float

    def first_s(self) -> float:
        """From the start of a process to its first answer, where nothing was kept."""
        return self.import_s + self.ready_s + self.call_s


@dataclass(frozen=True)
class World:
    """seed: of its noise. build_s: of the package, ahead of time."""

    seed: int
    ways: dict[str, Way] = field(default_factory=dict[str, Way])
    build_s: float = 0.0


# --- what is right of a record --------------------------------------------------------------------


def account(record: Record) -> dict[str, dict[str, Any]]:
    """The right answer of `break_even`."""
    found = {way: _typical(record["ways"][way]["runs"]) for way in WAYS}
    eager, calls = found["eager"], int(record["calls_each"])
    for way in WAYS[1:]:
        this, build_s = found[way], record["ways"][way]["build_s"]
        found[way] = {
            **this,
            "calls": _rounded_up(later_calls(this, eager), least=0, more=1),
            "processes": _rounded_up(lives(this, eager, build_s, calls), least=1),
        }
    return found


def later_calls(way: dict[str, float], eager: dict[str, float]) -> float | None:
    """Behind the first one, after which the way is never behind again; None if there are none."""
    gain_s = eager["call_s"] - way["call_s"]
    return (way["first_s"] - eager["first_s"]) / gain_s if gain_s > 0 else None


def lives(
    way: dict[str, float], eager: dict[str, float], build_s: float, calls: int
) -> float | None:
    """Processes that pay for what was built; None if no number of them does."""
    spent = [each["first_s"] + (calls - 1) * each["call_s"] for each in (way, eager)]
    gain_s = spent[1] - spent[0]
    return build_s / gain_s if gain_s > 0 else None


def _typical(runs: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "first_s": statistics.median(run["seconds"][0] for run in runs if not run["kept"]),
        "call_s": statistics.median(s for run in runs for s in run["seconds"][1:]),
    }


def _rounded_up(number: float | None, least: int, more: int = 0) -> int | None:
    return None if number is None else more + max(least, math.ceil(number))


# --- hidden records -------------------------------------------------------------------------------


def start_questions(rng: Rng) -> Iterator[Question]:
    """Typical first answers and later calls."""
    yield from _questions(rng, dict.fromkeys(WAYS, ("first_s", "call_s")))


def even_questions(rng: Rng) -> Iterator[Question]:
    """From which call and which number of processes on a way pays."""
    yield from _questions(rng, dict.fromkeys(WAYS[1:], ("calls", "processes")))


def _questions(rng: Rng, keys: dict[str, tuple[str, ...]]) -> Iterator[Question]:
    calls = constant("TIMED_CALLS", 1)
    for label, record in records(rng):
        file = GivenFile("record.json", json.dumps(record).encode())
        ways = account(record).items()
        want = {way: {**each, "call_s": calls * each["call_s"]} for way, each in ways}
        yield Question(label, (file,), _mismatch(want, keys))


def _mismatch(
    want: dict[str, dict[str, Any]], keys: dict[str, tuple[str, ...]]
) -> Callable[[object], str | None]:
    def mismatch(answer: object) -> str | None:
        given = as_message(answer)
        if given is None:
            return f"the answer is {shown(answer)}, not a dict"
        for way, names in keys.items():
            figures = as_message(given.get(way))
            if figures is None:
                return f"“{way}” is {shown(given.get(way))}, not a dict"
            for name in names:
                found = _wrong(f"“{name}” of “{way}”", figures.get(name), want[way][name])
                if found is not None:
                    return found
        return None

    return mismatch


def _wrong(what: str, got: object, want: float | None) -> str | None:
    exact = 0.0 if isinstance(want, int) else EXACT
    return number_mismatch(what, got, want, exact)


def records(rng: Rng) -> Iterator[tuple[str, Record]]:
    """One for each way in which a start can pay, or not; sampled until no quotient is nearly whole,
    and until a call too many in each process shows.

    In each some processes found what others had kept, and some calls were far too long.
    """
    sampled = {
        "Compiling pays": (sampled_ways(rng), MANY),
        "Compiled calls are slower": (sampled_ways(rng, compiled=1.3, package=0.6), SOME),
        "The package is there sooner, and its calls are slower": (
            sampled_ways(rng, package=1.2, sooner=True),
            FEW,
        ),
        "The package is there sooner, and its calls are faster": (
            sampled_ways(rng, sooner=True),
            SOME,
        ),
        "Neither pays": (sampled_ways(rng, compiled=1.1, package=1.2), SOME),
    }
    found = dict[str, Record]()
    while not (found and _decides(list(found.values()))):
        found = {label: _record(rng, ways, calls) for label, (ways, calls) in sampled.items()}
    yield from found.items()


def sampled_ways(
    rng: Rng, *, compiled: float = 0.5, package: float = 0.4, sooner: bool = False
) -> dict[str, Way]:
    """compiled, package: a call's seconds over an eager one's. sooner: than an eager process."""
    import_s, call_s = float(rng.uniform(1.5, 3.0)), float(rng.uniform(0.02, 0.05))
    ready, found = float(rng.uniform(8, 20)), float(rng.uniform(1, 3))
    loads = float(rng.uniform(0.1, 0.3))
    return {
        "eager": Way(import_s, 0.02, 0.02, call_s),
        "compiled": Way(import_s, ready, found, compiled * call_s),
        "package": Way(import_s * (0.5 if sooner else 1.0), loads, loads, package * call_s),
    }


def _record(rng: Rng, ways: dict[str, Way], calls: tuple[int, int]) -> Record:
    """What somebody has measured of these, with a late call in each process. Two of the processes
    that compile found what others had kept; they are as many as leave a median of the others."""
    build_s = float(rng.uniform(10, 30))
    return {
        "calls_each": int(rng.integers(*calls)),
        "ways": {
            name: {
                "build_s": build_s if name == "package" else 0.0,
                "runs": _runs(rng, way, 2 if name == "compiled" else 0),
            }
            for name, way in ways.items()
        },
    }


def _runs(rng: Rng, way: Way, found: int) -> list[dict[str, Any]]:
    kept = rng.permutation([True] * found + [False] * (5 - found))
    return [{"kept": bool(each), "seconds": _seconds(rng, way, bool(each))} for each in kept]


def _seconds(rng: Rng, way: Way, kept: bool) -> list[float]:
    noise = rng.uniform(0.98, 1.02, 8)
    noise[rng.integers(1, 8)] *= rng.uniform(8, 20)
    seconds = way.call_s * noise
    seconds[0] += (way.import_s + (way.found_s if kept else way.ready_s)) * rng.uniform(0.98, 1.02)
    return [round(float(s), 6) for s in seconds]


def _is_clear(record: Record) -> bool:
    """No quotient that is rounded up is nearly whole, so that floats cannot disagree."""
    typical = {way: _typical(record["ways"][way]["runs"]) for way in WAYS}
    numbers = list[float | None]()
    for way in WAYS[1:]:
        numbers.append(later_calls(typical[way], typical["eager"]))
        build_s = record["ways"][way]["build_s"]
        if build_s:
            numbers.append(lives(typical[way], typical["eager"], build_s, record["calls_each"]))
    return all(n is None or LEAST_FRACTION < n % 1 < 1 - LEAST_FRACTION for n in numbers)


def _decides(records: list[Record]) -> bool:
    """Whether all are clear, and some tell a call more or fewer from the right number, and a small
    gain from none.
    """
    return (
        all(map(_is_clear, records))
        and any(map(_tells, records))
        and any(map(_gains_little, records))
    )


def _tells(record: Record) -> bool:
    """Who counts a process' first call twice, or one call too few, has another number of them."""
    calls = record["calls_each"]
    counted = [account({**record, "calls_each": calls + more}) for more in (-1, 0, 1)]
    return len({each["package"]["processes"] for each in counted}) == len(counted)


def _gains_little(record: Record) -> bool:
    """A process gains less than a second by the package, but it does."""
    eager, package = (_typical(record["ways"][way]["runs"]) for way in ("eager", "package"))
    needed = lives(package, eager, 1.0, record["calls_each"])
    return needed is not None and needed > 1


# --- a made-up world ------------------------------------------------------------------------------


@rung(after=("starts",), instrumented=True)
def measures_starts(session: Session) -> str:
    """`measured` finds the seconds of a simulated machine, within NEAR.

    Starts, calls and the clock are simulated in the process that runs the candidate's file.
    """
    rng = session.rng()
    world = World(int(rng.integers(1 << 31)), sampled_ways(rng), float(rng.uniform(10, 30)))
    process = PROGRAM.given(session, "measures")
    figures, named = json.dumps(asdict(world)), session.called("measured")
    answer = process.ask("measure", submitted(session), named, figures, PROCESSES, CALLS)
    mismatch = measured_mismatch(*split(answer), world)
    if mismatch is not None:
        raise Ruling(Verdict.WRONG_ANSWER, f"In a made-up world {mismatch}.")
    return "It finds what each way costs in a made-up world."


def split(answer: object) -> tuple[object, dict[str, Any]]:
    """The record, and which starts were cold; no more is sure of what comes from that process."""
    record, cold = [*as_list(answer), None, None][:2]
    return record, as_message(cold) or {}


def measured_mismatch(record: object, cold: dict[str, Any], world: World) -> str | None:
    """About a record of this world.

    cold: by way, the calls of each process that found nothing kept, as the world saw them.
    """
    ways = as_message((as_message(record) or {}).get("ways")) or {}
    for name in WAYS:
        found = as_message(ways.get(name)) or {}
        mismatch = _shape_mismatch(name, found, cold) or _seconds_mismatch(name, found, world)
        if mismatch is not None:
            return mismatch
    return None


def _seconds_mismatch(name: str, found: dict[str, Any], world: World) -> str | None:
    """About the first of build, first answer and later calls that is off by more than NEAR."""
    typical, way = _typical(as_list(found["runs"])), world.ways[name]
    build_s = world.build_s if name == "package" else 0.0
    return (
        number_mismatch(f"“build_s” of “{name}”", found.get("build_s"), build_s, NEAR)
        or number_mismatch(
            f"the median “first_s” of “{name}”", typical["first_s"], way.first_s(), NEAR
        )
        or number_mismatch(f"the median “call_s” of “{name}”", typical["call_s"], way.call_s, NEAR)
    )


def _shape_mismatch(name: str, found: dict[str, Any], cold: dict[str, Any]) -> str | None:
    """About too few processes or calls, or what is no record at all."""
    runs = [as_message(run) or {} for run in as_list(found.get("runs"))]
    if any(type(run.get("kept")) is not bool or not _are_numbers(run) for run in runs):
        return f"“runs” of “{name}” is {shown(found.get('runs'))}, which is no list of runs"
    seen = sum(type(calls) is int and calls > CALLS for calls in as_list(cold.get(name)))
    colds = min(sum(not run["kept"] for run in runs), seen)
    if colds < PROCESSES:
        return (
            f"{colds} processes of “{name}” found nothing kept and answered {1 + CALLS} calls, "
            f"and {PROCESSES} were requested"
        )
    if any(len(run["seconds"]) != 1 + CALLS for run in runs):
        return f"a process of “{name}” has not {1 + CALLS} answers, of which the first is late"
    return None


def _are_numbers(run: dict[str, Any]) -> bool:
    seconds = as_list(run.get("seconds"))
    return bool(seconds) and all(map(_is_time, seconds))


def _is_time(number: object) -> bool:
    return isinstance(number, int | float) and type(number) is not bool and abs(number) <= MOST_S
