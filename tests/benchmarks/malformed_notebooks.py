"""What becomes of malformed notebooks: `python tests/benchmarks/malformed_notebooks.py`.

A seeded, structure-aware fuzzer (`tests/fuzz/notebooks.py`) hands in 500 of them as one class, with
untouched ones between them. One batch grades them all, in the sandbox. Each must get a verdict for
every task within its time limit; tasks that a mutation leaves intact must earn the same points as
before; unreadable notebooks must earn none; no verdict may be a fault of the judge; the untouched
ones must get their points; and no process may be left running.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from array_warmup import lab
from staged.clone import hand_in, make
from staged.processes import adopt_orphans, still_there

from hotloop.judge.device import device_name

sys.path.insert(0, str(Path(__file__).parents[1] / "fuzz"))
from notebooks import malformed

NEIGHBORS = 24
LIMIT_S = 120.0
"""Time limit of one submission in the batch, from its first progress event to its last."""
RESULTS = Path(__file__).parent / "results" / "malformed_notebooks.json"
NOT_OURS = {"judge_error", "not_measured"}


def main() -> None:
    """Hand in, grade, check, print; exit code 1 if a check fails."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--only", default="", help="mutations whose name holds this")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", action="store_true", help=f"write {RESULTS.name}")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    adopt_orphans()
    with tempfile.TemporaryDirectory(prefix="hotloop-malformed-") as folder:
        result = measure(Path(folder), arguments)
    if arguments.keep:
        RESULTS.write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1) if arguments.json else table(result))
    sys.exit(bool(result["complaints"]))


def measure(folder: Path, arguments: argparse.Namespace) -> dict[str, Any]:
    """Grade the batch and return the result."""
    clone, course = make(folder / "clone"), folder / "course"
    clone.run("prepare", str(course))
    right = lab.submitted(lab.answers()[0], 0)
    made = malformed(right, lab.NOTEBOOK, lab.MODULE, arguments.count, arguments.seed)
    cases = {
        f"case_{number:04}": case
        for number, case in enumerate(made)
        if arguments.only in case.mutation
    }
    for student, case in cases.items():
        case.handed.write(course / "submitted" / student / lab.MODULE)
    # Learners are graded in order of name: these come before, between and after the others.
    places = [f"case_{n * arguments.count // NEIGHBORS:04}_beside" for n in range(NEIGHBORS)]
    neighbors = hand_in(course, ["untouched_0", *places])
    arguments_of = ("grade", str(course), "--jobs", str(arguments.jobs))
    answer = clone.start(*arguments_of, log=folder / "log").document()
    left = still_there(os.getpid(), 10.0)
    found: dict[str, dict[str, Any]] = {}
    for one in answer["results"]:
        found.setdefault(one["student"], {})[one["task"]] = one
    complaints = [f"left running: {words}" for words in left]
    complaints += [f"not dealt with: {key}: {text}" for key, text in answer["problems"].items()]
    for student, given in neighbors.items():
        complaints += wrong_neighbor(student, given.points, found.get(student, {}))
    rows: dict[str, Counter[str]] = {}
    for student, case in cases.items():
        verdicts = found.get(student, {})
        complaints += [f"{student} ({case.mutation}): {w}" for w in wrong(case.expect, verdicts)]
        rows.setdefault(case.mutation.split("+")[0], Counter())[_summary(verdicts)] += 1
    if answer["longest_s"] > LIMIT_S:
        complaints.append(f"one submission took {answer['longest_s']:.0f} s")
    return {
        "device": device_name(),
        "date": datetime.now(UTC).date().isoformat(),
        "seed": arguments.seed,
        "malformed": len(cases),
        "mutations": len(rows),
        "untouched": len(neighbors),
        "isolation": answer["isolation"],
        "seconds": answer["seconds"],
        "longest_s": answer["longest_s"],
        "complaints": complaints,
        "as_it_must_be": not complaints,
        "rows": [
            {"mutation": name, "handed_in": sum(came.values()), "came_of_it": _counts(came)}
            for name, came in sorted(rows.items())
        ],
    }


def wrong_neighbor(
    student: str, points: Mapping[str, float], found: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    """Return what is wrong with the results of an untouched notebook."""
    got = {task: result["points"] for task, result in found.items()}
    return [] if got == dict(points) else [f"{student}, untouched, got {got}, not {dict(points)}"]


def wrong(expect: str, found: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return what is wrong with the results of a malformed notebook."""
    if missing := sorted(lab.POINTS.keys() - found.keys()):
        return [f"no verdict for {', '.join(missing)}"]
    said = {task: str(result["verdict"]) for task, result in found.items()}
    earned = {task: result["points"] for task, result in found.items()}
    if set(said.values()) & NOT_OURS:
        return [f"{said}: {next(iter(found.values()))['sentence']}"]
    if expect == "same" and earned != lab.POINTS:
        lost = next(r for task, r in found.items() if r["points"] != lab.POINTS[task])
        return [f"its answers are whole, but it got {earned}: {lost['sentence']}"]
    if expect == "unreadable" and any(earned.values()):
        return [f"nothing could be read, but it got {earned}"]
    return [] if all(r["sentence"] for r in found.values()) else ["a verdict without a sentence"]


def table(result: Mapping[str, Any]) -> str:
    """Format the result as text."""
    lines = [
        f"{row['mutation']:40}{row['handed_in']:4}  {row['came_of_it']}" for row in result["rows"]
    ]
    total = f"{result['malformed']} malformed and {result['untouched']} untouched"
    took = f"{result['seconds']:.0f} s; the longest took {result['longest_s']:.1f} s"
    lines.append(f"{total} in {took}")
    return "\n".join([*lines, *(result["complaints"] or ["All as it must be."])])


def _summary(found: Mapping[str, Mapping[str, Any]]) -> str:
    said = Counter(str(result["verdict"]) for result in found.values())
    return " ".join(f"{count} {verdict}" for verdict, count in sorted(said.items()))


def _counts(came: Counter[str]) -> str:
    return "; ".join(f"{count} × {what}" for what, count in came.most_common())


if __name__ == "__main__":
    main()
