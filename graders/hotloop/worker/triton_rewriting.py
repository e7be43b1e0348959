"""How Triton's interpreter runs a kernel's Python: as the compiler reads it, not as Python does.

The interpreter runs a kernel as Python with tensors as objects. There `a and b` is `b`, a loop
variable is an int without `.to`, and `min(a, b)` of two tensors asks whether a tensor is true. The
compiler takes all of them as operations on tensors, and so does a kernel that is rewritten here.
"""

import ast
import builtins
import inspect
import operator
from collections.abc import Callable, Generator
from functools import partial, reduce
from types import FunctionType, SimpleNamespace
from typing import Any, cast

import numpy as np

from hotloop.worker.triton_modules import NotInterpreted, interpreter, language
from hotloop.worker.triton_reductions import NotOneValue

_BOOLEAN = {"And": "__logical_and__", "Or": "__logical_or__"}
MOST_TURNS = 300_000
"""Turns of a `while` in one program after which it counts as endless: a choice, not measured."""

_BUILTINS = {"min": "minimum", "max": "maximum"}


def correct() -> None:
    """Rewrite each kernel before its first run, and patch what it calls for each launch."""
    triton = interpreter()
    triton.FunctionRewriter.ast_transformer = _Rewriting(triton.FunctionRewriter.ast_transformer)
    run_source = triton.FunctionRewriter._compile_and_exec
    triton.FunctionRewriter._compile_and_exec = _with_bound_names(run_source)
    triton.FunctionRewriter._find_def = _first_def
    triton.InterpretedFunction.run = _with_grid(triton.InterpretedFunction.run)
    triton._implicit_cvt = _argument(triton._implicit_cvt)
    _correct_constexpr(language().constexpr)
    triton._patch_lang = _once_a_launch(triton._patch_lang)
    # Names with two underscores, which no kernel may define.
    triton.__dict__.update(
        __logical_and__=partial(_logical, "logical_and"),
        __logical_or__=partial(_logical, "logical_or"),
        __logical_not__=_logical_not,
        __loop__=_loop,
        __called__=_called,
        __truth__=_truth,
        __value__=_value,
        __Turns__=_Turns,
        __variable__=_variable,
    )


