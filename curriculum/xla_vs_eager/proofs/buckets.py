"""Three ways to pad, on the same 300 sizes: programs that are made, rows that are computed."""

from __future__ import annotations

import random
from collections import Counter

PROGRAMS = 5


def sizes() -> list[int]:
    """Of batches, most of them small; at most 100."""
    rng = random.Random(1)
    return [min(1 + int(rng.expovariate(1 / 18)), 100) for _ in range(300)]


# --8<-- [start:best]
def best(seen: list[int], budget: int) -> list[int]:
    """The sizes that compute the fewest rows: each one ends a group of neighboring sizes."""
    count = Counter(seen)
    ends = sorted(count)
    below = [0]
    for size in ends:
        below.append(below[-1] + count[size])
    ways: dict[int, tuple[float, list[int]]] = {0: (0.0, [])}
    for _ in range(budget):
        more = dict(ways)
        for end in range(1, len(ends) + 1):
            for begin, (cost, chosen) in ways.items():
                if begin < end:
                    asked = cost + (below[end] - below[begin]) * ends[end - 1]
                    if end not in more or asked < more[end][0]:
                        more[end] = (asked, [*chosen, ends[end - 1]])
        ways = more
    return ways[len(ends)][1]
    # --8<-- [end:best]


def rows(seen: list[int], buckets: list[int]) -> int:
    """Computed, padding included."""
    return sum(min(bucket for bucket in buckets if bucket >= size) for size in seen)


def main() -> None:
    """Print what each way costs."""
    seen = sizes()
    ways = {
        "every size": sorted(set(seen)),
        "powers of two": [1 << n for n in range(8)],
        "one size": [max(seen)],
        f"the best {PROGRAMS}": best(seen, PROGRAMS),
    }
    found = {}
    for name, buckets in ways.items():
        used = {min(b for b in buckets if b >= size) for size in seen}
        found[name] = (len(used), rows(seen, buckets) / sum(seen))
        print(f"{name:20} {len(used):3} programs, {found[name][1]:.2f} rows computed per real row")
    assert found["every size"][1] == 1
    assert found[f"the best {PROGRAMS}"][1] < found["powers of two"][1]
    assert found[f"the best {PROGRAMS}"][0] < found["powers of two"][0]


if __name__ == "__main__":
    main()
