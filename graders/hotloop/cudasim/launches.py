"""Kernels, their launches and their launch bounds, rewritten."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence

from hotloop.cudasim.problem import Unsupported
from hotloop.cudasim.tokens import (
    ALIGNMENT,
    Token,
    closing_angle,
    find_at_depth,
    following,
    is_closing_angle,
    is_code,
    matching,
    opening,
    opening_angle,
    preceding,
    split,
    statement,
    text_of,
    without_alignment,
)

DEDUCED = -1
"""In place of a number of template arguments: only the call itself tells which kernel is meant."""

_NOT_A_NAME = ALIGNMENT | {"__launch_bounds__", "decltype", "noexcept"}
_NOT_CALLED = frozenset({"return", "if", "while", "for", "else", "do", "case", "switch", "throw"})


def kernels(tokens: Sequence[Token]) -> dict[str, int]:
    """Kernels by name, with the number of template arguments that name one completely.

    0 for a plain function; `DEDUCED` for packs, overloads and default arguments.
    """
    found: dict[str, int] = {}
    parameters: dict[str, str] = {}
    for index, token in enumerate(tokens):
        if token.kind != "word" or token.text != "__global__":
            continue
        end = find_at_depth(tokens, index, frozenset({";", "{"}))
        head = statement(tokens, index, end)
        name, at = _name(head)
        if not name:
            continue
        given = head[at + 2 : matching(head, at + 1)]
        count = DEDUCED if _has_default(given) else _template_parameters(head)
        types = _types(given)
        is_overloaded = parameters.setdefault(name, types) != types
        found[name] = DEDUCED if is_overloaded or found.get(name, count) != count else count
    return found


def _name(head: Sequence[Token]) -> tuple[str, int]:
    """The word before the first brackets that are not an attribute's, and its index."""
    start = closing_angle(head, 1) if _is_template(head) else 0
    for at, (token, behind) in enumerate(itertools.pairwise(head)):
        if at < start or token.kind != "word" or behind.text != "(":
            continue
        if token.text not in _NOT_A_NAME:
            return token.text, at
    return "", 0


def _is_template(head: Sequence[Token]) -> bool:
    return len(head) > 1 and head[0].text == "template" and head[1].text == "<"


def _template_parameters(head: Sequence[Token]) -> int:
    if not _is_template(head):
        return 0
    parameters = head[2 : closing_angle(head, 1)]
    if any(t.text == "." for t in parameters):
        return DEDUCED
    return len(split(parameters))


def _has_default(parameters: Sequence[Token]) -> bool:
    return any(t.text == "=" for t in parameters)


def _types(parameters: Sequence[Token]) -> str:
    """The parameters without their names, so that a declaration and a definition agree."""
    shown: list[str] = []
    for piece in split(parameters):
        words = without_alignment(piece)
        if len(words) > 1 and words[-1].kind == "word":
            words = words[:-1]
        shown.append(" ".join(w.text for w in words))
    return ", ".join(shown)


def rewrite_launches(tokens: list[Token], known: Mapping[str, int]) -> None:
    """`k<<<grid, block, …>>>(…)`  →  `::cudasim::launch("k", k, grid, block, …)(…)`"""
    for index, token in enumerate(tokens):
        if token.kind != "sign" or token.text != "<<<":
            continue
        closing = find_at_depth(tokens, index + 1, frozenset({">>>"}))
        if closing >= len(tokens):
            raise Unsupported(token.file, token.line, "this <<< has no >>>")
        first, named, explicit = _kernel_before(tokens, index)
        kernel = text_of(tokens[first:index])
        callee = kernel
        if known.get(tokens[named].text, explicit) != explicit:
            # Which function it is follows from the call's arguments.
            callee = f"[&](auto... cudasim_arguments) {{ {kernel}(cudasim_arguments...); }}"
        quoted = kernel.replace("\\", "\\\\").replace('"', '\\"')
        for part in tokens[first:index]:
            part.text = "" if is_code(part) else part.text
        tokens[first].text = f'::cudasim::launch("{quoted}", {callee}, '
        token.text = ""
        tokens[closing].text = ")"


def _kernel_before(tokens: Sequence[Token], launch: int) -> tuple[int, int, int]:
    """Where the expression before <<< begins, its last name, and that name's template arguments."""
    named, explicit = preceding(tokens, launch), 0
    if is_closing_angle(tokens[named]):
        angle = opening_angle(tokens, named)
        explicit = len(split(tokens[angle + 1 : named]))
        named = preceding(tokens, angle)
    return _beginning(tokens, named), named, explicit


def _beginning(tokens: Sequence[Token], last: int) -> int:
    """Index of the first token of the postfix expression that ends at `last`."""
    index = last
    while True:
        if tokens[index].text in {")", "]"}:
            index = opening(tokens, index)
        before = preceding(tokens, index)
        if before < 0:
            return index
        joined = _joined(tokens, index, before)
        if joined < 0:
            return index
        index = joined


def _joined(tokens: Sequence[Token], index: int, before: int) -> int:
    """Where the part of the expression ends that `before` joins to the one at `index`, or -1."""
    text = tokens[before].text
    if tokens[index].text in {"(", "["}:
        is_operand = tokens[before].kind == "word" and text not in _NOT_CALLED
        return before if is_operand or text in {")", "]"} else -1
    if text == "template":
        return before
    if text == ".":
        return preceding(tokens, before)
    if text == "->":
        return preceding(tokens, before)
    if text != "::":
        return -1
    qualifier = preceding(tokens, before)
    if qualifier >= 0 and is_closing_angle(tokens[qualifier]):
        return preceding(tokens, opening_angle(tokens, qualifier))
    if qualifier >= 0 and tokens[qualifier].kind == "word":
        return qualifier if tokens[qualifier].text not in _NOT_CALLED else before
    return before


def rewrite_bounds(tokens: list[Token]) -> None:
    """`__launch_bounds__(n)` becomes a check at the beginning of the kernel's body."""
    for index, token in enumerate(tokens):
        if token.kind != "word" or token.text != "__launch_bounds__":
            continue
        first = following(tokens, index)
        last = matching(tokens, first)
        arguments = split(tokens[first + 1 : last])
        threads = text_of(arguments[0]) if arguments else "1024"
        for part in tokens[first : last + 1]:
            part.text = "" if is_code(part) else part.text
        body = find_at_depth(tokens, last + 1, frozenset({"{", ";"}))
        if body < len(tokens) and tokens[body].text == "{":
            tokens[body].text = f"{{ cudasim_launch_bounds({threads}, 0);"
