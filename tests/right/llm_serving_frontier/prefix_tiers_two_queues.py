"""The split by trying all of them; blocks in two classes, each by age with a bonus for each use."""

### BEGIN SOLUTION llm_serving_frontier.prefix_tiers
from itertools import accumulate


def split(compute_ms, load_ms):
    n = len(compute_ms)
    front = [0.0, *accumulate(compute_ms)]
    infinite = float("inf")
    back = [0.0, *accumulate(infinite if ms is None else ms for ms in reversed(load_ms))]
    return min(range(n + 1), key=lambda count: max(front[count], back[n - count]))


def evict(view):
    def expected(block):
        age = view["request"] - block["last"]
        rate = block["uses"] / (20 + age)
        return rate * (view["compute_ms"] + view["place_ms"] * block["place"] * 0.1)

    blocks = sorted(view["blocks"], key=lambda b: b["place"], reverse=True)
    blocks.sort(key=expected)
    return [b["name"] for b in blocks][: view["count"]]


### END SOLUTION
