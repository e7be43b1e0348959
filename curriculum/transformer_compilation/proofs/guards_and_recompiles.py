"""How many graphs torch.compile makes of a stream of calls, and what its guards look at."""

from __future__ import annotations

import logging
from collections.abc import Iterable

import torch
from torch._dynamo import config, mark_dynamic


# --8<-- [start:count]
def graphs(calls: Iterable[tuple[object, ...]], **options: object) -> list[int]:
    """How many graphs were compiled after each call. The backend does nothing but count."""
    torch._dynamo.reset()
    made = 0

    def backend(graph: torch.fx.GraphModule, _inputs: object) -> object:
        nonlocal made
        made += 1
        return graph.forward

    @torch.compile(backend=backend, **options)
    def scaled(x: torch.Tensor, factor: object) -> torch.Tensor:
        return torch.softmax(x * factor, -1)

    history: list[int] = []
    for call in calls:
        scaled(*call)
        history.append(made)
    return history
    # --8<-- [end:count]


def main() -> None:
    """Print what brought another graph."""
    x = torch.zeros
    lengths = [(x(4, n), 2.0) for n in (10, 11, 12, 99)]
    print(f"lengths 10, 11, 12, 99: graphs {graphs(lengths)}; the second is dynamic")
    assert graphs(lengths) == [1, 2, 2, 2]
    print(f"dynamic=False: {graphs(lengths, dynamic=False)}")
    assert graphs(lengths, dynamic=False) == [1, 2, 3, 4]
    one = [(x(4, n), 2.0) for n in (10, 11, 1)]
    print(f"then length 1: {graphs(one)}; 0 and 1 are always specialized")
    assert graphs(one) == [1, 2, 3]
    kinds = [(x(4, 8), 2.0), (x(4, 8).half(), 2.0), (x(8, 4).T, 2.0), (x(4, 8), 2)]
    print(f"another dtype, other strides, an int for a float: {graphs(kinds)}")
    assert graphs(kinds) == [1, 2, 3, 4]
    grad = [(x(4, 8), 2.0), (x(4, 8, requires_grad=True), 2.0)]
    print(f"requires_grad: {graphs(grad)}")
    assert graphs(grad) == [1, 2]
    square = [(x(6, 6), 2.0), (x(6, 9), 2.0), (x(4, 7), 2.0)]
    print(f"dynamic=True, two sizes equal at first: {graphs(square, dynamic=True)}")
    assert graphs(square, dynamic=True) == [1, 2, 2]
    for tensor, _ in square:
        for axis in range(2):
            mark_dynamic(tensor, axis)
    print(f"both with mark_dynamic: {graphs(square)}")
    assert graphs(square) == [1, 1, 1]
    limit = config.recompile_limit
    logging.getLogger("torch._dynamo").setLevel(logging.ERROR)
    many = graphs([(x(4, n), 2.0) for n in range(2, limit + 6)], dynamic=False)
    print(f"{len(many)} lengths, dynamic=False: {many[-1]} graphs, then it runs eagerly")
    assert many[-1] == limit


if __name__ == "__main__":
    main()
