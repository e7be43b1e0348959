"""Cold starts: what a new process costs before its first answer, and when that pays off.

The learner's `break_even` reads hidden records of simulated starts. Its `measured` measures a
machine that the judge simulates (`synthetic_starts.py`), and asks it for each step. Measurements
from the learner's machine are not used.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.check import check
from hotloop.judge.constants import constant
from hotloop.judge.program import ANSWERS, Program
from hotloop.judge.questions import GivenFile, Question, number_mismatch, shown
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import NO_PROTOCOL
from hotloop.tasks.modules.transformer_compilation.given_files import EXERCISE, PROGRAMS, submitted
from hotloop.tasks.modules.transformer_compilation.synthetic_starts import (
    Refused,
    SimulatedHost,
    Way,
    World,
)

Rng = np.random.Generator
Record = dict[str, Any]
"""{"ways": {way: {"build_s": …, "runs": [{"kept": …, "seconds": […]}, …]}}, "calls_each": …}"""

PROGRAM = Program(
    {"measuring.py": PROGRAMS / "measuring.py", "starts.py": EXERCISE / "starts.py"},
    "measuring.py",
    believed=ANSWERS,
)

WAYS = ("eager", "compiled", "package")
Keys = Mapping[str, tuple[str, ...]]
"""The figures that are compared of each way."""

STARTS: Keys = dict.fromkeys(WAYS, ("first_s", "call_s"))
"""Typical first answers and later calls."""
BREAK_EVEN: Keys = dict.fromkeys(WAYS[1:], ("calls", "processes"))
"""The call and the process from which a way pays off."""

EXACT = 1e-6
NEAR = 0.05
"""Relative tolerance of a median in the simulated world, whose noise is 1 %."""
PROCESSES, CALLS = 5, 12
MOST_STEPS = 5000
"""Of a measurement: ten times what is needed."""
MOST_S = 1e9
"""Largest accepted time in seconds; larger integers might not convert to float."""
FEW, SOME, MANY = (5, 30), (40, 400), (2500, 4000)
"""Ranges of calls per process of a service: too few for compiling to pay off, or more."""
LEAST_FRACTION = 0.02
"""Every quotient that is rounded up is this far from a whole number, so rounding cannot matter."""


# --- what is right of a record --------------------------------------------------------------------


def account(record: Record) -> dict[str, dict[str, Any]]:
    """Return the right answer of `break_even`."""
    figures = {way: _typical(record["ways"][way]["runs"]) for way in WAYS}
    eager, calls = figures["eager"], int(record["calls_each"])
    for way in WAYS[1:]:
        this, build_s = figures[way], record["ways"][way]["build_s"]
        figures[way] = {
            **this,
            "calls": _rounded_up(later_calls(this, eager), least=0, more=1),
            "processes": _rounded_up(lives(this, eager, build_s, calls), least=1),
        }
    return figures


def later_calls(way: dict[str, float], eager: dict[str, float]) -> float | None:
    """Return how many calls after the first make the way no slower than eager; None if never."""
    gain_s = eager["call_s"] - way["call_s"]
    return (way["first_s"] - eager["first_s"]) / gain_s if gain_s > 0 else None


def lives(
    way: dict[str, float], eager: dict[str, float], build_s: float, calls: int
) -> float | None:
    """Return the number of processes that pay off the build, unrounded; None if none does."""
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


def questions(rng: Rng, *, keys: Keys) -> Iterator[Question]:
    """Yield questions about hidden records. keys: STARTS or BREAK_EVEN."""
    calls = constant("TIMED_CALLS", 1, range(2, 401))
    for label, record in records(rng):
        file = GivenFile("record.json", json.dumps(record).encode())
        ways = account(record).items()
        want = {way: {**each, "call_s": calls * each["call_s"]} for way, each in ways}
        yield Question(label, (file,), partial(_mismatch, want, keys))


def _mismatch(want: dict[str, dict[str, Any]], keys: Keys, answer: object) -> str | None:
    ways = as_message(answer)
    if ways is None:
        return f"the answer is {shown(answer)}, not a dict"
    for way, names in keys.items():
        figures = as_message(ways.get(way))
        if figures is None:
            return f"“{way}” is {shown(ways.get(way))}, not a dict"
        for name in names:
            right = want[way][name]
            relative = 0.0 if isinstance(right, int) else EXACT
            what = f"“{name}” of “{way}”"
            mismatch = number_mismatch(what, figures.get(name), right, relative)
            if mismatch is not None:
                return mismatch
    return None


def records(rng: Rng) -> Iterator[tuple[str, Record]]:
    """Yield one record for each way in which a start pays off or does not.

    Sampled until no quotient is nearly whole and an extra call per process changes an answer. Some
    processes found a filled cache, and some calls have outlier times.
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
    by_label = dict[str, Record]()
    while not (by_label and _decides(list(by_label.values()))):
        by_label = {label: _record(rng, ways, calls) for label, (ways, calls) in sampled.items()}
    yield from by_label.items()


