"""How much of this machine's cores others use meanwhile: a recording is of one program alone."""

from __future__ import annotations

import os
import time
from pathlib import Path

PROC = Path("/proc")
_TICK = 1 / os.sysconf("SC_CLK_TCK")


class Foreign:
    """From its making on."""

    def __init__(self) -> None:
        self._start = (time.monotonic(), _used_by_all(), _used_by_us())

    def share(self) -> float:
        """Of all cores' time since then, the part that processes took which are not ours."""
        began, everybody, ours = self._start
        others = (_used_by_all() - everybody) - (_used_by_us() - ours)
        return max(0.0, others) / ((time.monotonic() - began) * (os.cpu_count() or 1))


def _used_by_all() -> float:
    """Seconds of all cores, idle time and waiting for disks left out; stolen time is in it."""
    fields = (PROC / "stat").read_text(encoding="ascii").split("\n", 1)[0].split()[1:9]
    user, nice, system, _idle, _disk, irq, softirq, steal = map(int, fields)
    return (user + nice + system + irq + softirq + steal) * _TICK


def _used_by_us() -> float:
    """Seconds of this process and of all that descend from it, ended children included."""
    rows = dict(filter(None, map(_row, PROC.glob("[0-9]*"))))
    total = 0.0
    for pid, (_, seconds) in rows.items():
        above = pid
        while above in rows and above != os.getpid():
            above = rows[above][0]
        total += seconds if above == os.getpid() else 0.0
    return total


def _row(folder: Path) -> tuple[int, tuple[int, float]] | None:
    """Its number, its parent's, and seconds; None when it has ended meanwhile."""
    try:
        text = (folder / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    fields = text.rsplit(")", 1)[1].split()
    return int(folder.name), (int(fields[1]), sum(map(int, fields[11:15])) * _TICK)
