"""Extracts Triton kernels from a learner's file, as text that is safe to run in a trusted process.

Only the syntax tree is read; nothing is imported or evaluated here. The result is a new module
generated from that tree: imports of Triton, constants as plain values, and functions in the allowed
subset of Triton (`kernel_lists.py`). Everything else is rejected with its line number.
"""

import ast
import symtable
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NoReturn

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge import kernel_constants
from hotloop.judge.kernel_constants import Constants, Value
from hotloop.judge.kernel_language import Vetter, is_write, triton_annotation
from hotloop.judge.kernel_lists import BUILTINS
from hotloop.judge.kernel_names import Names, dotted, dotted_node, known_imports, stored_names

MAX_CHARACTERS = 100_000

_HEADER = (
    "import triton\nimport triton.language as tl\nfrom triton.language.extra import libdevice\n"
)
_RESERVED = frozenset({"tl", "triton", "libdevice"})

WHY = "The page “Checked Triton kernels” lists what a kernel may use."


@dataclass(frozen=True)
class Parameter:
    """One parameter of a kernel. required: it has no default."""

    name: str
    constexpr: bool
    required: bool


@dataclass(frozen=True)
class KernelSource:
    """Vetted kernels.

    text: source of the new module.
    lines: line numbers of `text` to those of the learner's `file`.
    kernels: parameters by kernel name.
    """

    file: str
    text: str
    kernels: Mapping[str, tuple[Parameter, ...]]
    lines: Mapping[int, int]

    def place(self, line: object) -> str:
        """Return the place in the learner's file of a line of `text`, for a sentence."""
        known = self.lines.get(line) if isinstance(line, int) else None
        return self.file if known is None else f"{self.file}, line {known}"


def vet(source: str, kernels: Iterable[str], file: str) -> KernelSource:
    """Extract the functions named in `kernels`, and what they need, from the text `source`.

    Raises Ruling: COMPILE_ERROR if `source` is not Python, WRONG_ANSWER with the line if a kernel
    uses something that is not allowed.
    """
    try:
        return _vet(_parse(source, file), sorted(set(kernels)), file)
    except RecursionError:
        raise Ruling(
            Verdict.WRONG_ANSWER, f"{file}: an expression is nested too deeply to be checked."
        ) from None


def mentioned(source: str, function: str, file: str) -> list[str]:
    """Return the kernels that the top-level function `function` names, itself or through others."""
    learner = _LearnerModule(_parse(source, file), file)
    return [name for name in learner.mentioned(function) if learner.is_kernel(name)]


def _parse(source: str, file: str) -> ast.Module:
    if len(source) > MAX_CHARACTERS:
        raise Ruling(
            Verdict.WRONG_ANSWER, f"{file} is longer than {MAX_CHARACTERS} characters: shorten it."
        )
    try:
        return ast.parse(source)
    except SyntaxError as error:
        raise Ruling(Verdict.COMPILE_ERROR, f"{file}, line {error.lineno}: {error.msg}.") from None
    except (ValueError, MemoryError):
        raise Ruling(Verdict.COMPILE_ERROR, f"{file} cannot be parsed as Python.") from None


def _vet(tree: ast.Module, kernels: list[str], file: str) -> KernelSource:
    learner = _LearnerModule(tree, file)
    parameters = {name: learner.require_kernel(name) for name in kernels}
    needed = learner.needed()
    text = _HEADER + ast.unparse(_module(needed)) + "\n"
    again = ast.parse(text).body[_HEADER.count("\n") :]
    if ast.dump(_module(again)) != ast.dump(_module(needed)):
        raise Ruling(Verdict.WRONG_ANSWER, f"{file}: the kernels' text is ambiguous: simplify it.")
    try:
        compile(text, file, "exec", dont_inherit=True)
        names = [*_globals(symtable.symtable(text, file, "exec"))]
    except (SyntaxError, ValueError) as error:
        raise Ruling(Verdict.COMPILE_ERROR, f"{file}: the kernels are no Python: {error}") from None
    learner.require_known(names)
    lines: dict[int, int] = {}
    for theirs, ours in zip(_all_statements(needed), _all_statements(again), strict=True):
        lines.setdefault(ours.lineno, theirs.lineno)
    return KernelSource(file, text, parameters, lines)