def sampled_ways(
    rng: Rng, *, compiled: float = 0.5, package: float = 0.4, sooner: bool = False
) -> dict[str, Way]:
    """Sample the times of all ways.

    compiled, package: a call's time relative to an eager call. sooner: the package is ready before
    an eager process.
    """
    import_s, call_s = float(rng.uniform(1.5, 3.0)), float(rng.uniform(0.02, 0.05))
    ready, cached = float(rng.uniform(8, 20)), float(rng.uniform(1, 3))
    loads = float(rng.uniform(0.1, 0.3))
    return {
        "eager": Way(import_s, 0.02, 0.02, call_s),
        "compiled": Way(import_s, ready, cached, compiled * call_s),
        "package": Way(import_s * (0.5 if sooner else 1.0), loads, loads, package * call_s),
    }


def _record(rng: Rng, ways: dict[str, Way], calls: tuple[int, int]) -> Record:
    """Sample a measured record of these ways, with one outlier call in each process.

    Two of the five processes that compile found a filled cache; the median of the others is well
    defined.
    """
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


def _runs(rng: Rng, way: Way, warm: int) -> list[dict[str, Any]]:
    """Sample five processes. warm: how many of them found a filled cache."""
    cached = rng.permutation([True] * warm + [False] * (5 - warm)).tolist()
    return [{"kept": each, "seconds": _seconds(rng, way, each)} for each in cached]


def _seconds(rng: Rng, way: Way, cached: bool) -> list[float]:
    noise = rng.uniform(0.98, 1.02, 8)
    noise[rng.integers(1, 8)] *= rng.uniform(8, 20)
    seconds = way.call_s * noise
    seconds[0] += (way.import_s + (way.cached_s if cached else way.ready_s)) * rng.uniform(
        0.98, 1.02
    )
    return [round(float(s), 6) for s in seconds]


def _is_clear(record: Record) -> bool:
    """Return whether no rounded-up quotient is nearly whole, so that float errors do not matter."""
    typical = {way: _typical(record["ways"][way]["runs"]) for way in WAYS}
    numbers = list[float | None]()
    for way in WAYS[1:]:
        numbers.append(later_calls(typical[way], typical["eager"]))
        build_s = record["ways"][way]["build_s"]
        if build_s:
            numbers.append(lives(typical[way], typical["eager"], build_s, record["calls_each"]))
    return all(n is None or LEAST_FRACTION < n % 1 < 1 - LEAST_FRACTION for n in numbers)


def _decides(records: list[Record]) -> bool:
    """Return whether the records are clear and expose two mistakes.

    The mistakes are to count one call more or less per process, and to take a small gain for none.
    """
    return (
        all(map(_is_clear, records))
        and any(map(_counts_each_call, records))
        and any(map(_gains_little, records))
    )


def _counts_each_call(record: Record) -> bool:
    """Return whether one call more or less per process changes the number of processes."""
    calls = record["calls_each"]
    counted = [account({**record, "calls_each": calls + more}) for more in (-1, 0, 1)]
    return len({each["package"]["processes"] for each in counted}) == len(counted)


