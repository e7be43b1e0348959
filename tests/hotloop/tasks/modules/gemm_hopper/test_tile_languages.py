"""What CuTe DSL and cuTile have made: figures of recorded PTX, and Tile IR that runs on numpy."""

import importlib.util
import sys
from types import ModuleType

import numpy as np
import pytest

from hotloop.judge.questions import GivenFile
from hotloop.tasks.modules.gemm_hopper import tile_languages

VIEW = "partition_view<tile=({}){}, tensor_view<?x?xf16, strides=[?,1]>>"
PRODUCT = f"""\
entry @k(%a: tile<ptr<f16>>, %m: tile<i32>, %k: tile<i32>, %s: tile<i32>, %t: tile<i32>, \
%b: tile<ptr<f16>>, %k1: tile<i32>, %n: tile<i32>, %s1: tile<i32>, %t1: tile<i32>, \
%c: tile<ptr<f16>>, %m2: tile<i32>, %n2: tile<i32>, %s2: tile<i32>, %t2: tile<i32>) {{
  %0 = make_token : token
  %x, %y, %z = get_tile_block_id : tile<i32>
  %zero = constant <f32: 0.000000e+00> : tile<2x2xf32>
  %first = constant <i32: 0> : tile<i32>
  %one = constant <i32: 1> : tile<i32>
  %pa = make_partition_view %a : {VIEW.format("2x4", ", padding_value = zero")}
  %pb = make_partition_view %b : {VIEW.format("4x2", ", padding_value = zero")}
  %pc = make_partition_view %c : {VIEW.format("2x2", "")}
  %1:2 = get_index_space_shape %pa : {VIEW.format("2x4", "")} -> tile<i32>
  %for = for %i in (%first to %1#1, step %one) : tile<i32> iter_values(%sum = %zero) -> (tile<2x2xf32>) {{
    %l, %tok = load_view_tko weak %pa[%x, %i] token = %0 : tile<i32> -> tile<2x4xf16>, token
    %r, %tok1 = load_view_tko weak %pb[%i, %y] token = %0 : tile<i32> -> tile<4x2xf16>, token
    %2 = mmaf %l, %r, %sum : tile<2x4xf16>, tile<4x2xf16>, tile<2x2xf32>
    continue %2 : tile<2x2xf32>
  }}
  %3 = ftof %for  : tile<2x2xf32> -> tile<2x2xf16>
  %4 = store_view_tko weak %3, %pc[%x, %y] token = %0 : tile<2x2xf16> -> token
  return
}}
"""  # noqa: E501


@pytest.fixture(scope="module")
def machine() -> ModuleType:
    path = tile_languages.PROGRAMS / "tile_machine.py"
    spec = importlib.util.spec_from_file_location("tile_machine", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["tile_machine"] = module
    spec.loader.exec_module(module)
    return module


def product(machine: ModuleType, text: str) -> np.ndarray:
    """Return 3 x 5 times 5 x 3 as the kernel computes it."""
    a, b = np.arange(15.0).reshape(3, 5), np.arange(15.0).reshape(5, 3)
    arrays = [a.astype(np.float16), b.astype(np.float16), np.full((3, 3), np.nan, np.float16)]
    machine.Machine(text, arrays, (2, 2, 4)).run()
    return arrays[2]


WANT = np.arange(15.0).reshape(3, 5) @ np.arange(15.0).reshape(5, 3)


def test_tile_ir_runs(machine: ModuleType) -> None:
    assert (product(machine, PRODUCT) == WANT).all()


def test_what_lies_outside_of_an_array_is_no_number(machine: ModuleType) -> None:
    open_ = PRODUCT.replace(", padding_value = zero", "", 1)
    assert np.isnan(product(machine, open_)).any()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("%2 = mmaf", "%2 = strange_op", "does not run strange_op"),
        ("step %one", "step %first", "arg 3 must not be zero"),
        ("f32: 0.0", "f32: zero", "could not convert"),
    ],
)
def test_what_does_not_run_says_why(machine: ModuleType, old: str, new: str, said: str) -> None:
    with pytest.raises((machine.UnknownOperation, ValueError), match=said):
        product(machine, PRODUCT.replace(old, new))


def test_branches_and_loops(machine: ModuleType) -> None:
    start = PRODUCT.index("  %for = for")
    end = PRODUCT.index("  %3 = ftof")
    loop = PRODUCT[start:end]
    loop = loop.replace(
        "%for = for %i in (%first to %1#1, step %one) : tile<i32> iter_values(%sum = %zero) -> "
        "(tile<2x2xf32>) {",
        "%9:2 = loop iter_values(%i = %first, %sum = %zero) : tile<i32>, tile<2x2xf32> {\n"
        "    %8 = cmpi less_than %i, %1#1, signed : tile<i32> -> tile<i1>\n"
        "    if %8 {\n    } else {\n      break %i, %sum : tile<i32>, tile<2x2xf32>\n    }",
    ).replace("continue %2", "%7 = addi %i, %one : tile<i32>\n    continue %7, %2 : tile<i32>,")
    text = PRODUCT[:start] + loop + PRODUCT[end:].replace("ftof %for", "ftof %9#1")
    assert (product(machine, text) == WANT).all()


def test_each_figure_differs_between_recorded_kernels() -> None:
    paths = sorted(tile_languages.LISTINGS.glob("*.ptx"))
    figures = [tile_languages.facts(path.read_text(encoding="utf-8")) for path in paths]
    assert all(all(each.values()) for each in figures)
    for name in figures[0]:
        assert len({each[name] for each in figures}) > 1, name


@pytest.mark.parametrize("seed", range(5))
def test_who_reads_comments_reads_wrong(seed: int) -> None:
    for question in tile_languages.readings(np.random.default_rng(seed)):
        (file,) = question.arguments
        assert isinstance(file, GivenFile)
        text = file.data.decode()
        assert question.mismatch(tile_languages.facts(text)) is None
        assert question.mismatch(tile_languages.facts(text.replace("//", ""))) is not None


def test_a_register_stands_for_its_number() -> None:
    figures = tile_languages.facts("mov.b32 %r1, 7;\nmbarrier.init.shared.b64 [%r9], %r1;\n")
    assert (figures["barriers"], figures["arrivals"]) == (1, 7)
