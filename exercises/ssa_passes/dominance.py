"""Dominators and dominance frontiers. A graph is a dict: each block's successors, by label."""

import json


### TASK ssa_passes.dominance
def immediate_dominators(graph, entry):
    """The nearest strict dominator of each block that `entry` reaches; its own is None."""
    raise NotImplementedError("ssa_passes.dominance")


def dominance_frontiers(graph, entry):
    """For each reached block, sorted: where its dominance ends."""
    raise NotImplementedError("ssa_passes.dominance")


def dominates(above, one, other):
    """Whether `one` dominates `other`, by the immediate dominators."""
    while other is not None and other != one:
        other = above[other]
    return other == one


def immediate_from_text(graph, entry):
    """As the judge asks: the graph is JSON."""
    return immediate_dominators(json.loads(graph), entry)


def frontiers_from_text(graph, entry):
    """As the judge asks: the graph is JSON."""
    return dominance_frontiers(json.loads(graph), entry)
