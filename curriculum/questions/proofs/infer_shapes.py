"""Types of a dynamic program, inferred: joins, a loop that never settles, widening."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

UNKNOWN = None
Dim = int | None


@dataclass(frozen=True)
class Type:
    """Rank, extents where they are known, dtype."""

    dims: tuple[Dim, ...] | None
    dtype: str

    def __str__(self) -> str:
        dims = (
            "?"
            if self.dims is None
            else " × ".join("?" if d is None else str(d) for d in self.dims)
        )
        return f"{self.dtype}[{dims}]"

    def holds(self, shape: tuple[int, ...]) -> bool:
        """Whether a tensor of this shape is one of those meant."""
        if self.dims is None:
            return True
        return len(shape) == len(self.dims) and all(
            known in (UNKNOWN, size) for known, size in zip(self.dims, shape, strict=True)
        )


# --8<-- [start:lattice]
def join(left: Type, right: Type) -> Type:
    """The least type that holds both: what is true whichever way was taken."""
    dtype = left.dtype if left.dtype == right.dtype else "any"
    if left.dims is None or right.dims is None or len(left.dims) != len(right.dims):
        return Type(None, dtype)
    both = zip(left.dims, right.dims, strict=True)
    return Type(tuple(a if a == b else UNKNOWN for a, b in both), dtype)


def loop(
    start: Type, body: Callable[[Type], Type], widen_after: int, limit: int
) -> tuple[Type, int]:
    """Run the body on types until nothing changes; then give up extents that still do."""
    state = start
    for step in range(1, limit + 1):
        after = join(state, body(state)) if step > widen_after else body(state)
        if after == state:
            return state, step
        state = after
    return state, limit


# --8<-- [end:lattice]


def cat(left: Type, right: Type) -> Type:
    """Along the first axis."""
    assert left.dims
    assert right.dims
    a, b = left.dims[0], right.dims[0]
    first = UNKNOWN if a is None or b is None else a + b
    return Type((first, *left.dims[1:]), left.dtype)


def transpose(value: Type) -> Type:
    """The two axes exchanged."""
    assert value.dims
    return Type(value.dims[::-1], value.dtype)


def matmul(left: Type, right: Type) -> Type:
    """Refuses what certainly does not fit, and only that."""
    assert left.dims
    assert right.dims
    inner = (left.dims[-1], right.dims[0])
    if UNKNOWN not in inner and inner[0] != inner[1]:
        raise TypeError(f"{left} @ {right}")
    return Type((left.dims[0], right.dims[1]), left.dtype)


def main() -> None:
    """Print what can be known."""
    x = Type((4, 8), "f32")
    either = join(x, cat(x, x))
    print(f"y = x if flag else cat(x, x): {either}")
    assert either == Type((UNKNOWN, 8), "f32")
    print(f"y @ w with w 8 × 3: {matmul(either, Type((8, 3), 'f32'))}")
    square = matmul(x, Type((8, 8), "f32"))
    assert square == x
    try:
        matmul(either, Type((7, 3), "f32"))
        refused = False
    except TypeError as error:
        refused = True
        print(f"refused without running: {error}")
    assert refused
    print(f"y = x if flag else x.T: {join(x, transpose(x))}: the rank, and nothing else")
    assert join(x, transpose(x)) == Type((UNKNOWN, UNKNOWN), "f32")
    mixed = join(Type((), "i64"), Type((), "f32"))
    print(f"n = 0, or 0.5 on the other way: {mixed}")
    assert mixed.dtype == "any"

    def doubling(state: Type) -> Type:
        return cat(state, state)

    endless, steps = loop(x, doubling, widen_after=10_000, limit=20)
    assert endless.dims
    print(f"while …: x = cat(x, x), no widening: after {steps} rounds {endless}")
    assert endless.dims[0] == 4 << 20
    settled, steps = loop(x, doubling, widen_after=0, limit=20)
    print(f"with widening: {settled} after {steps} rounds")
    assert (settled, steps) == (Type((UNKNOWN, 8), "f32"), 2)

    rng = random.Random(0)
    for _ in range(1000):
        shape = (4, 8)
        for _ in range(rng.randrange(6)):
            shape = (2 * shape[0], shape[1])
        assert settled.holds(shape)
    print("1,000 runs with any number of rounds: the type held each time")


if __name__ == "__main__":
    main()
