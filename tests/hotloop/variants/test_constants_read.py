"""Constants that a check reads are those that variants.yaml draws, with the course's values."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from hotloop import checks, curriculum
from hotloop.variants.form import Form, form_of
from hotloop.variants.variant import Value

CHECKS = Path(checks.__file__).parent
MODULES = [module.id for module in curriculum.modules()]


def read(module: str) -> Iterator[tuple[str, ast.expr, Path]]:
    """Yield name, plain value and file of each `constant(…)` in the module's checks."""
    for path in sorted((CHECKS / module).glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            match node:
                case ast.Call(ast.Name("constant"), [ast.Constant(str(name)), plain]):
                    yield name, plain, path
                case _:
                    pass


def plain_values(form: Form) -> dict[str, Value]:
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
    missing = {f"{path.name}: {name}" for name, _, path in read(module) if name not in drawn}
    assert not missing


@pytest.mark.parametrize("module", MODULES)
def test_a_constants_plain_value_is_the_courses(module: str) -> None:
    drawn = plain_values(form_of(module))
    for name, plain, path in read(module):
        if isinstance(plain, ast.Constant):
            assert plain.value == drawn[name], f"{path.name}: {name}"


def test_checks_do_read_constants() -> None:
    assert {name for name, _, _ in read("fused_softmax")} >= {"SHARPNESS", "TOTAL", "EMPTY"}
