"""In which kind of scope each token of a C++ text stands."""

from __future__ import annotations

from collections.abc import Sequence

from hotloop.cudasim.tokens import Token, is_code, without_alignment

_CLASSES = frozenset({"class", "struct", "union", "enum"})


def scopes(tokens: Sequence[Token]) -> list[str]:
    """For each token `namespace`, `class` or `function`."""
    kinds: list[str] = []
    stack = ["namespace"]
    head: list[Token] = []
    for token in tokens:
        if is_code(token) and token.text == "}" and len(stack) > 1:
            stack.pop()
        kinds.append(stack[-1])
        if not is_code(token):
            continue
        if token.text == "{":
            stack.append(_opened(head, stack[-1]))
            head = []
        elif token.text in {";", "}"}:
            head = []
        else:
            head.append(token)
    return kinds


def _opened(head: Sequence[Token], around: str) -> str:
    """Which scope a brace opens, from what stands before it since the last statement."""
    if around == "function":
        return around
    words = _outside_template_parameters(without_alignment(head))
    if any(w.text == ")" for w in words):
        return "function"
    if any(w.text == "=" for w in words):
        return around
    if any(w.text == "namespace" for w in words) or _is_linkage(words):
        return "namespace"
    return "class" if any(w.text in _CLASSES for w in words) else around


def _is_linkage(words: Sequence[Token]) -> bool:
    """Extern "C" { … }"""
    return [w.text for w in words][-2:-1] == ["extern"]


def _outside_template_parameters(head: Sequence[Token]) -> list[Token]:
    kept: list[Token] = []
    depth = 0
    for index, token in enumerate(head):
        if token.text == "<" and (depth or (index and head[index - 1].text == "template")):
            depth += 1
        elif depth and token.text in {">", ">>>"}:
            depth -= len(token.text)
        elif not depth:
            kept.append(token)
    return kept
