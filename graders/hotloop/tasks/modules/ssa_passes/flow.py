"""Control flow by definition, slowly: dominators by removing each block, loops by back edges.

The lessons teach other algorithms, so that the two cannot share a mistake.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

Graph = Mapping[str, Sequence[str]]


def reachable(graph: Graph, start: str, without: str = "") -> set[str]:
    """Return the blocks that are reached from `start` on paths that avoid `without`."""
    if start == without:
        return set()
    reached, waiting = {start}, [start]
    while waiting:
        for follower in graph[waiting.pop()]:
            if follower != without and follower not in reached:
                reached.add(follower)
                waiting.append(follower)
    return reached


def dominators(graph: Graph, start: str) -> dict[str, set[str]]:
    """Map each reachable block to the blocks on every path to it, itself included."""
    whole = reachable(graph, start)
    above: dict[str, set[str]] = {block: {block} for block in whole}
    for left_out in whole:
        for missed in whole - reachable(graph, start, left_out):
            above[missed].add(left_out)
    return above


def immediate(above: Mapping[str, set[str]]) -> dict[str, str | None]:
    """Map each block to its nearest strict dominator; the entry to None."""
    return {
        block: max(own - {block}, key=lambda other: len(above[other]), default=None)
        for block, own in above.items()
    }


def frontiers(graph: Graph, above: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Map each block to its dominance frontier.

    That is: the blocks with a predecessor that it dominates, but which it does not strictly
    dominate.
    """
    of_blocks: dict[str, set[str]] = {block: set() for block in above}
    for block in above:
        for follower in graph[block]:
            for over in above[block]:
                if over == follower or over not in above[follower]:
                    of_blocks[over].add(follower)
    return of_blocks


def loops(graph: Graph, above: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Map each header to the blocks of its natural loops; loops with the same header are merged."""
    back: dict[str, list[str]] = {block: [] for block in above}
    for block in above:
        for follower in graph[block]:
            back[follower].append(block)
    bodies: dict[str, set[str]] = {}
    for tail in above:
        for header in graph[tail]:
            if header not in above[tail]:
                continue
            body = bodies.setdefault(header, {header})
            waiting = [tail]
            while waiting:
                block = waiting.pop()
                if block not in body:
                    body.add(block)
                    waiting.extend(back[block])
    return bodies
