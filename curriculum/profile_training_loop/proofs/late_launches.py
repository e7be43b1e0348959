"""A gap on a GPU is the host's only if the call that ends it came after the gap had begun."""

from __future__ import annotations

import sqlite3

ROWS = (
    # call, kernel: start and end, in microseconds
    ("first", 0, 10, 110),
    ("queued behind it", 20, 111, 200),
    ("after a callback on the host", 30, 700, 800),
    ("late", 1000, 1010, 1100),
    ("queued behind that", 1005, 1101, 1200),
)


def gaps(database: sqlite3.Connection) -> list[tuple[str, int, bool]]:
    """The kernel that ends a gap, its microseconds, and whether its call came late."""
    query = """
        SELECT name, start - busy, called > busy FROM (
            SELECT *, lag(finish) OVER (ORDER BY start) AS busy FROM work
        ) WHERE start > busy
    """
    return [(name, us, bool(late)) for name, us, late in database.execute(query)]


def main() -> None:
    """Sort the gaps of five kernels on one stream."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE work (name, called, start, finish)")
    database.executemany("INSERT INTO work VALUES (?, ?, ?, ?)", ROWS)
    found = gaps(database)
    for name, us, late in found:
        print(f"{us:4} µs before “{name}”: {'a late launch' if late else 'was in the queue'}")
    idle = sum(us for _, us, _ in found)
    lost = sum(us for _, us, late in found if late)
    print(f"{idle} µs idle, of which late launches cost {lost}")
    assert {name for name, _, late in found if late} == {"late"}
    assert lost < idle / 2


if __name__ == "__main__":
    main()