def _globals(table: symtable.SymbolTable) -> Iterator[str]:
    """Yield the names that functions take from outside of themselves, by Python's own rules."""
    for inner in table.get_children():
        yield from (symbol.get_name() for symbol in inner.get_symbols() if symbol.is_global())
        yield from _globals(inner)


def _module(body: list[ast.stmt]) -> ast.Module:
    return ast.Module(body=[*body], type_ignores=[])


def _all_statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield from (node for node in ast.walk(statement) if isinstance(node, ast.stmt))


class _LearnerModule:
    """Top-level names of the learner's file, and those that the kernels need."""

    def __init__(self, tree: ast.Module, file: str) -> None:
        self.file = file
        self.names = Names()
        self._bound: dict[str, list[ast.stmt]] = {}
        self._needed: dict[str, ast.stmt] = {}
        self._values: dict[str, Value] = {}
        self._computing: set[str] = set()
        for statement in tree.body:
            self._read(statement)

    def require_kernel(self, name: str) -> tuple[Parameter, ...]:
        """Vet the launched function `name` and return its parameters."""
        if self.defines(name) and not self.is_function(name):
            bound = self._bound.get(name, [None])[0]
            if isinstance(bound, ast.Import | ast.ImportFrom):
                self._refuse_import(name, bound)
            self.refuse(bound, f"`{name}` is launched but is not a function with @triton.jit")
        function = self._binding(name, None)
        assert isinstance(function, ast.FunctionDef)
        self.require(name, function)
        if function.args.vararg is not None:
            self.refuse(function, "a kernel that is launched names each of its parameters")
        return tuple(_parameters(function.args))

    def require(self, name: str, user: ast.AST) -> None:
        """Vet the function or constant `name`; `user` is the node that uses it."""
        if name in self._needed:
            return
        if not self.defines(name):
            self.refuse(user, f"a kernel cannot use `{name}`")
        statement = self._binding(name, user)
        if isinstance(statement, ast.FunctionDef):
            self._needed[name] = statement
            self._vet_function(statement)
        else:
            self._needed[name] = self._constant_statement(name, statement)

    def constant(self, name: str, user: ast.AST) -> Value:
        """Return the value of the constant `name`; `user` is the node that uses it."""
        if name not in self._values:
            if name in self._computing or not self.defines(name):
                self.refuse(user, f"a constant cannot use `{name}`")
            self._computing.add(name)
            self._values[name] = Constants(self).value(self._assigned(name, user))
        return self._values[name]

    def defines(self, name: str) -> bool:
        """Return True if the file binds `name` at its top level."""
        return name in self._bound or name in self.names.paths

    def is_function(self, name: str) -> bool:
        """Return True if `name` is a top-level function of the file."""
        return any(isinstance(s, ast.FunctionDef) for s in self._bound.get(name, []))

    def writes(self, name: str) -> bool:
        """Return True if `name` is a function that writes to memory, itself or through others."""
        return any(
            is_write(node, self.names)
            for function in self.mentioned(name)
            for node in ast.walk(_module(self._bound[function]))
        )

    def mentioned(self, function: str) -> list[str]:
        """Return the functions that `function` names, itself or through others; it comes first."""
        names = [function] if self.is_function(function) else []
        for name in names:
            for node in ast.walk(_module(self._bound[name])):
                if isinstance(node, ast.Name) and node.id not in names:
                    names += [node.id] if self.is_function(node.id) else []
        return names

    def is_kernel(self, name: str) -> bool:
        """Return True if the function `name` has @triton.jit among its decorators."""
        return any(
            self.names.resolve(d.func if isinstance(d, ast.Call) else d) == "triton.jit"
            for statement in self._bound[name]
            for d in getattr(statement, "decorator_list", [])
        )

    def require_known(self, names: Iterable[str]) -> None:
        """Raise Ruling unless the kernels use these names with leave.

        Triton's interpreter adds its own imports, numpy among them, to the kernels' module. A name
        that is taken for a local variable and is none would reach them.
        """
        for name in names:
            if name not in {*_RESERVED, *BUILTINS, *self._needed}:
                self.refuse(None, f"`{name}` has no value in a kernel")

    def needed(self) -> list[ast.stmt]:
        """Return the needed statements: constants, then functions, each in source order."""
        return sorted(
            self._needed.values(), key=lambda s: (isinstance(s, ast.FunctionDef), s.lineno)
        )

    def refuse(self, node: ast.AST | None, reason: str) -> NoReturn:
        """Raise a Ruling that names the line."""
        line = getattr(node, "lineno", None)
        where = self.file if line is None else f"{self.file}, line {line}"
        raise Ruling(Verdict.WRONG_ANSWER, f"{where}: {reason}. {WHY}")

    def _refuse_import(self, name: str, user: ast.AST) -> NoReturn:
        self.refuse(
            user,
            f"`{name}` is imported: kernels are taken out of this file alone, so define them and "
            "what they use here",
        )

    def _binding(self, name: str, user: ast.AST | None) -> ast.stmt:
        bindings = self._bound.get(name, [])
        if not bindings and name not in self.names.paths:
            self.refuse(
                user,
                f"there is no `{name}` at the top level of the file: put the kernel there, "
                "not in a function or class",
            )
        if not bindings:
            self.refuse(user, f"`{name}` is several things of Triton in this file; keep one")
        if len(bindings) > 1 or name in self.names.paths:
            self.refuse(bindings[-1], f"`{name}` is defined twice; keep one definition")
        if name in _RESERVED or name.startswith("__"):
            self.refuse(bindings[0], f"`{name}` is not a name to define in this file")
        return bindings[0]

    def _read(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.If | ast.Try):
            for inner in _inner_statements(statement):
                self._read(inner)
            return
        if isinstance(statement, ast.Import | ast.ImportFrom):
            for name, path, known in known_imports(statement):
                if known:
                    self.names.add(name, path)
                else:
                    self._bound.setdefault(name, []).append(statement)
            return
        if isinstance(statement, ast.Assign) and self._is_alias(statement):
            return
        for name in _bound_names(statement):
            self._bound.setdefault(name, []).append(statement)

    def _is_alias(self, statement: ast.Assign) -> bool:
        """Return True for `exp = tl.exp`, after reading it as a name of the language."""
        path = self.names.resolve(statement.value)
        target = statement.targets[0]
        if len(statement.targets) > 1 or not isinstance(target, ast.Name):
            return False
        if not path.startswith("triton."):
            return False
        self.names.add(target.id, path)
        return True

    def _vet_function(self, function: ast.FunctionDef) -> None:
        decorator = self._triton_decorator(function)
        if getattr(function, "type_params", []):
            self.refuse(function, "a kernel has no type parameters")
        self._vet_parameters(function.args, function)
        function.decorator_list = [dotted_node("triton", decorator)]
        function.returns = None
        names = _local_names(function)
        for name in sorted(names):
            if name in _RESERVED or name.startswith("__"):
                self.refuse(function, f"`{name}` cannot be the name of a kernel's variable")
        function.body = Vetter(self, names).block(function.body)

    def _triton_decorator(self, function: ast.FunctionDef) -> str:
        """Return `jit` or `constexpr_function`, the decorator of the function itself.

        Those above it only choose arguments and options of a launch, which are recorded.
        """
        if not function.decorator_list:
            self.refuse(function, f"`{function.name}` is used as a kernel but lacks @triton.jit")
        last = function.decorator_list[-1]
        path = self.names.resolve(last.func if isinstance(last, ast.Call) else last)
        if path not in {"triton.jit", "triton.constexpr_function"}:
            self.refuse(last, "the decorator next to a kernel's `def` is @triton.jit")
        return path.rpartition(".")[2]

    def _vet_parameters(self, arguments: ast.arguments, function: ast.FunctionDef) -> None:
        if arguments.kwarg or arguments.posonlyargs:
            self.refuse(function, "a kernel has no `/` and no `**` among its parameters")
        for argument in _all_arguments(arguments):
            argument.annotation = triton_annotation(argument.annotation, self)
        arguments.defaults = [self._literal(default) for default in arguments.defaults]
        arguments.kw_defaults = [
            None if default is None else self._literal(default) for default in arguments.kw_defaults
        ]

    def _literal(self, node: ast.expr) -> ast.expr:
        return kernel_constants.expression(Constants(self).value(node))

    def _constant_statement(self, name: str, statement: ast.stmt) -> ast.stmt:
        value = kernel_constants.expression(self.constant(name, statement))
        target = ast.Name(name, ast.Store())
        constant: ast.stmt = ast.Assign([target], value)
        if isinstance(statement, ast.AnnAssign):
            annotation = triton_annotation(statement.annotation, self)
            if annotation is not None:
                constant = ast.AnnAssign(target, annotation, value, 1)
        return ast.fix_missing_locations(ast.copy_location(constant, statement))

    def _assigned(self, name: str, user: ast.AST) -> ast.expr:
        """Return the expression that the constant `name` is set to."""
        statement = self._binding(name, user)
        if isinstance(statement, ast.Import | ast.ImportFrom):
            self._refuse_import(name, user)
        targets: list[ast.expr] = []
        if isinstance(statement, ast.Assign):
            targets = statement.targets
        elif isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
        whole = statement.value if isinstance(statement, ast.Assign | ast.AnnAssign) else None
        values = [value for target in targets for value in _values_of(name, target, whole)]
        if not values:
            self.refuse(statement, f"`{name}` is not a constant, so a kernel cannot use it")
        return values[-1]


