"""Are all races between Triton programs found, and is no right kernel said to race?

    python tests/benchmarks/triton_races.py --liger LIGER --flaggems FLAGGEMS --keep

Runs, in Triton's interpreter and watched as the judge watches them: the labeled launches of
tests/hotloop/worker/races/kernels.py, then the kernels of public libraries, which are given as
paths of their repositories (a checkout, or an archive with a file COMMIT): a race that is reported
there is to be read. Each runs in several orders of the programs. Also measures what the watch
costs: CPU time of a launch with it, divided by the time of the byte counter alone. `--keep` writes
tests/benchmarks/results/triton_races.json.

The exit code is 1 if a right launch is reported, or a racy one is not.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stdout
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import Any, NoReturn, Protocol
from unittest.mock import patch

os.environ["TRITON_INTERPRET"] = "1"
os.environ["GEMS_VENDOR"] = "arm"

import numpy as np
import torch
import triton

HERE = Path(__file__).parent
RESULT = HERE / "results" / "triton_races.json"
sys.path[:0] = [
    str(HERE),
    str(HERE / "race_corpora"),
    str(HERE.parent / "hotloop" / "worker" / "races"),
]

import checkout  # noqa: E402
import flaggems  # noqa: E402
import kernels  # noqa: E402
import liger  # noqa: E402

from hotloop.judge.device import device_name  # noqa: E402
from hotloop.worker import (  # noqa: E402
    triton_compat,
    triton_memory,
    triton_programs,
    triton_races,
    triton_schedule,
    triton_watch,
)

Call = Callable[[], object]

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

LIMIT_S = 12
"""CPU seconds for all orders of a library's operator."""

PARTIAL = HERE.parents[1] / "build" / "triton_races"
"""What each operator gave so far."""


class Corpus(Protocol):
    """A module of race_corpora."""

    def calls(self, root: Path) -> Iterator[tuple[str, Sequence[Call]]]:
        """Yield each operator's name with calls, the likeliest first; `root`: the repository."""
        ...


