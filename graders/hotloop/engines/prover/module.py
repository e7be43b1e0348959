"""A file of Python as text: what each of its names means. Nothing of it runs."""

import ast
from collections.abc import Iterator

from hotloop.engines.prover.solver import NotRead


class Dotted(str):
    """A name of a library, in full: `triton.language.load`."""

    __slots__ = ()


class Module:
    """Functions, constants and imports at a file's top level."""

    def __init__(self, source: str) -> None:
        self.tree = ast.parse(source)
        self.functions: dict[str, ast.FunctionDef] = {}
        self.constants: dict[str, ast.expr] = {}
        self.imports: dict[str, Dotted] = {}
        self._unclear: set[str] = set()
        for statement in self.tree.body:
            self._read(statement)
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Global | ast.Nonlocal):
                self._unclear.update(node.names)
            elif isinstance(node, ast.Attribute | ast.Subscript) and isinstance(
                node.ctx, ast.Store
            ):
                self._require_own(node)

    def require_clear(self, name: str) -> None:
        """Raise NotRead if the file gives a name more than one meaning."""
        if name in self._unclear:
            raise NotRead(f"`{name}` has several meanings in this file")

    def _read(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.FunctionDef):
            self._bind(statement.name)
            self.functions[statement.name] = statement
        elif isinstance(statement, ast.Import | ast.ImportFrom):
            for alias in statement.names:
                self._bind_import(statement, alias)
        elif isinstance(statement, ast.Assign | ast.AnnAssign):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            target = targets[0]
            if len(targets) == 1 and isinstance(target, ast.Name) and statement.value is not None:
                self._bind(target.id)
                self.constants[target.id] = statement.value
            elif (
                len(targets) == 1
                and isinstance(target, ast.Tuple)
                and isinstance(statement.value, ast.Tuple)
            ):
                for one, value in zip(target.elts, statement.value.elts, strict=False):
                    if isinstance(one, ast.Name):
                        self._bind(one.id)
                        self.constants[one.id] = value
            else:
                self._unclear.update(names_in(statement))
        elif isinstance(
            statement, ast.If | ast.Try | ast.With | ast.For | ast.While
        ) or not isinstance(statement, ast.Expr | ast.Pass | ast.Assert):
            self._unclear.update(names_in(statement))

    def _bind_import(self, statement: ast.Import | ast.ImportFrom, alias: ast.alias) -> None:
        if isinstance(statement, ast.Import):
            name = alias.asname or alias.name.partition(".")[0]
            path = alias.name if alias.asname else name
        else:
            name, path = alias.asname or alias.name, f"{statement.module}.{alias.name}"
        if self.imports.get(name) != path:
            self._bind(name)
        self.imports[name] = Dotted(path)

    def _bind(self, name: str) -> None:
        known = {*self.functions, *self.constants, *self.imports}
        if name in known:
            self._unclear.add(name)

    def _require_own(self, node: ast.Attribute | ast.Subscript) -> None:
        """Raise NotRead where a library could be changed, such as `triton.cdiv = …`."""
        root: ast.expr = node
        while isinstance(root, ast.Attribute | ast.Subscript):
            root = root.value
        if isinstance(root, ast.Name) and root.id in self.imports:
            if ast.unparse(node).startswith("os.environ["):
                return
            raise NotRead(f"the file assigns to `{ast.unparse(node)}`")


def names_in(node: ast.AST) -> set[str]:
    """Return the names that a statement binds, itself or in what it holds."""
    return set(_names_in(node))


def _names_in(node: ast.AST) -> Iterator[str]:
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
            yield each.id
        elif isinstance(each, ast.FunctionDef | ast.ClassDef | ast.AsyncFunctionDef):
            yield each.name
        elif isinstance(each, ast.alias):
            yield each.asname or each.name.partition(".")[0]
