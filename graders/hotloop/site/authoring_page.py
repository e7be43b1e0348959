"""The page "Reference of hl": every name of `hotloop.tasks.authoring`, with an example that runs.

Signatures and texts are those of the code; the examples are the cells of one file, which
`tests/docs/test_authoring.py` runs.
"""

import ast
import inspect
import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

from hotloop.site.markdown import Lines
from hotloop.tasks import authoring

NAME = "authoring.md"
EXAMPLES = Path("tests") / "docs" / "authoring" / "examples.py"
"""From the root of the tree."""

PRELUDE = "prelude"
"""The cell before all others."""

GROUPS: Mapping[str, Sequence[str]] = {
    "Tasks: how an answer is called": ("judge.task", "judge.triton_kernel"),
    "Checks: what is asked of an answer": ("judge.checks",),
    "Checks of one's own": ("judge.author_guard", "judge.check"),
    "Cases, references, tolerances, timed calls": ("judge", "engines"),
    "Verdicts": ("core",),
}
"""The packages and modules that define the names below each heading, in the order of the page."""

OFTEN = {
    "timeout_s": "seconds for each request to the answer.",
    "case_timeout_s": "seconds for each case.",
    "seconds": "time for measuring.",
    "pace": "how many windows are measured between two looks at the statistics.",
    "truth": "for which cases, what is right, and how near an answer must come: a `Truth`.",
    "cases": "generates the cases from a secret generator, anew for each judging.",
    "reference": "a function in NumPy that takes the arguments (float64 arrays, bool for masks) "
    "and returns the expected float64 output.",
    "calls": "the calls that several checks share: `TritonKernelCalls`, or `RecordedCalls`.",
    "launch": "how the kernel is launched, a `CudaLaunch`.",
    "workload": "what is timed: a `Workload`, or a `DeviceWorkload` on a GPU.",
    "baseline": "what the answer is timed against.",
    "tolerance": "the allowed error: a `Tolerance`, or a function of the case that returns one.",
}
"""What these parameters mean in every check whose text does not say otherwise."""


_SHORT = {
    "ndarray[tuple[Any, ...], dtype[float64]]": "Floats",
    "str | int | float | bool | Sequence['Plain'] | Mapping[str, 'Plain'] | None": "Plain",
    "Check | Callable[[Session], str]": "CheckFunction",
}
"""Types that Python shows without their names."""

RECEIVED = {"Session", "PlacedCall", "Verdict", "CheckFunction"}
"""Classes that an author receives or names, and never calls."""


@dataclass(frozen=True)
class Example:
    """An example. names: what it shows."""

    names: tuple[str, ...]
    code: str


def cells(text: str) -> list[Example]:
    """Return the cells of the file with the examples, the prelude first."""
    parts = re.split(r"^# %% (.+)\n", text, flags=re.MULTILINE)[1:]
    pairs = zip(parts[::2], parts[1::2], strict=True)
    return [Example(tuple(names.split(", ")), code.strip() + "\n") for names, code in pairs]


def page(root: Path) -> str:
    """Return the page. root: of the tree."""
    prelude, *examples = cells((root / EXAMPLES).read_text(encoding="utf-8"))
    lines = [
        "# Reference of `hl`",
        "",
        "A `tasks.py` imports one module, and everything that it needs is in it:",
        "",
        *_code(prelude.code),
        "",
        (
            "[Contribute](contribute.md) explains three problems. Each example here is run by "
            "the tests; where it has a `right` and a `wrong` answer, both are judged. Where a name "
            "does not say otherwise, in every check:"
        ),
        "",
        *(f"- `{name}`: {text}" for name, text in OFTEN.items()),
    ]
    left = list(authoring.homes())
    for heading, modules in GROUPS.items():
        prefixes = tuple(f"hotloop.{module}." for module in modules)
        names = [name for name in left if f"{authoring.homes()[name]}.".startswith(prefixes)]
        left = [name for name in left if name not in names]
        lines += ["", f"## {heading}"]
        for name in names:
            lines += ["", *_entry(name, examples)]
    return "\n".join([*lines, ""])


def _entry(name: str, examples: Sequence[Example]) -> Lines:
    value = getattr(authoring, name)
    lines = [f"### `hl.{name}` {{ #hl.{name} }}", ""]  # `hl.Case` and `hl.case` differ
    if shown := signature(name):
        lines += [*_code(shown), ""]
    lines += _text(described(name))
    for base in bases(value):
        lines += ["", f"Also takes what [`hl.{base}`](#hl.{base}) takes."]
    if inspect.isclass(value):
        lines += _of_class(value)
    if isinstance(value, ModuleType):
        for member, function in vars(value).items():
            own = inspect.isfunction(function) and function.__module__ == value.__name__
            if own and not member.startswith("_"):
                lines += ["", *_code(_signature(f"hl.{name}.{member}", function)), ""]
                lines += _text(inspect.getdoc(function) or "")
    for cell in examples:
        if name == cell.names[0]:
            lines += ["", *_code(cell.code)]
        elif name in cell.names:
            lines += ["", f"Example: [`hl.{cell.names[0]}`](#hl.{cell.names[0]})."]
    return lines


