"""What a replayed graph keeps fixed, with a recorder that replays operations to their old buffers.

A CUDA graph does the same with kernels and addresses. This one runs on the CPU, to show what
it means for a training loop, and nothing about its speed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Recorder(TorchDispatchMode):
    """Keeps each operation with the very tensors that it read and wrote."""

    def __init__(self) -> None:
        super().__init__()
        self.tape: list[tuple[Any, Any, Any, Any]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Run and keep."""
        out = func(*args, **(kwargs or {}))
        self.tape.append((func, args, kwargs or {}, out))
        return out

    def replay(self) -> None:
        """The same operations on the same memory; no Python of the author's runs."""
        for func, args, kwargs, out in self.tape:
            again = func(*args, **kwargs)
            if isinstance(out, torch.Tensor) and again is not out:
                out.copy_(again)


def record(work: Callable[[], torch.Tensor]) -> tuple[Recorder, torch.Tensor]:
    """Run once, keep the tape and the output's buffer."""
    with Recorder() as recorder:
        out = work()
    return recorder, out


def main() -> None:
    """A step with an input, a Python counter, a branch and a random mask."""
    python_ran = 0
    doubled = True
    static = torch.ones(4)

    def step() -> torch.Tensor:
        nonlocal python_ran
        python_ran += 1
        y = torch.relu(static + 1)
        return y * 2 if doubled else y - 1

    graph, out = record(step)
    print(f"recorded {len(graph.tape)} operations, one replay stands for all of them")
    assert len(graph.tape) == 3
    assert out.tolist() == [4.0] * 4

    static = torch.full((4,), 9.0)  # a new tensor: the tape knows only the old one
    graph.replay()
    assert out.tolist() == [4.0] * 4, "a new batch in new memory is not seen"
    graph, out = record(step)
    static.copy_(torch.full((4,), 3.0))
    address = out.data_ptr()
    graph.replay()
    print("copied into the recorded input:", out.tolist())
    assert out.tolist() == [8.0] * 4
    assert out.data_ptr() == address, "the last result is gone: clone what you keep"

    doubled = False
    graph.replay()
    print("the branch is the recorded one:", out.tolist(), "- Python ran", python_ran, "times")
    assert out.tolist() == [8.0] * 4
    assert python_ran == 2

    for launches, kernel_us in ((1500, 5), (1500, 200)):
        host, device, replayed = launches * 8, launches * kernel_us, 50
        gain = max(host, device) / max(replayed, device)
        print(
            f"{launches} launches of 8 µs (supposed), kernels of {kernel_us} µs: "
            f"at most {gain:.2f} times"
        )
    assert gain == 1, "where the device sets the pace there is nothing to gain"


if __name__ == "__main__":
    main()
