"""Only Triton's language is accepted in the kernels extracted from a learner's file."""

import ast

import pytest

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.kernel_constants import MOST_PARTS
from hotloop.judge.kernel_source import MAX_CHARACTERS, KernelSource, vet

SOFTMAX = '''import os

import torch
import triton
import triton.language as tl

LOG2E = tl.constexpr(1.4426950408889634)
UNUSED = os.getcwd()


@triton.jit
def _larger(a, b):
    """Of two numbers."""
    return tl.maximum(a, b)


@triton.jit
def row_softmax(x_ptr, out_ptr, n: int, stride, BLOCK: tl.constexpr, eps: tl.float32 = 1e-6):
    """Row softmax.

    def row_softmax(x):
        import os
    """
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < n
    x = tl.load(
        x_ptr + row * stride + columns,
        mask=inside,
        other=-float("inf"),
        cache_modifier=".cg",
    )
    max = tl.reduce(x, 0, _larger)
    e: "whatever" = tl.math.exp2((x - max) * LOG2E)
    tl.store(out_ptr + row * n + columns, e / tl.sum(e, axis=0), mask=inside)


def softmax(x, out):
    os.system("true")
    row_softmax[(x.shape[0],)](x, out, x.shape[1], x.stride(0), BLOCK=1024)
'''


def kernel(*body: str, parameters: str = "x_ptr", before: str = "") -> str:
    """A file with one kernel `k` with these lines, the first of which is line 6."""
    head = ["import triton", "import triton.language as tl", before, "@triton.jit"]
    return "\n".join([*head, f"def k({parameters}):", *(f"    {line}" for line in body), ""])


def refused(source: str, name: str = "k") -> str:
    with pytest.raises(Ruling) as caught:
        vet(source, [name], "softmax_triton.py")
    assert caught.value.verdict is Verdict.WRONG_ANSWER
    return caught.value.sentence


def accepted(source: str, name: str = "k") -> KernelSource:
    return vet(source, [name], "softmax_triton.py")


def test_takes_the_kernel_its_helpers_and_its_constants() -> None:
    text = accepted(SOFTMAX, "row_softmax").text
    names = [getattr(s, "name", None) for s in ast.parse(text).body]
    assert names == [None, None, None, None, "_larger", "row_softmax"]
    assert "LOG2E = tl.constexpr(1.4426950408889634)" in text


def test_leaves_everything_else_behind() -> None:
    text = accepted(SOFTMAX, "row_softmax").text
    for word in ("os", "torch", "UNUSED", "getcwd", "system", "whatever", "Of two numbers"):
        assert word not in text
    assert text.count("def ") == 2


def test_knows_the_parameters() -> None:
    parameters = accepted(SOFTMAX, "row_softmax").kernels["row_softmax"]
    assert [p.name for p in parameters] == ["x_ptr", "out_ptr", "n", "stride", "BLOCK", "eps"]
    assert [p.name for p in parameters if p.constexpr] == ["BLOCK"]
    assert [p.name for p in parameters if not p.required] == ["eps"]


def test_maps_lines_back_to_the_learners_file() -> None:
    vetted = accepted(SOFTMAX, "row_softmax")
    ours = {line: n for n, line in enumerate(vetted.text.splitlines(), 1)}
    theirs = SOFTMAX.splitlines()
    number = next(n for text, n in ours.items() if "program_id" in text)
    line = vetted.lines[number]
    assert "program_id" in theirs[line - 1]
    assert vetted.place(number) == f"softmax_triton.py, line {line}"
    assert vetted.place(None) == vetted.place(10_000) == "softmax_triton.py"


def test_writes_tl_for_every_name_of_the_language() -> None:
    source = (
        "import triton as t\nfrom triton import language as L, jit\n@jit\n"
        "def k(p, B: L.constexpr):\n    x = L.load(p + L.arange(0, B))\n"
        "    L.store(p, t.language.exp(x) + t.cdiv(B, 2))\n"
    )
    text = accepted(source).text
    assert "B: tl.constexpr" in text
    assert "tl.store(p, tl.exp(x) + triton.cdiv(B, 2))" in text
    assert "L." not in text.replace("tl.", "")


