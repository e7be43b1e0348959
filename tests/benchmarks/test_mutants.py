"""The mutation operators make the mistakes that they are named after, in code that still runs."""

import ast
import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import mutants
import reference_mutants

from hotloop.learn.mutation import c_code, python_code
from hotloop.takehome import recorded
from hotloop.tasks import curriculum


def made(edits: object, text: str) -> set[tuple[str, str]]:
    """Return operator and changed text of each edit."""
    return {(e.operator, text[: e.start] + e.text + text[e.end :]) for e in edits(text)}  # type: ignore[operator]


@pytest.mark.parametrize(
    ("text", "operator", "mutant"),
    [
        ("x.amax(dim=-1)", "part of a reduction",
         "(x)[..., : max(1, (x).shape[-1] // 2)].amax(dim=-1)"),
        ("x.sum(axis=0)", "part of a reduction", "(x)[: max(1, (x).shape[0] // 2)].sum(axis=0)"),
        ("sum(a for a in b)", "part of a reduction", "sum([*((a for a in b))][1:])"),
        ("range(0, n, B)", "block off by one", "range(0, (n) - (B), B)"),
        ("x[a:b]", "block off by one", "x[a:(b) - 1]"),
        ("total * exp(a)", "missing rescale", "(total)"),
        ("exp(x - m)", "missing shift", "exp(x)"),
        ("x.to(tl.float32)", "narrower type", "x.to(tl.float16)"),
        ("x.float()", "narrower type", "x.half()"),
        ("f(row_stride, column_stride)", "swapped arguments", "f(column_stride, row_stride)"),
        ("if n == 0:\n    pass", "dropped guard", "if False:\n    pass"),
        ("tl.load(p, mask=m)", "dropped guard", "tl.load(p)"),
        ("where(empty, 0.0, x)", "dropped guard", "(x)"),
        ("a < b", "mask of the wrong side", "(a <= b)"),
        ("a < b", "mask of the wrong side", "(a > b)"),
        ("a // b", "other arithmetic", "(a * b)"),
        ("f(4)", "wrong constant", "f(5)"),
        ('float("-inf")', "wrong identity", 'float("0")'),
        ("max(a, b)", "opposite function", "min(a, b)"),
        ("x += y", "missing statement", "pass"),
        ("a and b", "wrong connective", "((a) or (b))"),
        ("sorted(x)", "wrong order", "sorted(x)[::-1]"),
        ("tl.atomic_add(p, x, mask=m)", "atomic made plain",
         "tl.store(p, tl.load(p, mask=m) + x, mask=m)"),
        ("tl.atomic_max(p, x)", "atomic made plain", "tl.store(p, tl.maximum(tl.load(p), x))"),
        ("tl.atomic_xchg(lock, 0)", "atomic made plain", "tl.store(lock, 0)"),
        ("while tl.atomic_cas(lock, 0, 1) == 1:\n    pass", "lock removed", "pass"),
        ("tl.program_id(0) * B", "blocks overlap", "(tl.program_id(0) * (B - 1))"),
        ("row = tl.program_id(0).to(tl.int64)\nrow * n", "blocks overlap",
         "row = tl.program_id(0).to(tl.int64)\n(row * (n - 1))"),
    ],
)  # fmt: skip
def test_python(text: str, operator: str, mutant: str) -> None:
    found = made(python_code.edits, text)
    assert (operator, mutant) in found
    for _, changed in found:
        ast.parse(changed)


@pytest.mark.parametrize(
    ("text", "operator", "mutant"),
    [
        ("for (int half = kThreads / 2; half > 0; half /= 2)", "part of a reduction",
         "for (int half = kThreads / 4; half > 0; half /= 2)"),
        ("for (int c = t; c < columns; c += n)", "block off by one",
         "for (int c = t; c < columns - 1; c += n)"),
        ("a.sum * rescale(a.maximum, m)", "missing rescale", "a.sum"),
        ("__expf(x - m)", "missing shift", "__expf(x)"),
        ("float sum = 0.0f;", "narrower type", "__half sum = 0.0f;"),
        ("f(rows, columns)", "swapped arguments", "f(columns, rows)"),
        ("if (row >= rows) return;", "dropped guard", "if (false) return;"),
        ("q < quads", "mask of the wrong side", "q <= quads"),
        ("float m = -CUDART_INF_F;", "wrong identity", "float m = 0.0f;"),
        ("__syncthreads();", "missing barrier", ";"),
        ("fmaxf(a, b)", "opposite function", "fminf(a, b)"),
    ],
)  # fmt: skip
def test_c(text: str, operator: str, mutant: str) -> None:
    assert (operator, mutant) in made(c_code.edits, text)


def test_comments_and_strings_of_c_stay_as_they_are() -> None:
    assert made(c_code.edits, '// a < b\n/* c + d */ "e && f"\n#include <x/y>\n') == set()


def test_no_edit_leaves_a_text_as_it_is() -> None:
    text = "for i in range(0, n, 2):\n    x += y[i] * 2 if i < 3 else 0\n"
    assert all(changed != text for _, changed in made(python_code.edits, text))


@pytest.mark.slow
def test_a_tasks_mutants_differ_from_the_reference_in_one_place() -> None:
    module = curriculum.load_module("fused_softmax")
    task = module.task("triton_forward")
    found = reference_mutants.mutants(module, task, 30)
    assert len({mutant.id for mutant in found}) == 30
    assert len({mutant.operator for mutant in found}) >= 12
    reference = reference_mutants.render.submission(module.id)
    for mutant in found[:5]:
        files = mutant.files()
        assert [name for name in files if files[name] != reference[name]] == ["softmax_triton.py"]
    assert [mutant.id for mutant in reference_mutants.mutants(module, task, 30)] == [
        m.id for m in found
    ]


def row(kind: str = "mutant", judged: int = 10, passed: int = 0) -> mutants.Row:
    failed = {"correct": judged - passed} if passed < judged else {}
    return mutants.Row("m.t/x/1", "m", "t", kind, "x", "Python", ("a", "b"), judged, passed, failed)


def test_what_must_not_be() -> None:
    right = {"m.t/x/1": "The same."}
    assert not [*mutants.problems(row(), {})]
    assert [*mutants.problems(row(passed=1), {})], "passes by chance"
    assert [*mutants.problems(row(passed=10), {})], "passes without a reason"
    assert not [*mutants.problems(row(passed=10), right)]
    assert [*mutants.problems(row(passed=9), right)], "said to be right, and fails once"
    assert [*mutants.problems(row("reference", passed=9), {})]
    assert not [*mutants.problems(row("reference", passed=10), {})]
    assert [*mutants.problems(row("made", passed=1), {})]


@pytest.mark.slow
def test_reasons_are_of_mutants_that_there_are() -> None:
    """A reason for code that has changed is out of date."""
    reasons = mutants.reasons_of(mutants.RIGHT)
    known: set[str] = set()
    for module in {key.partition(".")[0] for key in reasons}:
        loaded = curriculum.load_module(module)
        for task in loaded.tasks:
            known |= {place.id for place in reference_mutants.places(loaded, task)}
    assert set(reasons) <= known
    assert all(reason.strip() for reason in reasons.values())


def test_reports_state_what_was_measured() -> None:
    kept = json.loads(mutants.RESULT.read_text(encoding="utf-8"))
    stated = recorded.recorded("mutants")
    assert stated is not None
    assert stated["rows"] == mutants.by_task(kept["answers"])
