"""Three figures that are called GPU utilization, from one list of kernels."""

from __future__ import annotations

from dataclasses import dataclass

SMS = 132


@dataclass(frozen=True)
class Kernel:
    """As a trace has it: microseconds, a stream, and how many blocks were launched."""

    start: int
    duration: int
    stream: int
    blocks: int


# --8<-- [start:busy]
def busy(intervals: list[tuple[int, int]]) -> int:
    """The length of the union of intervals: overlap counts once, gaps not at all."""
    total, reached = 0, -1
    for start, end in sorted(intervals):
        total += max(0, end - max(start, reached))
        reached = max(reached, end)
    return total


# --8<-- [end:busy]


def figures(kernels: list[Kernel], window: int) -> tuple[float, float, float]:
    """Sum of durations, share of time with a kernel, share of SMs with a block."""
    summed = sum(k.duration for k in kernels) / window
    union = busy([(k.start, k.start + k.duration) for k in kernels]) / window
    used = sum(k.duration * min(k.blocks, SMS) for k in kernels)
    return summed, union, used / (window * SMS)


def main() -> None:
    """Three traces of 1000 µs."""
    traces = {
        "two streams that overlap": [Kernel(0, 600, 7, 50), Kernel(300, 600, 8, 50)],
        "one block, all the time": [Kernel(0, 1000, 7, 1)],
        "full kernels, gaps between": [Kernel(i * 100, 55, 7, 1000) for i in range(10)],
    }
    found = {}
    for name, kernels in traces.items():
        found[name] = summed, union, used = figures(kernels, 1000)
        print(f"{name:28} sum {summed:4.0%}   a kernel runs {union:4.0%}   of the chip {used:5.1%}")
    assert found["two streams that overlap"][0] > 1, "a sum of durations is no share of time"
    assert found["two streams that overlap"][1] == 0.9
    assert found["one block, all the time"][1] == 1.0, "nvidia-smi would say 100 %"
    assert found["one block, all the time"][2] < 0.01
    assert found["full kernels, gaps between"][1] == 0.55


if __name__ == "__main__":
    main()
