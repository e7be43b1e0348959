"""A host that launches and a device that works: what replaying gains, and what fusing gains."""

from __future__ import annotations

import torch
from torch.fx.experimental.proxy_tensor import make_fx


def span(kernels: list[float], launch: float) -> float:
    """Microseconds until the last kernel is done; the host launches one after the other."""
    host = device = 0.0
    for work in kernels:
        host += launch
        device = max(device, host) + work
    return device


def main() -> None:
    """Four ways through the same step, with supposed times, at two sizes."""
    for size, work in (("small", 2.0), ("large", 50.0)):
        eager = [work] * 1000
        fused = [work * 0.4] * 500
        found = {
            "eager": span(eager, 5.0),
            "replayed": 5.0 + sum(eager),
            "fused": span(fused, 5.0),
            "fused, replayed": 5.0 + sum(fused),
        }
        shown = ", ".join(f"{k} {v / 1000:.1f} ms" for k, v in found.items())
        print(f"{size} kernels of {work:.0f} µs: {shown}")
        gain = found["eager"] / found["replayed"]
        bound = max(5.0, work) / work
        assert gain <= bound * 1.001
        if size == "large":
            assert gain < 1.01, "nothing to hide"
            assert found["fused"] < 0.25 * found["eager"]
        else:
            assert gain > 2.4

    # Recording operations makes no operation fewer: a chain of four stays a chain of four.
    chain = make_fx(lambda x: (x * 2 + 1).relu().exp())(torch.ones(4))
    calls = [str(n.target) for n in chain.graph.nodes if n.op == "call_function"]
    print("recorded:", calls)
    assert len(calls) == 4


if __name__ == "__main__":
    main()
