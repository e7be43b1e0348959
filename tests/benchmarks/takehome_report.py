"""How long does a hiring team wait for the report on one submission?

    python tests/benchmarks/takehome_report.py profile_training_loop ssa_passes --keep

Creates a team, a pack with all tasks of the module and the reference as the candidate's work, in
the candidate's variant, and times `hotloop takehome grade` from its start to the written report, in
the sandbox and with speed measured. The requirement is 180 s on two cores. Exit code 1 if it took
longer, or if the judge failed. `--keep` writes the rows to tests/benchmarks/results.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Collection
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hotloop.author.evidence import measured_by
from hotloop.judge.device import device_name
from hotloop.learn.pack.notice import draft
from hotloop.takehome.pack import make_pack
from hotloop.takehome.role import starting_text
from hotloop.takehome.submission_file import make_submission
from hotloop.takehome.team import Team
from hotloop.tasks import curriculum, render
from hotloop.tasks.measured_code import measured_code

RESULT = Path(__file__).parent / "results" / "takehome_report.json"
ASKED_S = 180


def main() -> None:
    """Grade and print; with --keep, write the rows."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("modules", nargs="+")
    parser.add_argument("--keep", action="store_true", help=f"write {RESULT.name}")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    rows: list[dict[str, Any]] = []
    for module in arguments.modules:
        rows.append(row(module))
        print(f"{module}: {rows[-1]['seconds']:.1f} s", file=sys.stderr)
    result = {
        "format": 1,
        "device": device_name(),
        "cores": len(os.sched_getaffinity(0)),
        "date": datetime.now(UTC).date().isoformat(),
        "asked_s": ASKED_S,
        "rows": rows,
    }
    if arguments.json:
        print(json.dumps(result, indent=2))
    else:
        for one in rows:
            print(
                f"{one['module']:24} {one['tasks']:3} tasks {one['seconds']:7.1f} s  {one['score']}"
            )
    if arguments.keep:
        kept = {**result, "rows": [*others(arguments.modules), *rows]}
        RESULT.write_text(json.dumps(kept, indent=2) + "\n", encoding="utf-8")
    sys.exit(any(one["seconds"] > ASKED_S or one["judge_errors"] for one in rows))


def others(modules: Collection[str]) -> list[dict[str, Any]]:
    """Return stored rows of other modules, from the same kind of machine."""
    if not RESULT.is_file():
        return []
    kept = json.loads(RESULT.read_text(encoding="utf-8"))
    if kept["device"] != device_name() or kept["cores"] != len(os.sched_getaffinity(0)):
        return []
    return [one for one in kept["rows"] if one["module"] not in modules]


def row(module: str) -> dict[str, Any]:
    """Time one submission, from the command's start to the report on disk."""
    with tempfile.TemporaryDirectory() as folder:
        team, submission = handed_in(module, Path(folder))
        command = [sys.executable, "-m", "hotloop.cli", "takehome", "grade", str(submission)]
        started = time.monotonic()
        done = subprocess.run(
            [*command, "--team", str(team.folder), "--json"],
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        seconds = time.monotonic() - started
        (graded,) = json.loads(done.stdout)["reports"]
        report = json.loads(Path(graded["report"]).read_text(encoding="utf-8"))
    checks = [check for task in report["tasks"] for check in task["checks"]]
    return {
        "module": module,
        "tasks": len(report["tasks"]),
        "seconds": round(seconds, 1),
        "score": f"{report['score']['low']:.1f} to {report['score']['high']:.1f}",
        "judge_errors": sum(check["verdict"] == "judge_error" for check in checks),
        "undecided": sum(check["verdict"] == "undecided" for check in checks),
        "code": measured_code(module),
        "by": measured_by(),
    }


def handed_in(module: str, folder: Path) -> tuple[Team, Path]:
    """Create a team and a submission with the reference, as a candidate would hand it in."""
    team = Team.create(folder / "team")
    path = team.role_path("engineer")
    path.parent.mkdir(parents=True)
    found = curriculum.load_module(module)
    contact = "hiring@example.org"
    about = (contact, draft("Example Inc.", contact))
    path.write_text(starting_text("engineer", "An engineer", found, found.tasks, about=about))
    pack = make_pack(team, team.role("engineer"), "A. B.", now=datetime.now(UTC))
    with zipfile.ZipFile(pack.path) as archive:
        archive.extractall(folder)
    work = folder / pack.pseudonym
    solved = render.submission(module, variant=team.variant(pack.manifest.pack))
    for name, data in solved.items():
        (work / name).parent.mkdir(parents=True, exist_ok=True)
        (work / name).write_bytes(data)
    return team, make_submission(work)


if __name__ == "__main__":
    main()
