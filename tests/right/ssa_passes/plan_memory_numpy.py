"""A table of occupied words in numpy; offsets are numpy's integers; orders by permutations."""


### BEGIN SOLUTION ssa_passes.plan_memory
from itertools import permutations

import numpy as np


def plan(text):
    graph = json.loads(text)
    steps = len(graph["steps"])
    born, dies = _lives(graph)
    words = {name: size // 8 for name, size in graph["sizes"].items()}
    taken = np.zeros((steps + 3, sum(words.values()) + 1), bool)
    offsets = {}
    for name in sorted(words, key=words.get, reverse=True):
        rows = taken[born[name] : dies[name] + 1].any(0)
        used = np.concatenate([[0], np.cumsum(rows)])
        free = np.flatnonzero(used[words[name] :] == used[: len(used) - words[name]])
        taken[born[name] : dies[name] + 1, free[0] : free[0] + words[name]] = True
        offsets[name] = 8 * free[0]
    return offsets


def _lives(graph):
    """Rows of the table: 0 is before the first step."""
    born = dict.fromkeys(graph["inputs"], 0)
    dies = dict.fromkeys(graph["inputs"], 0)
    for number, (made, read) in enumerate(graph["steps"], 1):
        born[made] = dies[made] = number
        dies |= dict.fromkeys(read, number)
    dies |= dict.fromkeys(graph["outputs"], len(graph["steps"]) + 1)
    return born, dies


def best_order(text):
    graph = json.loads(text)
    reads = dict(graph["steps"])
    orders = [o for o in permutations(reads) if _legal(o, reads, graph["inputs"])]
    return min(orders, key=lambda order: _peak(order, reads, graph))


def _legal(order, reads, inputs):
    known = set(inputs)
    return all(known.issuperset(reads[made]) and not known.add(made) for made in order)


def _peak(order, reads, graph):
    born, dies = _lives({**graph, "steps": [[made, reads[made]] for made in order]})
    moments = range(len(order) + 2)
    sizes = graph["sizes"]
    return max(sum(s for n, s in sizes.items() if born[n] <= t <= dies[n]) for t in moments)


### END SOLUTION
