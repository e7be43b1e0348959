"""Widths of loads and stores, from machine code and from PTX."""

from pathlib import Path

import pytest

from hotloop.engines.nvcc import sass
from hotloop.engines.nvcc.sass import Accesses, SassAccess, widest

RECORDED = Path(__file__).parent / "recorded"
THROUGH_SHARED = "_Z14through_sharedI6float4Li1EEvPKT_PS1_i"
TAIL = "_Z15vector_and_tailPKfPfi"
SCALAR = "_Z6scalarPKfPfi"
BY_CALL = "_Z7by_callPK6float4Pfi"


@pytest.fixture
def machine_code() -> Accesses:
    return sass.from_sass((RECORDED / "copies.sass").read_text(), "copies.cu")


@pytest.fixture
def ptx() -> Accesses:
    return sass.from_ptx((RECORDED / "copies.ptx").read_text(), "copies.cu")


def test_widths_and_lines_in_machine_code(machine_code: Accesses) -> None:
    assert machine_code[THROUGH_SHARED] == (
        SassAccess("load", 16, 1, (11,)),
        SassAccess("store", 16, 1, (13,)),
    )
    assert machine_code[TAIL] == (
        SassAccess("load", 16, 1, (24,)),
        SassAccess("load", 4, 1, (28,)),
        SassAccess("store", 4, 2, (26, 28)),
    )
    assert machine_code["bytes"][0] == SassAccess("load", 1, 1, (32,))
    assert widest(machine_code[SCALAR], "load") == 4


def test_a_function_that_is_called_counts_for_its_kernel(machine_code: Accesses) -> None:
    assert machine_code[BY_CALL][0] == SassAccess("load", 4, 1, (34,))


def test_ptx_says_the_same_where_nothing_is_called(ptx: Accesses, machine_code: Accesses) -> None:
    alike = set(machine_code) - {BY_CALL}
    assert {k: ptx[k] for k in alike} == {k: machine_code[k] for k in alike}
    assert all(access.did == "store" for access in ptx[BY_CALL])


def test_a_scalar_kernel_is_not_taken_for_a_vector_one(ptx: Accesses) -> None:
    assert widest(ptx[SCALAR], "load") == 4
    assert widest(ptx[TAIL], "load") == 16
    assert widest((), "load") == 0


@pytest.mark.parametrize(
    ("instruction", "did", "size"),
    [
        ("LDG.E R4, [R2.64]", "load", 4),
        ("@!P0 LDG.E.128.CONSTANT R8, desc[UR6][R2.64]", "load", 16),
        ("@P1 LDG.E.64.SYS R8, [R2]", "load", 8),
        ("LDG.E.U16.CONSTANT R8, [R2]", "load", 2),
        ("LDG.E.S8 R8, [R2]", "load", 1),
        ("LDG.E.LTC128B R8, [R2]", "load", 4),
        ("LDG.E.ENL2.256 R8, R4, desc[UR4][R2.64]", "load", 32),
        ("LD.E.128 R8, [R2]", "load", 16),
        ("LDGSTS.E.BYPASS.128 [R3], [R2.64]", "load", 16),
        ("UTMALDG.2D [UR8], [UR6]", "load", 16),
        ("UTMASTG.2D [UR8], [UR6]", "store", 16),
        ("UBLKCP.S.G [UR8], [UR6], UR4", "load", 16),
        ("UBLKCP.G.S [UR8], [UR6], UR4", "store", 16),
        ("STG.E.64 desc[UR6][R2.64], R8", "store", 8),
    ],
)
def test_instructions_of_global_memory(instruction: str, did: str, size: int) -> None:
    text = f".text.k:\n        /*00c0*/                   {instruction} ;\n"
    ((access,),) = sass.from_sass(text, "k.cu").values()
    assert (access.did, access.bytes) == (did, size)


@pytest.mark.parametrize("other", ["LDS.128 R4, [R2]", "LDC.64 R2, c[0x0][0x28]", "LDL R1, [R2]"])
def test_other_memory_is_none_of_its_business(other: str) -> None:
    assert sass.from_sass(f".text.k:\n  /*00c0*/  {other} ;\n", "k.cu") == {}


def test_opcodes_are_those_of_each_kernel() -> None:
    text = (
        ".text.k:\n//## HGMMA.64x64x16.F32 stands in a comment\n"
        "        /*04e0*/               @UP1 UTCHMMA gdesc[UR10], gdesc[UR12] ;\n"
        ".text.other:\n        /*0660*/                   HGMMA.64x64x16.F32.BF16 R24 ;\n"
    )
    assert sass.opcodes(text) == {"k": {"UTCHMMA"}, "other": {"HGMMA"}}


def test_cuobjdumps_form_is_read_too() -> None:
    text = (
        "\t\tFunction : _Z1kPf\n"
        "        /*0050*/                   LDG.E.64 R0, [R2] ;     /* 0x0000000402007981 */\n"
    )
    assert sass.from_sass(text, "k.cu") == {"_Z1kPf": (SassAccess("load", 8, 1, ()),)}


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("ld.global.nc.v4.f32 \t{%f1, %f2, %f3, %f4}, [%rd5];", ("load", 16)),
        ("@%p1 ld.global.v2.u32 {%r1, %r2}, [%rd5];", ("load", 8)),
        ("ld.global.L1::no_allocate.v8.b32 {%r1}, [%rd5];", ("load", 32)),
        ("ld.v2.f64 {%fd1, %fd2}, [%rd5];", ("load", 16)),
        ("ld.global.u8 %rs1, [%rd5];", ("load", 1)),
        ("st.global.v2.b16 [%rd7], {%h1, %h2};", ("store", 4)),
        ("cp.async.cg.shared.global [%r1], [%rd2], 16;", ("load", 16)),
        ("ld.shared.v4.f32 {%f1, %f2, %f3, %f4}, [%r5];", None),
        ("ld.param.u64 %rd1, [k_param_0];", None),
        ("st.local.v4.f32 [%rd5], {%f4, %f1, %f2, %f3};", None),
    ],
)
def test_instructions_of_ptx(row: str, expected: tuple[str, int] | None) -> None:
    found = sass.from_ptx(f".visible .entry k(\n\t{row}\n}}\n", "k.cu")
    accesses = [(a.did, a.bytes) for a in found.get("k", ())]
    assert accesses == ([] if expected is None else [expected])


def test_an_inlined_access_stands_on_the_line_of_its_caller() -> None:
    text = (
        '.file 1 "/a/k.cu"\n.file 2 "/a/helper.cuh"\n.visible .entry k(\n'
        "\t.loc\t2 7 3, function_name $L__info, inlined_at 1 40 5\n"
        "\tld.global.f32 %f1, [%rd1];\n}\n"
    )
    assert sass.from_ptx(text, "k.cu") == {"k": (SassAccess("load", 4, 1, (40,)),)}
    text = (
        '.text.k:\n\t//## File "/a/helper.cuh", line 7 inlined at "/a/k.cu", line 40\n'
        "        /*0050*/      LDG.E R0, [R2] ;\n"
    )
    assert sass.from_sass(text, "k.cu") == {"k": (SassAccess("load", 4, 1, (40,)),)}
    assert sass.from_sass(text, "other.cu") == {"k": (SassAccess("load", 4, 1, ()),)}
