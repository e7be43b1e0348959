"""How many graphs torch.compile makes for sizes that change: it gives in after the second."""

from __future__ import annotations

from typing import Any

import torch

SIZES = (5, 5, 6, 7, 8, 9, 1, 0)


def graphs(sizes: tuple[int, ...], **how: Any) -> list[int]:
    """After each call, how many graphs there are."""
    made: list[Any] = []

    def counting(graph: Any, _inputs: Any) -> Any:
        made.append(graph)
        return graph.forward

    torch.compiler.reset()
    doubled = torch.compile(lambda x: x * 2, backend=counting, **how)
    found = []
    for size in sizes:
        doubled(torch.ones(size, 3))
        found.append(len(made))
    return found


def main() -> None:
    """Print the count after each size, by what was said of shapes beforehand."""
    print("sizes        ", *SIZES)
    ways: dict[str, dict[str, Any]] = {
        "default": {},
        "dynamic=False": {"dynamic": False},
        "dynamic=True": {"dynamic": True},
    }
    found = {name: graphs(SIZES, **how) for name, how in ways.items()}
    for name, counts in found.items():
        print(f"{name:13}", *counts)
    assert found["default"] == [1, 1, 2, 2, 2, 2, 3, 4]
    assert found["dynamic=False"] == [1, 1, 2, 3, 4, 5, 6, 7]
    assert found["dynamic=True"][5] == 1


if __name__ == "__main__":
    main()
