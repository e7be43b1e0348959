"""Reads a model.py without running it: whether Triton's Python backend can start it."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator
from pathlib import Path

from hotloop.engines.serving.problem import RepositoryProblem

CLASS = "TritonPythonModel"
_METHOD = "execute"
_MOST_BYTES = 1 << 18
_DYNAMIC = frozenset(
    {"exec", "eval", "globals", "locals", "vars", "setattr", "__dict__", "import_module"}
)
"""Names by which code can bind another name without naming it."""


def check(file: Path, shown: str) -> Iterator[RepositoryProblem]:
    """Yield what keeps the file from being a model. shown: its path in the repository."""
    with file.open("rb") as stream:
        source = stream.read(_MOST_BYTES + 1)
    if len(source) > _MOST_BYTES:
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = ast.parse(source)
    except SyntaxError as error:
        text = f"it is no Python that can be read: {error.msg}"
        yield RepositoryProblem(shown, error.lineno or 1, error.offset or 1, text)
    except ValueError as error:
        yield RepositoryProblem(shown, 1, 1, f"it is no Python that can be read: {error}")
    except (RecursionError, MemoryError):
        return  # nested too deep to be read here; the server will tell
    else:
        yield from _of_class(module, shown)


def completes_config(file: Path) -> bool:
    """True if the model may complete its configuration: it names `auto_complete_config`."""
    with file.open("rb") as stream:
        return b"auto_complete_config" in stream.read(_MOST_BYTES)


def _of_class(module: ast.Module, shown: str) -> Iterator[RepositoryProblem]:
    model = _bound(module.body)
    if model is None:
        if not _may_bind(module):
            text = f"it has no class {CLASS}, which the server looks for"
            yield RepositoryProblem(shown, 1, 1, text)
    elif isinstance(model, ast.ClassDef) and not _may_execute(model, module):
        text = f"{CLASS} has no method {_METHOD}, so each request fails"
        yield RepositoryProblem(shown, model.lineno, model.col_offset + 1, text)


def _bound(statements: list[ast.stmt]) -> ast.AST | None:
    """Return the last statement of a module that binds the class, whatever its branches."""
    last: ast.AST | None = None
    waiting: list[ast.AST] = list(reversed(statements))
    while waiting:
        node = waiting.pop()
        if _binds(node):
            last = node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            waiting += reversed(list(ast.iter_child_nodes(node)))
    return last


def _binds(node: ast.AST) -> bool:
    match node:
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name):
            return name == CLASS
        case ast.Name(id=name, ctx=ast.Store()):
            return name == CLASS
        case ast.alias(name=name, asname=asname):
            return (asname or name) == CLASS
        case _:
            return False


def _may_bind(module: ast.Module) -> bool:
    """True if the code might bind the class in a way that only running it shows."""
    for node in ast.walk(module):
        match node:
            case ast.alias(name="*"):
                return True
            case ast.Global(names=names) if CLASS in names:
                return True
            case ast.Name(id=name) | ast.Attribute(attr=name) if name in _DYNAMIC:
                return True
            case ast.FunctionDef(name="__getattr__"):
                return True
            case _:
                pass
    return False


def _may_execute(model: ast.ClassDef, module: ast.Module) -> bool:
    """True if the class has the method, or could get it from elsewhere."""
    if model.bases or model.keywords or model.decorator_list:
        return True
    for node in ast.walk(model):
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                if name in (_METHOD, "__getattr__", "__getattribute__"):
                    return True
            case ast.Name(id=name, ctx=ast.Store()) if name == _METHOD:
                return True
            case ast.alias(name=name, asname=asname) if (asname or name) == _METHOD:
                return True
            case _:
                pass
    return any(
        isinstance(node, ast.Attribute) and node.attr == _METHOD and isinstance(node.ctx, ast.Store)
        for node in ast.walk(module)
    ) or _may_bind(module)
