"""Which batch makes a decoding step compute-bound, with and without the cache of keys and values.

Peak and bandwidth are those of a data sheet (H100 SXM, bfloat16 without sparsity).
"""

from __future__ import annotations

PEAK, BANDWIDTH = 989e12, 3.35e12  # operations a second, bytes a second
PARAMETERS, SIZE = 8e9, 2  # bfloat16


def step(batch: int, cache: float) -> tuple[float, float]:
    """Milliseconds of arithmetic and of memory for one token each of `batch` sequences."""
    arithmetic = 2 * PARAMETERS * batch / PEAK
    memory = (PARAMETERS * SIZE + batch * cache) / BANDWIDTH
    return arithmetic * 1e3, memory * 1e3


def first_compute_bound(cache: float) -> int | None:
    """The smallest batch whose arithmetic takes longer than its bytes."""
    return next((b for b in range(1, 100_000) if step(b, cache)[0] >= step(b, cache)[1]), None)


def main() -> None:
    """Weights only, then with caches of growing length."""
    formula = PEAK * SIZE / (2 * BANDWIDTH)
    print(f"weights only: from batch {formula:.0f} on")
    assert first_compute_bound(0) == -int(-formula // 1)
    for batch in (1, 64, 512):
        compute, memory = step(batch, 0)
        print(f"  batch {batch:3}: arithmetic {compute:5.2f} ms, bytes {memory:5.2f} ms")
    a_token = 2 * 32 * 8 * 128 * 2
    for tokens in (128, 1024, 8192):
        found = first_compute_bound(tokens * a_token)
        print(f"{tokens:4} tokens of cache a sequence: {found or 'never'}")
        limit = 2 * PARAMETERS / (tokens * a_token)
        assert (found is None) is (limit <= PEAK / BANDWIDTH)
    assert first_compute_bound(8192 * a_token) is None
    compute, memory = step(10_000, 8192 * a_token)
    print(f"8192 tokens: however large the batch, arithmetic is {compute / memory:.0%} of the time")
    assert compute / memory < 0.06


if __name__ == "__main__":
    main()
