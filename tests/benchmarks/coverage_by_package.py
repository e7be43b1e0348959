"""Which share of each package's statements do the tests run?

    python tests/benchmarks/coverage_by_package.py [--keep] [option of pytest …]

The quick tests run, with the compilers of all modules installed; `--keep` writes
results/coverage_by_package.json.

What runs behind bubblewrap, and a process that is killed, cannot report: `worker/` and the
modules' `programs/` are run far more often than is counted here.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

from tests.benchmarks.checkout import commit

ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "build" / "coverage" / "report.json"
RESULT = ROOT / "tests" / "benchmarks" / "results" / "coverage_by_package.json"


def shares(report: Path) -> dict[str, float]:
    """Return the share of statements that ran by package, from coverage's report."""
    statements, ran = Counter[str](), Counter[str]()
    for name, file in json.loads(report.read_text(encoding="utf-8"))["files"].items():
        package, _, rest = name.partition("graders/hotloop/")[2].partition("/")
        if rest:
            statements[package] += file["summary"]["num_statements"]
            ran[package] += file["summary"]["covered_lines"]
    return {
        package: round(ran[package] / number, 3)
        for package, number in sorted(statements.items())
        if number
    }


def main(arguments: list[str]) -> int:
    """Run the tests, print each package's share, and return pytest's exit status."""
    keep = "--keep" in arguments
    rest = [argument for argument in arguments if argument != "--keep"]
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    options = ["--cov=hotloop", f"--cov-report=json:{REPORT}", "-n", "2", "-m", "not slow"]
    environment = {**os.environ, "COVERAGE_FILE": str(REPORT.with_name("data"))}
    command = [sys.executable, "-m", "pytest", *options, *rest]
    status = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
    by_package = shares(REPORT)
    for package, share in by_package.items():
        print(f"{share:6.1%} of the statements in {package}")
    if keep and status == 0:
        result = {
            "date": datetime.now(UTC).date().isoformat(),
            "commit": commit(ROOT),
            "tests": "not slow",
            "shares": by_package,
        }
        RESULT.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
