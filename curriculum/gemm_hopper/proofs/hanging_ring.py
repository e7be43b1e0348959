"""A pipeline that expects the bytes of both slots in each phase hangs at its first wait."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
from kit.faults import report

if __name__ == "__main__":
    report(Path(__file__).with_suffix(".cu"), {"expects `sizeof slots`": "hang"})
