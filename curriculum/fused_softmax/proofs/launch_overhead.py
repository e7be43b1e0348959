"""From which size on bytes cost more than launches, for a chain and for one kernel."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

LAUNCH_S = 5e-6  # supposed: what a launch costs the host when nothing hides it
BYTES_A_SECOND = 3e12  # supposed
SIZE = 2  # bytes of a bfloat16


class OperationCounter(TorchDispatchMode):
    """Counts operations; on a GPU each of these is a launch."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Count one operation."""
        self.count += 1
        return func(*args, **(kwargs or {}))


def chain(x: torch.Tensor) -> torch.Tensor:
    """Softmax as five operations."""
    e = torch.exp(x - x.amax(dim=-1, keepdim=True))
    return e / e.sum(dim=-1, keepdim=True)


def seconds(elements: int, launches: int, bytes_an_element: int) -> float:
    """The host hands over launches while the device works: the slower one sets the pace."""
    return max(launches * LAUNCH_S, elements * bytes_an_element / BYTES_A_SECOND)


def main() -> None:
    """Print operations, break-even sizes and the ratio by size."""
    x = torch.randn(4, 64)
    launches = {}
    for name, function in (("chain", chain), ("one kernel", lambda t: torch.softmax(t, -1))):
        with OperationCounter() as counter:
            function(x)
        launches[name] = counter.count
        print(f"{name}: {counter.count} operations")
    assert launches == {"chain": 5, "one kernel": 1}

    for name, moved in (("chain", 8 * SIZE), ("one kernel", 2 * SIZE)):
        elements = launches[name] * LAUNCH_S * BYTES_A_SECOND / moved
        print(f"{name}: launches set the pace below {elements:.1e} elements")
    ratios = []
    for power in (12, 16, 20, 22, 24, 28):
        n = 1 << power
        ratios.append(seconds(n, 5, 8 * SIZE) / seconds(n, 1, 2 * SIZE))
        print(f"2^{power} elements: fused is {ratios[-1]:.1f} times as fast")
    assert ratios[0] == 5.0, "small: the number of launches"
    assert ratios[-1] == 4.0, "large: the bytes"


if __name__ == "__main__":
    main()
