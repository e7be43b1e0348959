"""Which matmuls may become one and what that saves; what attention saves by tiles."""

# ruff: noqa: D102, N805, N812  # TVMScript: a class of functions, and the names that TVM uses

from __future__ import annotations

import numpy as np
import tvm
from tvm import relax
from tvm.script import ir as I
from tvm.script import relax as R


@I.ir_module
class Projections:
    """Queries, keys and values of 32 positions, 16 wide; the sum stands for their users."""

    @R.function
    def main(
        x: R.Tensor((32, 16), "float32"),
        q: R.Tensor((16, 16), "float32"),
        k: R.Tensor((16, 16), "float32"),
        v: R.Tensor((16, 16), "float32"),
    ):
        with R.dataflow():
            a = R.matmul(x, q)
            b = R.matmul(x, k)
            c = R.matmul(x, v)
            d = R.add(a, R.add(b, c))
            R.output(d)
        return d


def one_input() -> None:
    """Matmuls with the same left side: their right sides are put next to each other."""
    merged = relax.transform.CombineParallelMatmul()(Projections)
    text = merged["main"].script()
    assert text.count("R.matmul") == 1
    assert 'R.Tensor((32, 48), dtype="float32") = R.matmul' in text
    rng = np.random.default_rng(1)
    shapes = [(32, 16), *[(16, 16)] * 3]
    given = [tvm.runtime.tensor(rng.random(shape, dtype=np.float32)) for shape in shapes]
    answers = [
        relax.VirtualMachine(tvm.compile(m, target="llvm"), tvm.cpu())["main"](*given).numpy()
        for m in (Projections, merged)
    ]
    assert np.allclose(*answers, rtol=1e-5)
    apart, together = 3 * 32 * 16 * 16, 32 * 16 * 48
    print(f"3 projections, 1 matmul: {apart:,} multiply-adds before, {together:,} after; "
          "x is read once instead of 3 times")  # fmt: skip
    assert apart == together


def in_a_row() -> None:
    """(x W1) W2 may be x (W1 W2), if nothing is in between, and mostly should not be."""
    for rows, inner in ((32, 16), (32, 4), (1, 64)):
        apart = rows * 16 * inner + rows * inner * 16
        merged = rows * 16 * 16
        print(f"{rows:2} rows, 16 to {inner} to 16: {apart:,} multiply-adds, {merged:,} merged")
    assert 32 * 16 * 4 * 2 < 32 * 16 * 16 < 32 * 16 * 16 * 2
    rng = np.random.default_rng(2)
    x, one, two = rng.standard_normal((3, 16, 16))
    assert np.allclose(x @ one @ two, x @ (one @ two))
    wrong = np.abs(np.maximum(x @ one, 0) @ two - x @ (one @ two)).max()
    print(f"with a ReLU in between the merged one is off by {wrong:.0f}")
    assert wrong > 1


# --8<-- [start:tiled]
def attention(q: np.ndarray, k: np.ndarray, v: np.ndarray, tile: int) -> np.ndarray:
    """Softmax(q k') v by tiles of keys; what there is is rescaled when the maximum grows."""
    highest = np.full((len(q), 1), -np.inf)
    total = np.zeros((len(q), 1))
    weighted = np.zeros((len(q), v.shape[1]))
    for start in range(0, len(k), tile):
        scores = q @ k[start : start + tile].T
        new = np.maximum(highest, scores.max(axis=1, keepdims=True))
        old, weights = np.exp(highest - new), np.exp(scores - new)
        total = total * old + weights.sum(axis=1, keepdims=True)
        weighted = weighted * old + weights @ v[start : start + tile]
        highest = new
    return weighted / total
    # --8<-- [end:tiled]


def by_tiles() -> None:
    """The same numbers, and no matrix of scores in memory."""
    rng = np.random.default_rng(3)
    q, k, v = rng.standard_normal((3, 256, 32))
    scores = q @ k.T
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    whole = weights @ v / weights.sum(axis=1, keepdims=True)
    assert np.allclose(whole, attention(q, k, v, 48))
    for length in (1024, 8192):
        stored = length * length * 2
        streams = 4 * length * 64 * 2
        print(f"length {length}, width 64, 16 bits: scores {stored / 2**20:.0f} MiB a head, "
              f"q, k, v and output {streams / 2**20:.1f}")  # fmt: skip


if __name__ == "__main__":
    one_input()
    in_a_row()
    by_tiles()
