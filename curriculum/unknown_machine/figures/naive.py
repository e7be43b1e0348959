"""Draws the first cycles of the naive walk after its transfer: one unit works, and mostly waits.

cd curriculum/unknown_machine/figures && python naive.py > naive.svg
"""

from __future__ import annotations

import random

from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator import walk as walks
from hotloop.engines.accelerator.run import run
from hotloop.engines.accelerator.timeline import svg

SEED, ITEMS = 12, 16


def main() -> None:
    """Print the picture."""
    machine, walk = machines.draw(SEED), walks.draw(SEED)
    work = walks.work(walk, ITEMS, random.Random(1))
    program = walks.naive(walk, ITEMS)
    result = run(machine, program, work.memory, work.writable, 10**6, record=True)
    begin = min(event.start for event in result.events if event.unit == "load")
    print(svg(result.events, begin, begin + 70, 9), end="")


if __name__ == "__main__":
    main()