@pytest.mark.parametrize(
    "line",
    [
        "x = x_ptr.to(tl.float32) if x_ptr.dtype == tl.float16 else x_ptr",
        "x = tl.load(x_ptr, eviction_policy='evict_last')[:, None]",
        "max = tl.max(tl.load(x_ptr), axis=0)",
        "x = tl.full([16, 16], float('-inf'), tl.float32).sum(1)",
        "x: tl.constexpr = min(len(x_ptr.shape), 3)",
        "x, y = tl.split(tl.join(tl.load(x_ptr), 1.0))",
        "x = tl.math.log2(tl.atomic_add(x_ptr, 1, sem='relaxed'))",
    ],
)
def test_accepts_the_language(line: str) -> None:
    assert accepted(kernel(line)).lines


@pytest.mark.parametrize(
    ("line", "word"),
    [
        ("import os", "an import"),
        ("from os import system", "an import"),
        ("os.system('true')", "os"),
        ("__import__('os')", "__import__"),
        ("eval('1')", "eval"),
        ("getattr(tl, 'load')", "getattr"),
        ("x = getattr", "getattr"),
        ("x = np.zeros(3)", "np"),
        ("x = interpreter_builder", "interpreter_builder"),
        ("x = _interpreter.load", "_interpreter"),
        ("x = inspect.currentframe()", "inspect"),
        ("x = tl.core", "tl.core"),
        ("x = tl.core.sys", "tl.core.sys"),
        ("x = tl.inspect", "tl.inspect"),
        ("x = tl.math.core", "tl.math.core"),
        ("x = tl.math.libdevice.__builtins__", "__builtins__"),
        ("x = triton.language.core.builtin.__globals__", "__globals__"),
        ("x = triton.runtime.interpreter", "triton.runtime"),
        ("x = tl.load.__globals__", "__globals__"),
        ("x = tl.load.__wrapped__", "__wrapped__"),
        ("x = tl.standard._log2", "tl.standard"),
        ("x = tl.inline_asm_elementwise('', '', [], tl.int32, True, 1)", "inline_asm"),
        ("x = x_ptr.handle", ".handle"),
        ("x = x_ptr.handle.data", ".handle"),
        ("x = x_ptr.__class__", ".__class__"),
        ("x = (1).__class__.__mro__", "__mro__"),
        ("x = ''.join(x_ptr)", ".join"),
        ("x = '{0.handle}'.format(x_ptr)", ".format"),
        ("x = f'{x_ptr.handle}'", "an f-string"),
        ("x_ptr.handle = 3", "cannot be set"),
        ("x_ptr.shape[0] = 3", "cannot be assigned"),
        ("tl.load = 3", "cannot be set"),
        ("del x_ptr", "`del`"),
        ("global x", "`global`"),
        ("x = lambda: 1", "a lambda"),
        ("(lambda: 1)()", "only a named function"),
        ("x = [y for y in range(3)]", "a comprehension"),
        ("x = tl.load(**x_ptr)", "plain arguments"),
        ("x = tl.load(x_ptr, _semantic=x_ptr)", "plain arguments"),
        ("x_ptr(3)", "cannot be called"),
        ("k[(1,)](x_ptr)", "only a named function"),
        ("x = tl", "`tl` cannot be passed"),
        ("tl = x_ptr", "`tl` cannot be the name"),
        ("__builtins__ = x_ptr", "cannot be the name"),
        ("x = 3j", "complex"),
        ("x = b'a'", "bytes"),
        ("x = ...", "ellipsis"),
        (f"x = {1 << 70}", "too large"),
        ("try: pass\n    finally: pass", "`try`"),
        ("with x_ptr: pass", "`with`"),
        ("x = [_interpreter for _interpreter in (1,)]", "a comprehension"),
        ("for i in range(3): break", "`break`"),
        ("def inner(): pass", "a function inside"),
        ("class Inner: pass", "a class"),
        ("x = yield", "`yield`"),
        ("raise x_ptr", "`raise`"),
        ("match x_ptr:\n        case 1: pass", "`match`"),
    ],
)
def test_refuses_what_is_not_the_language(line: str, word: str) -> None:
    sentence = refused(kernel(line))
    assert word in sentence
    assert sentence.startswith("softmax_triton.py, line ")


