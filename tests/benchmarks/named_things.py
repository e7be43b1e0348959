"""How far is each model, tool and API practiced that the course outlines name? Prints the table.

    python tests/benchmarks/named_things.py

`named_things.yaml` says of each thing which checks judge it, and whether that is the thing itself.
The exit code is 1, with a line for each, where a check, a task or a page does not exist.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from hotloop.core import paths
from hotloop.tasks import curriculum

DATA = Path(__file__).with_suffix(".yaml")
COUNT = 53
HOW = ("itself", "miniature", "viewer", "read")


@dataclass(frozen=True)
class Thing:
    """A row. how: one of HOW. named: rows of the page on named tools. lacks: what is missing."""

    n: int
    thing: str
    how: str
    named: list[str]
    checks: list[str]
    pages: list[str] = field(default_factory=list[str])
    lacks: str = ""

    @property
    def tasks(self) -> set[str]:
        """The tasks of its checks, as module.task."""
        return {check.rpartition(".")[0] for check in self.checks}


def things() -> list[Thing]:
    """Return the rows in their order."""
    return [Thing(**row) for row in yaml.safe_load(DATA.read_text(encoding="utf-8"))["things"]]


def faults(rows: list[Thing]) -> Iterator[str]:
    """Yield a sentence for each row that names what does not exist, or says too little."""
    known = {
        f"{module.id}.{task.id}.{check.id}"
        for module in curriculum.modules()
        for task in module.tasks
        for check in task.checks
    }
    if [row.n for row in rows] != list(range(1, COUNT + 1)):
        yield f"the rows are not 1 to {COUNT}"
    for row in rows:
        missing = [check for check in row.checks if check not in known]
        missing += [page for page in row.pages if not (paths.root() / page).is_file()]
        for name in missing:
            yield f"{row.n} {row.thing}: {name} does not exist"
        if (fault := claim(row)) is not None:
            yield f"{row.n} {row.thing}: {fault}"


def claim(row: Thing) -> str | None:
    """Return what is wrong with what a row claims, or None."""
    if row.how not in HOW:
        return f"it is {row.how}, expected one of {', '.join(HOW)}"
    if not row.checks and not row.pages:
        return "nothing shows it"
    if not row.lacks and (row.how != "itself" or not row.checks):
        return "it does not say what is missing"
    if row.how in ("viewer", "read") and row.checks:
        return f"it is {row.how}, with a check"
    return None


def main() -> int:
    """Print the table, the counts, and what is wrong with the data."""
    rows = things()
    print("| # | thing | how | where | what is not the thing |")
    print("| --- | --- | --- | --- | --- |")
    for row in rows:
        where = ", ".join(f"`{place}`" for place in (*row.checks, *row.pages))
        print(f"| {row.n} | {row.thing} | {row.how} | {where} | {row.lacks} |")
    counts = Counter(row.how for row in rows)
    print("\n" + ", ".join(f"{how} {counts[how]}" for how in HOW) + f" of {len(rows)}")
    wrong = list(faults(rows))
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
