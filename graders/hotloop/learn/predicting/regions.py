"""Which task each line of a submitted file belongs to.

Several tasks share a file. Their headings are comments, which a candidate overwrites, moves or
copies, and helpers stand anywhere. So only the starter's headings count, and by name: a function of
the starter belongs to the task of the heading or stub in it, and everything else to the tasks whose
functions use it. What nothing uses belongs to the region of the starter in which it was written.
"""

import ast
import difflib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hotloop.learn.mutation.c_code import visible

_HEADING = re.compile(r"### TASK (?P<task>\w+\.\w+)")
_STUB = re.compile(r"NotImplementedError\(\s*[\"'](?P<task>\w+\.\w+)")
_WORD = re.compile(r"[A-Za-z_]\w*")

_TRANSPARENT = re.compile(r"\s*(?:(?:inline\s+)?namespace\b[^(){};=]*|extern\s*)")
_TYPE = re.compile(r"\b(?:struct|class|union|enum(?:\s+class)?)\s+(\w+)")
_CALLED = re.compile(r"\b(?!__)(\w+)\s*\(")
_ASSIGNED = re.compile(r"(\w+)\s*(?:\[[^\]]*\]\s*)*=(?!=)")
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[^\n]*", re.MULTILINE)
_NO_NAMES = {"alignas", "decltype", "noexcept", "requires", "sizeof", "static_assert", "template"}


@dataclass(frozen=True)
class Unit:
    """A function, type or constant outside of all others.

    first, last: its lines, from 1. names: what it defines. words: all names in it.
    """

    first: int
    last: int
    text: str = field(repr=False)
    names: frozenset[str]
    words: frozenset[str] = field(repr=False)


def lines_of(task: str, text: str, starter: str, *, is_python: bool) -> frozenset[int]:
    """Return the lines of `text`, from 1, that belong to this task and to no other one.

    task: with its module, as in headings. starter: the same file as it was given.
    """
    headed = {heading["task"] for heading in _HEADING.finditer(starter)}
    if len(headed) < 2:
        return frozenset(range(1, text.count("\n") + 2) if headed <= {task} else ())
    units_of = _python_units if is_python else _c_units
    given, units = list(units_of(starter)), list(units_of(text))
    headings = _headings(starter, given)
    owners = _regions(text, starter, headings)
    for unit, owner in zip(units, _tasks(units, given, headings), strict=True):
        if owner:
            owners[unit.first - 1 : unit.last] = [owner] * (unit.last - unit.first + 1)
    return frozenset(n for n, owner in enumerate(owners, 1) if owner == frozenset({task}))


def _tasks(
    units: Sequence[Unit], given: Sequence[Unit], headings: Sequence[str]
) -> list[frozenset[str]]:
    """Return the tasks of each unit; empty for one that no task's function uses."""
    inside, below = dict[str, frozenset[str]](), dict[str, frozenset[str]]()
    for one in given:
        found = [*_HEADING.finditer(one.text), *_STUB.finditer(one.text)]
        marked = frozenset(each["task"] for each in found)
        region = frozenset({headings[one.first - 1]} - {""})
        for name in one.names:
            inside[name] = inside.get(name, frozenset()) | marked
            below[name] = region
    fixed = [_of_names(inside, unit) for unit in units]
    tasks = [own or _of_names(below, unit) for own, unit in zip(fixed, units, strict=True)]
    # A unit that stays as it was given may launch or test the tasks' functions: it is none of them.
    unchanged = {one.text for one in given}
    users = [n for n, unit in enumerate(units) if fixed[n] or unit.text not in unchanged]
    for _ in units:
        before = list(tasks)
        for number, unit in enumerate(units):
            if not fixed[number]:
                using = (n for n in users if n != number and units[n].words & unit.names)
                tasks[number] = tasks[number].union(*(before[n] for n in using))
        if tasks == before:
            break
    return tasks


