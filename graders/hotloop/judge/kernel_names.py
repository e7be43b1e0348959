"""Which names of a learner's file stand for Triton, `math`, numpy and torch."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from hotloop.judge.kernel_lists import (
    DTYPES,
    LANGUAGE,
    LIBDEVICE,
    MATH,
    NUMBER_FUNCTIONS,
    NUMBERS,
    TRITON,
)

_LANGUAGE = "triton.language"
_LIBDEVICE = "triton.language.extra.libdevice"
_MATH = (f"{_LANGUAGE}.math.", f"{_LIBDEVICE}.", f"{_LANGUAGE}.extra.cuda.libdevice.")
_PARTS = tuple(f"{_LANGUAGE}.{part}." for part in ("core", "standard", "random"))
_KNOWN = ("triton", "math", "numpy", "torch")


@dataclass
class Names:
    """Names that a file imports, or makes by `exp = tl.exp`, with all paths that they may have.

    A name has several paths if the file imports it in both branches of an `if` or `try`.
    """

    paths: dict[str, set[str]] = field(default_factory=dict[str, set[str]])

    def add(self, name: str, path: str) -> None:
        """Let `name` stand for `path`."""
        self.paths.setdefault(name, set()).add(path)

    def resolve(self, node: ast.AST | None) -> str:
        """Return what a chain of names stands for, as in `triton.language.math.exp`.

        Empty if it is no such chain, or its first name is none of these or has two meanings.
        """
        first, *rest = dotted(node).split(".")
        meanings = {shortest(".".join([path, *rest])) for path in self.paths.get(first, ())}
        return meanings.pop() if len(meanings) == 1 else ""


def known_imports(statement: ast.stmt) -> Iterator[tuple[str, str, bool]]:
    """Yield name, path and whether it is Triton's or `math`'s, for each import of a statement.

    Imports inside of `if` and `try` count too.
    """
    for node in ast.walk(statement):
        if not isinstance(node, ast.Import | ast.ImportFrom):
            continue
        origin = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            path = origin + alias.name
            if not origin and not alias.asname:
                path = alias.name.partition(".")[0]
            known = path.split(".")[0] in _KNOWN and not getattr(node, "level", 0)
            yield alias.asname or path.rpartition(".")[2], path, known


def shortest(path: str) -> str:
    """Return one path for all that have a meaning: `triton.language.exp` for `….math.exp` too."""
    for prefix in _MATH:
        name = path.removeprefix(prefix)
        if name != path:
            return f"{_LANGUAGE}.{name}" if name in MATH else f"{_LIBDEVICE}.{name}"
    for prefix in _PARTS:
        if path.startswith(prefix):
            return f"{_LANGUAGE}.{path.removeprefix(prefix)}"
    return path


def allowed(path: str) -> ast.expr | None:
    """Return the expression for a path that a kernel may use, with `tl` for the language."""
    name = path.removeprefix(f"{_LIBDEVICE}.")
    if name != path:
        return dotted_node("libdevice", name) if name in LIBDEVICE else None
    name = path.removeprefix(f"{_LANGUAGE}.")
    if name != path:
        return dotted_node("tl", *name.split(".")) if name in LANGUAGE else None
    name = path.removeprefix("triton.")
    return dotted_node("triton", name) if name != path and name in TRITON else None


def is_module(path: str) -> bool:
    """Return True for `triton`, `triton.language` and modules of numbers."""
    return path in {*_KNOWN, _LANGUAGE, f"{_LANGUAGE}.math", _LIBDEVICE}


def language_name(path: str) -> str:
    """Return what follows `triton.language.`, or an empty string."""
    return path.removeprefix(f"{_LANGUAGE}.") if path.startswith(f"{_LANGUAGE}.") else ""


def is_dtype(path: str) -> bool:
    """Return True for a path like `triton.language.float32`."""
    return language_name(path) in DTYPES


def number_name(path: str) -> str:
    """Return `pi` for `math.pi`, `log2` for `numpy.log2`; empty for anything else."""
    module, _, name = path.rpartition(".")
    known = NUMBERS if module == "torch" else NUMBERS | NUMBER_FUNCTIONS
    return name if module in {"math", "numpy", "torch"} and name in known else ""


def dotted(node: ast.AST | None) -> str:
    """Return `a.b.c` for such a chain of names, otherwise an empty string."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = dotted(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def dotted_node(*parts: str) -> ast.expr:
    """Return the expression for such a chain of names."""
    node: ast.expr = ast.Name(parts[0], ast.Load())
    for part in parts[1:]:
        node = ast.Attribute(node, part, ast.Load())
    return node


def stored_names(nodes: Sequence[ast.AST]) -> set[str]:
    """Return the names that are assigned to anywhere inside of `nodes`."""
    return {
        node.id
        for tree in nodes
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
