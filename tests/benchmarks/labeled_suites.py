"""Are faults that others have labeled found, and is nothing said of right programs?

    git clone https://github.com/mc-imperial/gpuverify
    git clone https://github.com/NVIDIA/compute-sanitizer-samples
    git clone https://github.com/NVIDIA/compute-eval
    python tests/benchmarks/labeled_suites.py --gpuverify gpuverify \
        --sanitizer compute-sanitizer-samples --compute-eval compute-eval --keep

Each suite is read from a clone; nothing of it is stored but the names of its cases. A case has the
label that its suite gives it: right or faulty. `--keep` writes what became of each to
tests/benchmarks/results/labeled_suites.json, and goes on from there at the next call; `--again`
names cases that are run anew. labeled/read_by_hand.yaml says what misses and reports are.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import yaml

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE), str(HERE / "labeled")]

import checkout  # noqa: E402
import compute_eval  # noqa: E402
import gpuverify  # noqa: E402
import gsan  # noqa: E402
import sanitizer  # noqa: E402
from case import Case, Row, row  # noqa: E402

from hotloop.judge.device import device_name  # noqa: E402

RESULT = HERE / "results" / "labeled_suites.json"
READ = HERE / "labeled" / "read_by_hand.yaml"


@dataclass(frozen=True)
class Suite:
    """A collection of labeled cases. what: for the table."""

    what: str
    cases: Callable[[Path], Iterator[Case]]


SUITES = {
    "gpuverify": Suite("GPUVerify's CUDA kernels", gpuverify.cases),
    "sanitizer": Suite("compute-sanitizer's samples", sanitizer.cases),
    "gsan": Suite("Triton's GSan tests", gsan.cases),
    "compute_eval": Suite("ComputeEval's own solutions", compute_eval.cases),
}


def main() -> None:
    """Run the suites that are given, print the tables, and write them with --keep."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    for name in SUITES:
        parser.add_argument(f"--{name.replace('_', '-')}", type=Path, help="a clone of it")
    parser.add_argument("--minutes", type=float, default=600, help="for all suites together")
    parser.add_argument("--keep", action="store_true", help=f"write {RESULT.name}")
    parser.add_argument("--again", help="cases, by an expression, that are run anew")
    arguments = parser.parse_args()
    until = time.monotonic() + 60 * arguments.minutes
    roots = {name: getattr(arguments, name) for name in SUITES if getattr(arguments, name)}
    kept = stored()
    for name, root in roots.items():
        run(name, root, arguments, until, kept.setdefault(name, {}))
    for name, suite in (stored() | {name: kept[name] for name in roots}).items():
        told = described(name, suite["commit"], rows_of(suite))
        print(name, json.dumps({k: v for k, v in told.items() if k != "rows"}, indent=1))
        if arguments.keep:
            keep(name, told)


def run(
    name: str,
    root: Path,
    arguments: argparse.Namespace,
    until: float,
    kept: dict[str, Any],
) -> None:
    """Run the cases of a suite that are not kept; put what became of them into `kept`."""
    commit = checkout.commit(root)
    rows = {each.case: each for each in rows_of(kept)}
    for case in SUITES[name].cases(root):
        again = arguments.again and re.search(arguments.again, case.name)
        if time.monotonic() > until or (case.name in rows and not again):
            continue
        rows[case.name] = row(case)
        print(rows[case.name], file=sys.stderr, flush=True)
        kept.update(described(name, commit, list(rows.values())))
        if arguments.keep:
            keep(name, kept)


def rows_of(kept: Mapping[str, Any]) -> list[Row]:
    """Return the rows of a suite in the result file."""
    return [Row(**each) for each in kept.get("rows", [])]


def described(name: str, commit: str, rows: Sequence[Row]) -> dict[str, Any]:
    """Return the counts of a suite, and its rows."""
    read = explained().get(name, {})
    faulty = [r for r in rows if r.faulty]
    right = [r for r in rows if not r.faulty]
    of = Counter((r.faulty, r.came) for r in rows)
    missed = Counter(read.get(r.case, "not read") for r in faulty if r.came == "missed")
    reported = Counter(read.get(r.case, "not read") for r in right if r.came == "reported")
    found, ran = of[True, "found"], of[True, "found"] + of[True, "missed"]
    return {
        "suite": SUITES[name].what,
        "commit": commit,
        "cases": len(rows),
        "faulty": len(faulty),
        "faulty_run": ran,
        "found": found,
        "recall_percent": round(100 * found / ran) if ran else None,
        "missed": ran - found,
        "right": len(right),
        "right_run": of[False, "clean"] + of[False, "reported"],
        "clean": of[False, "clean"],
        "reported": of[False, "reported"],
        "not_run": of[True, "not run"] + of[False, "not run"],
        "missed_by_reason": dict(missed.most_common()),
        "reported_by_reason": dict(reported.most_common()),
        "not_run_by_reason": dict(
            Counter(reason(r) for r in rows if r.came == "not run").most_common()
        ),
        "rows": [asdict(r) for r in rows],
    }


LACKS = {
    "variable-sized object": "an array of variable length with initial values",
    "wmma": "matrix instructions: nvcuda::wmma",
    " in asm": "PTX in asm",
    "cudaGraph": "CUDA graphs",
    "relocatable device code": "a launch from a kernel",
    "status 124": "too slow",
}
"""By a part of what was said: what a program needs."""


def reason(row: Row) -> str:
    """Return why a case was not run, with what the compiler lacks where that is known."""
    known = (what for part, what in LACKS.items() if part in row.said)
    return next(known, row.reason)


def explained() -> dict[str, dict[str, str]]:
    """Return what misses and reports are, by suite and case, as read in their sources."""
    return yaml.safe_load(READ.read_text(encoding="utf-8")) or {}


def stored() -> dict[str, Any]:
    """Return the suites of the result file."""
    if not RESULT.exists():
        return {}
    return json.loads(RESULT.read_text(encoding="utf-8"))["suites"]


def keep(name: str, suite: Mapping[str, Any]) -> None:
    """Write a suite into the result file."""
    suites = stored() | {name: suite}
    plain = [
        {key: value for key, value in each.items() if isinstance(value, int) or key == "suite"}
        for each in suites.values()
    ]
    today = datetime.now(UTC).date().isoformat()
    document = {"device": device_name(), "date": today, "rows": plain, "suites": suites}
    RESULT.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