class _Rewriting(ast.NodeTransformer):
    """Replaces what means something else in Python; then Triton's own rewriting follows."""

    def __init__(self, tritons_own: ast.NodeTransformer) -> None:
        self._own = tritons_own

    def visit_Module(self, node: ast.Module) -> ast.AST:
        """Rewrite a kernel's source."""
        return self._own.visit(self.generic_visit(node))

    def visit_arg(self, node: ast.arg) -> ast.AST:
        """`BLOCK: L.constexpr`, which the interpreter knows by the text `tl.constexpr` alone."""
        if node.annotation is not None and "constexpr" in ast.unparse(node.annotation):
            node.annotation = ast.parse("tl.constexpr", mode="eval").body
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """`a, b = 0, 1.0`: each number becomes a tensor, as in `a = 0`."""
        self.generic_visit(node)
        if isinstance(node.targets[0], ast.Tuple):
            node.value = _call("__variable__", [node.value], node.value)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """`a: tl.float32 = 0.0`, which the compiler reads as `a = 0.0`."""
        self.generic_visit(node)
        if node.value is None or "constexpr" in ast.unparse(node.annotation):
            return node
        return ast.copy_location(ast.Assign([node.target], node.value), node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        """`N += 1`, where a constexpr becomes a tensor."""
        self.generic_visit(node)
        if not isinstance(node.target, ast.Name):
            return node
        value = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
        return ast.copy_location(ast.Assign([node.target], value), node)

    def visit_NamedExpr(self, node: ast.NamedExpr) -> ast.AST:
        """`(a := 2.0)`."""
        self.generic_visit(node)
        node.value = _call("__variable__", [node.value], node.value)
        return node

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        """`a and b`: each part becomes a function, since a part may never be evaluated."""
        self.generic_visit(node)
        parts: list[ast.expr] = [ast.Lambda(_NO_PARAMETERS, value) for value in node.values]
        return _call(_BOOLEAN[type(node.op).__name__], parts, node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        """`not a`."""
        self.generic_visit(node)
        if not isinstance(node.op, ast.Not):
            return node
        return _call("__logical_not__", [node.operand], node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        """`a < b < c`, which Triton compiles since 3.9."""
        if len(node.ops) > 1 and not hasattr(self._own, "visit_Compare"):
            raise SyntaxError(
                f"line {node.lineno} of the kernel: this Triton compiles no chain of comparisons "
                "(`a < b < c`): write `(a < b) & (b < c)`"
            )
        return self.generic_visit(node)

    def visit_For(self, node: ast.For) -> ast.AST:
        """`for i in range(n)` and `tl.range(n)`: the variable is a tensor."""
        self.generic_visit(node)
        loop = node.iter
        if isinstance(loop, ast.Call):
            name = getattr(loop.func, "id", getattr(loop.func, "attr", ""))
            if name == "range":
                loop.func = ast.copy_location(ast.Name("__loop__", ast.Load()), loop.func)
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        """`if a`."""
        return self._test(node)

    def visit_While(self, node: ast.While) -> list[ast.AST]:
        """`while a`, whose turns are counted."""
        self._test(node)
        counter = f"__turns_{node.lineno}__"
        node.test = _call(counter, [node.test], node.test)
        counted = ast.Assign([ast.Name(counter, ast.Store())], _call("__Turns__", [], node.test))
        return [ast.copy_location(counted, node), node]

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        """`x if a else y`."""
        return self._test(node)

    def _test(self, node: ast.If | ast.While | ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        node.test = _call("__truth__", [node.test], node.test)
        return node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """`BLOCK.value` of a constexpr, which is a plain number here."""
        self.generic_visit(node)
        return _call("__value__", [node.value], node) if node.attr == "value" else node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`min(a, b)` and `max(a, b)`, if these are Python's own."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in _BUILTINS:
            node.func = _call("__called__", [node.func], node.func)
        return node


_NO_PARAMETERS = ast.arguments(
    posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[], vararg=None, kwarg=None
)


def _call(name: str, arguments: list[ast.expr], node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.Call(ast.Name(name, ast.Load()), arguments, []), node)


def _is_tensor(value: Any) -> bool:
    return isinstance(value, language().tensor)


def _logical(method: str, *parts: Callable[[], Any]) -> Any:
    """Join as the compiler does: what is known before the kernel runs decides or is left out."""
    tensors: list[Any] = []
    value: Any = None
    for part in parts:
        value = part()
        if _is_tensor(value):
            tensors.append(value)
        elif bool(value) == (method == "logical_or"):
            return value
    if not tensors:
        return value
    while len(tensors) > 1:
        right, left = tensors.pop(), tensors.pop()
        tensors.append(getattr(left, method)(right))
    return tensors[0]


def _logical_not(value: Any) -> Any:
    return value.__not__() if _is_tensor(value) else not value


def _value(constexpr: Any) -> Any:
    return getattr(constexpr, "value", constexpr)


def _variable(value: Any) -> Any:
    """Return what a variable holds in a compiled kernel: numbers are tensors, in tuples too."""
    if isinstance(value, tuple):
        return tuple(map(_variable, cast(tuple[Any, ...], value)))
    return interpreter().interpreter_semantic.to_tensor(value, False)


def _truth(value: Any) -> Any:
    """Refuse what Triton's own `__bool__` calls true: a tensor with several elements."""
    if _is_tensor(value) and value.handle.data.size != 1:
        raise NotOneValue
    return value


class _Turns:
    """Counts the turns of a `while`. Raises RuntimeError if it takes too many to end in time."""

    def __init__(self) -> None:
        self._left = MOST_TURNS

    def __call__(self, condition: Any) -> Any:
        self._left -= 1
        if self._left < 0:
            raise RuntimeError(
                f"this `while` has gone round {MOST_TURNS:,} times: does its condition ever end it?"
            )
        return condition


def _loop(
    arg1: Any, arg2: Any = None, step: Any = 1, *_stages: Any, **_options: Any
) -> Generator[Any]:
    """Yield tensors of the type that the loop variable has in a compiled kernel.

    The parameters are those of `tl.range`.
    """
    start, stop = (0, arg1) if arg2 is None else (arg1, arg2)
    semantic = interpreter().interpreter_semantic
    bounds = [semantic.to_tensor(bound) for bound in (start, stop, step)]
    dtype = bounds[0].dtype
    for bound in bounds[1:]:
        dtype = semantic.integer_promote_impl(dtype, bound.dtype)
    numbers = builtins.range(*(int(bound.handle.data.item()) for bound in bounds))
    for number in numbers:
        yield semantic.scalar_constant(number, dtype)


def _called(function: Any) -> Any:
    """Return what a kernel calls by this name: for Python's min and max, those of tensors too."""
    if function not in (builtins.min, builtins.max):
        return function
    of_two = getattr(language(), _BUILTINS[function.__name__])

    def extreme(*values: Any) -> Any:
        return reduce(of_two, values) if any(map(_is_tensor, values)) else function(*values)

    return extreme


def _first_def(_rewriter: Any, lines: list[str]) -> int:
    """Return the number of the line with a kernel's `def`: its docstring may hold another one."""
    return next(n for n, line in enumerate(lines, 1) if line.lstrip().startswith("def "))


def _with_grid(run: Callable[..., Any]) -> Callable[..., Any]:
    """Take a list for a grid too, and ask a function for it with the arguments themselves.

    A launch returns what stands for the compiled kernel.
    """

    def with_grid(kernel: Any, *args: Any, grid: Any, warmup: bool, **options: Any) -> Any:
        if callable(grid) and not warmup:
            named = {n: value for n, value in options.items() if n in kernel.arg_names}
            bound = inspect.signature(kernel.fn).bind(*args, **named)
            bound.apply_defaults()
            grid = grid(bound.arguments)
        grid = grid if callable(grid) else tuple(grid)
        run(kernel, *args, grid=grid, warmup=warmup, **options)
        return _CompiledKernel()

    return with_grid


class _CompiledKernel:
    """What a launch and `warmup` return, where no kernel is compiled."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise NotInterpreted(
            f"`{name}` of a compiled kernel", "Choose grids and sizes by the arguments."
        )


def _correct_constexpr(constexpr: Any) -> None:
    """Let a constexpr meet what the compiler wraps in one, and the interpreter does not: numbers.

    Joined with a tensor it is a tensor.
    """

    def new(kind: Any, value: Any = None) -> Any:
        return value if _is_tensor(value) else object.__new__(kind)

    def length(self: Any) -> int:
        return len(self.value)

    def number(self: Any) -> float:
        return float(self.value)

    constexpr.__new__, constexpr.__len__, constexpr.__float__ = new, length, number
    for name in ("mod", "and", "or", "xor", "lshift", "rshift"):
        setattr(constexpr, f"__r{name}__", _reflected(getattr(operator, f"__{name}__")))


def _reflected(operate: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def reflected(right: Any, left: Any) -> Any:
        return type(right)(operate(left, right.value))

    return reflected


def _argument(convert: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Pass a float as a float32 tensor, and a bool as an int1 tensor, like a compiled kernel."""

    def converted(value: Any) -> Any:
        tl, handle = language(), interpreter().TensorHandle
        if isinstance(value, bool):
            return tl.tensor(handle(np.array([value]), tl.int1), tl.int1)
        if isinstance(value, float):
            return tl.tensor(handle(np.array([value], np.float32), tl.float32), tl.float32)
        return convert(value)

    return converted


def _with_bound_names(run_source: Callable[..., Any]) -> Callable[..., Any]:
    """Let a kernel call what its file imported by name, such as `from triton.language import dot`.

    It may also use what the function around it defines. The interpreter replaces the functions in
    Triton's modules, not the names in a file. Its copy of a kernel has annotations as texts, of
    which it knows only `tl.constexpr`.
    """

    def compile_and_exec(self: Any, tree: Any) -> Any:
        names, tl = self.fn.__globals__, language()
        outer = dict(inspect.getclosurevars(self.fn).nonlocals)
        for scope in (names, outer):
            for name, value in list(scope.items()):
                if tl.core.is_builtin(value) or value is tl.static_range:
                    scope[name] = _bound(inspect.getmodule(value), value.__name__)
        rewritten = run_source(self, tree)
        if outer:  # of the function around the kernel, which its copy is not inside of
            of_both = FunctionType(rewritten.__code__, {**names, **outer})
            of_both.__defaults__ = rewritten.__defaults__
            of_both.__kwdefaults__ = rewritten.__kwdefaults__
            rewritten = of_both
        rewritten.__annotations__ = {
            name: "constexpr" if "constexpr" in str(annotation) else annotation
            for name, annotation in self.fn.__annotations__.items()
        }
        return rewritten

    return compile_and_exec


def _bound(module: Any, name: str) -> Callable[..., Any]:
    def call(*args: Any, **options: Any) -> Any:
        return getattr(module, name)(*args, **options)

    return call


def _once_a_launch(patch: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Patch all of Triton's language, and only for the launch: not again for each helper."""

    def patch_language(_function: Any) -> Any:
        tl = language()
        if getattr(tl, "__patched__", False):
            return interpreter()._LangPatchScope()
        # The function's globals tell Triton which modules to patch.
        scope = patch(SimpleNamespace(__globals__={"tl": tl, "core": tl.core}))
        scope.set_attr(tl, "__patched__", True)
        scope.set_attr(tl.tensor, "__index__", _integer)
        for module in (tl, tl.core):
            scope.set_attr(module, "map_elementwise", _map_elementwise)
        return scope

    return patch_language


def _integer(tensor: Any) -> int:
    return int(tensor.handle.data.item())


def _map_elementwise(*_args: Any, **_options: Any) -> Any:
    raise NotInterpreted("tl.map_elementwise", "Write its function with tl.where on whole tensors.")
