"""Plans for expert parallelism: which rank sends which token where, and holds which experts."""

import json
import math
from collections import Counter, defaultdict
from pathlib import Path


### BEGIN SOLUTION mixture_of_experts.all_to_all
### STUB def plan_exchange(path, per_node):
### STUB     """Return the steps: lists of messages [from, to, [[rank, number], …]].
### STUB
### STUB     path: a JSON file with a list of tokens for each rank: for each token, the ranks that
### STUB     need it. per_node: ranks of a node; ranks 0 to per_node - 1 are the first node.
### STUB     """
### STUB     raise NotImplementedError("mixture_of_experts.all_to_all")
def plan_exchange(path, per_node):
    """Return the steps: lists of messages [from, to, [[rank, number], …]].

    path: a JSON file with a list of tokens for each rank: for each token, the ranks that need it.
    per_node: ranks of a node; ranks 0 to per_node - 1 are the first node.
    """
    wants = json.loads(Path(path).read_text(encoding="utf-8"))
    ranks = range(len(wants))
    of_node = [ranks[at : at + per_node] for at in ranks[::per_node]]
    crossings = [
        (rank, number, node)
        for rank in ranks
        for number, wanted in enumerate(wants[rank])
        for node in {r // per_node for r in wanted} - {rank // per_node}
    ]
    leaving = Counter(rank // per_node for rank, _, _ in crossings)
    entering = Counter(node for _, _, node in crossings)
    out, into = Counter(), Counter()
    spread, network, forward = (defaultdict(set) for _ in range(3))
    for rank, number, node in crossings:
        token, home = (rank, number), rank // per_node
        # Its own rank sends it, unless that card already has its share of what leaves the node.
        sender = rank
        if out[rank] >= math.ceil(leaving[home] / per_node):
            sender = min(of_node[home], key=lambda r: out[r])
        if sender != rank:
            spread[rank, sender].add(token)
        # A rank that needs it receives it, unless its card has its share.
        needs = [r for r in wants[rank][number] if r // per_node == node]
        share = math.ceil(entering[node] / per_node)
        free = [r for r in needs if into[r] < share]
        receiver = min(free or of_node[node], key=lambda r: into[r])
        out[sender] += 1
        into[receiver] += 1
        network[sender, receiver].add(token)
        for target in needs:
            if target != receiver:
                forward[receiver, target].add(token)
    # Within a node NVLink brings tokens while the cards are busy.
    for rank in ranks:
        for number, wanted in enumerate(wants[rank]):
            for target in wanted:
                if target != rank and target // per_node == rank // per_node:
                    network[rank, target].add((rank, number))
    return [
        [[a, b, [list(token) for token in sorted(tokens)]] for (a, b), tokens in step.items()]
        for step in (spread, network, forward)
    ]


### END SOLUTION


### BEGIN SOLUTION mixture_of_experts.placement
### STUB def place(loads, ranks, slots):
### STUB     """Return the experts in each rank's slots: a list for each rank."""
### STUB     raise NotImplementedError("mixture_of_experts.placement")
### STUB
### STUB
### STUB def rebalance(loads, held, most):
### STUB     """Return a placement for new loads; at most `most` slots differ from `held`."""
### STUB     raise NotImplementedError("mixture_of_experts.placement")
def largest(loads, placed):
    """Return each rank's load, and each expert's number of replicas."""
    copies = Counter(expert for rank in placed for expert in rank)
    return [sum(loads[e] / copies[e] for e in rank) for rank in placed], copies


def place(loads, ranks, slots):
    """Return the experts in each rank's slots: a list for each rank."""
    copies = [1] * len(loads)
    for _ in range(ranks * slots - len(loads)):
        free = [e for e, count in enumerate(copies) if count < ranks]
        copies[max(free, key=lambda e: loads[e] / copies[e])] += 1
    # Large replicas first, each to the rank with the least load that has a slot for it.
    placed, load = [[] for _ in range(ranks)], [0.0] * ranks
    for expert in sorted(range(len(loads)), key=lambda e: -loads[e] / copies[e]):
        for _ in range(copies[expert]):
            room = [r for r in range(ranks) if len(placed[r]) < slots and expert not in placed[r]]
            rank = min(room, key=lambda r: (load[r], len(placed[r])))
            placed[rank].append(expert)
            load[rank] += loads[expert] / copies[expert]
    return exchanged(loads, placed, len(loads) * slots)


def exchanged(loads, placed, most):
    """Exchange two experts of the fullest rank and another, while that helps, `most` times."""
    placed = [list(rank) for rank in placed]
    for _ in range(most):
        load, copies = largest(loads, placed)
        full = max(range(len(placed)), key=lambda r: load[r])
        best = (load[full] - 1e-9, None)
        for other in range(len(placed)):
            for i, a in enumerate(placed[full]):
                for j, b in enumerate(placed[other]):
                    if a in placed[other] or b in placed[full]:
                        continue
                    change = loads[a] / copies[a] - loads[b] / copies[b]
                    worse = max(load[full] - change, load[other] + change)
                    if worse < best[0]:
                        best = (worse, (other, i, j))
        if best[1] is None:
            break
        other, i, j = best[1]
        placed[full][i], placed[other][j] = placed[other][j], placed[full][i]
    return placed


def rebalance(loads, held, most):
    """Return a placement for new loads; at most `most` slots differ from `held`."""
    placed = [list(rank) for rank in held]
    left = most
    while left > 0:
        options = [c for c in changes(loads, placed) if len(c) <= left]
        best = min(options, key=lambda change: cost(loads, placed, change), default=[])
        if cost(loads, placed, best) >= cost(loads, placed, []):
            break
        for rank, slot, expert in best:
            placed[rank][slot] = expert
        left -= len(best)
    return placed


def changes(loads, placed):
    """Yield changes that may help: lists of [rank, slot, new expert].

    One slot gets a replica more of an expert, in place of one that has another replica. Or the
    fullest rank exchanges an expert with another rank.
    """
    load, copies = largest(loads, placed)
    full, next_full = sorted(range(len(placed)), key=lambda r: -load[r])[:2]
    popular = {*placed[full], *placed[next_full]}
    for rank, experts in enumerate(placed):
        for slot, old in enumerate(experts):
            if copies[old] > 1:
                yield from ([(rank, slot, new)] for new in popular if new not in experts)
            if old in placed[full]:
                continue
            for own, mine in enumerate(placed[full]):
                if mine not in experts:
                    yield [(full, own, old), (rank, slot, mine)]


def cost(loads, placed, change):
    """Return the largest load after a change, and then how uneven the loads are."""
    placed = [list(rank) for rank in placed]
    for rank, slot, expert in change:
        placed[rank][slot] = expert
    load, _ = largest(loads, placed)
    return max(load), sum(n * n for n in load)


### END SOLUTION
