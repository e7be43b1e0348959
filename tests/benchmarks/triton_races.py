"""Are all races between Triton programs found, and is no right kernel said to race?

    python tests/benchmarks/triton_races.py --liger LIGER --flaggems FLAGGEMS --keep

Runs, in Triton's interpreter and watched as the judge watches them: the labelled launches of
tests/hotloop/worker/races/kernels.py, then the kernels of public libraries, which are given as
paths of their repositories and of which none is expected to race. Each runs in several orders of
the programs. Also measures what the watch costs: CPU time of a launch with it, divided by the time
of the byte counter alone. `--keep` writes tests/benchmarks/results/triton_races.json.

The exit code is 1 if a right launch is reported, or a racy one is not.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import Any
from unittest.mock import patch

os.environ["TRITON_INTERPRET"] = "1"
os.environ["GEMS_VENDOR"] = "arm"

import numpy as np
import torch
import triton

HERE = Path(__file__).parent
RESULT = HERE / "results" / "triton_races.json"
sys.path[:0] = [str(HERE / "race_corpora"), str(HERE.parent / "hotloop" / "worker" / "races")]

import flaggems  # noqa: E402
import kernels  # noqa: E402
import liger  # noqa: E402

from hotloop.judge.device import device_name  # noqa: E402
from hotloop.worker import (  # noqa: E402
    triton_compat,
    triton_races,
    triton_schedule,
    triton_watch,
)

COSTED = (
    "blocks in_place",
    "rows own",
    "histogram blocks",
    "sum_of_all atomic",
    "split_product atomic",
    "split_product parts",
    "shares usual",
)
"""Right launches that end without a schedule, to compare with."""

LIMIT_S = 20
"""Seconds for all orders of a library's operator."""


