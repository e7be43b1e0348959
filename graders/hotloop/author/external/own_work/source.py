"""A submission's text: which names mean what, and which code a call of it may reach."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cached_property

ENTRIES = ("ModelNew", "Model", "custom_kernel", "run", "solve", "step")
"""Names that the sets' own checkers call. In a text without them, anything may be called."""

ANSWERING = ("forward", "__call__", "custom_kernel", "run", "solve", "step")
"""Names of functions whose result is the submission's answer."""

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
Function = ast.FunctionDef | ast.AsyncFunctionDef


class Source:
    """The text of one file. Raises SyntaxError or ValueError if it is no Python.

    Reachable is what the entry names, itself or through others, by the last part of each name: too
    much rather than too little.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = ast.parse(text)
        self.imports = dict(_imports(self.tree))
        self.functions: dict[str, list[Function]] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, _FUNCTIONS):
                self.functions.setdefault(node.name, []).append(node)
            elif isinstance(node, ast.ClassDef):
                self.classes[node.name] = node

    def path(self, node: ast.AST) -> str:
        """Return the dotted name of an expression, by its imports: `F.linear` in full."""
        if isinstance(node, ast.Name):
            return self.imports.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            return f"{self.path(node.value)}.{node.attr}"
        return "?"

    @cached_property
    def kernels(self) -> dict[str, Function]:
        """Functions with a decorator that compiles them for a GPU, by name."""
        return {
            function.name: function
            for several in self.functions.values()
            for function in several
            if any(self._compiles(each) for each in function.decorator_list)
        }

    def _compiles(self, decorator: ast.expr) -> bool:
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        package, _, rest = self.path(target).partition(".")
        return package in _LANGUAGES and rest.rpartition(".")[2] in _COMPILERS

    @cached_property
    def reached(self) -> frozenset[ast.AST]:
        """The functions and classes that a call of the entry may reach, but for kernels."""
        found: dict[ast.AST, None] = {}
        defined = {*self.functions, *self.classes}
        names = [name for name in ENTRIES if name in defined] or [*defined]
        waiting: list[ast.AST] = [*self._at_import()]
        seen: set[str] = set()
        while names or waiting:
            while waiting:
                names += [name for name in _mentions([waiting.pop()]) if name not in seen]
            if not names:
                break
            name = names.pop()
            if name in seen:
                continue
            seen.add(name)
            bodies: list[ast.AST] = [*self.functions.get(name, [])]
            bodies += [self.classes[name]] if name in self.classes else []
            for body in bodies:
                if body not in found and body not in self.kernels.values():
                    found[body] = None
                    waiting.append(body)
        return frozenset(found)

    def _at_import(self) -> Iterator[ast.stmt]:
        """Yield the statements that run at import, but for definitions."""
        for statement in self.tree.body:
            if isinstance(statement, (*_FUNCTIONS, ast.ClassDef, ast.Import, ast.ImportFrom)):
                continue
            if not _is_main(statement):
                yield statement

    @cached_property
    def host(self) -> list[ast.AST]:
        """All nodes of reachable code that runs on the host, in order of their lines."""
        inside = {each for kernel in self.kernels.values() for each in ast.walk(kernel)}
        bodies = [*self._at_import(), *self.reached]
        nodes = {each: None for body in bodies for each in ast.walk(body) if each not in inside}
        return sorted(nodes, key=line_of)

    def calls(self) -> Iterator[tuple[ast.Call, str]]:
        """Yield the calls in `host`, with the dotted name of what is called."""
        for node in self.host:
            if isinstance(node, ast.Call):
                yield node, self.path(node.func)

    def host_functions(self) -> Iterator[Function]:
        """Yield the functions in `host`."""
        return (node for node in self.host if isinstance(node, _FUNCTIONS))

    def answering(self) -> Iterator[Function]:
        """Yield the functions whose result is the submission's answer."""
        return (each for each in self.host_functions() if each.name in ANSWERING)

    def constant(self, node: ast.AST) -> object:
        """Return the value of a literal, or of a name that the file sets to one; else None."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            values = [
                each.value
                for each in self.tree.body
                if isinstance(each, ast.Assign) and _mentions(each.targets) == [node.id]
            ]
            if len(values) == 1 and isinstance(values[0], ast.Constant):
                return values[0].value
        return None

    @cached_property
    def strings(self) -> str:
        """The text of all string literals but docstrings, which may hold CUDA C++."""
        docs = {node.value for node in ast.walk(self.tree) if isinstance(node, ast.Expr)}
        return "\n".join(
            node.value
            for node in ast.walk(self.tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in docs
        )


_LANGUAGES = frozenset({"triton", "cutlass", "numba", "tilelang", "cuda", "helion", "warp", "tvm"})
_COMPILERS = frozenset({"jit", "kernel", "prim_func", "tile_kernel"})


def _imports(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for each in node.names:
                yield (
                    each.asname or each.name.partition(".")[0],
                    (each.name if each.asname else each.name.partition(".")[0]),
                )
        elif isinstance(node, ast.ImportFrom):
            for each in node.names:
                yield each.asname or each.name, f"{'.' * node.level}{node.module or ''}.{each.name}"
        elif (
            isinstance(node, ast.Assign)
            and isinstance(node.targets[0], ast.Name)
            and isinstance(node.value, ast.Attribute)
            and isinstance(node.value.value, ast.Name)
            and node.value.value.id in ("torch", "triton", "tl")
        ):
            yield node.targets[0].id, ast.unparse(node.value)


def _mentions(nodes: Iterable[ast.AST]) -> list[str]:
    """Return the names and attributes in these nodes."""
    return [
        node.id if isinstance(node, ast.Name) else node.attr
        for each in nodes
        for node in ast.walk(each)
        if isinstance(node, ast.Name | ast.Attribute)
    ]


def _is_main(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.If) and "__main__" in ast.unparse(statement.test)


def line_of(node: ast.AST) -> int:
    """Return the line of a node; 0 if it has none."""
    return int(getattr(node, "lineno", 0))
