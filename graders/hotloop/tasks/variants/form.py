"""What can differ in a module: `solutions/<module>/variants.yaml`.

It is stored with the solutions because its edits turn any solution into any variant: only those who
make packs have it. Checking a variant requires only its constants and names, which `Variant` holds.

A choice has options, which are listed or given as ranges of numbers. Its edits say what an option
changes in the module's text: `answers` in what a learner writes and in hints; `text` in all that is
given. An edit replaces text within one line. `(…)` in it matches an argument in parentheses;
`${NAME}` in its replacement stands for a constant, `${name}` for an option's prose.
"""

import ast
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache
from pathlib import Path
from string import Template
from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from hotloop.core import paths
from hotloop.core.document import Identifier, Strict, Text
from hotloop.core.variant import Value
from hotloop.core.yaml_lines import CurriculumError, load, place
from hotloop.tasks import curriculum
from hotloop.tasks.problem import refuse_repeats
from hotloop.tasks.reference_files import VARIANTS, sources

Constant = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Z0-9_]*$")]
OptionId = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$")]
Callable_ = Annotated[str, StringConstraints(pattern=r"^[A-Za-z][A-Za-z0-9_]*$")]
Number = int | float
Constants = Mapping[str, Value]

ARGUMENT = "…"


class Range(Strict):
    """Numbers from `first` to `last`. plain: the module's own number, which is never drawn.

    without: numbers that are left out.
    """

    plain: Number
    first: Number
    last: Number
    step: Annotated[Number, Field(gt=0)]
    without: list[Number] = Field(default_factory=list[Number])

    @property
    def values(self) -> list[Number]:
        """All numbers that can be drawn."""
        whole = all(isinstance(v, int) for v in (self.first, self.last, self.step))
        first, last, step = (Decimal(str(v)) for v in (self.first, self.last, self.step))
        count = int((last - first) / step) + 1
        values = [int(v) if whole else float(v) for v in (first + i * step for i in range(count))]
        return [v for v in values if v != self.plain and v not in self.without]

    @model_validator(mode="after")
    def _has_values(self) -> Self:
        if not self.values:
            raise ValueError("nothing can be drawn from this range")
        return self


class Option(Strict):
    """One option of a choice.

    code: constants for the check and the solution. prose: words for the text, which follow from the
    constants.
    """

    code: Annotated[dict[Constant, Value], Field(min_length=1)]
    prose: dict[Identifier, Text] = Field(default_factory=dict[str, str])


class VariantEdit(Strict):
    """A replacement of `find` by `becomes`. files: where it applies; empty means everywhere."""

    find: Annotated[str, StringConstraints(min_length=3, pattern=r"^[^\n]*$")]
    becomes: str
    files: list[str] = Field(default_factory=list[str])

    @model_validator(mode="after")
    def _argument_in_brackets(self) -> Self:
        if self.find.count(ARGUMENT) > 1:
            raise ValueError("there can be one argument only")
        if ARGUMENT in self.find and f"({ARGUMENT})" not in self.find:
            raise ValueError("an argument stands in brackets: (…)")
        return self