@pytest.mark.parametrize(
    "parameters",
    [
        "x_ptr, n=__import__('os')",
        "x_ptr, n=tl.core",
        "x_ptr, kept=[]",
        "x_ptr, kept=(1, [2])",
        "x_ptr, kept=tl.zeros([4], tl.float32)",
        "x_ptr, kept=tl.float32.shape",
        "x_ptr, *rest",
        "x_ptr, **rest",
        "x_ptr, /",
        "tl",
        "__x",
    ],
)
def test_refuses_parameters_that_do_more_than_name(parameters: str) -> None:
    refused(kernel("pass", parameters=parameters))


def test_drops_annotations_that_triton_does_not_read() -> None:
    text = accepted(kernel("pass", parameters="x_ptr: __import__('os'), n: 'i32' = 3")).text
    assert "__import__" not in text
    assert "def k(x_ptr, n=3):" in text


def test_keeps_a_constexpr_in_quotes_and_refuses_one_it_would_lose() -> None:
    assert "B: tl.constexpr" in accepted(kernel("pass", parameters="B: 'tl.constexpr'")).text
    assert "write `tl.constexpr`" in refused(kernel("pass", parameters="B: constexpr"))


@pytest.mark.parametrize(
    ("before", "word"),
    [
        ("C = __import__('os')", "__import__"),
        ("C = tl.core", "`C` (`triton.language.core`)"),
        ("C = open", "open"),
        ("C = [1, 2][0].__class__", "__class__"),
        ("C = [0]", "made of"),
        ("C = (0, [0])", "made of"),
        ("D = [0]; C = D", "made of"),
        ("C = tl.zeros([4], tl.float32)", "made of"),
        ("C = tl.constexpr([0])", "made of"),
        ("C = tl.constexpr(1).shape", "made of"),
        ("*D, C = 1, 2, 3", "not a constant"),
        ("C, D = *(1, 2), 3", "not a constant"),
        ("C, D = D, C", "a constant cannot use"),
        ("for C in (1,): pass", "not a constant"),
        ("from os import path as C", "`C` is imported"),
        ("C = 1; C = 2", "defined twice"),
        ("class C: pass", "not a constant"),
    ],
)
def test_refuses_constants_that_are_not_literals(before: str, word: str) -> None:
    source = kernel("x = x_ptr + C", before=before)
    assert word in refused(source)


@pytest.mark.parametrize(
    ("constant", "value"),
    [
        ("1", "1"),
        ("-0.5", "-0.5"),
        ("2 ** 10 - 1", "1023"),
        ("-0.0", "-0.0"),
        ("~5 + (3 << 2) // 5 % 2", "-6"),
        ("tl.constexpr(3)", "tl.constexpr(3)"),
        ("tl.constexpr(tl.constexpr(3))", "tl.constexpr(3)"),
        ("float('-inf')", "float('-inf')"),
        ("float('nan')", "float('nan')"),
        ("-float('inf') * 2", "float('-inf')"),
        ("1e400", "float('inf')"),
        ("(1, tl.float16)", "(1, tl.float16)"),
        ("True", "True"),
        ("not True", "False"),
        ("None", "None"),
        ("'sum'", "'sum'"),
        ("min(3, 2.5) + abs(-1) + int(2.7) + round(1.6)", "7.5"),
        ("triton.cdiv(7, 2) + triton.next_power_of_2(5) + tl.cdiv(9, 2)", "17"),
    ],
)
def test_computes_constants_and_defaults(constant: str, value: str) -> None:
    text = accepted(kernel("x = x_ptr + C", before=f"C = {constant}")).text
    assert f"\nC = {value}\n" in text
    default = accepted(kernel("pass", parameters=f"x_ptr, n={constant}")).text
    assert f"def k(x_ptr, n={value}):" in default


@pytest.mark.parametrize(
    "constant",
    [
        "1 // 0",
        "9 ** 9 ** 9",
        "2 ** 64",
        "1 << 64",
        "1 << -1",
        "0.0 ** -1",
        "(-8.0) ** 0.5",
        "1e200 ** 2",
        "float('x')",
        "int(float('inf'))",
        "round(5, -(10**9))",
        "round(2.5, 10**9)",
        "abs()",
        "min(1, 'a')",
        "'a' * 9",
        "'a' + 'b'",
        "(1,) * 9",
        "tl.constexpr()",
        "max(1, key=2)",
        "triton.cdiv(1, 0)",
        "triton.next_power_of_2(2.5)",
        "'%s'",
        "(1)[0]",
        "lambda: 1",
        "C",
    ],
)
def test_a_constant_that_cannot_be_computed_is_refused_with_its_line(constant: str) -> None:
    """The replay gets values only: no constant can fail or take long when its module is loaded."""
    sentence = refused(kernel("x = x_ptr + C", before=f"C = {constant}"))
    assert sentence.startswith("softmax_triton.py, line 3: ")


