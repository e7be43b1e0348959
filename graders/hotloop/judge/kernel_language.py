"""The subset of Triton that replayed kernels may use: allow lists, and the visitor enforcing them.

The interpreter that runs these kernels is plain Python. A single extra name or attribute could let
a kernel reach the code that counts its bytes. Hence allow lists, not deny lists.
"""

import ast
from collections.abc import Set
from typing import NoReturn, Protocol

MAX_INTEGER_BITS = 64


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


DTYPES = _words(
    "int1 int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 bfloat16 float32 float64 "
    "float8e4nv float8e4b8 float8e4b15 float8e5 float8e5b16"
)
_MATH = _words(
    "abs ceil cos div_rn erf exp exp2 fdiv floor fma log log2 rsqrt sin sqrt sqrt_rn umulhi"
)
_FUNCTIONS = _words(
    "program_id num_programs arange zeros zeros_like full cat cast broadcast broadcast_to "
    "expand_dims interleave join permute ravel reshape split trans view where squeeze unsqueeze "
    "load store make_block_ptr advance make_tensor_descriptor load_tensor_descriptor "
    "store_tensor_descriptor dot dot_scaled clamp maximum minimum sigmoid softmax cdiv add sub mul "
    "sum max min argmax argmin reduce associative_scan cumsum cumprod xor_sum reduce_or sort topk "
    "flip histogram gather swizzle2d range static_range static_assert assume debug_barrier "
    "multiple_of max_contiguous max_constancy constexpr rand randn randint "
    "atomic_add atomic_and atomic_cas atomic_max atomic_min atomic_or atomic_xchg atomic_xor"
)
_LANGUAGE = DTYPES | _MATH | _FUNCTIONS
_TRITON = _words("cdiv next_power_of_2")
_BUILTINS = _words("range min max abs len float int")
_OF_VALUES = _MATH | _words(
    "dtype shape type element_ty scalar primitive_bitwidth T to cast broadcast_to trans permute "
    "split view reshape expand_dims ravel max argmax min argmin sum xor_sum reduce_or cumsum "
    "cumprod flip reduce associative_scan gather load store scatter advance logical_and "
    "logical_or sigmoid softmax"
)
_TEXTS = {""} | _words(
    ".ca .cg .cs .cv .wb .wt evict_first evict_last evict_normal zero nan relaxed acquire release "
    "acq_rel cta gpu sys tf32 tf32x3 ieee rtne rtz inf -inf"
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
    ast.Break,
    ast.Continue,
)
_EXPRESSIONS = (
    ast.BoolOp,
    ast.BinOp,
    ast.UnaryOp,
    ast.Compare,
    ast.IfExp,
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
_LITERALS = (
    ast.Constant,
    ast.UnaryOp,
    ast.BinOp,
    ast.Tuple,
    ast.Name,
    ast.expr_context,
    ast.operator,
    ast.unaryop,
)
_MAKERS = frozenset({"float", "int", "tl.constexpr"})
_WORDS = {
    "Import": "an import",
    "ImportFrom": "an import",
    "FunctionDef": "a function inside a kernel",
    "Lambda": "a lambda",
    "JoinedStr": "an f-string",
    "NamedExpr": "`:=`",
    "ListComp": "a comprehension",
    "Try": "`try`",
    "With": "`with`",
    "Global": "`global`",
    "Delete": "`del`",
    "Starred": "`*`",
}


class Module(Protocol):
    """The file that a kernel is defined in."""

    @property
    def language_names(self) -> Set[str]:
        """Names that the file binds to `triton.language`."""
        ...

    @property
    def triton_names(self) -> Set[str]:
        """Names that the file binds to `triton`."""
        ...

    def defines(self, name: str) -> bool:
        """Return True if the file binds `name` at its top level."""
        ...

    def is_function(self, name: str) -> bool:
        """Return True if `name` is a top-level function of the file."""
        ...

    def require(self, name: str, user: ast.AST) -> None:
        """Vet `name` too, since the kernel uses it."""
        ...

    def refuse(self, node: ast.AST | None, reason: str) -> NoReturn:
        """Raise a Ruling that names the line."""
        ...


class Vetter(ast.NodeTransformer):
    """Rejects what the lists do not allow, drops docstrings, and replaces aliases by `tl`.

    local_names: the function's parameters and assigned names; empty for constants and defaults.
    """

    def __init__(self, module: Module, local_names: Set[str]) -> None:
        self._module = module
        self._locals = local_names

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Return the vetted statements; at least one."""
        kept = [self.visit(s) for s in body if not _is_text(s)]
        return kept or [ast.copy_location(ast.Pass(), body[0])]

    def expression(self, node: ast.expr) -> ast.expr:
        """Return the vetted expression."""
        return self.visit(node)

    def literal(self, node: ast.expr) -> ast.expr:
        """Return the vetted expression, which must be immutable.

        A module-level list could carry what one program loaded to the next.
        """
        vetted = self.expression(node)
        for part in ast.walk(vetted):
            if not _is_literal(part):
                self._module.refuse(node, "a constant is made of numbers, dtypes and arithmetic")
        return vetted

    def generic_visit(self, node: ast.AST) -> ast.AST:
        """Reject unknown nodes; vet the parts of known ones."""
        if not isinstance(node, _STATEMENTS + _EXPRESSIONS):
            self._module.refuse(node, f"{_in_words(node)} is not part of Triton's language")
        if isinstance(node, ast.For | ast.While | ast.If):
            node.body = self.block(node.body)
            node.orelse = self.block(node.orelse) if node.orelse else []
        for name, part in ast.iter_fields(node):
            if name in {"body", "orelse"} and isinstance(node, ast.stmt):
                continue
            if isinstance(part, ast.AST):
                setattr(node, name, self.visit(part))
            elif isinstance(part, list):
                setattr(node, name, [self.visit(p) for p in _nodes(node, name)])
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Keep the annotation only if Triton reads it."""
        if not isinstance(node.target, ast.Name) or node.value is None:
            self._module.refuse(node, "an annotation needs a variable and a value")
        value = self.expression(node.value)
        annotation = kept_annotation(node.annotation, self._module)
        if annotation is None:
            return ast.copy_location(ast.Assign([node.target], value), node)
        node.annotation, node.value = annotation, value
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """Allow locals, literal constants and the file's own @triton.jit functions."""
        if isinstance(node.ctx, ast.Store) or node.id in self._locals:
            return node
        if self._is_module(node.id):
            self._module.refuse(node, f"`{node.id}` cannot be passed around as a value")
        if not self._module.defines(node.id):
            self._module.refuse(node, f"a kernel cannot use `{node.id}`")
        self._module.require(node.id, node)
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        """Allow numbers and the strings that Triton's options accept."""
        value = node.value
        if isinstance(value, str):
            if value not in _TEXTS:
                self._module.refuse(node, f"the text {value[:40]!r} is not an option of Triton's")
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
        """Allow `tl.name` from the list, or a method of a tensor."""
        if not isinstance(node.ctx, ast.Load):
            self._module.refuse(node, "an attribute cannot be set in a kernel")
        path = dotted(node)
        root = path.partition(".")[0]
        if path and root not in self._locals and self._is_module(root):
            return self._language_name(node, path)
        if node.attr not in _OF_VALUES:
            self._module.refuse(node, f"`{path or '.' + node.attr}` is not allowed in a kernel")
        node.value = self.expression(node.value)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Allow calls of tl functions, tensor methods, the file's helpers and a few builtins."""
        for keyword in node.keywords:
            if keyword.arg is None or keyword.arg.startswith("_"):
                self._module.refuse(node, "a call in a kernel has plain arguments only")
        if isinstance(node.func, ast.Name):
            self._vet_called_name(node.func)
        elif isinstance(node.func, ast.Attribute):
            node.func = self.expression(node.func)
        else:
            self._module.refuse(node, "only a named function can be called in a kernel")
        node.args = [self.visit(argument) for argument in node.args]
        node.keywords = [self.visit(keyword) for keyword in node.keywords]
        return node

    def _vet_called_name(self, function: ast.Name) -> None:
        name = function.id
        if name in self._locals:
            self._module.refuse(function, f"`{name}` is a variable here and cannot be called")
        if self._module.is_function(name):
            self._module.require(name, function)
            return
        if self._module.defines(name) or name not in _BUILTINS:
            self._module.refuse(function, f"a kernel cannot call `{name}`")

    def _language_name(self, node: ast.Attribute, path: str) -> ast.expr:
        first, *rest = path.split(".")
        in_language = first in self._module.language_names
        if not in_language and rest[0] == "language":
            in_language, rest = True, rest[1:]
        if in_language and rest[:1] == ["math"] and rest[1:2] and rest[1] in _MATH:
            rest = rest[1:]
        allowed = _LANGUAGE if in_language else _TRITON
        if len(rest) == 2 and rest[0] in DTYPES and rest[1] == "primitive_bitwidth":
            rest_allowed = in_language
        else:
            rest_allowed = len(rest) == 1 and rest[0] in allowed
        if not rest_allowed:
            self._module.refuse(node, f"`{path}` is not allowed in a checked kernel")
        return ast.copy_location(dotted_node("tl" if in_language else "triton", *rest), node)

    def _is_module(self, name: str) -> bool:
        return name in self._module.language_names or name in self._module.triton_names


def kept_annotation(annotation: ast.expr | None, module: Module) -> ast.expr | None:
    """Return `tl.constexpr` or a `tl` dtype, which Triton reads; None for any other annotation.

    Raises Ruling for a bare `constexpr`.
    """
    path = dotted(annotation)
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        path = annotation.value
    root, _, name = path.rpartition(".")
    roots = {*module.language_names, *(f"{t}.language" for t in module.triton_names)}
    if root in roots and name in {"constexpr", *DTYPES}:
        return dotted_node("tl", name)
    if name == "constexpr":
        module.refuse(annotation, "write `tl.constexpr`, with `import triton.language as tl`")
    return None


def dotted(node: ast.expr | None) -> str:
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


def _nodes(node: ast.AST, name: str) -> list[ast.AST]:
    return [part for part in getattr(node, name) if isinstance(part, ast.AST)]


def _is_literal(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return dotted(node.func) in _MAKERS
    if isinstance(node, ast.Attribute):
        return dotted(node).startswith("tl.")
    return isinstance(node, _LITERALS)


def _is_text(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.Expr) or not isinstance(statement.value, ast.Constant):
        return False
    return isinstance(statement.value.value, str)


def _in_words(node: ast.AST) -> str:
    kind = type(node).__name__
    return _WORDS.get(kind, f"this construct ({kind})")