def main() -> None:
    """Run all, print, and write the results with --keep."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--orders", type=int, default=5, help="of each labelled launch")
    parser.add_argument("--library-orders", type=int, default=2, help="of each library's kernels")
    parser.add_argument("--liger", type=Path, help="repository of Liger-Kernel")
    parser.add_argument("--flaggems", type=Path, help="repository of FlagGems")
    parser.add_argument("--keep", action="store_true", help=f"write {RESULT.name}")
    arguments = parser.parse_args()
    triton_compat.correct_interpreter()
    found: dict[str, Any] = {
        "device": device_name(),
        "date": datetime.now(UTC).date().isoformat(),
        "cores": os.cpu_count(),
        "triton": triton.__version__,
        "labelled": labelled(arguments.orders),
        "cost": cost(),
    }
    for name, corpus in (("liger", liger), ("flaggems", flaggems)):
        root = getattr(arguments, name)
        if root is not None:
            found[name] = library(corpus.calls(root), arguments.library_orders)
    print(json.dumps(found, indent=1))
    if arguments.keep:
        RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    wrong = found["labelled"]["right_reported"] + found["labelled"]["racy_never_reported"]
    sys.exit(bool(wrong))


def labelled(orders: int) -> dict[str, Any]:
    """Return what is found in the labelled launches."""
    right = {name: _reports(launch, orders) for name, launch in kernels.RIGHT.items()}
    racy = {name: _reports(launch, orders) for name, launch in kernels.RACY.items()}
    runs = [report for each in racy.values() for report in each]
    return {
        "orders": orders,
        "right": len(right),
        "right_runs": len(right) * orders,
        "right_reported": [name for name, each in right.items() if any(each)],
        "racy": len(racy),
        "racy_never_reported": [name for name, each in racy.items() if not any(each)],
        "racy_runs": len(runs),
        "racy_runs_reported": sum(runs),
    }


def _reports(launch: Callable[[], object], orders: int) -> list[bool]:
    return [_report(launch, order)[0] for order in range(orders)]


def _report(launch: Callable[[], object], order: int) -> tuple[bool, list[Any]]:
    """Return whether a race or a hang is found in one order, and the race."""
    torch.manual_seed(order)
    with triton_watch.watched(order) as races:
        try:
            launch()
        except Exception as error:
            if "waits in line" not in str(error):
                raise
            return True, races
    return bool(races), races


def library(calls: Iterable[tuple[str, Callable[[], object]]], orders: int) -> dict[str, Any]:
    """Return what is found in other people's kernels.

    not_run: by name, why the interpreter or this machine cannot run it. several_programs: how many
    ran a launch of more than one program. An access outside of every tensor ends a run: a call may
    get arguments that its operator does not take.
    """
    ran, several, reported, not_run = list[str](), 0, dict[str, Any](), dict[str, str]()
    with ExitStack() as stack:
        counts = stack.enter_context(_programs())
        stack.enter_context(patch.object(triton_watch._TensorMemory, "_split", _strict))
        stack.enter_context(redirect_stdout(sys.stderr))
        for name, call in calls:
            counts.clear()
            try:
                with _limited():
                    reports = [_report(call, order) for order in range(orders)]
            except Exception as error:  # noqa: BLE001 - whatever it is, it is listed
                not_run[name] = _innermost(error)
                continue
            if not counts:
                not_run[name] = "no launch"
                continue
            ran.append(name)
            several += max(counts) > 1
            found = [races[0] for _, races in reports if races]
            reported |= {name: found[0]} if found else {}
            print(f"{name}: {max(counts)} programs{' RACE' * bool(found)}", flush=True)
    return {
        "ran": ran,
        "several_programs": several,
        "reported": reported,
        "not_run": not_run,
    }


@contextmanager
def _limited() -> Iterator[None]:
    """Raise TimeoutError after `LIMIT_S`: some operators take minutes in the interpreter."""

    def end(*_: object) -> None:
        raise TimeoutError(f"it takes more than {LIMIT_S} s in the interpreter")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(LIMIT_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def _innermost(error: BaseException) -> str:
    while error.__cause__ is not None:
        error = error.__cause__
    return f"{type(error).__name__}: {error}".partition("\n")[0][:120]


@contextmanager
def _programs() -> Iterator[list[int]]:
    """Yield a list that gets the number of programs of each launch."""
    counts: list[int] = []
    run = triton_schedule.Schedule.run

    def counted(schedule: Any, programs: int, *rest: Any) -> None:
        counts.append(programs)
        run(schedule, programs, *rest)

    with patch.object(triton_schedule.Schedule, "run", counted):
        yield counts


_split = triton_watch._TensorMemory._split


def _strict(memory: Any, addresses: Any, item: int, access: str) -> Any:
    parts = _split(memory, addresses, item, access)
    if sum(len(offsets) for _, offsets in parts) < len(np.unique(addresses)):
        raise IndexError(f"{access} outside of every tensor")
    return parts


def cost() -> dict[str, float]:
    """Return, by launch, CPU time with the watch divided by that of the byte counter alone."""
    return {name: round(_cost(kernels.RIGHT[name]), 2) for name in COSTED}


def _cost(launch: Callable[[], object]) -> float:
    watched, alone = [], []
    for order in range(7):
        watched.append(_cpu_seconds(launch, order))
        with ExitStack() as stack:
            for name in ("read", "write", "atomic", "acquire", "release"):
                stack.enter_context(patch.object(triton_races.Races, name, lambda *_, **__: None))
            stack.enter_context(patch.object(triton_schedule.Schedule, "run", _one_by_one))
            alone.append(_cpu_seconds(launch, order))
    return median(watched) / median(alone)


def _one_by_one(_schedule: Any, programs: int, body: Any, enter: Any) -> None:
    with np.errstate(all="ignore"):
        for number in range(programs):
            enter(number)
            body(number)


def _cpu_seconds(launch: Callable[[], object], order: int) -> float:
    with triton_watch.watched(order):
        start = time.process_time()
        for _ in range(5):
            launch()
        return time.process_time() - start


if __name__ == "__main__":
    main()
