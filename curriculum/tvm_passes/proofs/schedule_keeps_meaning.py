"""Each scheduling primitive on a matmul: what the nest becomes, what it refuses, and how many bits.

The last lines time naive and scheduled code at 512; the ratio is this machine's.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import tvm
from tvm import s_tir, te

TARGET = "llvm"


# --8<-- [start:naive]
def matmul(n: int) -> tvm.IRModule:
    """C = A @ B of n by n float32, as a tensor expression. Its loops are i, j, k."""
    a, b = (te.placeholder((n, n), "float32", name) for name in "AB")
    k = te.reduce_axis((0, n), "k")
    c = te.compute((n, n), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), "C")
    return tvm.IRModule({"main": te.create_prim_func([a, b, c])})
    # --8<-- [end:naive]


def steps(sch: s_tir.Schedule) -> Iterator[str]:
    """Schedule block C a primitive at a time; yields after each what was done."""
    # --8<-- [start:schedule]
    c = sch.get_sblock("C")
    i, j, k = sch.get_loops(c)
    yield "naive"
    (i0, i1), (j0, j1) = sch.split(i, [None, 4]), sch.split(j, [None, 32])
    k0, k1 = sch.split(k, [None, 4])
    yield "split"
    sch.reorder(i0, j0, k0, k1, i1, j1)
    yield "reorder"
    copy = sch.cache_write(c, 0, "global")
    sch.reverse_compute_at(copy, j0)
    yield "cache_write"
    sch.vectorize(j1)
    sch.vectorize(sch.get_loops(copy)[-1])
    yield "vectorize"
    sch.parallel(i0)
    yield "parallel"
    sch.unroll(i1)
    sch.unroll(k1)
    yield "unroll"
    sch.decompose_reduction(c, k0)
    yield "decompose_reduction"
    # --8<-- [end:schedule]


def computed(module: tvm.IRModule, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """What the compiled module writes to C."""
    c = tvm.runtime.empty(a.shape, "float32")
    tvm.compile(module, target=TARGET)(tvm.runtime.tensor(a), tvm.runtime.tensor(b), c)
    return c.numpy()


def same_bits() -> s_tir.Schedule:
    """The order in which each sum is added up stays, so not one bit changes."""
    rng = np.random.default_rng(1)
    a, b = (rng.standard_normal((64, 64)).astype("float32") for _ in "ab")
    naive = computed(matmul(64), a, b)
    assert np.allclose(naive, a @ b, atol=1e-4)
    sch = s_tir.Schedule(matmul(64))
    for done in steps(sch):
        assert s_tir.analysis.verify_well_formed(sch.mod)
        assert np.array_equal(computed(sch.mod, a, b), naive), done
    print("split ... decompose_reduction: every step well-formed, every output equal bit by bit")
    # rfactor adds partial sums, in another order.
    factored = s_tir.Schedule(matmul(64))
    block = factored.get_sblock("C")
    outer, _ = factored.split(factored.get_loops(block)[2], [8, None])
    factored.rfactor(outer, 0)
    other = computed(factored.mod, a, b)
    changed = np.mean(other != naive)
    print(
        f"rfactor: {changed:.0%} of the numbers differ, by {abs(other - naive).max():.0e} at most"
    )
    assert changed > 0.2
    assert np.allclose(other, naive, atol=1e-4)
    return sch


def refused() -> None:
    """What would change the result, or cannot be shown not to."""

    def refuses(what: str, act: Callable[[], None], why: str) -> None:
        try:
            act()
        except s_tir.schedule.ScheduleError as error:
            told = str(error)
        else:
            raise AssertionError(f"{what} was allowed")
        assert why in told
        print(f"{what}: refused, {why}")

    for name in ("vectorize", "parallel"):
        sch = s_tir.Schedule(matmul(64))
        k = sch.get_loops(sch.get_sblock("C"))[2]
        refuses(f"{name}(k)", partial(getattr(sch, name), k), "is not a data parallel block iter")
    sch = s_tir.Schedule(matmul(64))
    block = sch.get_sblock("C")
    i, _, k = sch.get_loops(block)
    sch.decompose_reduction(block, k)
    two_writers = "neither a local complete block nor a local reduction block"
    refuses("parallel(i) after decompose_reduction", partial(sch.parallel, i), two_writers)
    # A tile that does not divide is no error: the body gets a condition.
    sch = s_tir.Schedule(matmul(50))
    sch.split(sch.get_loops(sch.get_sblock("C"))[1], [None, 16])
    assert "T.where(j_0 * 16 + j_1 < 50)" in sch.mod.script()
    print("split of 50 by 16: 4 times 16 iterations, T.where(j_0 * 16 + j_1 < 50)")


def replayed(sch: s_tir.Schedule) -> None:
    """A schedule is a program: its trace does the same to a fresh module."""
    again = s_tir.Schedule(matmul(64))
    sch.trace.apply_to_schedule(again, remove_postproc=False)
    tvm.ir.assert_structural_equal(again.mod, sch.mod)
    print(f"the trace's {len(sch.trace.insts)} instructions give the same module again")


def timed() -> None:
    """Naive against scheduled, each at its best of three; compiling is not counted."""
    rng = np.random.default_rng(2)
    a, b = (tvm.runtime.tensor(rng.random((512, 512), dtype=np.float32)) for _ in "ab")
    c = tvm.runtime.empty((512, 512), "float32")
    best: dict[str, float] = {}
    sch = s_tir.Schedule(matmul(512))
    swapped = s_tir.Schedule(matmul(512))
    i, j, k = swapped.get_loops(swapped.get_sblock("C"))
    swapped.reorder(i, k, j)
    for _ in steps(sch):
        pass
    for name, module in (("naive", matmul(512)), ("i k j", swapped.mod), ("all", sch.mod)):
        run = tvm.compile(module, target=TARGET)
        for _ in range(3):
            began = time.perf_counter()
            run(a, b, c)
            best[name] = min(best.get(name, 1e9), time.perf_counter() - began)
    told = ", ".join(f"{name} {seconds * 1e3:.1f} ms" for name, seconds in best.items())
    print(f"measured: 512 by 512, {told}")
    assert best["naive"] > 3 * best["i k j"]
    assert best["naive"] > 3 * best["all"]


if __name__ == "__main__":
    whole = same_bits()
    refused()
    replayed(whole)
    timed()
