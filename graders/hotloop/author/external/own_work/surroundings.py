"""Signs that a submission reaches for what is around it: its grader, its process, other texts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from hotloop.author.external.own_work.kernels import Kernels
from hotloop.author.external.own_work.library import PRODUCTS, library_calls
from hotloop.author.external.own_work.sign import Rules, Sign
from hotloop.author.external.own_work.source import Source, line_of

_CALLER = frozenset(
    {
        *("inspect.stack", "inspect.currentframe", "inspect.getouterframes", "sys._getframe"),
        *("sys._current_frames", "traceback.extract_stack", "traceback.walk_stack"),
        *("traceback.format_stack", "traceback.print_stack", "sys.argv", "sys.orig_argv"),
    }
)
_GRADERS_FILES = re.compile(
    r"\b(problem\.ya?ml|task\.yml|(check|reference|benchmark|eval|shapes|sota|problem)\.py)\b"
)
_WRITES = frozenset({"write_text", "write_bytes", "rename", "replace", "unlink", "copy", "move"})
_WRITE_MODE = re.compile(r"""['"][rb+]*[wax][rwb+]*['"]""")
_JUDGES_BY = re.compile(
    r"(time\.|triton\.testing\.|builtins\.|reference\.|numpy\.(testing|allclose)"
    r"|torch\.(allclose|isclose|equal|testing|manual_seed|rand\w*|Tensor\.|cuda\.|utils\.benchmark"
    r"|nn\.Module\.|nn\.functional\.|matmul|softmax|sum|topk))"
)
"""Functions by which graders compare, time, or draw inputs, and those of references."""


def watches_its_caller(source: Source) -> Iterator[Sign]:
    """It asks who calls it."""
    for node in source.host:
        path = source.path(node) if isinstance(node, ast.Attribute | ast.Name) else ""
        if path in _CALLER:
            yield Sign("caller", line_of(node), f"it asks by `{path}` who calls it")
            return


def reaches_the_grader(source: Source) -> Iterator[Sign]:
    """It writes a file of the grader's, or has the problem's own code compute."""
    for function in source.answering():
        for node in ast.walk(function):
            path = source.path(node.func) if isinstance(node, ast.Call) else ""
            if path in ("reference.Model", "problem.Model"):
                yield Sign("grader", line_of(node), f"it calls the problem's own code, `{path}`")
    for node, path in source.calls():
        text = ast.unparse(node)
        writes = path.rpartition(".")[2] in _WRITES or (
            path in ("open", "io.open") and _WRITE_MODE.search(text)
        )
        if writes and (file := _GRADERS_FILES.search(text)):
            yield Sign("grader", node.lineno, f"it writes `{file[0]}`, a file of the grader's")


def replaces_functions(source: Source) -> Iterator[Sign]:
    """It replaces a function of a library that others in the process use."""
    for node in source.host:
        targets: list[tuple[ast.AST, str]] = []
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            each = node.targets if isinstance(node, ast.Assign) else [node.target]
            targets = [(t, source.path(t)) for t in each if isinstance(t, ast.Attribute)]
        elif isinstance(node, ast.Call) and source.path(node.func) == "setattr":
            name = source.constant(node.args[1]) if len(node.args) > 1 else None
            targets = [(node, f"{source.path(node.args[0])}.{name}")]
        for target, path in targets:
            if path.partition(".")[0] in source.imports and _JUDGES_BY.match(path):
                yield Sign("patch", line_of(target), f"it replaces `{path}` for the whole process")


def sets_switches(source: Source, kernels: Kernels, rules: Rules) -> Iterator[Sign]:
    """A switch of the whole process narrows its library's arithmetic, or changes only others'."""
    products = [*library_calls(source, PRODUCTS)] or ([kernels.library] if kernels.library else [])
    for node in source.host:
        path, value = _switch(node, source)
        if path.endswith("_reduced_precision_reduction") and not products:
            words = f"it sets `{path}`, which changes the grader's own reference and nothing of it"
            yield Sign("switch", line_of(node), words)
        elif rules.single and products and _narrows(path, value):
            name, line = products[0]
            words = f"it turns TF32 on, in which `{name}` (line {line}) multiplies float32"
            yield Sign("switch", line_of(node), words)
            return


def _switch(node: ast.AST, source: Source) -> tuple[str, object]:
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
        path = source.path(node.targets[0])
        if path.startswith("torch.backends."):
            return path, source.constant(node.value)
    if isinstance(node, ast.Call) and node.args:
        path = source.path(node.func)
        if path == "torch.set_float32_matmul_precision":
            return path, source.constant(node.args[0])
    return "", None


def _narrows(path: str, value: object) -> bool:
    if path.endswith("allow_tf32"):
        return value is True
    return path.endswith("precision") and value in ("high", "medium", "tf32", "bf16")


def is_copied(source: Source, forbidden: Iterable[str]) -> Iterator[Sign]:
    """It holds somebody's copyright notice, and the problem forbids libraries."""
    if not any(forbidden):
        return
    notice = re.search(r"^.*Copyright\b.*$", source.text, re.MULTILINE)
    if notice:
        line = source.text[: notice.start()].count("\n") + 1
        words = "it holds another project's copyright notice, and the problem forbids libraries"
        yield Sign("copy", line, words)
