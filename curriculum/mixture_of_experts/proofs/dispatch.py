"""Drops and padding of buffers, rows that tiles waste, and copies of a token across nodes."""

from __future__ import annotations

import numpy as np

EXPERTS, K = 64, 4
TOKENS = 4096
RNG = np.random.default_rng(0)


def choices(skew: float, tokens: int = TOKENS, experts: int = EXPERTS, k: int = K) -> np.ndarray:
    """Return k different experts for each token; the e-th one is chosen by (e + 1) ** -skew."""
    popular = -skew * np.log1p(np.arange(experts))
    return np.argsort(-(popular + RNG.gumbel(size=(tokens, experts))), axis=1)[:, :k]


def buffers() -> None:
    """Print the share of dropped choices and of empty rows by capacity factor."""
    for skew in (0.0, 0.5, 1.0):
        sizes = np.bincount(choices(skew).ravel(), minlength=EXPERTS)
        for factor in (1.0, 1.25, 2.0):
            room = int(np.ceil(factor * TOKENS * K / EXPERTS))
            kept = np.minimum(sizes, room).sum()
            dropped, empty = 1 - kept / sizes.sum(), 1 - kept / (EXPERTS * room)
            print(
                f"skew {skew:.1f}, factor {factor:4.2f}: {dropped:4.0%} dropped, "
                f"{empty:4.0%} of the rows empty"
            )


def waste() -> dict[int, list[tuple[int, float]]]:
    """Return the share of rows that tiles of a height waste, by rows an expert on average."""
    found: dict[int, list[tuple[int, float]]] = {16: [], 64: [], 128: []}
    for rows in (1, 4, 16, 64, 256, 1024):
        sizes = np.bincount(choices(0.5, rows * EXPERTS // K).ravel(), minlength=EXPERTS)
        for height, points in found.items():
            computed = (-(-sizes // height) * height).sum()
            points.append((rows, float(1 - sizes.sum() / computed)))
    return found


def tiles() -> None:
    """Print what `waste` returns."""
    for height, points in waste().items():
        shown = ", ".join(f"{rows}: {share:.0%}" for rows, share in points)
        print(f"tiles of {height} rows, wasted by mean rows an expert: {shown}")


def copies() -> None:
    """Print over how many nodes and ranks the experts of a token lie: 256 experts, 8 choices."""
    ids = choices(0.0, 4096, 256, 8)
    for nodes in (4, 8, 16, 32):
        other = np.mean([len(set(row // (256 // nodes)) - {0}) for row in ids])
        away = 8 * (1 - 1 / nodes)
        print(f"{nodes:2d} nodes: a token needs {away:.1f} experts of {other:.1f} other nodes")


def launches() -> None:
    """Print the most tiles that a grid must have, however the rows are divided."""
    for rows, experts in ((512, 8), (4096, 64), (64, 256)):
        most = -(-rows // 64) + min(rows, experts)
        whole = experts * -(-rows // 64)
        print(
            f"{rows:4d} rows of {experts:3d} experts, tiles of 64 rows: at most {most:3d}; "
            f"{whole} if each expert has tiles for all rows"
        )


if __name__ == "__main__":
    buffers()
    tiles()
    copies()
    launches()
