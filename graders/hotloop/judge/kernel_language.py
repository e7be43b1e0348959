"""The visitor that rejects what `kernel_lists` does not allow in a kernel, and drops prints."""

import ast
from collections.abc import Set
from typing import NoReturn, Protocol, cast

from hotloop.judge import kernel_constants
from hotloop.judge.kernel_constants import Constants
from hotloop.judge.kernel_lists import (
    ATOMICS,
    BUILTINS,
    CONSTRUCTS,
    DROPPED,
    INSTEAD,
    MAX_INTEGER_BITS,
    MEMBERS,
    TEXTS,
    is_text,
)
from hotloop.judge.kernel_names import (
    Names,
    allowed,
    dotted,
    dotted_node,
    is_dtype,
    is_module,
    language_name,
    number_name,
)

_STATEMENTS = (
    ast.Return,
    ast.Assign,
    ast.AugAssign,
    ast.For,
    ast.While,
    ast.If,
    ast.Expr,
    ast.Pass,
)
_EXPRESSIONS = (
    ast.BoolOp,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.IfExp,
    ast.NamedExpr,
    ast.Slice,
    ast.Tuple,
    ast.List,
    ast.keyword,
    ast.expr_context,
    ast.boolop,
    ast.operator,
    ast.unaryop,
    ast.cmpop,
)
_WRITES = ATOMICS | {"store", "scatter"}


class KernelModule(kernel_constants.ConstantModule, Protocol):
    """The file that a kernel is defined in."""

    def defines(self, name: str) -> bool:
        """Return True if the file binds `name` at its top level."""
        ...

    def is_function(self, name: str) -> bool:
        """Return True if `name` is a top-level function of the file."""
        ...

    def require(self, name: str, user: ast.AST) -> None:
        """Vet `name` too, since the kernel uses it."""
        ...

    def writes(self, name: str) -> bool:
        """Return True if `name` is a function that writes to memory, itself or through others."""
        ...


def is_write(node: ast.AST, names: Names) -> bool:
    """Return True if the node names a function or method that writes to memory."""
    name = node.attr if isinstance(node, ast.Attribute) else names.resolve(node)
    return name.rpartition(".")[2] in _WRITES


