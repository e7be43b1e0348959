"""Says which tests ran in none of the runs: `python tests/skipped.py build/tests/*.xml`.

Reads what `pytest --junitxml` writes. A test that is skipped in one run, since a package was not
installed yet, and runs in a later one counts as run. Exit code 1 if more than 150 never ran.
"""

from __future__ import annotations

import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

MOST = 150


def never_ran(reports: Iterable[Path]) -> dict[str, str]:
    """Return, by test, the reason with which it was skipped in the last run that it was part of."""
    skipped: dict[str, str] = {}
    ran: set[str] = set()
    for report in reports:
        for case in ElementTree.parse(report).iter("testcase"):
            test = f"{case.get('classname')}::{case.get('name')}"
            skip = case.find("skipped")
            if skip is None:
                ran.add(test)
            else:
                skipped[test] = skip.get("message") or "no reason"
    return {test: reason for test, reason in skipped.items() if test not in ran}


def main() -> int:
    """Print the reasons with how many tests each skips."""
    reasons = Counter(never_ran(map(Path, sys.argv[1:])).values())
    for reason, number in reasons.most_common():
        print(f"{number:5} {reason}")
    print(f"{reasons.total():5} tests ran in no run, at most {MOST} may")
    return int(reasons.total() > MOST)


if __name__ == "__main__":
    sys.exit(main())
