"""Which lines of a file that several tasks share belong to which task.

The file that was handed out says it: a heading `### TASK` stands in each task's function, or before
what goes between two functions. A candidate may write over a heading, so that a function is known
by its name, and other lines by what they stand in place of.
"""

import ast
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache

_MARK = re.compile(r"(\s*)(?://|#)?\s*### TASK \w+\.(\w+)")
_WORD = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class _Block:
    """A function, class or struct of a file. first, last: its lines, counted from 0."""

    name: str
    first: int
    last: int

    @property
    def length(self) -> int:
        """The number of its lines."""
        return self.last + 1 - self.first


def owners(name: str, lines: Sequence[str], starter: Sequence[str]) -> list[frozenset[str]]:
    """Return the tasks of each line; none for what belongs to no task, or to any.

    name: of the file. A function that the candidate added belongs to the tasks that call it.
    """
    return list(_owners(name, tuple(lines), tuple(starter)))


@lru_cache(maxsize=1024)
def _owners(
    name: str, lines: tuple[str, ...], starter: tuple[str, ...]
) -> tuple[frozenset[str], ...]:
    """Cached, because each new work is compared with all earlier ones, task by task."""
    given = _of_starter(name, starter)
    handed_out = _blocks(name, starter)
    tasks = {block.name: inside.pop() for block in handed_out
             if len(inside := set(given[block.first : block.last + 1])) == 1}  # fmt: skip
    blocks = _blocks(name, lines)
    owned = [frozenset[str]()] * len(lines)
    for block in blocks:
        if task := tasks.get(block.name):
            owned[block.first : block.last + 1] = [frozenset({task})] * block.length
    names = {block.name for block in handed_out}
    _add_callees(lines, [b for b in blocks if b.name not in names], owned)
    for number, task in _by_place(lines, starter, given):
        owned[number] = owned[number] or frozenset({task})
    return tuple(owned)


def _of_starter(name: str, starter: Sequence[str]) -> list[str]:
    """Return the task of each line that was handed out, "" for the others."""
    tasks = [""] * len(starter)
    blocks = _blocks(name, starter)
    marks = [(n, mark) for n, line in enumerate(starter) if (mark := _MARK.match(line))]
    for place, (number, mark) in enumerate(marks):
        # The innermost one: a class stands before its methods.
        around = next((b for b in reversed(blocks) if b.first <= number <= b.last), None)
        following = marks[place + 1][0] if place + 1 < len(marks) else len(starter)
        if around is None:
            first, last = number, min(_end_of_notes(starter, number), following)
            stub = next((b for b in blocks if b.first == last < following), None)
            last = stub.last + 1 if stub else last
        else:
            is_first = place == 0 or marks[place - 1][0] < around.first
            first = around.first if is_first else number
            last = min(around.last + 1, following) if following <= around.last else around.last + 1
        tasks[first:last] = [mark[2]] * (last - first)
    return tasks


def _end_of_notes(starter: Sequence[str], number: int) -> int:
    """Return the line after a heading between functions and the comments below it."""
    end = number + 1
    while end < len(starter) and starter[end].lstrip().startswith(("//", "#")):
        if _MARK.match(starter[end]):
            break
        end += 1
    return end


def _by_place(
    lines: Sequence[str], starter: Sequence[str], given: Sequence[str]
) -> Iterator[tuple[int, str]]:
    """Yield lines with their task by the headings that are left, else by what they replace."""
    # No autojunk: starters are the team's files and no longer than a solution.
    matcher = SequenceMatcher(None, starter, lines, autojunk=False)
    opcodes = matcher.get_opcodes()
    added = {n for kind, _, _, c, d in opcodes if kind in ("insert", "replace")
             for n in range(c, d)}  # fmt: skip
    task = ""
    for number, line in enumerate(lines):
        if mark := _MARK.match(line):
            task = mark[2]
        elif line[:1].strip() and number not in added:
            task = ""
        if task:
            yield number, task
    for kind, a, b, c, d in opcodes:
        if kind == "equal":
            yield from ((c + k, given[a + k]) for k in range(b - a) if given[a + k])
        elif replaced := set(given[a:b]) - {""}:
            if len(replaced) == 1:
                yield from ((number, next(iter(replaced))) for number in range(c, d))
        elif 0 < a < len(given) and given[a - 1] == given[a] != "":
            yield from ((number, given[a]) for number in range(c, d))


def _add_callees(
    lines: Sequence[str], added: Sequence[_Block], owned: list[frozenset[str]]
) -> None:
    """Give each function that the candidate added to the tasks whose code names it."""
    words = [set(_words(line)) for line in lines]
    # A function may be called by one that is called: as often as there are functions.
    for _ in added:
        before = list(owned)
        for block in added:
            callers = (owned[n] for n, named in enumerate(words) if block.name in named)
            belongs = frozenset[str]().union(*callers)
            owned[block.first : block.last + 1] = [belongs] * block.length
        if owned == before:
            break


def _words(line: str) -> list[str]:
    return _WORD.findall(re.sub(r"(?://|#).*", "", line))


def _blocks(name: str, lines: Sequence[str]) -> list[_Block]:
    """Return the functions, classes and structs of a file, those between braces or by syntax."""
    text = "\n".join(lines)
    return _of_python(text) if name.endswith(".py") else _of_c(text)


def _of_python(text: str) -> list[_Block]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    return list(_definitions(tree.body, ""))


def _definitions(body: Sequence[ast.stmt], within: str) -> Iterator[_Block]:
    """Yield functions and classes, a class before its methods, which are called `Class.method`."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            yield _Block(f"{within}{node.name}", first - 1, (node.end_lineno or first) - 1)
            if isinstance(node, ast.ClassDef):
                yield from _definitions(node.body, f"{within}{node.name}.")


_QUIET = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|^[^\S\n]*#(?:[^\n]*\\\n)*[^\n]*',
    re.DOTALL | re.MULTILINE,
)
_TRANSPARENT = re.compile(r"\b(?:namespace|extern)\b[^()]*$")
_CALLED = re.compile(r"([A-Za-z_]\w*)\s*\(")
_NAMED = re.compile(r"\b(?:struct|class|union|enum(?:\s+class)?)\s+(\w+)")


def _of_c(text: str) -> list[_Block]:
    """Return what stands between outermost braces, but for namespaces."""
    code = _QUIET.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), text)
    blocks: list[_Block] = []
    depth, begin, name = 0, 0, ""
    for offset, sign in enumerate(code):
        if sign == "{":
            header = code[begin:offset]
            if depth == 0 and _TRANSPARENT.search(header):
                begin = offset + 1
                continue
            if depth == 0:
                name = _name_of(header)
            depth += 1
        elif sign == "}" and depth:
            depth -= 1
            if depth == 0:
                if name:
                    start = begin + len(code[begin:offset]) - len(code[begin:offset].lstrip())
                    first, last = code.count("\n", 0, start), code.count("\n", 0, offset)
                    blocks.append(_Block(name, first, last))
                begin = offset + 1
        elif depth == 0 and sign in ";}":
            begin = offset + 1
    return blocks


def _name_of(header: str) -> str:
    """Return the name that is defined in front of a brace: the last one outside of parentheses."""
    flat, depth = "", 0
    for sign in header:
        depth -= sign == ")"
        if depth == 0:
            flat += sign
        depth += sign == "("
    if called := _CALLED.findall(flat):
        return called[-1]
    named = _NAMED.search(flat)
    return named[1] if named else ""
