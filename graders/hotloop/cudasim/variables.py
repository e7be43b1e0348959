"""`__shared__`, `__device__`, `__constant__` and `__managed__` variables, rewritten."""

from __future__ import annotations

from collections.abc import Sequence

from hotloop.cudasim.problem import Unsupported
from hotloop.cudasim.tokens import (
    Token,
    find_at_depth,
    following,
    is_code,
    matching,
    preceding,
    split,
    statement,
    text_of,
    without_alignment,
)

_CLASSES = frozenset({"struct", "class", "union", "enum"})


def rewrite_shared(tokens: list[Token], kinds: Sequence[str]) -> None:
    """A shared variable becomes a static one that the runtime is told of, line by line."""
    for index, token in enumerate(tokens):
        if token.kind != "word" or token.text != "__shared__":
            continue
        end = find_at_depth(tokens, index, frozenset({";"}))
        is_extern = _drop_storage(tokens, index, end)
        token.text = ""
        if is_extern:
            _dynamic(tokens, index, end, kinds[index])
            continue
        if kinds[index] != "function":
            raise Unsupported(
                token.file, token.line, "declare __shared__ variables in the kernel that uses them"
            )
        declaration = tokens[index:end]
        if _has_value(declaration):
            raise Unsupported(
                token.file, token.line, "a __shared__ variable cannot have an initial value"
            )
        names = declared_names(declaration)
        # An alignas belongs before all else.
        token.text = f"{_taken_alignment(declaration)} static".lstrip()
        tokens[end].text += "".join(
            f' cudasim_shared((void*)&{name}, sizeof({name}), "{name}");' for name in names
        )


def _has_value(declaration: Sequence[Token]) -> bool:
    code = _without_body(without_alignment(declaration))
    return any(find_at_depth(piece, 0, frozenset({"="})) < len(piece) for piece in split(code))


def _taken_alignment(declaration: Sequence[Token]) -> str:
    """The text of the declaration's alignas specifiers, which are removed from it."""
    taken = ""
    for index, token in enumerate(declaration):
        if token.text != "alignas":
            continue
        last = matching(declaration, following(declaration, index))
        taken += text_of(declaration[index : last + 1])
        for part in declaration[index : last + 1]:
            part.text = "" if is_code(part) else part.text
    return taken


def _drop_storage(tokens: list[Token], index: int, end: int) -> bool:
    """Remove `static` and `extern` around __shared__; True when it was extern."""
    is_extern = False
    before = preceding(tokens, index)
    around = [before, *range(index + 1, end)]
    for place in around:
        if place >= 0 and tokens[place].text in {"static", "extern"}:
            is_extern |= tokens[place].text == "extern"
            tokens[place].text = ""
    return is_extern


def _dynamic(tokens: list[Token], index: int, end: int, scope: str) -> None:
    """`extern __shared__ T name[]…;`  →  `T (&name)[]… = *reinterpret_cast<T(*)[]…>(memory);`

    Dynamic shared memory is aligned to 1024 bytes, whatever the declaration asks for.
    """
    declaration = without_alignment(tokens[index:end])
    extent = next((i for i, t in enumerate(declaration) if t.text == "["), None)
    if extent is None:
        first = tokens[index]
        raise Unsupported(first.file, first.line, "extern __shared__ declares an array: name[]")
    name = declaration[extent - 1].text
    element = " ".join(t.text for t in declaration[: extent - 1])
    extents = "".join(t.text for t in declaration[extent:])
    for part in tokens[index:end]:
        part.text = "" if is_code(part) else part.text
    prefix = "" if scope == "function" else "static "
    tokens[index].text = (
        f"{prefix}{element} (&{name}){extents} = "
        f"*reinterpret_cast<{element} (*){extents}>(cudasim_dynamic_shared)"
    )


def declared_names(declaration: Sequence[Token]) -> list[str]:
    """Names that a declaration of variables declares."""
    code = _without_body(without_alignment(declaration))
    return [_name_in(piece) for piece in split(code)]


def _without_body(code: Sequence[Token]) -> list[Token]:
    """The declaration without the body of a class that is defined in it."""
    brace = next((i for i, t in enumerate(code) if t.text == "{"), len(code))
    is_class = any(t.text in _CLASSES for t in code[:brace])
    if not is_class or any(t.text == "=" for t in code[:brace]):
        return list(code)
    return [*code[:brace], *code[matching(code, brace) + 1 :]]


def _name_in(piece: Sequence[Token]) -> str:
    """The last word before the first extent or initial value."""
    name = ""
    for token in piece:
        if token.text in {"[", "=", "{"}:
            break
        if token.kind == "word":
            name = token.text
    return name


_SYMBOLS = frozenset({"__device__", "__managed__", "__constant__"})
_VALUE_OR_PARAMETERS = frozenset({"=", "(", "{"})


def rewrite_symbols(tokens: list[Token], kinds: Sequence[str]) -> None:
    """Variables of the device's are registered before main, each behind its declaration."""
    done: set[int] = set()
    for index, token in enumerate(tokens):
        if token.kind != "word" or token.text not in _SYMBOLS or kinds[index] != "namespace":
            continue
        end = find_at_depth(tokens, index, frozenset({";"}))
        if end in done or end >= len(tokens):
            continue
        if not _declares_variables(tokens[index : end + 1]):
            continue
        words = {t.text for t in statement(tokens, index, end)}
        if "extern" in words or "template" in words:
            continue
        done.add(end)
        tokens[end].text += "".join(
            f" static ::cudasim::Symbol cudasim_symbol_{name}"
            f'(&{name}, sizeof({name}), "{name}", {_kind(words)});'
            for name in declared_names(tokens[index:end])
        )


def _kind(words: set[str]) -> str:
    if "__managed__" in words:
        return "CUDASIM_MANAGED_SYMBOL"
    return "CUDASIM_CONSTANT_SYMBOL" if "__constant__" in words else "CUDASIM_DEVICE_SYMBOL"


def _declares_variables(declaration: Sequence[Token]) -> bool:
    """False for functions, classes and operators. The last token is the semicolon."""
    code = without_alignment(declaration)
    if any(t.text == "operator" for t in code):
        return False
    words = _without_body(code[:-1])
    head = find_at_depth(words, 0, _VALUE_OR_PARAMETERS)
    if head >= len(words):
        return any(t.kind == "word" for t in words)
    if words[head].text == "{":  # `int x{3};`, not a function's body
        behind = matching(words, head) + 1
        return behind >= len(words) or words[behind].text == ","
    return words[head].text == "="
