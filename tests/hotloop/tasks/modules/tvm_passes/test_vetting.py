"""What a candidate's TVM module may contain, and what is refused before it runs."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hotloop.tasks.modules.tvm_passes.given_files import PROGRAMS

tvm = pytest.importorskip("tvm", reason="Apache TVM is an optional group of packages")
sys.path.insert(0, str(PROGRAMS))

import coalescing  # noqa: E402
import matmul_inputs  # noqa: E402
import matmul_looks  # noqa: E402
import races  # noqa: E402
import vetting  # noqa: E402
from tvm import s_tir  # noqa: E402
from tvm.script import tirx as T  # noqa: E402, N812

Make = Callable[[Any], Any]


def refusal(path: Path, language: Any) -> str | None:
    try:
        vetting.read(path, language)
    except vetting.Refused as refused:
        return str(refused)
    return None


def mismatch_about(function: Any, path: Path, language: Any = vetting.TIR) -> str | None:
    module = function if isinstance(function, tvm.IRModule) else tvm.IRModule({"main": function})
    path.write_text(tvm.ir.save_json(module))
    return refusal(path, language)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "module.json"


def plain() -> Any:
    return matmul_inputs.naive(8, 16, 4)


def test_a_plain_product_is_of_the_language(path: Path) -> None:
    assert mismatch_about(plain(), path) is None
    assert vetting.signature(plain()) == ["float32[8, 4]", "float32[4, 16]", "float32[8, 16]"]


def calling(call: str) -> Any:
    """A function whose value comes from a call."""

    @T.prim_func(s_tir=True)
    def extern(a: T.Buffer((4,), "float32")):
        for i in range(4):
            a[i] = T.call_extern("float32", "sinf", a[i])

    @T.prim_func(s_tir=True)
    def packed(a: T.Buffer((4,), "float32")):
        T.evaluate(T.call_packed("runtime.SystemLib"))
        a[0] = T.float32(0)

    @T.prim_func(s_tir=True)
    def llvm(a: T.Buffer((4,), "float32")):
        a[0] = T.call_llvm_pure_intrin("float32", "llvm.sqrt", a[0])

    @T.prim_func(s_tir=True)
    def pointer(a: T.Buffer((4,), "float32")):
        T.evaluate(T.address_of(a[0]))

    return {"extern": extern, "packed": packed, "llvm": llvm, "pointer": pointer}[call]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        ("extern", "tirx.call_extern"),
        ("packed", "tvm_call_packed"),
        ("llvm", "call_llvm_pure_intrin"),
        ("pointer", "ir.PointerType"),
    ],
)
def test_calls_out_of_the_language_are_refused(call: str, said: str, path: Path) -> None:
    found = mismatch_about(calling(call), path)
    assert found is not None
    assert said in found


def test_sources_in_pragmas_are_refused(path: Path) -> None:
    @T.prim_func(s_tir=True)
    def main(a: T.Buffer((4,), "float32")):
        for i in T.serial(4, annotations={"pragma_import_c": "int x;"}):
            a[i] = T.float32(0)

    assert mismatch_about(main, path) == "the annotation 'pragma_import_c' is not allowed here"


def test_attributes_of_other_compilers_are_refused(path: Path) -> None:
    function = plain().with_attr("calling_conv", 1)
    assert mismatch_about(function, path) == (
        "the function attribute 'calling_conv' is not allowed here"
    )


def scheduled(how: str) -> Any:
    """The plain product with a word that means something to a compiler."""
    sch = s_tir.Schedule(tvm.IRModule({"main": plain()}))
    block = sch.get_sblock("C")
    if how == "scope":
        sch.cache_read(block, 0, "texture")
    if how == "block":
        sch.annotate(block, "pragma_import_llvm", "source")
    return sch.mod.with_attr("system_lib_prefix", "x") if how == "module" else sch.mod


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("plain", None),
        ("scope", "the storage scope 'texture' is not allowed here"),
        ("block", "the annotation 'pragma_import_llvm' is not allowed here"),
        ("module", "the function attribute 'system_lib_prefix' is not allowed here"),
    ],
)
def test_words_are_vetted_wherever_they_stand(how: str, said: str | None, path: Path) -> None:
    assert mismatch_about(scheduled(how), path) == said


def test_statements_that_a_graph_shares_are_counted_where_they_stand(path: Path) -> None:
    mismatch_about(plain(), path)
    graph = json.loads(path.read_text())
    nodes = graph["nodes"]
    function = next(node["data"] for node in nodes if node["type"] == "tirx.PrimFunc")
    for _ in range(45):
        body = function["body"]
        nodes.append({"type": "ffi.Array", "data": [body, body]})
        nodes.append({"type": "tirx.SeqStmt", "data": {"span": 0, "seq": len(nodes) - 1}})
        function["body"] = len(nodes) - 1
    path.write_text(json.dumps(graph))
    assert "each counted where it stands" in str(refusal(path, vetting.TIR))


def test_loops_that_need_not_end_are_refused(path: Path) -> None:
    @T.prim_func(s_tir=True)
    def main(a: T.Buffer((4,), "int32")):
        while a[0] < 1:
            a[1] = a[1] + 1

    found = mismatch_about(main, path)
    assert found is not None
    assert "tirx.While" in found


def test_too_much_work_is_refused(path: Path) -> None:
    huge = matmul_inputs.naive(4096, 4096, 4096)
    found = mismatch_about(huge, path)
    assert found is not None
    assert "statements" in found


def test_too_much_memory_is_refused(path: Path) -> None:
    @T.prim_func(s_tir=True)
    def main(a: T.Buffer((1 << 15, 1 << 15), "float32")):
        a[0, 0] = T.float32(0)

    assert mismatch_about(main, path) == "a buffer has more than 256 MiB"


def test_too_much_code_is_refused(path: Path) -> None:
    sch = s_tir.Schedule(tvm.IRModule({"main": matmul_inputs.naive(32, 32, 32)}))
    for loop in sch.get_loops(sch.get_sblock("C")):
        sch.unroll(loop)
    found = mismatch_about(sch.mod, path)
    assert found is not None
    assert "copies" in found


def test_a_function_that_is_not_there_is_refused(path: Path) -> None:
    from tvm.script import ir as I  # noqa: N812
    from tvm.script import relax as R  # noqa: N812

    @I.ir_module
    class Module:
        @T.prim_func(s_tir=True)
        def gone(a: T.Buffer((4,), "float32"), b: T.Buffer((4,), "float32")):  # noqa: N805
            for i in range(4):
                b[i] = a[i]

        @R.function
        def main(x: R.Tensor((4,), "float32")):  # noqa: N805
            cls = Module
            return R.call_tir(cls.gone, (x,), out_ty=R.Tensor((4,), "float32"))

    module = tvm.IRModule({"main": Module["main"]})
    assert mismatch_about(Module, path, vetting.RELAX) is None
    assert mismatch_about(module, path, vetting.RELAX) == (
        "a function of another module, 'gone' is not allowed here"
    )


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"nodes": [1]}', '{"nodes": [], "metadata": 1}'])
def test_what_is_no_module_is_refused(text: str, path: Path) -> None:
    path.write_text(text)
    found = refusal(path, vetting.TIR)
    assert found is not None
    assert "save_json" in found or "holds 0 modules" in found


def test_types_that_nobody_listed_are_refused(path: Path) -> None:
    mismatch_about(plain(), path)
    graph = json.loads(path.read_text())
    graph["nodes"].append({"type": "ir.EnvFunc", "data": "runtime.SystemLib"})
    path.write_text(json.dumps(graph))
    found = refusal(path, vetting.TIR)
    assert found == "'ir.EnvFunc' is not part of what a module may have here"


def test_names_hold_no_source(path: Path) -> None:
    mismatch_about(plain(), path)
    graph = json.loads(path.read_text())
    for node in graph["nodes"]:
        if node == {"type": "ffi.String", "data": "i"}:
            node["data"] = "i; } void f() {"
    path.write_text(json.dumps(graph))
    assert "the name 'i; } void f() {'" in str(refusal(path, vetting.TIR))


def racing(*, spatial: bool) -> Any:
    """A product with a parallel reduction loop, whose axis is called spatial or not."""

    @T.prim_func(s_tir=True)
    def matmul(
        a: T.Buffer((8, 4), "float32"),
        b: T.Buffer((4, 16), "float32"),
        c: T.Buffer((8, 16), "float32"),
    ):
        for p in T.parallel(4):
            for i, j in T.grid(8, 16):
                with T.sblock("C"):
                    vi, vj, vk = T.axis.remap("SSS" if spatial else "SSR", [i, j, p])
                    c[vi, vj] = c[vi, vj] + a[vi, vk] * b[vk, vj]

    return matmul


def test_a_parallel_sum_is_a_race() -> None:
    found = list(races.mismatches(racing(spatial=True)))
    assert found == [
        "iterations of the loop 'p' run at the same time and store to the same elements of 'c'"
    ]


def test_rows_in_parallel_are_none() -> None:
    sch = s_tir.Schedule(tvm.IRModule({"main": plain()}))
    sch.parallel(sch.get_loops(sch.get_sblock("C"))[0])
    assert list(races.mismatches(sch.mod["main"])) == []


def copied(over: str) -> Any:
    """A copy of 32 × 32 elements to shared memory, with threadIdx.x along the named axis."""
    rows = over == "rows"

    @T.prim_func(s_tir=True)
    def main(a: T.Buffer((32, 32), "float32"), c: T.Buffer((32, 32), "float32")):
        s = T.sblock_alloc_buffer((32, 32), scope="shared")
        for x in T.thread_binding(32, thread="threadIdx.x"):
            for y in range(32):
                with T.sblock("s"):
                    vi = T.axis.spatial(32, x if rows else y)
                    vj = T.axis.spatial(32, y if rows else x)
                    s[vi, vj] = a[vi, vj]
        for i, j in T.grid(32, 32):
            with T.sblock("c"):
                vi, vj = T.axis.remap("SS", [i, j])
                c[vi, vj] = s[vi, vj]

    return main


def test_threads_over_rows_waste_what_they_fetch() -> None:
    assert list(coalescing.mismatches(copied("columns"))) == []
    found = list(coalescing.mismatches(copied("rows")))
    assert len(found) == 1
    assert "uses 12% of the sectors" in found[0]


@pytest.mark.parametrize("wide", [True, False])
def test_loops_that_are_bound_to_one_axis_are_one_index(wide: bool) -> None:
    """The copy is inside of the thread's loop, and has a loop of its own over the same threads."""

    @T.prim_func(s_tir=True)
    def main(a: T.Buffer((32, 32), "float32"), c: T.Buffer((32, 32), "float32")):
        s = T.sblock_alloc_buffer((32, 32), scope="shared")
        for own in T.thread_binding(32, thread="threadIdx.x"):
            for x in T.thread_binding(32, thread="threadIdx.x"):
                for y in range(32):
                    with T.sblock("s"):
                        vi = T.axis.spatial(32, y if wide else x)
                        vj = T.axis.spatial(32, x if wide else y)
                        s[vi, vj] = a[vi, vj]
            for y in range(32):
                with T.sblock("c"):
                    vi = T.axis.spatial(32, y)
                    vj = T.axis.spatial(32, own)
                    c[vi, vj] = s[vi, vj]

    found = list(coalescing.mismatches(main))
    assert found == [] if wide else "uses 12% of the sectors" in found[0]


def test_the_naive_product_is_known_by_its_structure(path: Path) -> None:
    mismatch_about(plain(), path)
    assert matmul_looks.naive(str(path), 8, 16, 4) is None
    assert matmul_looks.naive(str(path), 8, 16, 8) == (
        "'main' takes float32[8, 4]; float32[4, 16]; float32[8, 16] "
        "and should take float32[8, 8]; float32[8, 16]; float32[8, 16]"
    )
