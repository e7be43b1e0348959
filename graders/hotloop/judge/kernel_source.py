"""Extracts Triton kernels from a learner's file, as text that is safe to run in a trusted process.

Only the syntax tree is read; nothing is imported or evaluated here. The result is a new module
generated from that tree: two imports, literal constants, and functions in the allowed subset of
Triton (`kernel_language.py`). Everything else is rejected with its line number.
"""

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NoReturn

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.kernel_language import Vetter, dotted, dotted_node, kept_annotation

MAX_CHARACTERS = 100_000

_HEADER = "import triton\nimport triton.language as tl\n"
_RESERVED = frozenset({"tl", "triton"})


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
    kept = learner.kept()
    text = _HEADER + ast.unparse(_module(kept)) + "\n"
    again = ast.parse(text).body[_HEADER.count("\n") :]
    if ast.dump(_module(again)) != ast.dump(_module(kept)):
        raise Ruling(Verdict.WRONG_ANSWER, f"{file}: the kernels' text is ambiguous: simplify it.")
    lines: dict[int, int] = {}
    for theirs, ours in zip(_all_statements(kept), _all_statements(again), strict=True):
        lines.setdefault(ours.lineno, theirs.lineno)
    return KernelSource(file, text, parameters, lines)


def _module(body: list[ast.stmt]) -> ast.Module:
    return ast.Module(body=[*body], type_ignores=[])


def _all_statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    for statement in body:
        yield from (node for node in ast.walk(statement) if isinstance(node, ast.stmt))


