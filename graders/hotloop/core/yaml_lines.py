"""Reads YAML or JSON into pydantic models; errors name the file and the line."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar, cast

import yaml
from pydantic import BaseModel, ValidationError

from hotloop.core.user_error import UserError

ModelT = TypeVar("ModelT", bound=BaseModel)
Location = Sequence[int | str]

_FASTEST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The C loader if PyYAML was built with it: ten times as fast, with the same line numbers."""

_UNMADE = (ValueError, LookupError, AttributeError, OverflowError)
"""What PyYAML raises for a text that looks like a value but is invalid, such as 2030-02-31."""


class _Loader(_FASTEST):
    """Reports the position of an invalid value."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        loader: Any = super()
        try:
            return loader.construct_object(node, deep)
        except _UNMADE as error:
            what = f"{_shown(node)} cannot be read as a value: {error}"
            raise yaml.constructor.ConstructorError(None, None, what, node.start_mark) from None


_LOADER: Any = _Loader


_LONGEST = 40
"""Most characters of a value that an error message repeats."""


class CurriculumError(UserError, ValueError):
    """An invalid data file. Each line of the message is `file:line: what`."""


def _as_it_is(text: str) -> str:
    return text


def load(path: Path, model: type[ModelT], rendered: Callable[[str], str] = _as_it_is) -> ModelT:
    """Return the file as a `model`. JSON is read as YAML.

    rendered: replaces figures in the file's text, each within its line.

    Raises CurriculumError if it cannot be read, is not YAML, repeats a key or does not fit the
    model.
    """
    try:
        text = rendered(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise CurriculumError(f"{path}:1: cannot be read: {error}") from None
    try:
        repeated, data = _read(text)
    except yaml.YAMLError as error:
        raise CurriculumError(_yaml_sentence(path, error)) from None
    except RecursionError:
        raise CurriculumError(f"{path}:1: not read: it is nested too deeply") from None
    if repeated:
        lines = [f"{path}:{line}: the key {key!r} is there twice" for key, line in repeated]
        raise CurriculumError("\n".join(lines))
    try:
        return model.model_validate(data)
    except ValidationError as error:
        node = _node(text)
        lines = [_sentence(path, node, e) for e in error.errors(include_url=False)]
        raise CurriculumError("\n".join(lines)) from None


def _read(text: str) -> tuple[list[tuple[str, int]], Any]:
    """Return the keys that are there twice, with their lines, and the data; it is parsed once."""
    loader = _LOADER(text)
    try:
        node = loader.get_single_node()
        repeated = _repeated_keys(node)  # now: merging `<<` changes the node
        return repeated, None if node is None else loader.construct_document(node)
    finally:
        loader.dispose()


def _node(text: str) -> yaml.Node | None:
    return cast("yaml.Node | None", cast(Any, yaml).compose(text, Loader=_LOADER))


def place(path: Path, location: Location) -> str:
    """Return `file:line` of `location` in a file that is known to be readable."""
    return f"{path}:{line_of(_node(path.read_text(encoding='utf-8')), location)}"


def line_of(node: yaml.Node | None, location: Location) -> int:
    """Return the line, from 1, of `location`, or of its longest existing prefix."""
    line = 1 if node is None else node.start_mark.line + 1
    for step in location:
        found = _step(node, step)
        if found is None:
            return line
        line, node = found
    return line


def _step(node: yaml.Node | None, step: int | str) -> tuple[int, yaml.Node] | None:
    if isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
        item: yaml.Node = node.value[step]
        return item.start_mark.line + 1, item
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            if key.value == str(step):
                return key.start_mark.line + 1, value
    return None


def _repeated_keys(node: yaml.Node | None) -> list[tuple[str, int]]:
    """Return keys that occur twice in a mapping, with their lines; aliases are visited once."""
    found: list[tuple[str, int]] = []
    known: set[int] = set()
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one is None or id(one) in known:
            continue
        known.add(id(one))
        if isinstance(one, yaml.SequenceNode):
            waiting += one.value
        if isinstance(one, yaml.MappingNode):
            seen: set[str] = set()
            for key, value in one.value:
                if str(key.value) in seen:
                    found.append((str(key.value), key.start_mark.line + 1))
                seen.add(str(key.value))
                waiting.append(value)
    return sorted(found, key=lambda repeated: repeated[1])


def _shown(node: yaml.Node) -> str:
    text = str(node.value)
    return repr(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")


def _yaml_sentence(path: Path, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    line = 1 if mark is None else mark.line + 1
    return f"{path}:{line}: not YAML: {getattr(error, 'problem', None) or error}"


def _sentence(path: Path, node: yaml.Node | None, error: Any) -> str:
    location: Location = error["loc"]
    where = ".".join(str(step) for step in location)
    line = line_of(node, location)
    if error["type"] == "extra_forbidden":
        comma = "; put a text that has a comma into quotes" if " " in str(location[-1]) else ""
        return f"{path}:{line}: unknown key {where!r}: remove it, or fix its spelling{comma}"
    if error["type"] == "missing":
        return f"{path}:{line}: the key {where!r} is missing"
    if error["type"] == "model_type":
        return f"{path}:{line}: {f'{where}: ' if where else ''}keys with values belong here"
    message = error["msg"].removeprefix("Value error, ")
    return f"{path}:{line}: {where}: {message}" if where else f"{path}:{line}: {message}"