def main() -> None:
    """Run all, print, and write the results with --keep."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--orders", type=int, default=5, help="of each labeled launch")
    parser.add_argument("--library-orders", type=int, default=5, help="of each library's kernels")
    parser.add_argument("--liger", type=Path, help="repository of Liger-Kernel")
    parser.add_argument("--flaggems", type=Path, help="repository of FlagGems")
    parser.add_argument("--minutes", type=float, default=600, help="for each library")
    parser.add_argument("--keep", action="store_true", help=f"write {RESULT.name}")
    arguments = parser.parse_args()
    torch.set_num_threads(1)  # the threads of a process do not live on in a fork of it
    triton_compat.correct_interpreter()
    found: dict[str, Any] = {
        "device": device_name(),
        "date": datetime.now(UTC).date().isoformat(),
        "cores": os.cpu_count(),
        "triton": triton.__version__,
        "labeled": labeled(arguments.orders),
        "cost": cost(),
    }
    for name, corpus in (("liger", liger), ("flaggems", flaggems)):
        root = getattr(arguments, name)
        if root is not None:
            found[name] = library(name, corpus, root, arguments.library_orders, arguments.minutes)
    print(json.dumps(found, indent=1))
    if arguments.keep:
        RESULT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    wrong = found["labeled"]["right_reported"] + found["labeled"]["racy_never_reported"]
    sys.exit(bool(wrong))


def labeled(orders: int) -> dict[str, Any]:
    """Return what is found in the labeled launches."""
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
    return [report(launch, order)[0] for order in range(orders)]


def report(launch: Callable[[], object], order: int) -> tuple[bool, list[Any]]:
    """Return whether a race or a hang is found in one order, and what is found."""
    torch.manual_seed(order)
    with triton_watch.watched(order) as races:
        try:
            launch()
        except Exception:
            if not races:
                raise
    return bool(races), races


def library(
    name: str, corpus: Corpus, root: Path, orders: int, minutes: float = 600
) -> dict[str, Any]:
    """Return what is found in other people's kernels; `root`: their repository.

    not_run: by name, why the interpreter or this machine cannot run it. several_programs: how many
    ran a launch of more than one program. not_reached: how many were left when the time was up.
    Each operator has a process of its own, and its result is kept in `PARTIAL` at once: the next
    call goes on from there.
    """
    commit = checkout.commit(root)
    kept = PARTIAL / f"{name}-{commit[:12]}-{orders}-{_watchers()}.jsonl"
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.touch()
    until, not_reached = time.monotonic() + 60 * minutes, 0
    told = {each["name"]: each for each in map(json.loads, kept.read_text().splitlines())}
    with ExitStack() as stack:
        stack.enter_context(patch.object(triton_watch._TensorMemory, "_split", _strict))
        stack.enter_context(redirect_stdout(sys.stderr))
        lines = stack.enter_context(kept.open("a", encoding="utf-8"))
        for operator, calls in corpus.calls(root):
            if operator in told:
                continue
            if time.monotonic() > until:
                not_reached += 1
                continue
            told[operator] = {"name": operator} | _apart(calls, orders)
            print(json.dumps(told[operator]).replace(f"{root}/", ""), file=lines, flush=True)
            print(told[operator], flush=True)
    ran = {operator: each for operator, each in told.items() if "programs" in each}
    return {
        "commit": commit,
        "orders": orders,
        "limit_cpu_s": LIMIT_S,
        "ran": sorted(ran),
        "several_programs": sum(each["programs"] > 1 for each in ran.values()),
        "reported": {name: each["race"] for name, each in ran.items() if each["race"]},
        "not_reached": not_reached,
        "not_run": {name: each["why"] for name, each in told.items() if name not in ran},
    }


def _watchers() -> str:
    """Return a hash of the files that watch: what another version of them found is not kept."""
    files = [triton_races, triton_schedule, triton_memory, triton_programs]
    text = b"".join(Path(file.__file__).read_bytes() for file in files)
    return sha256(text).hexdigest()[:8]


def _apart(calls: Sequence[Call], orders: int) -> dict[str, Any]:
    """Run an operator in a process of its own, which may crash or take too long."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        _only_here(calls, orders, write)
    os.close(write)
    with os.fdopen(read, encoding="utf-8") as pipe:
        said = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status in {-signal.SIGXCPU, -signal.SIGKILL, -signal.SIGALRM}:
        return {"why": f"it takes more than {LIMIT_S} s in the interpreter"}
    return json.loads(said) if said else {"why": f"its process ends with {status}"}


def _only_here(calls: Sequence[Call], orders: int, write: int) -> NoReturn:
    resource.setrlimit(resource.RLIMIT_CPU, (LIMIT_S, LIMIT_S + 5))
    signal.alarm(20 * LIMIT_S)
    try:
        said = _operator(calls, orders)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is listed
        said = {"why": _innermost(error)}
    os.write(write, json.dumps(said).encode())
    os._exit(0)


def _operator(calls: Sequence[Call], orders: int) -> dict[str, Any]:
    """Return how many programs ran, and the first race, of a call that the operator accepts.

    One with a launch of several programs, if there is one. An access outside of every tensor ends a
    call: it may have got arguments that its operator does not take.
    """
    best, most, why, depth = None, 0, Exception("no launch"), 0
    with programs() as counts:
        for call in calls:
            counts.clear()
            try:
                report(call, 0)
            except Exception as error:  # noqa: BLE001 - other arguments may do
                deep = sum(1 for _ in traceback.walk_tb(error.__traceback__))
                if deep > depth:  # the likeliest arguments come furthest
                    why, depth = error, deep
                continue
            if max(counts, default=0) > most:
                best, most = call, max(counts)
            if most > 1:
                break
    if best is None:
        raise why
    reports = [report(best, order) for order in range(orders)]
    return {"programs": most, "race": next((races[0] for _, races in reports if races), None)}


def _innermost(error: BaseException) -> str:
    while error.__cause__ is not None:
        error = error.__cause__
    return f"{type(error).__name__}: {error}".partition("\n")[0][:120]


@contextmanager
def programs() -> Iterator[list[int]]:
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
