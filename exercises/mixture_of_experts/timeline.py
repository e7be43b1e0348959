"""A discrete-event model of the layers of a mixture of experts: one GPU, its kernels, its network.

A step has `tokens` tokens, which a plan divides into chunks. Each layer does four operations for
each chunk, in this order:

    attention  on the stream `compute`
    dispatch   on the stream `network`: tokens go to the ranks of their experts
    experts    on the stream `compute`
    combine    on the stream `network`: results come back

and `attention` of the next layer needs the `combine` of the same chunk. A stream runs one operation
at a time, in the order of its list; the two streams run beside each other.

An operation takes launch_ms, and us_per_token for each token of the chunk. `experts` takes
weights_ms besides, because it loads the experts' weights, however few tokens there are.

    python timeline.py          # your plan for a practice layer, from `overlap.py` beside this
"""

from collections import deque

STREAMS = {
    "compute": ("attention", "experts"),
    "network": ("dispatch", "combine"),
}
ORDER = ("attention", "dispatch", "experts", "combine")
PRACTICE = {
    "layers": 4,
    "tokens": 4096,
    "most_chunks": 4,
    "launch_ms": 0.01,
    "weights_ms": 0.1,
    "us_per_token": {"attention": 0.5, "dispatch": 0.4, "experts": 0.6, "combine": 0.7},
}


class Illegal(Exception):
    """A plan that is none."""


def duration_ms(costs: dict, kind: str, tokens: int) -> float:
    """How long an operation takes for a chunk of so many tokens."""
    fixed = costs["launch_ms"] + (costs["weights_ms"] if kind == "experts" else 0.0)
    return fixed + costs["us_per_token"][kind] * tokens / 1000


def needed(kind: str, layer: int, chunk: int) -> tuple | None:
    """The operation that must have ended before, or None for the first of a chunk."""
    if kind != "attention":
        return ORDER[ORDER.index(kind) - 1], layer, chunk
    return ("combine", layer - 1, chunk) if layer else None


def run(costs: dict, chunks: list, compute: list, network: list) -> float:
    """Milliseconds until the last operation ends.

    chunks: tokens of each chunk. compute, network: the operations of each stream in order, each as
    [kind, layer, chunk]. Raises Illegal.
    """
    return max(events(costs, chunks, compute, network).values())[1]


def events(costs: dict, chunks: list, compute: list, network: list) -> dict:
    """Begin and end of each operation, in milliseconds, by (kind, layer, chunk). Raises Illegal."""
    _require_chunks(costs, chunks)
    waiting = {
        name: deque(_operations(costs, chunks, name, given))
        for name, given in (("compute", compute), ("network", network))
    }
    free = dict.fromkeys(waiting, 0.0)
    done: dict[tuple, tuple[float, float]] = {}
    while any(waiting.values()):
        moved = False
        for name, operations in waiting.items():
            while operations:
                before = needed(*operations[0])
                if before is not None and before not in done:
                    break
                operation = operations.popleft()
                begin = max(free[name], done[before][1] if before else 0.0)
                end = begin + duration_ms(costs, operation[0], chunks[operation[2]])
                done[operation] = begin, end
                free[name], moved = end, True
        if not moved:
            first = [list(operations[0]) for operations in waiting.values() if operations]
            raise Illegal(f"the streams wait for each other forever, at {first}")
    return done


def _require_chunks(costs: dict, chunks: list) -> None:
    if not 1 <= len(chunks) <= costs["most_chunks"]:
        raise Illegal(f"there are {len(chunks)} chunks, 1 to {costs['most_chunks']} are allowed")
    if any(type(count) is not int or count < 1 for count in chunks):
        raise Illegal(f"the chunks are {chunks!r:.80}, not numbers of tokens")
    if sum(chunks) != costs["tokens"]:
        raise Illegal(f"the chunks have {sum(chunks)} tokens, the step has {costs['tokens']}")


def _operations(costs: dict, chunks: list, name: str, given: list) -> list:
    want = {
        (kind, layer, chunk)
        for kind in STREAMS[name]
        for layer in range(costs["layers"])
        for chunk in range(len(chunks))
    }
    found = [tuple(operation) if isinstance(operation, list) else () for operation in given]
    for operation in found:
        if [type(part) for part in operation] != [str, int, int] or operation not in want:
            raise Illegal(f"{list(operation)!r:.80} is no operation of the stream {name}")
    if len(found) != len(want) or set(found) != want:
        raise Illegal(f"the stream {name} has {len(found)} operations, and not each of {len(want)}")
    return found


def even(tokens: int, chunks: int) -> list:
    """The tokens in chunks that differ by one at most; fewer chunks if there are fewer tokens."""
    chunks = min(tokens, chunks)
    return [tokens // chunks + (chunk < tokens % chunks) for chunk in range(chunks)]


def least_ms(costs: dict, count: int) -> float:
    """A lower bound for all plans with so many chunks.

    A stream does all its operations, and the largest chunk does its own one after the other.
    """
    chunks = even(costs["tokens"], count)
    streams = [
        sum(duration_ms(costs, kind, tokens) for kind in kinds for tokens in chunks)
        for kinds in STREAMS.values()
    ]
    chain = sum(duration_ms(costs, kind, max(chunks)) for kind in ORDER)
    return max(*streams, chain) * costs["layers"]


def plain(costs: dict) -> float:
    """Without chunks: one operation after the other."""
    return sum(duration_ms(costs, kind, costs["tokens"]) for kind in ORDER) * costs["layers"]


if __name__ == "__main__":
    from overlap import overlap

    plan = overlap(PRACTICE)
    print(f"{plain(PRACTICE):.2f} ms without chunks, {run(PRACTICE, **plan):.2f} ms with your plan")
    bound = least_ms(PRACTICE, len(plan["chunks"]))
    print(f"no plan with as many chunks takes less than {bound:.2f} ms")