class _LearnerModule:
    """Top-level names of the learner's file, and those that the kernels need."""

    def __init__(self, tree: ast.Module, file: str) -> None:
        self.file = file
        self.language_names: set[str] = set()
        self.triton_names: set[str] = set()
        self._jit_names: set[str] = set()
        self._bound: dict[str, list[ast.stmt]] = {}
        self._needed: dict[str, ast.stmt] = {}
        for statement in tree.body:
            self._read(statement)

    def require_kernel(self, name: str) -> tuple[Parameter, ...]:
        """Vet the launched function `name` and return its parameters."""
        function = self._binding(name, None)
        if not isinstance(function, ast.FunctionDef):
            self.refuse(function, f"`{name}` is launched but is not a function with @triton.jit")
        self.require(name, function)
        required = len(function.args.args) - len(function.args.defaults)
        return tuple(
            Parameter(a.arg, dotted(a.annotation) == "tl.constexpr", index < required)
            for index, a in enumerate(function.args.args)
        )

    def require(self, name: str, user: ast.AST) -> None:
        """Vet the function or constant `name`; `user` is the node that uses it."""
        if name in self._needed:
            return
        statement = self._binding(name, user)
        self._needed[name] = statement
        if isinstance(statement, ast.FunctionDef):
            self._vet_function(statement)
        else:
            self._vet_constant(name, statement)

    def defines(self, name: str) -> bool:
        """Return True if the file binds `name` at its top level."""
        return name in self._bound

    def is_function(self, name: str) -> bool:
        """Return True if `name` is a top-level function of the file."""
        return any(isinstance(s, ast.FunctionDef) for s in self._bound.get(name, []))

    def kept(self) -> list[ast.stmt]:
        """Return the needed statements: constants, then functions, each in source order."""
        return sorted(
            self._needed.values(), key=lambda s: (isinstance(s, ast.FunctionDef), s.lineno)
        )

    def refuse(self, node: ast.AST | None, reason: str) -> NoReturn:
        """Raise a Ruling that names the line."""
        line = getattr(node, "lineno", None)
        where = self.file if line is None else f"{self.file}, line {line}"
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"{where}: {reason}. A kernel is checked in a process of its own, "
            "where only Triton's language runs.",
        )

    def _binding(self, name: str, user: ast.AST | None) -> ast.stmt:
        bindings = self._bound.get(name, [])
        if not bindings:
            self.refuse(user, f"there is no `{name}` at the top level of the file")
        if len(bindings) > 1:
            self.refuse(bindings[1], f"`{name}` is defined twice; keep one definition")
        if name in _RESERVED or name.startswith("__"):
            self.refuse(bindings[0], f"`{name}` is not a name to define in this file")
        return bindings[0]

    def _read(self, statement: ast.stmt) -> None:
        if isinstance(statement, ast.Import | ast.ImportFrom):
            self._read_import(statement)
            return
        for name in _bound_names(statement):
            self._bound.setdefault(name, []).append(statement)

    def _read_import(self, statement: ast.Import | ast.ImportFrom) -> None:
        origin = f"{statement.module}." if isinstance(statement, ast.ImportFrom) else ""
        for alias in statement.names:
            path = origin + alias.name
            name = alias.asname or (alias.name if origin else alias.name.partition(".")[0])
            if path == "triton.language" and (alias.asname or origin):
                self.language_names.add(name)
            elif path == "triton.jit":
                self._jit_names.add(name)
            elif path == "triton" or (name == "triton" and not origin and not alias.asname):
                self.triton_names.add(name)
            else:
                self._bound.setdefault(name, []).append(statement)

    def _vet_function(self, function: ast.FunctionDef) -> None:
        self._vet_decorators(function)
        if getattr(function, "type_params", []):
            self.refuse(function, "a kernel has no type parameters")
        self._vet_parameters(function.args, function)
        function.decorator_list = [dotted_node("triton", "jit")]
        function.returns = None
        names = _local_names(function)
        for name in sorted(names):
            if name in _RESERVED | self.language_names or name.startswith("__"):
                self.refuse(function, f"`{name}` cannot be the name of a kernel's variable")
        function.body = Vetter(self, names).block(function.body)

    def _vet_decorators(self, function: ast.FunctionDef) -> None:
        for decorator in function.decorator_list:
            path = dotted(decorator.func if isinstance(decorator, ast.Call) else decorator)
            if path in self._jit_names or path == "triton.jit":
                continue
            if path in {"triton.autotune", "triton.heuristics"}:
                self.refuse(
                    decorator,
                    f"@{path} needs a GPU to run: choose the block size in the launcher instead",
                )
            self.refuse(decorator, "a kernel's only decorator is @triton.jit")
        if not function.decorator_list:
            self.refuse(function, f"`{function.name}` is used as a kernel but lacks @triton.jit")

    def _vet_parameters(self, arguments: ast.arguments, function: ast.FunctionDef) -> None:
        if arguments.vararg or arguments.kwarg or arguments.posonlyargs or arguments.kwonlyargs:
            self.refuse(function, "a kernel has plain parameters only, without `*` and `/`")
        for argument in arguments.args:
            argument.annotation = kept_annotation(argument.annotation, self)
        defaults = Vetter(self, frozenset())
        arguments.defaults = [defaults.literal(default) for default in arguments.defaults]

    def _vet_constant(self, name: str, statement: ast.stmt) -> None:
        if not isinstance(statement, ast.Assign | ast.AnnAssign) or statement.value is None:
            self.refuse(statement, f"`{name}` is not a literal constant, so a kernel cannot use it")
        annotated = isinstance(statement, ast.AnnAssign)
        targets = [statement.target] if annotated else statement.targets
        uses_function = any(
            isinstance(n, ast.Name) and self.is_function(n.id) for n in ast.walk(statement.value)
        )
        if len(targets) != 1 or not isinstance(targets[0], ast.Name) or uses_function:
            self.refuse(statement, f"`{name}` is not a literal constant, so a kernel cannot use it")
        if annotated:
            kept = kept_annotation(statement.annotation, self)
            statement.annotation = kept or ast.Name("int", ast.Load())
        statement.value = Vetter(self, frozenset()).literal(statement.value)


def _local_names(function: ast.FunctionDef) -> frozenset[str]:
    """Return the function's local variables in Python: parameters and assigned names."""
    names = {argument.arg for argument in function.args.args}
    return frozenset(names | _stored_names(function))


def _bound_names(statement: ast.stmt) -> set[str]:
    """Return all names that a top-level statement may bind, including inside nested blocks."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    names = _stored_names(statement)
    for node in ast.walk(statement):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)
        elif isinstance(node, ast.alias):
            names.add(node.asname or node.name.partition(".")[0])
    return names


def _stored_names(tree: ast.AST) -> set[str]:
    return {
        node.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
