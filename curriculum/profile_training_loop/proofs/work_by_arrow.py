"""Work belongs to the step that queued it: sorted into steps by time, it leaves no gap."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

LOAD, LAUNCH = 400, 20
KERNELS, KERNEL = 20, 60
SLOW_LOAD = 4000
"""Of step 3, in microseconds: the GPU runs empty meanwhile."""


@dataclass(frozen=True)
class Work:
    """A kernel: when it runs, in microseconds, and the step whose call queued it."""

    step: int
    start: int
    end: int


def run(steps: int) -> tuple[list[tuple[int, int]], list[Work]]:
    """The steps on the host, which waits for nothing, and the kernels on the GPU."""
    host, work = list[tuple[int, int]](), list[Work]()
    now = free = 0
    for step in range(steps):
        began = now
        now += SLOW_LOAD if step == 3 else LOAD
        for _ in range(KERNELS):
            now += LAUNCH
            start = max(now + 5, free)
            free = start + KERNEL
            work.append(Work(step, start, free))
        host.append((began, now))
    return host, work


def gaps(steps: list[list[Work]]) -> dict[int, int]:
    """Microseconds between the work of each step and that of the next one, by the step before."""
    return {
        number: min(w.start for w in after) - max(w.end for w in before)
        for number, (before, after) in enumerate(pairwise(steps))
        if before and after
    }


def main() -> None:
    """Sort the kernels of six steps in both ways."""
    host, work = run(6)
    by_arrow = gaps([[w for w in work if w.step == step] for step in range(6)])
    by_time = gaps([[w for w in work if a <= w.start < b] for a, b in host])
    late = sum(w.start >= host[w.step][1] for w in work) / len(work)
    print(f"kernels that start after their step has ended on the host: {late:.0%}")
    for name, found in (("arrow", by_arrow), ("time", by_time)):
        print(f"gaps between steps by {name}, in µs: {', '.join(map(str, found.values()))}")
    assert max(by_arrow, key=by_arrow.__getitem__) == 2
    assert max(by_time.values()) < max(by_arrow.values())


if __name__ == "__main__":
    main()
