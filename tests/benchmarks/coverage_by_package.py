"""Which share of each package's statements do the quick tests run?

    pip install coverage
    python tests/benchmarks/coverage_by_package.py --keep

Runs `pytest -m 'not slow'` with this file as a plugin that measures in pytest's own processes: what
a command, a worker or the sandbox runs in a process of its own is not seen, nor are the slow tests.
`--keep` writes tests/benchmarks/results/coverage_by_package.json.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import defaultdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest
    from coverage import Coverage

HERE = Path(__file__).parent
RESULT = HERE / "results" / "coverage_by_package.json"
FOLDER = "HOTLOOP_COVERAGE"
"""Environment variable with the folder of the measured data."""

_measuring: list[Coverage] = []


def pytest_configure(config: pytest.Config) -> None:
    """Measure in each process that runs tests."""
    from coverage import Coverage

    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None):
        data = str(Path(os.environ[FOLDER]) / "data")
        measuring = Coverage(data, True, source_pkgs=["hotloop"], config_file=False)
        measuring.start()
        _measuring.append(measuring)


def pytest_runtest_setup() -> None:
    """Begin again where a test has ended all tracing."""
    for measuring in _measuring:
        if sys.gettrace() is None:
            measuring.stop()
            measuring.start()


def pytest_sessionfinish() -> None:
    """Keep what was measured."""
    for measuring in _measuring:
        measuring.stop()
        measuring.save()


def main() -> None:
    """Run the tests and print; with --keep, write the results."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--keep", action="store_true", help=f"write {RESULT.name}")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    parser.add_argument("--jobs", default="2", help="processes")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", "-p", Path(__file__).stem, "-q"]
        command += ["-n", arguments.jobs, "-m", "not slow"]
        path = os.pathsep.join([str(HERE), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = {**os.environ, FOLDER: folder, "PYTHONPATH": path}
        subprocess.run(command, check=False, env=environment, stdout=sys.stderr)
        rows = by_package(Path(folder))
    document = document_of(rows)
    if arguments.keep:
        RESULT.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    if arguments.json:
        print(json.dumps(document, indent=1))
    else:
        for row in rows:
            print(f"{row['package']:10}{row['statements']:>8}{row['run_percent']:>6} %")


def document_of(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the result document."""
    from hotloop.judge.device import device_name

    return {
        "device": device_name(),
        "date": datetime.now(UTC).date().isoformat(),
        "rows": rows,
    }


def by_package(folder: Path) -> list[dict[str, Any]]:
    """Return packages with their statements and the percentage of these that were run."""
    from coverage import Coverage

    whole = Coverage(str(folder / "data"), config_file=False)
    whole.combine([str(folder)], keep=True)
    statements: dict[str, int] = defaultdict(int)
    missing: dict[str, int] = defaultdict(int)
    for file in whole.get_data().measured_files():
        _, _, inside = file.partition("/graders/hotloop/")
        package, _, rest = inside.partition("/")
        if not rest:
            continue
        _, all_of_it, _, not_run, _ = whole.analysis2(file)
        statements[package] += len(all_of_it)
        missing[package] += len(not_run)
    return [
        {
            "package": package,
            "statements": count,
            "run_percent": round(100 * (count - missing[package]) / count),
        }
        for package, count in sorted(statements.items())
    ]


if __name__ == "__main__":
    main()
