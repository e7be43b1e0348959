"""The split by bisection, as one side only grows; blocks leave a heap, the least likely first."""

### BEGIN SOLUTION llm_serving_frontier.prefix_tiers
import heapq
import math


def split(compute_ms, load_ms):
    n = len(compute_ms)
    loads = [math.inf if ms is None else ms for ms in load_ms]

    def computing(count):
        return math.fsum(compute_ms[:count])

    def loading(count):
        return sum(loads[count:])

    low, high = 0, n
    while low < high:
        middle = (low + high) // 2
        if computing(middle) < loading(middle):
            low = middle + 1
        else:
            high = middle
    candidates = [count for count in (low - 1, low) if 0 <= count <= n]
    return min(candidates, key=lambda count: max(computing(count), loading(count)))


def evict(view):
    now = view["request"]
    heap = [
        (block["uses"] / (now - block["last"] + 25), -block["place"], order)
        for order, block in enumerate(view["blocks"])
    ]
    heapq.heapify(heap)
    count = min(view["count"], len(heap))
    return [view["blocks"][heapq.heappop(heap)[2]]["name"] for _ in range(count)]


### END SOLUTION