class Vetter(ast.NodeTransformer):
    """Rejects what the lists do not allow, drops docstrings, asserts and prints, writes `tl`.

    local_names: the function's parameters and assigned names.
    """

    def __init__(self, module: KernelModule, local_names: Set[str]) -> None:
        self._module = module
        self._locals = local_names

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return the vetted statements; at least one."""
        vetted = [self.visit(s) for s in body if not _is_text(s) and not self._is_dropped(s)]
        return vetted or [ast.copy_location(ast.Pass(), body[0])]

    def expression(self, node: ast.expr) -> ast.expr:
        """Return the vetted expression."""
        return self.visit(node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Reject unknown nodes; vet the parts of known ones."""
        if not isinstance(node, _STATEMENTS + _EXPRESSIONS):
            kind = type(node).__name__
            construct = CONSTRUCTS.get(kind, f"this construct ({kind})")
            self._module.refuse(node, f"a kernel cannot have {construct}")
        if isinstance(node, ast.For | ast.While) and node.orelse:
            self._module.refuse(node.orelse[0], "Triton does not compile `else` after a loop")
        if isinstance(node, ast.For | ast.While | ast.If):
            node.body = self.block(node.body)
            node.orelse = self.block(node.orelse) if node.orelse else []
        for name, part in ast.iter_fields(node):
            if name in {"body", "orelse"} and isinstance(node, ast.stmt):
                continue
            if isinstance(part, ast.AST):
                setattr(node, name, self.visit(part))
            elif isinstance(part, list):
                nodes = [p for p in cast("list[object]", part) if isinstance(p, ast.AST)]
                setattr(node, name, [self.visit(p) for p in nodes])
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Keep the annotation only if Triton reads it."""
        if not isinstance(node.target, ast.Name) or node.value is None:
            self._module.refuse(node, "an annotation needs a variable and a value")
        value = self.expression(node.value)
        annotation = triton_annotation(node.annotation, self._module)
        if annotation is None:
            return ast.copy_location(ast.Assign([node.target], value), node)
        node.annotation, node.value = annotation, value
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Allow locals, names of the language, constants and the file's own functions."""
        if isinstance(node.ctx, ast.Store) or node.id in self._locals:
            return node
        path = self._module.names.resolve(node)
        if path:
            return self._language(node, path)
        self._module.require(node.id, node)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Allow numbers, and texts that can only be compared or name an option."""
        value = node.value
        if isinstance(value, str):
            if not is_text(value):
                self._module.refuse(node, f"the text {value[:40]!r}: {TEXTS}")
        elif isinstance(value, int):
            if value.bit_length() > MAX_INTEGER_BITS:
                self._module.refuse(node, "this number is too large")
        elif value is not None and not isinstance(value, float):
            self._module.refuse(node, f"a constant of type {type(value).__name__} is not allowed")
        node.kind = None
        return node

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Allow reading, as in `x[:, None]` and `x.shape[0]`."""
        if not isinstance(node.ctx, ast.Load):
            self._module.refuse(node, "elements of a tensor cannot be assigned in a kernel")
        node.value = self.expression(node.value)
        node.slice = self.expression(node.slice)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Allow `tl.name` from the list, or a member of a tensor or dtype."""
        if not isinstance(node.ctx, ast.Load):
            self._module.refuse(node, "an attribute cannot be set in a kernel")
        path = self._path(node)
        if path and not is_dtype(path.rpartition(".")[0]):
            return self._language(node, path)
        if node.attr not in MEMBERS:
            root = dotted(node).partition(".")[0]
            if root not in self._locals and self._module.defines(root):
                self._module.require(root, node)
            self._refuse_name(node, dotted(node) or f".{node.attr}")
        node.value = self.expression(node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Allow calls of tl functions, tensor methods, the file's helpers and a few builtins."""
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg.startswith("_"):
                self._module.refuse(node, "a call in a kernel has plain arguments only")
        if number_name(self._path(node.func)):
            return self._computed(node)
        if isinstance(node.func, ast.Name):
            node.func = self._called(node.func)
        elif isinstance(node.func, ast.Attribute):
            node.func = self.expression(node.func)
        else:
            self._module.refuse(node, "only a named function can be called in a kernel")
        node.args = [self._argument(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        return node

    def _argument(self, node: ast.expr) -> ast.expr:
        if not isinstance(node, ast.Starred):
            return self.expression(node)
        node.value = self.expression(node.value)
        return node

    def _called(self, function: ast.Name) -> ast.expr:
        name = function.id
        if name in self._locals:
            self._module.refuse(
                function,
                f"`{name}` is a variable here and cannot be called: compare a text instead",
            )
        path = self._module.names.resolve(function)
        if path:
            return self._language(function, path)
        if self._module.defines(name):
            self._module.require(name, function)
            if not self._module.is_function(name):
                self._refuse_name(function, name)
        elif name not in BUILTINS:
            self._refuse_name(function, name)
        return function

    def _language(self, node: ast.Name | ast.Attribute, path: str) -> ast.expr:
        if number_name(path):
            return self._computed(node)
        if is_module(path):
            self._module.refuse(node, f"`{dotted(node)}` cannot be passed around as a value")
        expression = allowed(path)
        if expression is None:
            self._refuse_name(node, dotted(node), path)
        return ast.copy_location(expression, node)

    def _computed(self, node: ast.expr) -> ast.expr:
        value = Constants(self._module, self._locals).value(node)
        return ast.copy_location(kernel_constants.expression(value), node)

    def _path(self, node: ast.AST) -> str:
        """Return what a chain of names stands for; empty if it begins with a variable."""
        first = dotted(node).partition(".")[0]
        return "" if first in self._locals else self._module.names.resolve(node)

    def _is_dropped(self, statement: ast.stmt) -> bool:
        """Return True for an assert or a print. Raises Ruling if it does anything else too."""
        if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
            called = statement.value.func
            prints = isinstance(called, ast.Name) and called.id == "print"
            prints = prints and not self._module.defines("print") and "print" not in self._locals
            if not prints and language_name(self._path(called)) not in DROPPED:
                return False
        elif not isinstance(statement, ast.Assert):
            return False
        for part in ast.walk(statement):
            helper = part.id if isinstance(part, ast.Name) and part.id not in self._locals else ""
            writes = is_write(part, self._module.names) or self._module.writes(helper)
            if writes or isinstance(part, ast.NamedExpr):
                self._module.refuse(part, "asserts and prints are left out: write nothing in them")
        return True

    def _refuse_name(self, node: ast.expr, name: str, path: str = "") -> NoReturn:
        parts = (path or name).split(".")
        advice = [INSTEAD[part] for part in parts if part in INSTEAD]
        if language_name(path) in DROPPED:
            advice = ["it is a statement of its own"]
        meaning = f" (`{path}`)" if path and name.rpartition(".")[2] != parts[-1] else ""
        reason = f"`{name}`{meaning} is not allowed in a checked kernel"
        self._module.refuse(node, ": ".join([reason, *advice[:1]]))


def triton_annotation(annotation: ast.expr | None, module: KernelModule) -> ast.expr | None:
    """Return `tl.constexpr` or a `tl` dtype, which Triton reads; None for any other annotation.

    Raises Ruling for another annotation with the word `constexpr` in it.
    """
    node = annotation
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        node = _parsed(node.value)
    path = module.names.resolve(node)
    if path == "triton.language.constexpr" or is_dtype(path):
        return dotted_node("tl", language_name(path))
    if node is not None and any(
        dotted(part).rpartition(".")[2] == "constexpr" for part in ast.walk(node)
    ):
        module.refuse(annotation, "write `tl.constexpr`, with `import triton.language as tl`")
    return None


def _parsed(text: str) -> ast.expr | None:
    try:
        return ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError, MemoryError):
        return None


def _is_text(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Constant):
        return False
    return isinstance(statement.value.value, str)
