"""What people write in Triton kernels is accepted and computes the same, or is refused truly."""

import ast
import contextlib
import json
import random
import re
import subprocess
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from hotloop.core import paths
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge import kernel_lists, kernel_source
from hotloop.judge.checks.triton_kernel_correct import TritonKernelCorrect
from hotloop.judge.kernel_lists import (
    BUILTINS,
    CONSTRUCTS,
    DROPPED,
    INSTEAD,
    LANGUAGE,
    LIBDEVICE,
    MEMBERS,
    NUMBER_FUNCTIONS,
    TRITON,
    is_text,
)
from hotloop.judge.kernel_source import vet
from hotloop.judge.task import find
from hotloop.site import kernels_page
from hotloop.tasks import curriculum
from hotloop.worker import triton_operations

from .kernel_forms import ACCEPTED, REFUSED, Form

RUNNER = Path(__file__).with_name("run_kernel_forms.py")


def vetted(form: Form) -> str:
    return vet(form.source, ["k"], "kernels.py").text


def unchanged(form: Form) -> str:
    return form.source


def results(
    forms: dict[str, Form],
    folder: Path,
    how: str,
    environment: dict[str, str],
    text: Callable[[Form], str] = vetted,
) -> dict[str, str]:
    """Run `run_kernel_forms.py` on the forms: what is wrong with each, empty for nothing."""
    jobs = {
        name: {
            "learner": form.source,
            "vetted": text(form),
            "arguments": form.arguments,
            "recorded": form.recorded,
        }
        for name, form in forms.items()
    }
    (folder / "jobs.json").write_text(json.dumps(jobs))
    done = subprocess.run(
        [sys.executable, str(RUNNER), how, "jobs.json"],
        cwd=folder,
        env={**environment, "PATH": "/usr/bin", "HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


def test_there_are_at_least_150_legal_forms() -> None:
    assert len(ACCEPTED) >= 150


@pytest.mark.parametrize("name", ACCEPTED)
def test_a_legal_form_is_accepted(name: str) -> None:
    form = ACCEPTED[name]
    text = vet(form.source, ["k"], "kernels.py").text
    assert "print" not in text
    assert "assert" not in text
    assert "import" not in text.partition("libdevice\n")[2]


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_refused_says_what_to_write(name: str) -> None:
    form, words = REFUSED[name]
    with pytest.raises(Ruling) as caught:
        vet(form.source, ["k"], "kernels.py")
    assert caught.value.verdict is Verdict.WRONG_ANSWER
    assert words in caught.value.sentence
    assert caught.value.sentence.startswith("kernels.py, line ")


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_written_is_vetted_or_ruled_on(seed: int) -> None:
    """Forms with words of others, and of the interpreter, put in: no exception, no other name."""
    rng = random.Random(seed)
    sources = [
        form.source for form in [*ACCEPTED.values(), *(form for form, _ in REFUSED.values())]
    ]
    tokens = [re.findall(r"\w+|\W", source) for source in sources]
    inner = [
        "np",
        "interpreter_builder",
        "_interpreter",
        "handle",
        "data",
        "__class__",
        "eval",
        "ast",
        "inspect",
        "fn",
    ]
    words = [*inner * 20, *(word for form in tokens for word in form if word[0].isalnum())]
    known = {"tl", "triton", "libdevice", *BUILTINS}
    vetted_ones = 0
    for _ in range(150):
        mine = [*rng.choice(tokens)]
        places = [at for at, token in enumerate(mine) if token[0].isalnum()]
        for at in rng.sample(places, rng.randrange(1, 4)):
            mine[at] = rng.choice(words)
        with contextlib.suppress(Ruling):
            text = vet("".join(mine), ["k"], "kernels.py").text
            vetted_ones += 1
            tree = ast.parse(text)
            own = {n.name for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)}
            own |= {n.arg for n in ast.walk(tree) if isinstance(n, ast.arg)}
            names = [n for n in ast.walk(tree) if isinstance(n, ast.Name)]
            own |= {n.id for n in names if isinstance(n.ctx, ast.Store)}
            assert {n.id for n in names} <= known | own
            assert not [n for n in names if n.id.startswith("__")]
    assert vetted_ones > 3


@pytest.mark.slow
def test_a_vetted_kernel_computes_what_the_file_computes(tmp_path: Path) -> None:
    """In Triton's interpreter, the learner's file as it is against the text that is replayed."""
    wrong = results(ACCEPTED, tmp_path, "run", {"TRITON_INTERPRET": "1"})
    assert len(wrong) == len(ACCEPTED)
    assert {name: reason for name, reason in wrong.items() if reason} == {}


@pytest.mark.slow
def test_a_legal_form_is_legal(tmp_path: Path) -> None:
    """Triton's own front end takes each accepted form, as it was written and as it was vetted."""
    wrong = results(ACCEPTED, tmp_path, "compile", {})
    assert len(wrong) == len(ACCEPTED)
    assert {name: reason for name, reason in wrong.items() if reason} == {}


NOT_COMPILED = (
    "lambda", "dictionary", "try", "raise", "break", "continue", "else of for", "else of while",
    "match", "del", "global", "nested function", "import", "star in a list", "abs of Python",
    "block pointer", "advance", "assignment to an element",
)  # fmt: skip


@pytest.mark.slow
def test_what_is_said_not_to_compile_does_not_compile(tmp_path: Path) -> None:
    """With the installed Triton, which has no block pointers since 3.9."""
    pytest.importorskip("triton", "3.9")
    forms = {name: REFUSED[name][0] for name in NOT_COMPILED}
    wrong = results(forms, tmp_path, "compile", {}, unchanged)
    assert [name for name, reason in wrong.items() if not reason] == []


# --- the lists -----------------------------------------------------------------------------------


def test_no_allowed_member_leads_from_a_value_to_pythons_insides() -> None:
    """Of what a kernel's values can be in Python, only members that compute are allowed."""
    insides: dict[type[Any], set[str]] = {
        str: {"split"},
        int: set(),
        float: set(),
        tuple: set(),
        list: {"sort"},
        type(None): set(),
        type: set(),
        types.FunctionType: set(),
        types.MethodType: set(),
        types.ModuleType: set(),
        types.FrameType: set(),
        types.CodeType: set(),
        types.GeneratorType: set(),
    }
    for kind, harmless in insides.items():
        assert set(dir(kind)) & MEMBERS == harmless, kind


@pytest.mark.parametrize(
    "text", ["%s", "{0.handle}", "__class__", "a\nb", "'", '"', "\\", "f(x)", "é", "a" * 65]
)
def test_a_text_cannot_format_or_name_what_is_inside_an_object(text: str) -> None:
    assert not is_text(text)


def test_every_list_of_names_is_free_of_underscored_ones() -> None:
    names = LANGUAGE | LIBDEVICE | MEMBERS | DROPPED | BUILTINS | TRITON | NUMBER_FUNCTIONS
    assert not {name for name in names if "__" in name or name.startswith("_")}
    assert not names & {"eval", "exec", "getattr", "vars", "globals", "open", "compile"}


def test_each_refused_construct_is_one_of_pythons() -> None:
    assert all(hasattr(ast, kind) for kind in CONSTRUCTS)


@pytest.mark.parametrize(
    "body",
    [
        "z = [np for np in (1,)]\nz = np.load(x_ptr)",
        "assert [np for np in (1,)]\nz = np.load(x_ptr)",
        "print([interpreter_builder for interpreter_builder in (1,)])\nz = interpreter_builder",
        "tl.static_assert({np: 1 for np in (1,)})\nz = np.load(x_ptr)",
    ],
)
def test_a_name_that_only_looks_like_a_variable_does_not_reach_the_interpreters(body: str) -> None:
    """Triton's interpreter adds its own imports to the kernel's module; a comprehension's variable
    is none of the function's."""
    with pytest.raises(Ruling):
        vet(Form(f"{body}\ny = x").source, ["k"], "kernels.py")


def test_a_global_name_that_was_not_vetted_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even if the visitor took every name for a variable."""
    everything = frozenset({"np", "x_ptr"})

    def local_names(_function: ast.FunctionDef) -> frozenset[str]:
        return everything

    monkeypatch.setattr(kernel_source, "_local_names", local_names)
    with pytest.raises(Ruling, match="`np` has no value in a kernel"):
        vet("import triton\n@triton.jit\ndef k(x_ptr):\n    np.load(x_ptr)\n", ["k"], "k.py")


def public_names(module: str) -> set[str]:
    """Return the public names of a module, imported in a process of its own."""
    script = f"import {module} as m; print(*(n for n in vars(m) if n[0] != '_'))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


@pytest.mark.slow
def test_triton_has_what_the_lists_name() -> None:
    """As far as the installed version has it: `tl.atomic_load` is new in 3.9."""
    pytest.importorskip("triton")
    newer = {"atomic_load", "atomic_store", "atomic_poll", "squeeze", "unsqueeze"}
    assert {n.partition(".")[0] for n in LANGUAGE} - public_names("triton.language") <= newer
    assert public_names("triton.language.extra.cuda.libdevice") >= LIBDEVICE


def test_each_allowed_function_of_libdevice_is_interpreted() -> None:
    """A symbol that `triton_operations` lacks would stop a right kernel."""
    cuda = pytest.importorskip("triton.language.extra.cuda.libdevice")
    text = Path(cuda.__file__).read_text(encoding="utf-8")
    bodies = dict(re.findall(r"^def (\w+)\(((?:.*\n)(?:[ \n)].*\n|\n)*)", text, re.MULTILINE))
    symbols = {
        (name, symbol) for name in LIBDEVICE for symbol in re.findall(r'"__nv_(\w+)"', bodies[name])
    }
    assert {name for name, _ in symbols} == LIBDEVICE
    assert {(name, it) for name, it in symbols if triton_operations.libdevice(it) is None} == set()


@pytest.mark.slow
def test_triton_has_nothing_that_no_list_knows() -> None:
    """A new function of Triton's is allowed, dropped, or refused with a word about it."""
    pytest.importorskip("triton")
    known = {name.partition(".")[0] for name in LANGUAGE} | DROPPED | INSTEAD.keys()
    types_and_modules = {
        "aggregate_replace", "block_type", "const", "constexpr_type", "core", "dtype", "extra",
        "math", "pi32_t", "random", "slice", "standard", "str_to_ty", "tensor",
        "tensor_descriptor", "tensor_descriptor_type", "tuple", "tuple_type", "void",
        "philox_impl", "expect_zero",
    }  # fmt: skip
    assert public_names("triton.language") - known - types_and_modules == set()


def kernel_files() -> set[str]:
    """Return the files of kernels that are vetted: those of tasks with a `TritonKernelCorrect`."""
    return {
        f"{module.id}/{task.files[-1]}"
        for module in curriculum.modules()
        for task in module.tasks
        if task.kind == "code"
        and any(
            isinstance(r, TritonKernelCorrect) for r in find(module.id, task.id).checks.values()
        )
    }


@pytest.mark.slow
@pytest.mark.parametrize("folder", ["solutions", "exercises"])
def test_every_file_of_kernels_says_at_its_head_what_a_kernel_may_use(folder: str) -> None:
    files = kernel_files()
    assert len(files) >= 9
    for name in sorted(files):
        docstring = ast.get_docstring(
            ast.parse(stubbed((paths.root() / folder / name).read_text()))
        )
        assert kernel_lists.SUMMARY in (docstring or ""), name


def stubbed(text: str) -> str:
    """Return the head of a file, up to its imports: a stub may be no Python until it is edited."""
    return text.partition("\nimport ")[0]


def test_the_sites_page_has_every_name_of_the_lists() -> None:
    """It is made from them, and each name of `INSTEAD` is one that no list allows."""
    page = kernels_page.lists()
    for name in LANGUAGE | LIBDEVICE | MEMBERS | BUILTINS | TRITON | NUMBER_FUNCTIONS:
        assert f"`{name}`" in page
    assert all(f"`tl.{name}`" in page for name in DROPPED)
    assert all(text in page for text in [*INSTEAD.values(), *CONSTRUCTS.values()])
    of_kernels = LANGUAGE | LIBDEVICE | BUILTINS | DROPPED | TRITON
    assert INSTEAD.keys() & of_kernels == {"abs"}  # Python's, not tl's
