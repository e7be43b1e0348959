"""Control flow by definition, slowly: dominance by leaving a block out, loops by back edges.

Another way than the one that is taught, so that the two cannot share a mistake.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Graph = Mapping[str, Sequence[str]]


def reachable(graph: Graph, start: str, without: str = "") -> set[str]:
    """What is reached from `start` on ways that do not pass `without`."""
    if start == without:
        return set()
    found, waiting = {start}, [start]
    while waiting:
        for follower in graph[waiting.pop()]:
            if follower != without and follower not in found:
                found.add(follower)
                waiting.append(follower)
    return found


def dominators(graph: Graph, start: str) -> dict[str, set[str]]:
    """For each block that is reached: those that are on every way to it, itself included."""
    whole = reachable(graph, start)
    found: dict[str, set[str]] = {block: {block} for block in whole}
    for left_out in whole:
        for missed in whole - reachable(graph, start, left_out):
            found[missed].add(left_out)
    return found


def immediate(above: Mapping[str, set[str]]) -> dict[str, str | None]:
    """The nearest strict dominator of each; None for the beginning."""
    return {
        block: max(own - {block}, key=lambda other: len(above[other]), default=None)
        for block, own in above.items()
    }


def frontiers(graph: Graph, above: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """For each block, those that it does not strictly dominate, but a predecessor of."""
    found: dict[str, set[str]] = {block: set() for block in above}
    for block in above:
        for follower in graph[block]:
            for over in above[block]:
                if over == follower or over not in above[follower]:
                    found[over].add(follower)
    return found


def loops(graph: Graph, above: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """The natural loops by their headers, those of one header as one."""
    back: dict[str, list[str]] = {block: [] for block in above}
    for block in above:
        for follower in graph[block]:
            back[follower].append(block)
    found: dict[str, set[str]] = {}
    for tail in above:
        for header in graph[tail]:
            if header not in above[tail]:
                continue
            body = found.setdefault(header, {header})
            waiting = [tail]
            while waiting:
                block = waiting.pop()
                if block not in body:
                    body.add(block)
                    waiting.extend(back[block])
    return found
