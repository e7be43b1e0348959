"""Which races between the threads of a CUDA block does the simulator miss, or report in vain?

    python tests/benchmarks/random_races.py --pairs 500 --keep

Kernels are written at random, in pairs: of one, barriers, fences, atomics or mbarriers order all
conflicting accesses; the other ends with one that is unordered. Vector clocks know which is which.
A kernel that was missed or reported in vain is kept with its program's folder, which is printed.
`--keep` writes tests/benchmarks/results/random_races.json.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.hotloop.engines.simulate.synchronization import outcome, program

from hotloop.engines.simulate.check import check
from hotloop.judge.device import device_name

RESULT = Path(__file__).parent / "results" / "random_races.json"
HEADERS = Path(__file__).parents[1] / "hotloop" / "engines" / "simulate"
AT_ONCE = 20
"""Pairs in one program."""


def main() -> None:
    """Write, check and count."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pairs", type=int, default=500, help="of each of the two sorts")
    parser.add_argument("--first", type=int, default=0, help="seed of the first pair")
    parser.add_argument("--keep", action="store_true", help=f"write {RESULT.name}")
    arguments = parser.parse_args()
    outcomes: Counter[str] = Counter()
    started = time.monotonic()
    folder = Path(tempfile.mkdtemp())
    end = arguments.first + arguments.pairs
    for first in range(arguments.first, end, AT_ONCE):
        for asynchronous in (False, True):
            seeds = range(first, min(first + AT_ONCE, end))
            outcomes += of_program(folder, seeds, asynchronous=asynchronous)
        passed = time.monotonic() - started
        print(f"{seeds.stop} of {end}, {passed:.0f} s: {dict(outcomes)}", file=sys.stderr)
    document = {
        "device": device_name(),
        "date": datetime.now(UTC).date().isoformat(),
        "racy": sum(outcomes[name] for name in ("found", "missed", "elsewhere")),
        "missed": outcomes["missed"],
        "elsewhere": outcomes["elsewhere"],
        "right": outcomes["clean"] + outcomes["reported"],
        "reported": outcomes["reported"],
    }
    print(json.dumps(document, indent=1))
    if arguments.keep:
        RESULT.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def of_program(folder: Path, seeds: range, *, asynchronous: bool) -> Counter[str]:
    """Return how many kernels of one program had each outcome."""
    text, kernels = program(seeds, asynchronous=asynchronous)
    source = folder / f"random_{seeds.start}{'_mbarriers' if asynchronous else ''}.cu"
    source.write_text(text, encoding="utf-8")
    findings = check([source], include=[HEADERS]).report.findings
    outcomes = {kernel.name: outcome(kernel, findings) for kernel in kernels}
    for name, what in outcomes.items():
        if what not in {"found", "clean"}:
            print(f"{what}: {name} in {source}", file=sys.stderr)
    return Counter(outcomes.values())


if __name__ == "__main__":
    main()