def _gains_little(record: Record) -> bool:
    """Return whether a process gains by the package, but less than a second."""
    eager, package = (_typical(record["ways"][way]["runs"]) for way in ("eager", "package"))
    needed = lives(package, eager, 1.0, record["calls_each"])
    return needed is not None and needed > 1


# --- a made-up world ------------------------------------------------------------------------------


@check(after=("starts",))
def measures_starts(session: Session) -> str:
    """Require `measured` to find the times of a simulated machine within NEAR."""
    rng = session.rng()
    world = World(int(rng.integers(1 << 31)), sampled_ways(rng), float(rng.uniform(10, 30)))
    machine = SimulatedHost(world)
    process = PROGRAM.given(session, "measures")
    function = session.called("measured")
    first = process.ask("begin", submitted(session), function, PROCESSES, CALLS)
    record = measured(machine, first, partial(process.ask, "go_on"))
    mismatch = measured_mismatch(record, machine.cold(), world)
    if mismatch is not None:
        raise Ruling(Verdict.WRONG_ANSWER, f"In a made-up world {mismatch}.")
    return "It finds what each way costs in a made-up world."


def measured(
    machine: SimulatedHost, request: object, go_on: Callable[[float, str], object]
) -> object:
    """Do what a measurement asks for, and return the record that it returns.

    request: its first step. go_on: takes the machine's answer, and why it refuses or "", and
    returns the next step. Raises Ruling for what is no step, and after MOST_STEPS.
    """
    for _ in range(MOST_STEPS):
        match as_list(request):
            case ["returned", record]:
                return record
            case step:
                answer, refusal = 0.0, ""
                try:
                    answer = machine.step(step)
                except Refused as refused:
                    refusal = str(refused)
                if answer is None:
                    raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
                request = go_on(answer, refusal)
    raise Ruling(
        Verdict.TIMEOUT,
        f"It read the clock, and started, called and ended processes {MOST_STEPS:,} times, and had "
        f"not returned: time passes only while a process starts or answers, and while the package "
        "is built.",
    )


def measured_mismatch(record: object, cold: dict[str, Any], world: World) -> str | None:
    """Return a message about a wrong record of this world, or None.

    cold: for each way, the number of calls of each process that found no cache, as the world
    counted them.
    """
    ways = as_message((as_message(record) or {}).get("ways")) or {}
    for name in WAYS:
        way = as_message(ways.get(name)) or {}
        mismatch = _shape_mismatch(name, way, cold) or _seconds_mismatch(name, way, world)
        if mismatch is not None:
            return mismatch
    return None


def _seconds_mismatch(name: str, measured: dict[str, Any], world: World) -> str | None:
    """Return a message about the first build, first-answer or call time off by more than NEAR."""
    typical, way = _typical(as_list(measured["runs"])), world.ways[name]
    build_s = world.build_s if name == "package" else 0.0
    return (
        number_mismatch(f"“build_s” of “{name}”", measured.get("build_s"), build_s, NEAR)
        or number_mismatch(
            f"the median “first_s” of “{name}”", typical["first_s"], way.first_s(), NEAR
        )
        or number_mismatch(f"the median “call_s” of “{name}”", typical["call_s"], way.call_s, NEAR)
    )


def _shape_mismatch(name: str, measured: dict[str, Any], cold: dict[str, Any]) -> str | None:
    """Return a message about too few processes or calls, or about a malformed record, or None."""
    runs = [as_message(run) or {} for run in as_list(measured.get("runs"))]
    if any(type(run.get("kept")) is not bool or not _has_times(run) for run in runs):
        return f"“runs” of “{name}” is {shown(measured.get('runs'))}, which is no list of runs"
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


def _has_times(run: dict[str, Any]) -> bool:
    seconds = as_list(run.get("seconds"))
    return bool(seconds) and all(type(s) in (int, float) and abs(s) <= MOST_S for s in seconds)
