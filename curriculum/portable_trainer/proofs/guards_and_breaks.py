"""What torch.compile checks before it reuses a program, and where it cuts a function."""

from __future__ import annotations

import logging

import torch
from torch._dynamo.testing import CompileCounter


class Step:
    """A function that is compiled, and how often it was."""

    def __init__(self, dynamic: bool | None) -> None:
        self.counter = CompileCounter()
        torch._dynamo.reset()
        self.call = torch.compile(self.body, backend=self.counter, dynamic=dynamic)
        self.scale = 1.0

    def body(self, x: torch.Tensor) -> torch.Tensor:
        """Reads a number that the trainer changes."""
        return (x * self.scale).relu().sum()


def compiled(lengths: list[int], dynamic: bool | None) -> int:
    """How many programs these lengths need."""
    step = Step(dynamic)
    for length in lengths:
        step.call(torch.ones(length, 4))
    return step.counter.frame_count


def with_a_changing_number(values: list[float]) -> int:
    """How many programs a Python number needs that is another one in each step."""
    step = Step(None)
    for value in values:
        step.scale = value
        step.call(torch.ones(8, 4))
    return step.counter.frame_count


def pieces(body: object) -> int:
    """Into how many graphs a function falls."""
    torch._dynamo.reset()
    counter = CompileCounter()
    torch.compile(body, backend=counter)(torch.ones(8))
    return counter.frame_count


def prints(x: torch.Tensor) -> torch.Tensor:
    """Reads a value in the middle."""
    y = x * 2
    if y.sum().item() > 0:
        y = y + 1
    return y.relu()


def stays(x: torch.Tensor) -> torch.Tensor:
    """The same, decided on the device."""
    y = x * 2
    return torch.where(y.sum() > 0, y + 1, y).relu()


def main() -> None:
    """Print programs and graphs."""
    logging.getLogger("torch._dynamo").setLevel(logging.ERROR)
    lengths = [64, 32, 48, 16, 128, 96]
    exact, automatic, free = (compiled(lengths, dynamic) for dynamic in (False, None, True))
    print(f"six lengths, shapes fixed: {exact} programs; left to itself: {automatic}; free: {free}")
    assert (exact, automatic, free) == (6, 2, 1)
    changing = with_a_changing_number([0.1, 0.2, 0.3, 0.4])
    print(f"a number in Python, four values: {changing} programs")
    assert changing > 1
    print(f"a branch on .item(): {pieces(prints)} graphs; the same with where: {pieces(stays)}")
    assert pieces(prints) > pieces(stays) == 1


if __name__ == "__main__":
    main()