def bases(value: Any) -> list[str]:
    """Return the names of `hl` from which a class derives; none for another value."""
    classes = value.__mro__[1:] if inspect.isclass(value) else ()
    return [c.__name__ for c in classes if authoring.homes().get(c.__name__) == c.__module__]


def _of_class(value: type[Any]) -> Lines:
    """Return the values of an enumeration, or what a class has and none of `hl` above it."""
    if issubclass(value, Enum):
        return ["", f"Its values: {', '.join(f'`{one.name}`' for one in value)}."]
    told = {member for base in bases(value) for member in dir(getattr(authoring, base))}
    told |= {*inspect.signature(value).parameters}  # fields whose defaults are functions
    members: Mapping[str, Any] = vars(value)
    items = [_member(name, one) for name, one in members.items() if name not in told]
    return ["", "Methods and properties:", "", *filter(None, items)] if any(items) else []


def _member(name: str, member: Any) -> str:
    """Return the item of a public method or property: the first sentence of its text."""
    is_method = inspect.isfunction(member)
    text = inspect.getdoc(member) if is_method or isinstance(member, property) else ""
    if name.startswith("_") or not text:
        return ""
    taken = list(inspect.signature(member).parameters)[1:] if is_method else []
    shown = f"{name}({', '.join(taken)})" if is_method else name
    paragraph = " ".join(text.split("\n\n")[0].split())
    return f"- `{shown}`: {re.split(r'(?<=[.]) (?=[A-Z])', paragraph)[0]}"


def signature(name: str) -> str:
    """Return how the name is called; "" for what is not called."""
    value = getattr(authoring, name)
    if not (inspect.isclass(value) or inspect.isfunction(value)) or name in RECEIVED:
        return ""
    return _signature(f"hl.{name}", value)


def _signature(name: str, value: Any) -> str:
    """Return one line, or a line for each parameter, without the modules of types.

    A check's shows those of `Check` where the default is another.
    """
    parameters = list(inspect.signature(value).parameters.values())
    if "Check" in bases(value):
        usual = inspect.signature(authoring.Check).parameters
        parameters = [one for one in parameters if usual.get(one.name) != one]
    shown: list[str] = []
    for number, one in enumerate(parameters):
        kind, default = one.annotation, one.default
        text = kind if isinstance(kind, str) else inspect.formatannotation(kind)
        text = re.sub(r"\b(?:\w+\.)+(?=\w)", "", text)
        for long, short in _SHORT.items():
            text = text.replace(long, short)
        shown.append(f"{one.name}: {text}".replace(": _empty", ""))
        if one.kind is one.VAR_POSITIONAL:
            shown[-1] = f"*{shown[-1]}"
        elif one.kind is one.VAR_KEYWORD:
            shown[-1] = f"**{shown[-1]}"
        elif one.kind is one.KEYWORD_ONLY and "*" not in "".join(shown[:number]):
            shown[-1] = f"*, {shown[-1]}"
        if default is not one.empty:
            plain = isinstance(default, str | int | float | tuple | bool | type(None))
            shown[-1] += f" = {default!r}" if plain else " = …"
    line = f"{name}({', '.join(shown)})"
    return line if len(line) <= 88 else "\n".join([f"{name}(", *(f"    {s}," for s in shown), ")"])


def described(name: str) -> str:
    """Return what the code says of the name; of a value or a type, the text below its assignment.

    Empty if it says nothing.
    """
    value = getattr(authoring, name)
    if isinstance(value, ModuleType) or inspect.isclass(value) or inspect.isfunction(value):
        return inspect.getdoc(value) or ""
    home = import_module(authoring.homes()[name])
    statements = ast.parse(inspect.getsource(home)).body
    for before, after in pairwise(statements):
        targets = before.targets if isinstance(before, ast.Assign) else []
        if [getattr(target, "id", "") for target in targets] != [name]:
            continue
        if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            return inspect.cleandoc(str(after.value.value))
    return ""


def _text(described: str) -> Lines:
    """Return a docstring as Markdown: what it says of a parameter becomes an item of a list."""
    lines: Lines = []
    for paragraph in re.split(r"\n\s*\n", described):
        items = re.split(r"\n(?=[\w, ]+: |- )", paragraph)
        for item in items:
            words = " ".join(textwrap.dedent(item).split())
            parameter = re.match(r"^((?:[a-z_]+, )*[a-z_]+): (.*)$", words)
            if parameter is not None:
                lines += [f"- `{parameter[1]}`: {parameter[2]}"]
            elif words.startswith("- "):
                lines += [words]
            else:
                lines += [words, ""]
        lines.append("")
    while lines and not lines[-1]:
        lines.pop()
    return lines


def _code(text: str) -> Lines:
    return ["```python", *text.rstrip().split("\n"), "```"]