def test_a_tuple_that_doubles_is_refused_before_it_is_written_out() -> None:
    doubled = "\n".join(f"T{i} = (T{i - 1}, T{i - 1})" for i in range(1, 40))
    sentence = refused(kernel("x = x_ptr + T39[0]", before=f"T0 = (0, 0)\n{doubled}"))
    assert f"more than {MOST_PARTS} parts" in sentence


@pytest.mark.parametrize(
    ("before", "word"),
    [
        ("def helper(a): return a", "lacks @triton.jit"),
        ("@staticmethod\ndef helper(a): return a", "next to a kernel's `def`"),
        ("@triton.jit\n@evil\ndef helper(a): return a", "next to a kernel's `def`"),
        ("@triton.jit\ndef helper(a): return a.handle", ".handle"),
        ("@triton.jit\ndef helper(a): return a\ndef helper(a): return a", "twice"),
        ("helper = tl.core", "`helper` (`triton.language.core`) is not allowed"),
        ("from mine import helper", "`helper` is imported"),
    ],
)
def test_vets_helpers_as_kernels(before: str, word: str) -> None:
    assert word in refused(kernel("helper(x_ptr)", before=before))


def test_a_helper_may_not_take_the_languages_name() -> None:
    source = "import triton\nimport triton.language as L\n@triton.jit\ndef tl(p):\n    return p\n"
    source += "@triton.jit\ndef k(p):\n    L.store(p, tl(1))\n"
    assert "not a name to define" in refused(source)


def test_a_kernel_must_be_a_function_at_the_top_level() -> None:
    assert "there is no `k`" in refused("if True:\n    pass\n")
    assert "is launched but" in refused("k = 3\n")
    assert "`k` is imported: kernels are taken out of this file" in refused("from a import k\n")
    assert "lacks @triton.jit" in refused("if True:\n    def k(): pass\n")
    assert "not in a function or class" in refused("class A:\n    def k(): pass\n")


def test_a_docstring_cannot_smuggle_a_second_definition() -> None:
    """Triton's interpreter starts at the last line that begins with `def `."""
    source = kernel('"""', "def k(x_ptr):", "    import os", '"""', "tl.store(x_ptr, 1)")
    text = accepted(source).text
    assert "import os" not in text
    assert text.count("def ") == 1


def test_odd_line_ends_change_nothing() -> None:
    source = kernel("x = 1\f", "tl.store(x_ptr, x)  # \u2028def k(): import os").replace(
        "\n", "\r\n"
    )
    text = accepted(source).text
    assert "import os" not in text
    assert "tl.store(x_ptr, x)" in text


@pytest.mark.parametrize(
    ("expression", "verdict"),
    [
        ("-" * 90_000 + "1", Verdict.COMPILE_ERROR),
        ("(" * 90_000, Verdict.COMPILE_ERROR),
        ("+".join(["1"] * 40_000), Verdict.WRONG_ANSWER),
        ("x_ptr" + ".T" * 40_000, Verdict.WRONG_ANSWER),
        ("x_ptr" + ".T" * 600, Verdict.WRONG_ANSWER),
        ("1" * MAX_CHARACTERS, Verdict.WRONG_ANSWER),
        ("1 +", Verdict.COMPILE_ERROR),
        ("\0", Verdict.COMPILE_ERROR),
    ],
)
def test_hostile_text_gets_a_verdict(expression: str, verdict: Verdict) -> None:
    with pytest.raises(Ruling) as caught:
        vet(kernel(f"x = {expression}"), ["k"], "softmax_triton.py")
    assert caught.value.verdict is verdict


def test_what_only_the_compiler_of_python_refuses_is_the_learners_error() -> None:
    """Otherwise the replay would fail when it loads the text."""
    with pytest.raises(Ruling) as caught:
        vet(kernel("pass", parameters="a, a"), ["k"], "softmax_triton.py")
    assert caught.value.verdict is Verdict.COMPILE_ERROR
    assert "duplicate argument" in caught.value.sentence
