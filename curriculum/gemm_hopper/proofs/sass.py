"""Which instructions nvcc makes of TMA, mbarriers, wgmma, setmaxnreg and tcgen05."""

from __future__ import annotations

import re
import sys
import textwrap
from collections import Counter
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
from kit.machine_code import compiled, find

SHOWN = re.compile(
    r"\b(?:UBLKCP|UTMALDG|UTMASTG|HGMMA|QGMMA|SYNCS|USETMAXREG|UTCHMMA|UTCBAR|UTCATOMSWS|LDTM)[\w.]*"
)


def counted(listing: str) -> str:
    """Return the instructions that the lesson names, with how often each one is there."""
    found = Counter(SHOWN.findall(listing))
    words = ", ".join(
        name if count == 1 else f"{name}\u00a0({count})" for name, count in sorted(found.items())
    )
    lines = textwrap.fill(words, 96, initial_indent="    ", subsequent_indent="    ")
    return lines.replace("\u00a0", " ")


def main() -> None:
    """Print instructions by file and architecture."""
    tools = find()
    if tools is None:
        return
    _, listing = compiled(tools, "sass.cu", "sm_90a", "-DBOUNDS")
    print(f"sm_90a, with __launch_bounds__(384, 1):\n{counted(listing)}")
    assert "USETMAXREG" in listing
    log, listing = compiled(tools, "sass.cu", "sm_90a")
    said = next(line for line in log.splitlines() if "setmaxnreg" in line)
    said = re.sub(r" in function .*| to handle.*", "", re.sub(r"\s+", " ", said))
    print(f"without: {listing.count('USETMAXREG')} USETMAXREG, and in the log")
    print(textwrap.fill(said, 96, initial_indent="    ", subsequent_indent="    "))
    assert "USETMAXREG" not in listing
    _, listing = compiled(tools, "tcgen05.cu", "sm_100a")
    print(f"sm_100a, tcgen05.cu:\n{counted(listing)}")
    assert "UTCHMMA" in listing
    assert "HGMMA" not in listing


if __name__ == "__main__":
    main()
