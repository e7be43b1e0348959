"""A consumer that gives back the slot of the product in flight races with the next copy."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
from kit.faults import report

if __name__ == "__main__":
    report(Path(__file__).with_suffix(".cu"), {"gives back the newest slot": "race"})
