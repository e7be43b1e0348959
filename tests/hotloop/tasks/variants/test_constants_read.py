"""Constants that a check reads are those that variants.yaml draws, with the course's values."""

import ast
from collections.abc import Container, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import pytest

from hotloop.core.variant import Value
from hotloop.tasks import curriculum
from hotloop.tasks import modules as checks
from hotloop.tasks.variants.form import VariantForm, form_of

CHECKS = Path(checks.__file__).parent
MODULES = [module.id for module in curriculum.modules()]


@dataclass(frozen=True)
class Call:
    """One `constant(name, plain, drawn)` of a check."""

    name: str
    plain: ast.expr
    drawn: ast.expr
    path: Path

    @property
    def values(self) -> Container[Value]:
        """What the check accepts of a variant."""
        relative = self.path.relative_to(CHECKS).with_suffix("")
        names = vars(import_module(".".join([checks.__name__, *relative.parts])))
        return eval(compile(ast.Expression(self.drawn), str(self.path), "eval"), names)


def read(module: str) -> Iterator[Call]:
    """Yield each `constant(…)` in the module's checks."""
    for path in sorted((CHECKS / module).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(ast.Name("constant"), [ast.Constant(str(name)), plain, drawn]):
                    yield Call(name, plain, drawn, path)
                case _:
                    pass


def plain_values(form: VariantForm) -> dict[str, Value]:
    """Return the plain value by constant: the first of several options is the module's own."""
    found: dict[str, Value] = {}
    for choice in form.choices:
        found |= {name: numbers.plain for name, numbers in choice.numbers.items()}
        for option in reversed(choice.options.values()):
            found |= option.code
    return found


@pytest.mark.parametrize("module", MODULES)
def test_every_constant_that_a_check_reads_is_drawn(module: str) -> None:
    drawn = plain_values(form_of(module))
    missing = {f"{one.path.name}: {one.name}" for one in read(module) if one.name not in drawn}
    assert not missing


@pytest.mark.parametrize("module", MODULES)
def test_a_constants_plain_value_is_the_courses(module: str) -> None:
    drawn = plain_values(form_of(module))
    for one in read(module):
        if isinstance(one.plain, ast.Constant):
            assert one.plain.value == drawn[one.name], f"{one.path.name}: {one.name}"


@pytest.mark.parametrize("module", MODULES)
def test_a_check_accepts_what_is_drawn_and_no_number_beyond_it(module: str) -> None:
    form = form_of(module)
    ranges = {name: span for choice in form.choices for name, span in choice.numbers.items()}
    options: dict[str, set[Value]] = {}
    for choice in form.choices:
        for option in choice.options.values():
            for name, value in option.code.items():
                options.setdefault(name, set()).add(value)
    for one in read(module):
        values, where = one.values, f"{one.path.name}: {one.name}"
        if span := ranges.get(one.name):
            assert all(value in values for value in span.values), where
            beyond: set[Value] = {span.first - span.step, span.last + span.step}
        else:
            assert all(value in values for value in options[one.name]), where
            numbers = [v for v in options[one.name] if not isinstance(v, bool | str)]
            beyond = {min(numbers) - 1, max(numbers) + 1} if numbers else {"", 2}
        assert not [value for value in beyond if value in values], where


def test_checks_do_read_constants() -> None:
    assert {one.name for one in read("fused_softmax")} >= {"SHARPNESS", "TOTAL", "EMPTY"}
