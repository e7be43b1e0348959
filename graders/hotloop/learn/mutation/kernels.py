"""Changes to kernels whose effect takes understanding to predict.

Some are mistakes, some only cost bytes, and some have no effect, depending on the surrounding code.
tests/benchmarks/mutants.py, which tests that mistakes fail, therefore does not use them.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from hotloop.learn.mutation import Edit
from hotloop.learn.mutation.c_code import visible
from hotloop.learn.mutation.python_code import Source

_BARRIER = r"__sync(?:threads|warp)\([^()]*\);"

_STRETCH = (
    r"for (\1 \2 = \3 * ((\4 + \5 - 1) / \5); "
    r"\2 < \4 && \2 < (\3 + 1) * ((\4 + \5 - 1) / \5); ++\2)"
)
"""Gives each thread consecutive elements, instead of neighboring threads neighboring elements."""

_C: tuple[tuple[str, str, str], ...] = (
    ("moved barrier", rf"({_BARRIER})(\s*\n\s*)([^\n{{}}]*;)[^\S\n]*\n", r"\3\2\1" + "\n"),
    ("moved barrier", rf"([^\s{{}};][^\n{{}};]*;)([^\S\n]*\n\s*)({_BARRIER})", r"\3\2\1"),
    ("second barrier", rf"({_BARRIER})", r"\1 \1"),
    ("other stride", r"(\w+) \+= ([A-Za-z_][\w.]*)\)", r"\1 += \2 / 2)"),
    (
        "a stretch for each thread",
        r"for \((int|unsigned|size_t|int64_t) (\w+) = ([\w.]+); \2 < (\w+); \2 \+= ([\w.]+)\)",
        _STRETCH,
    ),
    ("other tree bound", r"; (\w+) > 0; \1 (/= 2|>>= 1)", r"; \1 > 16; \1 \2"),
    ("other vector width", r"% 4\b", "% 2"),
    ("other vector width", r"/ 4\b", "/ 2"),
    ("smaller constant", r"constexpr (\w+) (\w+) = (\d+);", r"constexpr \1 \2 = \3 / 2;"),
)


def c_edits(text: str) -> Iterator[Edit]:
    """Yield every change to CUDA C++, by patterns on code without comments and strings."""
    shown = visible(text)
    for operator, pattern, new in _C:
        for match in re.finditer(pattern, shown):
            # The change would delete a comment inside the match.
            if text[match.start() : match.end()] == match[0]:
                yield Edit(operator, match.start(), match.end(), match.expand(new))


def python_edits(text: str) -> Iterator[Edit]:
    """Yield every change to Python and Triton. Raises SyntaxError if `text` does not parse."""
    source = Source(text)
    for node in ast.walk(source.tree):
        if isinstance(node, ast.Call):
            yield from _call(node, source)
        body = getattr(node, "body", None)
        if isinstance(body, list) and isinstance(node, ast.FunctionDef | ast.For | ast.While):
            yield from _loops(node.body, source)
            yield from _loaded_again(node.body, source)


def _call(node: ast.Call, source: Source) -> Iterator[Edit]:
    for keyword in node.keywords:
        value = source.of(keyword.value)
        start, end = source.span(keyword.value)
        if keyword.arg == "other":
            is_zero = re.fullmatch(r"0(\.0*)?", value)
            yield Edit("other padding", start, end, '-float("inf")' if is_zero else "0.0")
        if keyword.arg is not None and keyword.arg.startswith("BLOCK"):
            yield Edit("other block size", start, end, f"2 * ({value})")
            yield Edit("other block size", start, end, f"max(1, ({value}) // 2)")
    if not isinstance(node.func, ast.Attribute):
        return
    start, end = source.span(node)
    if node.func.attr == "to" and "float32" in ast.unparse(node):
        yield Edit("other accumulator", start, end, source.of(node.func.value))
    if node.func.attr == "next_power_of_2":
        yield Edit("other block size", start, end, f"2 * {source.of(node)}")


def _loops(body: Sequence[ast.stmt], source: Source) -> Iterator[Edit]:
    """Move the statement before a loop into it, and a loop's first assignment out of it."""
    for before, loop in pairwise(body):
        if not isinstance(loop, ast.For | ast.While):
            continue
        first = loop.body[0]
        if isinstance(before, ast.Assign):
            yield _taken_in(before, first, source)
    for loop in body:
        if isinstance(loop, ast.For | ast.While) and isinstance(loop.body[0], ast.Assign):
            yield _taken_out(loop, source)


def _taken_in(before: ast.stmt, first: ast.stmt, source: Source) -> Edit:
    start, stop = source.span(before)
    begin, _ = source.span(first)
    moved = source.of(before) + "\n" + " " * first.col_offset
    return Edit("taken into the loop", start, begin, f"pass{source.text[stop:begin]}{moved}")


def _taken_out(loop: ast.For | ast.While, source: Source) -> Edit:
    start, _ = source.span(loop)
    begin, stop = source.span(loop.body[0])
    moved = source.of(loop.body[0]) + "\n" + " " * loop.col_offset
    return Edit("taken out of the loop", start, stop, f"{moved}{source.text[start:begin]}pass")


def _loaded_again(body: Sequence[ast.stmt], source: Source) -> Iterator[Edit]:
    """Replace a later use of a loaded value by a second load."""
    for number, statement in enumerate(body):
        name = _loads(statement)
        if name is None:
            continue
        assert isinstance(statement, ast.Assign)
        uses = [
            node
            for later in body[number + 1 :]
            for node in ast.walk(later)
            if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)
        ]
        for use in uses[1:]:
            start, end = source.span(use)
            yield Edit("loaded again", start, end, f"({source.of(statement.value)})")


def _loads(statement: ast.stmt) -> str | None:
    """Return the name that a statement assigns a loaded value to, or None."""
    if not isinstance(statement, ast.Assign) or not isinstance(statement.targets[0], ast.Name):
        return None
    calls = (node for node in ast.walk(statement.value) if isinstance(node, ast.Call))
    loads = any(isinstance(c.func, ast.Attribute) and c.func.attr == "load" for c in calls)
    return statement.targets[0].id if loads else None
