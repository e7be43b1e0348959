"""Which lines of a file that several tasks share belong to which task.

A candidate overwrites, moves or copies the headings, which are comments, and adds helpers anywhere.
So only the headings of the file that was handed out count. A function of that file, known by its
name, belongs to the task of the heading or stub in it, and everything else to the tasks whose
functions use it. What nothing uses belongs to the task in whose place of the file it was written.
"""

import ast
import re
import warnings
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import lru_cache

_HEADING = re.compile(r"### TASK \w+\.(?P<task>\w+)")
_STUB = re.compile(r"NotImplementedError\(\s*[\"']\w+\.(?P<task>\w+)")
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class _Unit:
    """A function, type or constant outside of all others.

    first, last: its lines, from 0. names: what it defines, a method as `Class.method`. words: all
    names in it.
    """

    first: int
    last: int
    text: str = field(repr=False)
    names: frozenset[str]
    words: frozenset[str] = field(repr=False)

    @property
    def length(self) -> int:
        return self.last + 1 - self.first

    @property
    def called(self) -> set[str]:
        """Its names as others use them."""
        return {name.rpartition(".")[2] for name in self.names}

    @property
    def tasks(self) -> frozenset[str]:
        """The tasks of the headings and stubs in it."""
        marks = [*_HEADING.finditer(self.text), *_STUB.finditer(self.text)]
        return frozenset(mark["task"] for mark in marks)


def owners(name: str, lines: Sequence[str], starter: Sequence[str]) -> list[frozenset[str]]:
    """Return the tasks of each line; none for what belongs to no task, or to any.

    name: of the file. starter: its lines as handed out.
    """
    return list(_owners(name, tuple(lines), tuple(starter)))


def lines_of_one(
    task: str, name: str, lines: Sequence[str], starter: Sequence[str]
) -> frozenset[int]:
    """Return the lines, from 1, that belong to this task and to no other one.

    A file belongs as a whole to the only task with a heading in it, or to all if there is none.
    """
    headed = {heading["task"] for heading in _HEADING.finditer("\n".join(starter))}
    if len(headed) < 2:
        return frozenset(range(1, len(lines) + 1) if headed <= {task} else ())
    alone = frozenset({task})
    found = owners(name, lines, starter)
    return frozenset(number for number, tasks in enumerate(found, 1) if tasks == alone)


@lru_cache(maxsize=1024)
def _owners(
    name: str, lines: tuple[str, ...], starter: tuple[str, ...]
) -> tuple[frozenset[str], ...]:
    """Cached, because each new work is compared with all earlier ones, task by task."""
    shared = frozenset[str]().union(
        *(unit.names for unit in _units(name, starter) if len(unit.tasks) > 1)
    )
    given, units = list(_units(name, starter, shared)), list(_units(name, lines, shared))
    places = _places(starter, given)
    owned = _by_place(lines, starter, places, {unit.last for unit in given})
    for unit, tasks in zip(units, _by_use(units, given, places), strict=True):
        if tasks:
            owned[unit.first : unit.last + 1] = [tasks] * unit.length
    return tuple(owned)


def _by_use(
    units: Sequence[_Unit], given: Sequence[_Unit], places: Sequence[str]
) -> list[frozenset[str]]:
    """Return the tasks of each unit; empty for one that no task's function uses."""
    inside = {name: unit.tasks for unit in given for name in unit.names}
    below = {name: frozenset({places[unit.first]} - {""}) for unit in given for name in unit.names}
    none = frozenset[str]()
    fixed = [none.union(*(inside.get(name, none) for name in unit.names)) for unit in units]
    tasks = [
        own or none.union(*(below.get(name, none) for name in unit.names))
        for own, unit in zip(fixed, units, strict=True)
    ]
    named = defaultdict[str, list[int]](list)
    for number, unit in enumerate(units):
        for name in unit.called:
            named[name].append(number)
    waiting = [number for number, found in enumerate(tasks) if found]
    while waiting:
        user = waiting.pop()
        used = {number for word in units[user].words for number in named.get(word, ())}
        for number in used - {user}:
            if not fixed[number] and not tasks[user] <= tasks[number]:
                tasks[number] |= tasks[user]
                waiting.append(number)
    return tasks


def _places(starter: Sequence[str], given: Sequence[_Unit]) -> list[str]:
    """Return for each line of the starter the task of the heading above it, or "".

    A heading in a function holds to its end. One between functions holds for the comments below it
    and the function that follows them.
    """
    tasks = [""] * len(starter)
    headings = [(n, found) for n, line in enumerate(starter) if (found := _HEADING.search(line))]
    following = [*(number for number, _ in headings), len(starter)][1:]
    for (number, heading), after in zip(headings, following, strict=True):
        around = next((unit for unit in given if unit.first <= number <= unit.last), None)
        first, end = number, number + 1
        if around:
            first = around.first if len(around.tasks) == 1 else number
            end = around.last + 1
        else:
            while end < after and starter[end].lstrip().startswith(("//", "#")):
                end += 1
            end = next((unit.last + 1 for unit in given if unit.first == end < after), end)
        tasks[first : min(end, after)] = [heading["task"]] * (min(end, after) - first)
    return tasks