def _values_of(name: str, target: ast.expr, value: ast.expr | None) -> Iterator[ast.expr]:
    """Yield what an assignment to `target` gives to a name, as in `A, B = 1, 2`."""
    if isinstance(target, ast.Name) and target.id == name and value is not None:
        yield value
    if not isinstance(target, ast.Tuple) or not isinstance(value, ast.Tuple):
        return
    if not any(isinstance(part, ast.Starred) for part in [*target.elts, *value.elts]):
        for part, its in zip(target.elts, value.elts, strict=False):
            yield from _values_of(name, part, its)


def _inner_statements(statement: ast.If | ast.Try) -> list[ast.stmt]:
    inner = [*statement.body, *statement.orelse]
    if isinstance(statement, ast.If):
        return inner
    handled = [part for handler in statement.handlers for part in handler.body]
    return [*inner, *handled, *statement.finalbody]


def _parameters(arguments: ast.arguments) -> Iterator[Parameter]:
    required = len(arguments.args) - len(arguments.defaults)
    for index, argument in enumerate(arguments.args):
        yield _parameter(argument, required=index < required)
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        yield _parameter(argument, required=default is None)


def _parameter(argument: ast.arg, *, required: bool) -> Parameter:
    return Parameter(argument.arg, dotted(argument.annotation) == "tl.constexpr", required)


def _local_names(function: ast.FunctionDef) -> frozenset[str]:
    """Return the function's local variables in Python: parameters and assigned names."""
    names = {argument.arg for argument in _all_arguments(function.args)}
    return frozenset(names | stored_names(function.body))


def _all_arguments(arguments: ast.arguments) -> list[ast.arg]:
    rest = [] if arguments.vararg is None else [arguments.vararg]
    return [*arguments.args, *arguments.kwonlyargs, *rest]


def _bound_names(statement: ast.stmt) -> set[str]:
    """Return all names that a top-level statement may bind, including inside nested blocks."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    names = stored_names([statement])
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name.partition(".")[0])
    return names
