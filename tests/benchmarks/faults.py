"""What faults of the platform do to a class's grades: `python tests/benchmarks/faults.py`.

The grader is killed at random moments (SIGKILL, only the process that was started) and started
again, until everything is graded. Further scenarios: the database locked by another process for 15
s, the disk full for a while, PostgreSQL restarted, a Ray worker killed. Scenarios that this machine
cannot run are left out, and the table says why.

Afterwards every submission must have its points for every task: nothing lost, no wrong zero (also
checked after every kill, when a grade is either open or right), nothing graded twice, no process
left running, and grading once more must find nothing to do.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fault_scenarios import SCENARIOS
from fault_scenarios.course import Found, Unable
from staged.clone import make
from staged.processes import adopt_orphans

from hotloop.judge.device import device_name

RESULTS = Path(__file__).parent / "results" / "faults.json"


def main() -> None:
    """Run the scenarios and print; exit code 1 if a check fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000, help="submissions to kill graders over")
    parser.add_argument("--kills", type=int, default=50)
    parser.add_argument("--others", type=int, default=100, help="submissions of other scenarios")
    parser.add_argument("--only", choices=sorted(SCENARIOS), action="append")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--keep", action="store_true", help=f"write {RESULTS.name}")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    adopt_orphans()
    rows: list[dict[str, Any]] = []
    complaints: list[str] = []
    with tempfile.TemporaryDirectory(prefix="hotloop-faults-") as folder:
        clone = make(Path(folder) / "clone")
        for name in arguments.only or SCENARIOS:
            own = Path(folder) / name
            own.mkdir(mode=0o755)
            try:
                found = SCENARIOS[name](clone, own, arguments)
            except Unable as reason:
                rows.append(row(name, Found(0)) | {"came_of_it": f"left out: {reason}"})
                continue
            complaints += [f"{name}: {text}" for text in found.complaints]
            rows.append(row(name, found))
            print(f"{name}: {rows[-1]['came_of_it']}", file=sys.stderr, flush=True)
            if arguments.keep:
                # Results so far are kept if a later scenario is interrupted.
                keep(document(arguments.seed, rows, complaints))
    result = document(arguments.seed, rows, complaints)
    if arguments.keep:
        keep(result)
    print(json.dumps(result, indent=1) if arguments.json else table(result))
    sys.exit(bool(complaints))


def document(
    seed: int, rows: Sequence[Mapping[str, Any]], complaints: Sequence[str]
) -> dict[str, Any]:
    """Return the recorded document."""
    return {
        "device": device_name(),
        "date": datetime.now(UTC).date().isoformat(),
        "seed": seed,
        "as_it_must_be": not complaints,
        "rows": list(rows),
        "complaints": list(complaints),
    }


def row(name: str, found: Found) -> dict[str, Any]:
    """Return a row of the table."""
    return {"fault": name, "on": datetime.now(UTC).date().isoformat(), **found.row()}


def keep(result: Mapping[str, Any]) -> None:
    """Write the results for the site, and keep the rows of scenarios that were not run."""
    known: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.is_file() else {}
    faults = {each["fault"] for each in result["rows"]}
    others = [each for each in known.get("rows", []) if each["fault"] not in faults]
    texts = [text for text in known.get("complaints", []) if text.split(":")[0] not in faults]
    whole = {
        **result,
        "as_it_must_be": result["as_it_must_be"] and not texts,
        "rows": sorted(
            [*result["rows"], *others], key=lambda one: list(SCENARIOS).index(one["fault"])
        ),
        "complaints": [*result["complaints"], *texts],
    }
    RESULTS.write_text(json.dumps(whole, indent=1) + "\n")


def table(result: Mapping[str, Any]) -> str:
    """Format the result as text."""
    lines = [
        f"{row['fault']:12}{row['submissions']:6}  {row['came_of_it']}" for row in result["rows"]
    ]
    return "\n".join([*lines, *(result["complaints"] or ["All as it must be."])])


if __name__ == "__main__":
    main()