def _by_place(
    lines: Sequence[str], starter: Sequence[str], places: Sequence[str], ends: set[int]
) -> list[frozenset[str]]:
    """Return for each line the tasks in whose places of the starter it was written.

    ends: the last lines of the starter's units; what is added behind one is not in its place.
    """
    owned: list[frozenset[str]] = []
    # No autojunk: starters are the team's files and no longer than a solution.
    matcher = SequenceMatcher(None, starter, lines, autojunk=False)
    for kind, first, end, start, stop in matcher.get_opcodes():
        if kind == "equal":
            owned += [frozenset({task} - {""}) for task in places[first:end]]
            continue
        replaced = set(places[first:end])
        if first == end and first > 0 and first - 1 not in ends:
            replaced = {places[first - 1]}
        owned += [frozenset(replaced - {""})] * (stop - start)
    return owned


def _units(
    name: str, lines: Sequence[str], shared: frozenset[str] = frozenset()
) -> Iterator[_Unit]:
    """Yield the units of a file. shared: classes whose members are units of their own."""
    # Python takes a lone carriage return for the end of a line.
    text = "\n".join(lines).replace("\r\n", "\n").replace("\r", " ")
    return _python_units(text, shared) if name.endswith(".py") else _c_units(text)


def _python_units(text: str, shared: frozenset[str]) -> Iterator[_Unit]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            body = ast.parse(text).body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    lines = text.split("\n")
    for node in body:
        if isinstance(node, ast.ClassDef) and node.name in shared:
            for member in node.body:
                yield _python_unit(member, lines, f"{node.name}.")
        else:
            yield _python_unit(node, lines, "")


def _python_unit(node: ast.stmt, lines: Sequence[str], within: str) -> _Unit:
    names = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
    words = names | {one.attr for one in ast.walk(node) if isinstance(one, ast.Attribute)}
    first, last = node.lineno, node.end_lineno or node.lineno
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        first = min([first, *(one.lineno for one in node.decorator_list)])
        names = {node.name}
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        stored = (one for target in targets for one in ast.walk(target))
        names = {one.id for one in stored if isinstance(one, ast.Name)}
    else:
        names = set[str]()
    defined = frozenset(within + name for name in names)
    return _Unit(first - 1, last - 1, "\n".join(lines[first - 1 : last]), defined, frozenset(words))


_QUIET = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[^\S\n]*#(?:[^\n]*\\\n)*[^\n]*',
    re.DOTALL | re.MULTILINE,
)
_TRANSPARENT = re.compile(r"\s*(?:(?:inline\s+)?namespace\b[^(){};=]*|extern\s*)")
_TYPE = re.compile(r"\b(?:struct|class|union|enum(?:\s+class)?)\s+(\w+)")
_CALLED = re.compile(r"\b(?!__)(\w+)\s*\(")
_ASSIGNED = re.compile(r"\b(\w+)\s*(?:\[[^\[\]]*\]\s*)*=(?!=)")
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
_NO_NAMES = {"alignas", "decltype", "noexcept", "requires", "sizeof", "static_assert", "template"}
_AFTER = re.compile(r"\s*(?![\s;,){])")
"""What follows a brace that ends a function."""


def _c_units(text: str) -> Iterator[_Unit]:
    code = _QUIET.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    for start, stop in _c_spans(code):
        span = code[start:stop]
        yield _Unit(
            code.count("\n", 0, start),
            code.count("\n", 0, stop - 1),
            text[start:stop],
            frozenset(_c_names(span)),
            frozenset(_WORD.findall(span)),
        )
    for macro in _MACRO.finditer(text):
        first, last = text.count("\n", 0, macro.start()), text.count("\n", 0, macro.end())
        words = frozenset(_WORD.findall(macro[0]))
        yield _Unit(first, last, macro[0], frozenset({macro[1]}), words)


def _c_spans(code: str) -> Iterator[tuple[int, int]]:
    """Yield begin and end of each declaration outside of functions; namespaces are looked into.

    What is never closed is left out: where it ends nobody knows.
    """
    start, depth, parentheses = -1, 0, 0
    for place, sign in enumerate(code):
        if start < 0:
            # A brace here closes a namespace.
            if sign.isspace() or sign in "};":
                continue
            start = place
        if sign in "()":
            parentheses += 1 if sign == "(" else -1
        elif sign == "{":
            if depth == 0 and _TRANSPARENT.fullmatch(code, start, place):
                start = -1
            else:
                depth += 1
        elif sign == "}":
            depth -= 1
        is_end = sign == ";" or (sign == "}" and _AFTER.match(code, place + 1))
        if start >= 0 and is_end and depth == parentheses == 0:
            yield start, place + 1
            start = -1


def _c_names(span: str) -> Iterator[str]:
    """Yield the names that a declaration defines."""
    head = span.partition("{")[0]
    called = (found[1] for found in _CALLED.finditer(head) if found[1] not in _NO_NAMES)
    assigned = _ASSIGNED.findall(re.sub(r"\([^()]*\)", "", span.partition(";")[0]))
    name = next(called, "")
    if kind := _TYPE.search(head):
        yield kind[1]
    if name and not re.search(r"=(?!=)", head.partition(name)[0]):
        yield name
    elif assigned:
        yield from assigned
    elif words := _WORD.findall(head):
        yield words[-1]