class Choice(Strict):
    """One thing that differs between candidates, in each of `tasks`.

    options: by id, each with its own constants; the first one is the module's own. numbers: instead
    of options, ranges that are drawn independently. plain_too: the module's own option can be drawn
    as well, because another choice of the same tasks already rules out the public solution.
    """

    name: Identifier
    about: Text
    tasks: Annotated[list[Identifier], Field(min_length=1)]
    options: dict[OptionId, Option] = Field(default_factory=dict[str, Option])
    numbers: dict[Constant, Range] = Field(default_factory=dict[str, Range])
    plain_too: bool = False
    answers: list[VariantEdit] = Field(default_factory=list[VariantEdit])
    text: list[VariantEdit] = Field(default_factory=list[VariantEdit])

    @model_validator(mode="after")
    def _options_fit(self) -> Self:
        if bool(self.options) == bool(self.numbers):
            raise ValueError("a choice has either options or numbers")
        if self.options and len(self.options) < 2:
            raise ValueError("a choice between one option is none")
        if self.numbers and self.plain_too:
            raise ValueError("the plain numbers are never drawn")
        shapes = {(tuple(sorted(o.code)), tuple(sorted(o.prose))) for o in self.options.values()}
        if len(shapes) > 1:
            raise ValueError("all options of a choice have the same constants and the same prose")
        codes = [option.code for option in self.options.values()]
        if any(code in codes[:at] for at, code in enumerate(codes)):
            raise ValueError("two options of a choice have the same constants")
        known = set(self.slots(self.drawable[0]))
        for edit in (*self.answers, *self.text):
            used = set(Template(edit.becomes).get_identifiers())
            if unknown := sorted(used - known):
                raise ValueError(f"{edit.becomes!r} uses {', '.join(unknown)}, which no option has")
        return self

    @property
    def plain(self) -> dict[str, Value]:
        """The constants of the unchanged module."""
        if self.options:
            return dict(next(iter(self.options.values())).code)
        return {constant: numbers.plain for constant, numbers in self.numbers.items()}

    @property
    def drawable(self) -> list[dict[str, Value]]:
        """The constants of each option that can be drawn; for numbers, of one draw."""
        if self.numbers:
            return [{constant: numbers.values[0] for constant, numbers in self.numbers.items()}]
        options = [dict(option.code) for option in self.options.values()]
        return options if self.plain_too else options[1:]

    def drawn(self, number: Callable[[str, int], int]) -> dict[str, Value]:
        """Draw constants. number(what, n): returns an integer in [0, n) for the thing `what`."""
        if self.options:
            options = self.drawable
            return options[number(f"choice {self.name}", len(options))]
        drawn: dict[str, Value] = {}
        for constant, numbers in self.numbers.items():
            values = numbers.values
            drawn[constant] = values[number(f"choice {self.name}.{constant}", len(values))]
        return drawn

    def of(self, constants: Constants) -> dict[str, Value]:
        """Return those of a variant's constants that belong to this choice."""
        return {name: constants[name] for name in self.plain if name in constants}

    def slots(self, constants: Constants) -> dict[str, str]:
        """Return the text for each slot: constants as literals, and everything as prose.

        constants: all constants of one option. Raises ValueError if no option has these.
        """
        prose = {name.lower(): _as_written(value) for name, value in constants.items()}
        if self.options:
            matches = (one for one in self.options.values() if one.code == constants)
            option = next(matches, None)
            if option is None:
                raise ValueError(f"the choice {self.name} has no option with {dict(constants)}")
            prose |= option.prose
        return {**{name: repr(value) for name, value in constants.items()}, **prose}


class VariantForm(Strict):
    """The content of variants.yaml. names: callables that are renamed for each candidate."""

    format: Literal[1]
    names: list[Callable_] = Field(default_factory=list[str])
    choices: list[Choice] = Field(default_factory=list[Choice])

    @model_validator(mode="after")
    def _nothing_twice(self) -> Self:
        refuse_repeats("choice", [choice.name for choice in self.choices])
        refuse_repeats("name", list(self.names))
        refuse_repeats("constant", [c for choice in self.choices for c in choice.plain])
        return self


@cache
def form_of(module: str) -> VariantForm:
    """Return what can differ in `module`. Without a file it is only names that are safe to replace.

    Raises KeyError if there is no such module, FileNotFoundError if its solutions are not
    installed, CurriculumError if the file is invalid.
    """
    curriculum.folder(module)
    path = paths.solutions() / module / VARIANTS
    if not path.parent.is_dir():
        raise FileNotFoundError(f"there is no {path.parent}: a variant's edits lie with solutions")
    if not path.is_file():
        return VariantForm(format=1, names=_names_by_themselves(module))
    form = load(path, VariantForm)
    _require_tasks(form, module, path)
    return form


def _as_written(value: Value) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _require_tasks(form: VariantForm, module: str, path: Path) -> None:
    known = {task.id for task in curriculum.load_module(module).tasks}
    for at, choice in enumerate(form.choices):
        for number, task in enumerate(choice.tasks):
            if task not in known:
                where = place(path, ("choices", at, "tasks", number))
                raise CurriculumError(f"{where}: module {module} has no task called {task!r}")


def _names_by_themselves(module: str) -> list[str]:
    """Return graded functions of a Python file or the notebook whose names are unambiguous.

    A name must contain an underscore (so that it is not a word of the text), must not be a file's
    name, and must be defined in exactly one file.
    """
    entries = {task.entry for task in curriculum.load_module(module).tasks if task.entry}
    files = sources(module)
    defined = _defined(files)
    stems = {path.stem for path in files.values()}
    clear = (e for e in entries if "_" in e and e not in stems)
    return sorted(name for name in clear if len(defined.get(name, [])) == 1)


def _defined(files: Mapping[str, Path]) -> dict[str, list[str]]:
    """Return the names of the Python files that define a function, by the function's name."""
    files_by_function: dict[str, list[str]] = {}
    for name, path in files.items():
        if "/" in name or path.suffix != ".py":
            continue
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and re.fullmatch(r"[a-z_0-9]+", node.name):
                files_by_function.setdefault(node.name, []).append(name)
    return files_by_function
