"""The arithmetic of the questions about rooflines and profiles: bytes, operations, lower bounds."""

from __future__ import annotations

MB, TB_PER_S, US = 1e6, 1e12, 1e-6


def fused() -> None:
    """Passes over the tensor of gelu(x + bias), as two operations and as one kernel."""
    two, one = (1 + 1) + (1 + 1), 1 + 1
    print(
        f"gelu(x + bias): {two} passes as two operations, {one} fused: at most {two / one:g} times"
    )
    assert two / one == 2


def tiles() -> None:
    """Bytes of a and b that all programs load, for two sizes of tile."""
    n, size = 4096, 2
    for side in (64, 128):
        program = 2 * side * n * size
        total = program * (n // side) ** 2
        print(f"tiles of {side}: {program / 2**20:g} MiB a program, {total / 2**30:g} GiB in all")
        assert total == 2 * n**3 * size // side
    assert 512 * 512 * 4 == 2**20


def roofline() -> None:
    """A matrix times one vector, and times 512."""
    bandwidth, peak, n = 4 * TB_PER_S, 800e12, 4096
    print(f"ridge: {peak / bandwidth:g} operations a byte")
    for vectors in (1, 512):
        flops, moved = 2 * n * n * vectors, 2 * n * n + 2 * 2 * n * vectors
        by_memory, by_arithmetic = moved / bandwidth / US, flops / peak / US
        print(
            f"{vectors:3d} vectors: {flops / moved:5.1f} operations a byte, at least "
            f"{by_memory:.1f} us by memory, {by_arithmetic:.2f} us by arithmetic"
        )
        assert (by_memory > by_arithmetic) == (vectors == 1)


def profile() -> None:
    """Three kernels: what they moved, what they had to move, and the time that this takes."""
    bandwidth = 532 * MB / (129 * US)
    print(f"A: {bandwidth / TB_PER_S:.2f} TB/s")
    for name, needed, took in (("B", 134, 95), ("C", 30, 88)):
        bound = needed * MB / bandwidth / US
        print(f"{name}: at least {bound:.0f} us, takes {took}: up to {took - bound:.0f} us to gain")
    assert 400 * 4 + 400 * 3 == 2800
    print(f"in flight: {4e12 * 600e-9 / 1e6:.1f} MB, {4e12 * 600e-9 / 132 / 1e3:.0f} KB an SM")


if __name__ == "__main__":
    fused()
    tiles()
    roofline()
    profile()
