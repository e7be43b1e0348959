"""Code that neither a reader nor the comparison sees through is named, and honest code is not."""

import pytest

from hotloop.takehome.integrity import unseen_code
from hotloop.takehome.integrity.signal import Signal
from hotloop.tasks import render
from hotloop.tasks.curriculum import load_module

from ..made_reports import MODULE, with_cell


def found(task: str, files: dict[str, bytes]) -> list[Signal]:
    starter = render.untouched(MODULE)
    return unseen_code.signals(load_module(MODULE), [task], {**starter, **files}, starter)


def of_cell(text: str) -> list[Signal]:
    notebook = render.untouched(MODULE)["lab.ipynb"]
    return found("online_pass", {"lab.ipynb": with_cell(notebook, "online_pass_solution", text)})


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("import base64\nexec(base64.b64decode('eA=='))", "imports `base64`"),
        ("from zlib import decompress\nx = decompress(b'')", "imports `zlib`"),
        ("f = eval(name)", "calls `eval`"),
        ("g = compile(text, 'x', 'exec')", "calls `compile`"),
        (f"program = '{'x = y + 1; ' * 40}'", "has a string of 440 characters"),
        (f"blob = b'{'aa' * 200}'", "has a string of 400 characters"),
        (f"table = [{'1, ' * 150}]", "has a list of 150 values"),
        ("def f(:\n  pass", "does not parse as Python"),
    ],
)
def test_what_is_no_code_for_the_comparison_is_said(code: str, says: str) -> None:
    (signal,) = of_cell(code)
    assert signal.kind == "opaque_code"
    assert any(says in line for line in signal.evidence), signal.evidence


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ('asm volatile("mov.u32 %0, %laneid;" : "=r"(x));', "has inline assembly"),
        ("\n".join(f"#define M{n} x{n}" for n in range(8)), "8 macros"),
        (f"int t[] = {{{'0x1f, ' * 120}}};", "has a list of 120 values"),
        ('#include "mine.cuh"', ""),
    ],
)
def test_of_cuda_too(code: str, says: str) -> None:
    file = render.submission(MODULE)["softmax.cu"] + b"\n" + code.encode()
    signals = found("cuda_block", {"softmax.cu": file})
    assert [says in signal.evidence[0] for signal in signals] == ([True] if says else [])


def test_a_file_that_was_added_is_looked_at_as_well() -> None:
    (signal,) = found("cuda_block", {"mine.cuh": b'__device__ void f() { asm("trap;"); }\n'})
    assert signal.evidence[0].startswith("mine.cuh: ")


def test_what_hides_in_code_is_named_with_its_line() -> None:
    (signal,) = of_cell("x = 1\n# \u202e ssap \u202c\nz = '\u200b'\n")
    assert signal.kind == "hidden_characters"
    assert [line.partition(": ")[2] for line in signal.evidence] == [
        "⟦U+202C⟧, ⟦U+202E⟧",
        "⟦U+200B⟧",
    ]


@pytest.mark.parametrize(
    "code",
    [
        "model.eval()\nf = torch.compile(g)\n",
        '"""' + "A docstring of many words that says what the function does. " * 10 + '"""\n',
        "# −∞ and ≤, 中文, naïve\nx = 1\n",
        "x = 1\r\ny = 2\r\n",
    ],
)
def test_honest_code_is_not(code: str) -> None:
    assert of_cell(code) == []


def test_what_our_own_solution_does_too_is_no_sign() -> None:
    whole = render.submission("gemm_hopper")
    module = load_module("gemm_hopper")
    tasks = [task.id for task in module.tasks]
    assert unseen_code.signals(module, tasks, whole, render.untouched("gemm_hopper")) == []
