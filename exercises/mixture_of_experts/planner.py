"""Plans for expert parallelism: which rank sends which token where, and holds which experts."""

import json
import math
from collections import Counter, defaultdict
from pathlib import Path


### TASK mixture_of_experts.all_to_all
def plan_exchange(path, per_node):
    """Return the steps: lists of messages [from, to, [[rank, number], …]].

    path: a JSON file with a list of tokens for each rank: for each token, the ranks that
    need it. per_node: ranks of a node; ranks 0 to per_node - 1 are the first node.
    """
    raise NotImplementedError("mixture_of_experts.all_to_all")


### TASK mixture_of_experts.placement
def place(loads, ranks, slots):
    """Return the experts in each rank's slots: a list for each rank."""
    raise NotImplementedError("mixture_of_experts.placement")


def rebalance(loads, held, most):
    """Return a placement for new loads; at most `most` slots differ from `held`."""
    raise NotImplementedError("mixture_of_experts.placement")
