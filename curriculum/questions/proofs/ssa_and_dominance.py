"""A small program into SSA: dominators, frontiers, phis where they are needed, and a comparison."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass, field

Graph = dict[str, list[str]]
OPERATORS: dict[str, Callable[..., int]] = {
    "set": lambda value: value,
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "mod": operator.mod,
    "less": lambda left, right: int(left < right),
}


@dataclass
class Block:
    """Statements as (name, operator, arguments); phis: a name to one argument a predecessor."""

    body: list[tuple[str, str, list[str | int]]]
    next: list[str]
    test: str | int | None = None
    phis: dict[str, dict[str, str]] = field(default_factory=dict)


def program() -> dict[str, Block]:
    """S adds odd squares below n squared, and loses 1 for every even one."""
    return {
        "entry": Block([("s", "set", [0]), ("i", "set", [0]), ("t", "set", [0])], ["head"]),
        "head": Block([("c", "less", ["i", "n"])], ["body", "exit"], "c"),
        "body": Block(
            [("t", "mul", ["i", "i"]), ("o", "mod", ["t", 2])],
            ["odd", "even"],
            "o",
        ),
        "odd": Block([("s", "add", ["s", "t"])], ["join"]),
        "even": Block([("s", "sub", ["s", 1])], ["join"]),
        "join": Block([("i", "add", ["i", 1])], ["head"]),
        "exit": Block([("r", "set", ["s"])], []),
    }


# --8<-- [start:frontier]
def dominators(graph: Graph, before: Graph) -> dict[str, set[str]]:
    """For each block those that lie on every way to it, itself included."""
    everything = set(graph)
    found = {name: everything.copy() for name in graph} | {"entry": {"entry"}}
    changed = True
    while changed:
        changed = False
        for name in graph:
            if name != "entry":
                new = {name} | set.intersection(*(found[other] for other in before[name]))
                changed |= new != found[name]
                found[name] = new
    return found


def frontiers(before: Graph, dominated_by: dict[str, set[str]]) -> dict[str, set[str]]:
    """Where a block's dominance ends: it dominates a predecessor, but not strictly the block."""
    return {
        name: {
            other
            for other, ways in before.items()
            if any(name in dominated_by[way] for way in ways)
            and (name == other or name not in dominated_by[other])
        }
        for name in before
    }


def iterated(frontier: dict[str, set[str]], definitions: set[str]) -> set[str]:
    """A phi is a definition, too: go on until nothing is added."""
    found: set[str] = set()
    work = list(definitions)
    while work:
        for block in frontier[work.pop()] - found:
            found.add(block)
            work.append(block)
    return found


# --8<-- [end:frontier]


def live_at_start(blocks: dict[str, Block]) -> dict[str, set[str]]:
    """The variables that somebody reads before they are written again."""
    live: dict[str, set[str]] = {name: set() for name in blocks}
    for _ in blocks:
        for name, block in blocks.items():
            needed = set[str]().union(*(live[after] for after in block.next))
            if isinstance(block.test, str):
                needed.add(block.test)
            for target, _operator, arguments in reversed(block.body):
                needed.discard(target)
                needed |= {word for word in arguments if isinstance(word, str)}
            live[name] = needed
    return live


def rename(blocks: dict[str, Block], children: Graph) -> None:
    """Each definition a name of its own; a walk down the dominator tree knows which one holds."""
    count: dict[str, int] = {}

    def fresh(name: str) -> str:
        count[name] = count.get(name, 0) + 1
        return f"{name}.{count[name]}"

    def walk(name: str, holds: dict[str, str]) -> None:
        block, holds = blocks[name], dict(holds)
        for variable in list(block.phis):
            if "." not in variable:
                holds[variable] = fresh(variable)
                block.phis[holds[variable]] = block.phis.pop(variable)
        for index, (target, kind, arguments) in enumerate(block.body):
            read = [holds.get(word, word) if isinstance(word, str) else word for word in arguments]
            holds[target] = fresh(target)
            block.body[index] = (holds[target], kind, read)
        if isinstance(block.test, str):
            block.test = holds[block.test]
        for after in block.next:
            for variable, ways in blocks[after].phis.items():
                ways[name] = holds.get(variable.split(".")[0], "undefined")
        for child in children[name]:
            walk(child, holds)

    walk("entry", {"n": "n"})


def run(blocks: dict[str, Block], n: int) -> int:
    """Interpret either form."""
    values: dict[str, int] = {"n": n}
    came, name, last = "", "entry", ""
    while True:
        block = blocks[name]
        # All phis of a block read before any writes.
        values |= {target: values.get(ways[came], 0) for target, ways in block.phis.items()}
        for target, kind, arguments in block.body:
            known = [values[word] if isinstance(word, str) else word for word in arguments]
            values[target] = OPERATORS[kind](*known)
            last = target
        if not block.next:
            return values[last]
        taken = 0 if block.test is None or values[str(block.test)] else 1
        came, name = name, block.next[taken]


def main() -> None:
    """Print dominators' ends, count phis, run both forms."""
    blocks = program()
    graph = {name: block.next for name, block in blocks.items()}
    before: Graph = {name: [other for other in graph if name in graph[other]] for name in graph}
    dominated_by = dominators(graph, before)
    frontier = frontiers(before, dominated_by)
    for name in graph:
        print(f"{name:6} frontier {', '.join(sorted(frontier[name])) or '-'}")
    assert frontier["odd"] == frontier["even"] == {"join"}
    assert frontier["join"] == frontier["body"] == {"head"}
    assert frontier["head"] == {"head"}, "a loop's head is in its own frontier"

    written: dict[str, set[str]] = {}
    for name, block in blocks.items():
        for target, _, _ in block.body:
            written.setdefault(target, set()).add(name)
    joins = [name for name in graph if len(before[name]) > 1]
    placed = {name: iterated(frontier, where) for name, where in written.items()}
    live = live_at_start(blocks)
    pruned = {name: {b for b in where if name in live[b]} for name, where in placed.items()}
    everywhere = len(joins) * len(written)
    minimal, needed = (sum(map(len, each.values())) for each in (placed, pruned))
    print(f"phis: at each join for each variable {everywhere}, minimal {minimal}, live {needed}")
    assert (everywhere, minimal, needed) == (12, 6, 3)

    for variable, where in pruned.items():
        for name in where:
            blocks[name].phis[variable] = {}
    children: Graph = {name: [] for name in graph}
    for name in graph:
        if name != "entry":
            above = dominated_by[name] - {name}
            children[max(above, key=lambda block: len(dominated_by[block]))].append(name)
    rename(blocks, children)
    for name, block in blocks.items():
        for target, ways in block.phis.items():
            told = ", ".join(f"{value} from {way}" for way, value in sorted(ways.items()))
            print(f"{name}: {target} = phi({told})")
    targets = [target for block in blocks.values() for target, _, _ in block.body]
    targets += [target for block in blocks.values() for target in block.phis]
    assert len(targets) == len(set(targets)), "each name is bound once"
    original = program()
    assert all(run(original, n) == run(blocks, n) for n in range(50))
    print(f"both forms agree for n = 0…49; f(7) = {run(blocks, 7)}")
    assert run(blocks, 7) == 1 + 9 + 25 - 4


if __name__ == "__main__":
    main()