def _of_names(tasks: Mapping[str, frozenset[str]], unit: Unit) -> frozenset[str]:
    return frozenset[str]().union(*(tasks.get(name, frozenset()) for name in unit.names))


def _headings(starter: str, given: Sequence[Unit]) -> list[str]:
    """Return for each line of the starter the task of the heading above it, or "".

    A heading inside a function holds to the function's end, another one until the next heading.
    """
    tasks, task, end = list[str](), "", 0
    for number, line in enumerate(starter.split("\n"), 1):
        if heading := _HEADING.search(line):
            task = heading["task"]
            end = next((unit.last for unit in given if unit.first < number <= unit.last), 0)
        elif end and number > end:
            task, end = "", 0
        tasks.append(task)
    return tasks


def _regions(text: str, starter: str, headings: Sequence[str]) -> list[frozenset[str]]:
    """Return for each line of `text` the tasks in whose regions of the starter it was written."""
    before, regions = starter.split("\n"), list[frozenset[str]]()
    matcher = difflib.SequenceMatcher(None, before, text.split("\n"), autojunk=False)
    for _, first, end, start, stop in matcher.get_opcodes():
        replaced = headings[first:end] or headings[max(0, first - 1) : first]
        regions += [frozenset(replaced) - {""}] * (stop - start)
    return regions


def _python_units(text: str) -> Iterator[Unit]:
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return
    lines = text.split("\n")
    for node in tree.body:
        names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        words = names | {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
        first = node.lineno
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([first, *(one.lineno for one in node.decorator_list)])
            names = {node.name}
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            stored = (one for target in targets for one in ast.walk(target))
            names = {one.id for one in stored if isinstance(one, ast.Name)}
        else:
            names = set[str]()
        last = node.end_lineno or node.lineno
        yield Unit(
            first, last, "\n".join(lines[first - 1 : last]), frozenset(names), frozenset(words)
        )


def _c_units(text: str) -> Iterator[Unit]:
    shown = visible(text)
    for start, stop in _c_spans(shown):
        code = shown[start:stop]
        yield Unit(
            shown.count("\n", 0, start) + 1,
            shown.count("\n", 0, stop - 1) + 1,
            text[start:stop],
            frozenset(_c_names(code)),
            frozenset(_WORD.findall(code)),
        )
    for macro in _MACRO.finditer(text):
        line = text.count("\n", 0, macro.start()) + 1
        words = frozenset(_WORD.findall(macro[0]))
        yield Unit(line, line, macro[0], frozenset({macro[1]}), words)


def _c_spans(shown: str) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each declaration outside of functions; namespaces are looked into."""
    start, depth, parentheses = -1, 0, 0
    for place, sign in enumerate(shown):
        if start < 0:
            # A brace here closes a namespace.
            if sign.isspace() or sign in "};":
                continue
            start = place
        if sign in "()":
            parentheses += 1 if sign == "(" else -1
        elif sign == "{":
            if depth == 0 and _TRANSPARENT.fullmatch(shown, start, place):
                start = -1
            else:
                depth += 1
        elif sign == "}":
            depth -= 1
        is_end = sign == ";" or (sign == "}" and shown[place + 1 :].lstrip()[:1] not in (*";,){",))
        if start >= 0 and is_end and depth == parentheses == 0:
            yield start, place + 1
            start = -1
    if start >= 0:
        yield start, len(shown)


def _c_names(code: str) -> Iterator[str]:
    """Yield the names that a declaration defines."""
    head = code.partition("{")[0]
    called = (found[1] for found in _CALLED.finditer(head) if found[1] not in _NO_NAMES)
    assigned = _ASSIGNED.findall(re.sub(r"\([^()]*\)", "", code.partition(";")[0]))
    name = next(called, "")
    if kind := _TYPE.search(head):
        yield kind[1]
    if name and not re.search(r"=(?!=)", head.partition(name)[0]):
        yield name
    elif assigned:
        yield from assigned
    elif words := _WORD.findall(head):
        yield words[-1]
