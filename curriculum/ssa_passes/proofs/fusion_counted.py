"""Fusion on three graphs: what it saves, a circle through a matmul, and a trap for the greedy."""

from __future__ import annotations

import json
import sys

from hotloop.core import paths

sys.path += paths.beside_notebook("ssa_passes")

import fuse

WIDE = [1024, 1024]

# --8<-- [start:graph]
SOFTMAX = {
    "inputs": {"x": WIDE, "w": WIDE, "mask": WIDE},
    "outputs": ["out"],
    "steps": [
        ["scores", "matmul", ["x", "w"], WIDE],
        ["masked", "add", ["scores", "mask"], WIDE],
        ["powers", "exp", ["masked"], WIDE],
        ["total", "sum", ["powers"], [1024, 1]],
        ["inverse", "exp", ["total"], [1024, 1]],
        ["out", "mul", ["powers", "inverse"], WIDE],
    ],
}
# --8<-- [end:graph]

CIRCLE = {
    "inputs": {"x": WIDE, "w": WIDE},
    "outputs": ["c"],
    "steps": [
        ["a", "relu", ["x"], WIDE],
        ["p", "matmul", ["a", "w"], WIDE],
        ["c", "add", ["p", "a"], WIDE],
    ],
}

TRAP = {
    "inputs": {"x": WIDE, "y": WIDE, "v": WIDE, "w": WIDE},
    "outputs": ["side", "out"],
    "steps": [
        ["p", "matmul", ["x", "v"], WIDE],
        ["q", "matmul", ["y", "w"], WIDE],
        ["both", "add", ["p", "q"], WIDE],
        ["side", "relu", ["p"], WIDE],
        ["next", "relu", ["both"], WIDE],
        ["out", "mul", ["next", "x"], WIDE],
    ],
}


def told(graph: fuse.Graph, kernels: list[list[str]]) -> str:
    """How many, and how much they move."""
    named = ", ".join("+".join(made for made in graph.ops if made in k) for k in kernels)
    return f"{len(kernels)} kernels, {fuse.moved(graph, kernels):,} bytes: {named}"


def main() -> None:
    """Print the three."""
    text = json.dumps(SOFTMAX)
    graph = fuse.read(text)
    alone = [[made] for made in graph.ops]
    fused = fuse.fuse(text)
    print("one each:    ", told(graph, alone))
    print("fused:       ", told(graph, fused))
    share = fuse.moved(graph, fused) / fuse.moved(graph, alone)
    print(f"share of the bytes: {share:.0%}")
    assert share < 0.6
    loop = frozenset(["powers", "total", "out"])
    print("exp, sum and mul may be one kernel:", fuse.legal(graph, loop | {"inverse"}))
    assert not fuse.legal(graph, loop | {"inverse"})

    graph = fuse.read(json.dumps(CIRCLE))
    pair = frozenset(["a", "c"])
    order = fuse.ordered(graph, [pair, frozenset(["p"])])
    print(f"a+c, around the matmul p: legal in isolation {fuse.legal(graph, pair)}, order {order}")
    assert fuse.legal(graph, pair)
    assert order is None

    text = json.dumps(TRAP)
    graph = fuse.read(text)
    greedy, best = fuse.fuse(text), fuse.best(text)
    print("best pair first:", told(graph, greedy))
    print("best of all:    ", told(graph, best))
    assert fuse.moved(graph, best) < fuse.moved(graph, greedy)


if __name__ == "__main__":
    main()
