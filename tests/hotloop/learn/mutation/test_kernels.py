"""Changes to kernels do what they are named after, and the code still parses."""

import ast
import itertools

import pytest

from hotloop.learn.mutation import kernels


def made(edits: object, text: str) -> set[tuple[str, str]]:
    """Return operator and changed text of each edit."""
    return {(e.operator, e.made_in(text)) for e in edits(text)}  # type: ignore[operator]


@pytest.mark.parametrize(
    ("text", "operator", "changed"),
    [
        ("__syncthreads();\n  a = b;\n", "moved barrier", "a = b;\n  __syncthreads();\n"),
        ("a = b;\n  __syncthreads();\n", "moved barrier", "__syncthreads();\n  a = b;\n"),
        ("__syncthreads();", "second barrier", "__syncthreads(); __syncthreads();"),
        ("for (; c < n; c += kThreads) f();", "other stride",
         "for (; c < n; c += kThreads / 2) f();"),
        ("for (int half = 128; half > 0; half /= 2)", "other tree bound",
         "for (int half = 128; half > 16; half /= 2)"),
        ("columns % 4 == 0", "other vector width", "columns % 2 == 0"),
        ("constexpr int kKept = 8;", "smaller constant", "constexpr int kKept = 8 / 2;"),
        ("for (int i = t; i < n; i += B)", "a stretch for each thread",
         "for (int i = t * ((n + B - 1) / B); i < n && i < (t + 1) * ((n + B - 1) / B); ++i)"),
    ],
)  # fmt: skip
def test_cuda(text: str, operator: str, changed: str) -> None:
    assert (operator, changed) in made(kernels.c_edits, text)


def test_a_stretch_for_each_thread_has_all_elements_once() -> None:
    """Otherwise the change would be a mistake, and not a question about bytes."""
    for columns, threads in itertools.product((1, 7, 256, 1000), (4, 256)):
        share = (columns + threads - 1) // threads
        taken = [c for t in range(threads) for c in range(t * share, min(columns, (t + 1) * share))]
        assert taken == list(range(columns))


def test_a_comment_within_is_not_lost() -> None:
    text = "__syncthreads();  // here\n  a = b;\n"
    moved = {
        changed for operator, changed in made(kernels.c_edits, text) if operator == "moved barrier"
    }
    assert all("// here" in changed for changed in moved)


LOOP = """\
def kernel(p, n):
    total = 0.0
    for start in range(0, n, 4):
        inside = start < n
        x = tl.load(p + start, mask=inside, other=0.0).to(tl.float32)
        total = total + tl.sum(x - tl.max(x))
    return total
"""


@pytest.mark.parametrize(
    ("operator", "has"),
    [
        ("taken into the loop", "range(0, n, 4):\n        total = 0.0\n        inside"),
        ("taken out of the loop", "    inside = start < n\n    for start"),
        ("other padding", 'other=-float("inf"))'),
        ("other accumulator", "other=0.0)\n"),
        ("loaded again", "tl.max((tl.load(p + start, mask=inside, other=0.0).to(tl.float32)))"),
    ],
)
def test_python(operator: str, has: str) -> None:
    found = {changed for name, changed in made(kernels.python_edits, LOOP) if name == operator}
    assert any(has in changed for changed in found), found
    for changed in found:
        ast.parse(changed)


def test_a_block_becomes_larger_and_smaller() -> None:
    found = made(kernels.python_edits, "k[(1,)](x, BLOCK=block)")
    assert found == {
        ("other block size", "k[(1,)](x, BLOCK=2 * (block))"),
        ("other block size", "k[(1,)](x, BLOCK=max(1, (block) // 2))"),
    }
