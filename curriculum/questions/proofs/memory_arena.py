"""From lifetimes to one arena: the lower bound, three planners, and an order that needs less."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import permutations


@dataclass(frozen=True)
class Buffer:
    """MiB, and the steps from its definition to its last use."""

    name: str
    size: int
    first: int
    last: int

    def meets(self, other: Buffer) -> bool:
        """Both are alive in some step."""
        return self.first <= other.last and other.first <= self.last


def residual_block(wide: int, narrow: int, in_place: bool) -> list[Buffer]:
    """X to a narrow h, to a narrow g, to a wide y; then add x."""
    block = [
        Buffer("x", wide, 0, 3),
        Buffer("h", narrow, 0, 1),
        Buffer("g", narrow, 1, 2),
        Buffer("y", wide, 2, 3),
    ]
    return block if in_place else [*block, Buffer("sum", wide, 3, 3)]


# --8<-- [start:plan]
def peak(buffers: list[Buffer]) -> int:
    """No plan can do with less: what is alive at once."""
    steps = range(max(buffer.last for buffer in buffers) + 1)
    return max(sum(b.size for b in buffers if b.first <= step <= b.last) for step in steps)


def arena(buffers: list[Buffer]) -> int:
    """Each in turn at the lowest offset that is free for its whole life; the height of it all."""
    placed: list[tuple[int, Buffer]] = []
    for buffer in buffers:
        taken = sorted((at, at + other.size) for at, other in placed if other.meets(buffer))
        offset = 0
        for start, end in taken:
            if start - offset >= buffer.size:
                break
            offset = max(offset, end)
        placed.append((offset, buffer))
    return max(at + buffer.size for at, buffer in placed)


# --8<-- [end:plan]


def branches(order: str) -> int:
    """Two branches from x: each makes a large tensor and shrinks it. The peak of that order."""
    position = {step: index for index, step in enumerate(order)}
    last = len(order)
    return peak(
        [
            Buffer("x", 4, 0, max(position["a"], position["b"])),
            Buffer("A", 32, position["a"], position["c"]),
            Buffer("B", 32, position["b"], position["d"]),
            Buffer("small A", 1, position["c"], last),
            Buffer("small B", 1, position["d"], last),
        ]
    )


def main() -> None:
    """Print bounds and plans."""
    for in_place in (False, True):
        block = residual_block(8, 2, in_place)
        print(
            f"residual block, add in place {in_place}: peak {peak(block)} MiB of "
            f"{sum(b.size for b in block)}"
        )
        assert peak(block) == (2 * 8 + 2 if in_place else 3 * 8)

    net = [
        Buffer("a", 6, 0, 1),
        Buffer("b", 2, 1, 4),
        Buffer("c", 4, 2, 3),
        Buffer("d", 3, 3, 6),
        Buffer("e", 7, 5, 7),
        Buffer("f", 2, 6, 7),
    ]
    best = min(arena(list(order)) for order in permutations(net))
    by_size = arena(sorted(net, key=lambda b: -b.size))
    in_turn = arena(net)
    print(
        f"six tensors, {sum(b.size for b in net)} MiB; bound {peak(net)}, best of all orders {best}"
    )
    print(f"placed largest first {by_size}, in order of definition {in_turn}")
    assert peak(net) <= best <= by_size < in_turn < sum(b.size for b in net)

    both, one = branches("abcd"), branches("acbd")
    print(f"two branches: both large tensors first {both} MiB, one branch after the other {one}")
    assert (both, one) == (68, 37)


if __name__ == "__main__":
    main()
