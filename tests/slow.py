"""Makes slow.txt from runs of the tests: a test that took longer than 0.3 s is slow.

    pytest -n 2 -m 'not slow' --junitxml=quick.xml
    pytest -n 2 -m slow --junitxml=slow.xml
    python tests/slow.py quick.xml slow.xml

Run both on a machine that does nothing else, with all that the tests need. A test that is in none
of the files keeps its place: a part of the tests can be looked at alone.
"""

import argparse
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

SLOW = Path(__file__).with_name("slow.txt")
ROOT = Path(__file__).resolve().parents[1]
LIMIT_S = 0.3


def main() -> None:
    """Write the file, and say what it comes to."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("reports", nargs="+", type=Path, help="files of `pytest --junitxml`")
    parser.add_argument("--limit", type=float, default=LIMIT_S, help="seconds")
    arguments = parser.parse_args()
    took = {name: s for report in arguments.reports for name, s in durations(report)}
    head = [line for line in SLOW.read_text(encoding="utf-8").splitlines() if line[0] == "#"]
    listed = set(SLOW.read_text(encoding="utf-8").splitlines()) - set(head)
    slow = {name for name, seconds in took.items() if seconds > arguments.limit}
    names = sorted(slow | (listed - took.keys()))
    SLOW.write_text("\n".join([*head, *names]) + "\n", encoding="utf-8")
    quick = sum(seconds for name, seconds in took.items() if name not in names)
    print(f"{len(names)} are slow; the others took {quick:.0f} s, one after the other.")


def durations(report: Path) -> Iterator[tuple[str, float]]:
    """Node id and seconds of each test, its fixtures included."""
    for case in ElementTree.parse(report).iter("testcase"):
        file = f"{case.get('classname', '').replace('.', '/')}.py"
        if (ROOT / file).is_file():
            yield f"{file}::{case.get('name')}", float(case.get("time", 0))


if __name__ == "__main__":
    main()
