"""What MetaSchedule samples for a matmul, how large the space is, and what a trace can be used for.

Nothing is measured here: design spaces and decisions only.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product
from math import prod
from types import ModuleType

import tvm
from tvm import s_tir, te
from tvm.s_tir import meta_schedule as ms

TARGET = tvm.target.Target({"kind": "llvm", "num-cores": 2})


def matmul(n: int) -> tvm.IRModule:
    """C = A @ B of n by n float32."""
    a, b = (te.placeholder((n, n), "float32", name) for name in "AB")
    k = te.reduce_axis((0, n), "k")
    c = te.compute((n, n), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), "C")
    return tvm.IRModule({"main": te.create_prim_func([a, b, c])})


def rules() -> list[ms.schedule_rule.PyScheduleRule]:
    """Those of a processor that matter for a matmul, with the values that TVM uses by default."""
    reuse = ms.schedule_rule.ReuseType(req="may", levels=[1, 2], scope="global")
    return [
        ms.schedule_rule.MultiLevelTiling(
            structure="SSRSRS", max_innermost_factor=64, reuse_write=reuse
        ),
        ms.schedule_rule.ParallelizeVectorizeUnroll(
            max_jobs_per_core=16,
            max_vectorize_extent=64,
            unroll_max_steps=[0, 16, 64, 512],
            unroll_explicit=True,
        ),
    ]


@contextmanager
def without_intrinsics() -> Iterator[None]:
    """A context imports all GPU intrinsics, which takes many seconds; no rule here needs one."""
    name = "tvm.s_tir.tensor_intrin"
    if name in sys.modules:
        yield
        return
    sys.modules[name] = ModuleType(name)
    try:
        yield
    finally:
        del sys.modules[name]


def spaces() -> list[s_tir.Schedule]:
    """The sketches that the rules make."""
    with without_intrinsics():
        context = ms.TuneContext(
            mod=matmul(512),
            target=TARGET,
            space_generator=ms.space_generator.PostOrderApply(
                sch_rules=rules(), postprocs=[], mutator_probs={}
            ),
            search_strategy=ms.search_strategy.ReplayTrace(),
            task_name="matmul",
            rand_state=1,
            num_threads=1,
        )
    return list(context.generate_design_space())


def tilings(extent: int, parts: int, most: int) -> int:
    """In how many ways `parts` factors give `extent`, the last one at most `most`."""
    divisors = [d for d in range(1, extent + 1) if extent % d == 0]
    return sum(1 for ds in product(divisors, repeat=parts) if prod(ds) == extent and ds[-1] <= most)


def main() -> None:
    """Print sketches, decisions, sizes."""
    found = spaces()
    print(f"{len(found)} sketches of 512 by 512 on a CPU")
    assert len(found) == 3
    for sketch in found:
        kinds = [instruction.kind.name for instruction in sketch.trace.insts]
        writes = kinds.count("CacheWrite")
        sampled = [kind for kind in kinds if kind.startswith("Sample")]
        print(f"  {len(kinds)} instructions, {writes} CacheWrite, {', '.join(sampled)}")
    ways = [tilings(512, 4, 64), tilings(512, 4, 64), tilings(512, 2, 64)]
    points = prod(ways) * 4
    print(f"tilings of i, j, k: {ways}; with 4 unroll limits {points:,} points in one sketch")
    assert points > 1_000_000
    print(f"64 trials are one point in {points // 64:,}")

    # --8<-- [start:decide]
    sch = s_tir.Schedule(matmul(512), seed=1)
    i = sch.get_loops(sch.get_sblock("C"))[0]
    factors = sch.sample_perfect_tile(i, n=4, max_innermost_factor=64)
    sch.split(i, factors)
    instruction, decision = next(iter(sch.trace.decisions.items()))
    # --8<-- [end:decide]
    print(f"sampled: {[int(d) for d in decision]}")
    wanted = [8, 4, 4, 4]
    changed = sch.trace.with_decision(instruction, wanted, remove_postproc=False)
    other = s_tir.Schedule(matmul(512))
    changed.apply_to_schedule(other, remove_postproc=False)
    loops = other.get_loops(other.get_sblock("C"))
    assert [int(other.get(loop).extent) for loop in loops] == [8, 4, 4, 4, 512, 512]
    print(f"the same trace with the decision {wanted}: loops {wanted} + [512, 512]")


if __name__ == "__main__":
    main()
