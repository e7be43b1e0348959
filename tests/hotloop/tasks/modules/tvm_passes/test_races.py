"""Stores that conflict, and registers and caches that do not belong to one thread or block."""

import sys
from typing import Any

import pytest

from hotloop.core import extras
from hotloop.tasks.modules.tvm_passes.given_files import PROGRAMS

pytestmark = pytest.mark.skipif(bool(extras.missing("tvm")), reason=extras.remedy("tvm"))
sys.path.insert(0, str(PROGRAMS))


def stores_at(row: Any) -> Any:
    """A function whose parallel loop over p, 16 long, stores to row(p) in a loop over 4."""
    import bare_tvm  # noqa: F401 - first, without PyTorch
    from tvm.script import tirx as T  # noqa: N812 - as everybody calls it

    @T.prim_func(s_tir=True)
    def main(c: T.Buffer((64,), "float32")):
        for p in T.parallel(16):
            for i in range(4):
                c[row(p, i)] = T.float32(1)

    return main


@pytest.mark.parametrize(
    ("row", "apart"),
    [
        (lambda p, i: p * 4 + i, True),
        (lambda p, i: i * 16 + p, True),
        (lambda p, i: i, False),
        (lambda p, i: i + p * 0, False),
        (lambda p, i: i + p, False),
        (lambda p, i: p // 2 * 4 + i, False),
        (lambda p, i: p % 8 * 4 + i, False),
    ],
)
def test_iterations_at_once_store_to_places_of_their_own(row: Any, apart: bool) -> None:
    import races

    found = list(races.mismatches(stores_at(row)))
    assert bool(found) is not apart
    assert all("same elements" in sentence for sentence in found)


def in_registers(outside: bool) -> Any:
    """Each thread stores its number in a register, which is read in the loop, or after it."""
    import bare_tvm  # noqa: F401
    from tvm.script import tirx as T  # noqa: N812

    @T.prim_func(s_tir=True)
    def inside(c: T.Buffer((16,), "float32")):
        own = T.sblock_alloc_buffer((1,), scope="local")
        for t in T.thread_binding(16, thread="threadIdx.x"):
            own[0] = T.Cast("float32", t)
            c[t] = own[0]

    @T.prim_func(s_tir=True)
    def behind(c: T.Buffer((16,), "float32")):
        own = T.sblock_alloc_buffer((1,), scope="local")
        for t in T.thread_binding(16, thread="threadIdx.x"):
            own[0] = T.Cast("float32", t)
        c[0] = own[0]

    return behind if outside else inside


@pytest.mark.parametrize("outside", [False, True])
def test_registers_belong_to_one_thread_as_long_as_it_runs(outside: bool) -> None:
    import races

    assert bool(list(races.mismatches(in_registers(outside)))) is outside


def through_shared() -> Any:
    """Each thread stores a number, and reads its neighbor's."""
    import bare_tvm  # noqa: F401
    from tvm.script import tirx as T  # noqa: N812

    @T.prim_func(s_tir=True)
    def main(a: T.Buffer((16,), "float32"), c: T.Buffer((16,), "float32")):
        cache = T.sblock_alloc_buffer((16,), scope="shared")
        for block in T.thread_binding(1, thread="blockIdx.x"):
            for t in T.thread_binding(16, thread="threadIdx.x"):
                cache[t] = a[t]
                c[block * 16 + t] = cache[15 - t]

    return main


def test_all_threads_do_a_statement_before_any_does_the_next() -> None:
    import threads_in_turn

    body = threads_in_turn.in_turn(through_shared()).body.block.body
    parts = list(body.body.seq)
    assert body.thread_binding is None
    assert [int(loop.extent) for loop in parts] == [16, 16]
    assert all(loop.thread_binding is None for loop in parts)
    assert [loop.body.buffer.name for loop in parts] == ["cache", "c"]
    assert not parts[0].loop_var.same_as(parts[1].loop_var)
