"""Heaps for replicas and for ranks, as in EPLB; a rebalance that tries every single change and swap."""


### BEGIN SOLUTION mixture_of_experts.placement
import heapq


def place(loads, ranks, slots):
    heap = [(-load, e, 1) for e, load in enumerate(loads)]
    heapq.heapify(heap)
    done = []
    for _ in range(ranks * slots - len(loads)):
        while heap[0][2] >= ranks:
            done.append(heapq.heappop(heap))
        _, e, c = heap[0]
        heapq.heapreplace(heap, (-loads[e] / (c + 1), e, c + 1))
    copies = {e: c for _, e, c in heap + done}
    parts = sorted(((loads[e] / c, e) for e, c in copies.items() for _ in range(c)), reverse=True)
    # Experts with most replicas have the least choice: they go first within a size.
    bins = [[0.0, []] for _ in range(ranks)]
    for load, e in parts:
        free = [b for b in bins if len(b[1]) < slots and e not in b[1]]
        if free:
            b = min(free, key=lambda b: (b[0], len(b[1])))
        else:
            b = _swap_in(bins, slots, e, loads, copies)
        b[0] += load
        b[1].append(e)
    return _improved(loads, [b[1] for b in bins], 10**6)


def _swap_in(bins, slots, e, loads, copies):
    open_bin = next(b for b in bins if len(b[1]) < slots)
    for b in bins:
        for other in b[1]:
            if e not in b[1] and other not in open_bin[1]:
                b[1].remove(other)
                open_bin[1].append(other)
                part = loads[other] / copies[other]
                b[0] -= part
                open_bin[0] += part
                return b


def _score(loads, placed):
    count = [0] * len(loads)
    for rank in placed:
        for e in rank:
            count[e] += 1
    per_rank = sorted((sum(loads[e] / count[e] for e in rank) for rank in placed), reverse=True)
    return per_rank[:3]


def _improved(loads, placed, moves):
    placed = [list(rank) for rank in placed]
    while moves >= 2:
        now = _score(loads, placed)
        copies = [sum(e in rank for rank in placed) for e in range(len(loads))]
        weight = [sum(loads[e] / copies[e] for e in rank) for rank in placed]
        top = weight.index(max(weight))
        tries = []
        for r, rank in enumerate(placed):
            for i, a in enumerate(placed[top]):
                for j, b in enumerate(rank):
                    d = loads[a] / copies[a] - loads[b] / copies[b]
                    if r != top and d > 0 and a not in rank and b not in placed[top]:
                        tries.append((max(weight[top] - d, weight[r] + d), i, r, j))
        if not tries or min(tries)[0] >= now[0] - 1e-9:
            break
        _, i, r, j = min(tries)
        placed[top][i], placed[r][j] = placed[r][j], placed[top][i]
        moves -= 2
    return placed


def rebalance(loads, held, most):
    placed = [list(rank) for rank in held]
    left = most
    while left:
        now, best = _score(loads, placed), None
        copies = [sum(e in rank for rank in placed) for e in range(len(loads))]
        weight = [sum(loads[e] / copies[e] for e in rank) for rank in placed]
        top = weight.index(max(weight))
        for r, rank in enumerate(placed):
            for j, b in enumerate(rank):
                for i, a in enumerate(placed[top]):
                    if a in rank:
                        continue
                    if copies[b] > 1:  # one more replica of a, in place of a replica of b
                        rank[j] = a
                        best = min(best or (now,), (_score(loads, placed), r, j, a, None), key=lambda v: v[0])
                        rank[j] = b
                    if left > 1 and r != top and b not in placed[top]:
                        rank[j], placed[top][i] = a, b
                        best = min(best or (now,), (_score(loads, placed), r, j, a, i), key=lambda v: v[0])
                        rank[j], placed[top][i] = b, a
        if best is None or len(best) == 1 or best[0] >= now:
            break
        _, r, j, a, i = best
        b = placed[r][j]
        placed[r][j] = a
        left -= 1
        if i is not None:
            placed[top][i] = b
            left -= 1
    return placed


### END SOLUTION
