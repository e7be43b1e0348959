"""What a variant changes in a module's text, and what it does not."""

import ast
import json

import pytest

from hotloop.tasks import curriculum, render
from hotloop.tasks.variants import Variant, draw, rewriting

SECRET = b"sixteen bytes or more of secret"
VARIANT = Variant(
    "fused_softmax",
    {
        "SHARPNESS": 1.25,
        "TOTAL": 3.0,
        "EMPTY": -4.0,
        "MASKED": 7.0,
        "HIDES": True,
        "SHAPE": "16384, 4096",
    },
    {
        "online_softmax": "online_softmax_wren",
        "masked_softmax": "masked_softmax_heron",
        "softmax_naive": "softmax_naive_ibis",
        "softmax_block": "softmax_block_quail",
        "softmax_warp": "softmax_warp_rook",
    },
)


def _cells(files: dict[str, bytes]) -> str:
    return "\n".join("".join(cell["source"]) for cell in json.loads(files["lab.ipynb"])["cells"])


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("y = exp(x)", "y = exp(2 * (x))"),
        ("  y = exp(f(x)) + exp(exp(z))", "  y = exp(2 * (f(x))) + exp(2 * (exp(2 * (z))))"),
        ("y = exp(x  # ends in another line", "y = exp(x  # ends in another line"),
        ("y = log(x)", "y = log(x)"),
    ],
)
def test_calls_are_rewritten_with_their_arguments(line: str, wanted: str) -> None:
    assert rewriting._edited(line, "exp(…)", "exp(2 * (…))") == wanted


def test_further_lines_begin_where_the_first_one_does() -> None:
    assert rewriting._edited("    total = 1", "total", "fill = 0\ntotal") == (
        "    fill = 0\n    total = 1"
    )


def test_an_exercise_says_what_its_candidate_is_asked() -> None:
    files = render.render("fused_softmax", VARIANT)
    told = _cells(files)
    assert "*sharpness* of **1.25**, and its rows add up to **3**" in told
    assert "Write `online_softmax_wren(x, block=256)`" in told
    assert "Each element of a row of nothing but `-inf` becomes -4" in told
    assert "masked out altogether becomes 7." in told
    assert "and 1 means *leave out*" in told
    assert "`[16384, 4096]` bfloat16 tensor" in told
    assert 'check("fused_softmax.online_pass")' in told
    assert 'show_traffic("softmax.cu", "softmax_naive_ibis"' in told
    assert b"softmax_block_quail(const float* x" in files["softmax.cu"]


@pytest.mark.slow
def test_an_exercise_in_a_variant_holds_no_more_solution_than_the_plain_one() -> None:
    mine, theirs = (_cells(render.render("fused_softmax", v)) for v in (VARIANT, None))
    assert mine.count("raise NotImplementedError") == theirs.count("raise NotImplementedError")
    assert "def online_softmax_wren(x, block=256):\n    raise NotImplementedError" in mine
    files = render.render("fused_softmax", VARIANT)
    assert all(b"fill = " not in content for name, content in files.items() if name != "lab.ipynb")


@pytest.mark.slow
@pytest.mark.parametrize("module", [m.id for m in curriculum.modules()])
def test_files_of_a_variant_are_still_python_and_graded_alike(module: str) -> None:
    variant = draw(module, SECRET, "quiet-otter-41")
    files, as_plain = render.submission(module, None, variant), render.submission(module)
    assert set(files) == set(as_plain)
    for name, content in files.items():
        if name.endswith(".py"):
            ast.parse(content.decode())
    cells, plain_cells = (json.loads(f["lab.ipynb"])["cells"] for f in (files, as_plain))
    assert [c["metadata"] for c in cells] == [c["metadata"] for c in plain_cells]
    checks = [c["source"] for c in cells if c["metadata"].get("nbgrader", {}).get("points")]
    plain_checks = [
        c["source"] for c in plain_cells if c["metadata"].get("nbgrader", {}).get("points")
    ]
    assert [c for c in checks if "check(" in str(c)] == [
        c for c in plain_checks if "check(" in str(c)
    ]


def test_constants_that_no_option_has_are_refused() -> None:
    unknown = Variant("fused_softmax", {**VARIANT.constants, "SHAPE": "3, 5"})
    with pytest.raises(ValueError, match=r"the choice card has no option with \{'SHAPE': '3, 5'\}"):
        render.render("fused_softmax", unknown)


def test_a_variant_of_another_module_is_refused() -> None:
    with pytest.raises(ValueError, match="is one of fused_softmax"):
        render.render("profile_training_loop", VARIANT)
