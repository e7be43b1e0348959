"""Signals from code that neither a reader nor the comparison with other works can see through.

Hidden characters turn what an editor shows; code in strings, numbers or macros, and code that does
not parse, is one token or none for the comparison, so that no likeness there says nothing.
"""

import ast
import re
import warnings
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from hotloop.core.untrusted_text import hidden, readable
from hotloop.course.alike.parts import LONGEST, Language, WorkPart, language_of, parts
from hotloop.takehome.integrity.signal import Signal
from hotloop.tasks import render
from hotloop.tasks.curriculum import Module
from hotloop.tasks.notebook_cells import readable_cells

LONG_TEXT = 300
"""Characters of a string from which its content could be code."""

MANY_NUMBERS = 100
"""Numbers in one list from which they could be code."""

MANY_MACROS = 5

_MOST_EVIDENCE = 10
_DECODERS = {"base64", "binascii", "bz2", "codecs", "lzma", "marshal", "pickle", "zlib"}
_RUNNERS = {"exec", "eval", "compile", "__import__"}
_C_TEXT = re.compile(
    rf'"(?:\\.|[^"\\\n]){{{LONG_TEXT},}}"|R"(\w*)\(.{{{LONG_TEXT},}}?\)\1"', re.DOTALL
)
_C_NUMBERS = re.compile(rf"(?:[-+]?\w*\d[\w.]*\s*,\s*){{{MANY_NUMBERS},}}")

_HIDDEN_INNOCENT = (
    "Text in scripts that run from right to left needs such characters, and what is copied from "
    "web pages and chats brings some along. The report shows each as a mark."
)
_OPAQUE_INNOCENT = (
    "Programs for another compiler stand in strings, tables in lists of numbers, and instructions "
    "without a function of their own in assembly. Have the candidate walk you through it."
)

_UNSEEN = ": what is in it was not compared."

Reasons = dict[str, str]
"""Why code cannot be compared, by kind of reason."""


def signals(
    module: Module,
    tasks: Iterable[str],
    files: Mapping[str, bytes],
    starter: Mapping[str, bytes],
) -> list[Signal]:
    """Return at most one signal for hidden characters, and one for opaque code.

    What our solution or the starter does too is no sign.
    """
    marks = list(_hidden(files, starter))
    return [
        *_signal(
            "hidden_characters",
            "Characters that are not seen, or turn the direction of text",
            marks,
            _HIDDEN_INNOCENT,
        ),
        *_signal(
            "opaque_code",
            "Code that was not compared with other works",
            list(_opaque(module, list(tasks), files, starter)),
            _OPAQUE_INNOCENT,
        ),
    ]


def _signal(kind: str, title: str, evidence: list[str], innocent: str) -> Iterator[Signal]:
    if evidence:
        yield Signal.model_validate(
            {
                "kind": kind,
                "strength": "moderate",
                "title": title,
                "evidence": evidence[:_MOST_EVIDENCE],
                "innocent": innocent,
            }
        )


def _hidden(files: Mapping[str, bytes], starter: Mapping[str, bytes]) -> Iterator[str]:
    for name, data in sorted(files.items()):
        if language_of(name) is None or data == starter.get(name):
            continue
        # A byte order mark at the start of a file is an editor's, and form feeds part chapters.
        given = {"\f", *hidden(_code(name, starter.get(name, b"")))}
        for number, line in enumerate(_code(name, data).removeprefix("\ufeff").split("\n"), 1):
            found = set(hidden(line)) - given
            if found:
                marks = ", ".join(readable(sign) for sign in sorted(found))
                yield f"{name}, line {number}: {marks}"


def _code(name: str, data: bytes) -> str:
    if name.endswith(".ipynb"):
        text = "\n".join(cell.source for cell in readable_cells(data) if cell.kind == "code")
    else:
        text = data.decode("utf-8", errors="replace")
    return text.replace("\r\n", "\n")


def _opaque(
    module: Module,
    tasks: list[str],
    files: Mapping[str, bytes],
    starter: Mapping[str, bytes],
) -> Iterator[str]:
    known: dict[str, set[str]] = {}
    for given in (starter, _reference(module.id)):
        for part in parts(given, module, tasks):
            known.setdefault(part.name, set()).update(opaque(part.text, part.language))
    for part in [*parts(files, module, tasks), *_added(files, starter)]:
        for kind, reason in opaque(part.text, part.language).items():
            if kind not in known.get(part.name, set()):
                yield f"{part.name}: {reason}"


@cache
def _reference(module: str) -> Mapping[str, bytes]:
    return render.submission(module)


def _added(files: Mapping[str, bytes], starter: Mapping[str, bytes]) -> Iterator[WorkPart]:
    for name, data in sorted(files.items()):
        language = language_of(name)
        if name not in starter and language is not None and not name.endswith(".ipynb"):
            yield WorkPart(name, (), language, data.decode("utf-8", errors="replace")[:LONGEST])


def opaque(text: str, language: Language) -> Reasons:
    """Return why parts of this code are no code for the comparison; empty if all of it is."""
    reasons: Reasons = {}
    if len(text) >= LONGEST:
        reasons["long"] = f"only its first {LONGEST >> 10} KiB were compared."
    if language == "python":
        return {**reasons, **_of_python(text)}
    if language == "cuda":
        return {**reasons, **_of_c(text)}
    return reasons


def _of_python(text: str) -> Reasons:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SyntaxWarning)
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return {"syntax": "it does not parse as Python, so that only its tokens were compared."}
    reasons: Reasons = {}
    for node in ast.walk(tree):
        reasons.update(_of_node(node))
    return reasons


def _of_node(node: ast.AST) -> Iterator[tuple[str, str]]:
    match node:
        case ast.Call(func=ast.Name(id=name)) if name in _RUNNERS:
            yield name, f"line {node.lineno} calls `{name}`, on what is not in the code."
        case ast.Import(names=names):
            yield from (one for alias in names for one in _of_import(alias.name, node.lineno))
        case ast.ImportFrom(module=str(name)):
            yield from _of_import(name, node.lineno)
        case ast.Constant(value=str() | bytes() as value) if _is_long(value):
            yield "text", f"line {node.lineno} has a string of {len(value)} characters{_UNSEEN}"
        case ast.List(elts=items) | ast.Tuple(elts=items) if len(items) >= MANY_NUMBERS:
            if all(isinstance(item, ast.Constant) for item in items):
                yield "numbers", f"line {node.lineno} has a list of {len(items)} values{_UNSEEN}"
        case _:
            pass


def _of_import(name: str, line: int) -> Iterator[tuple[str, str]]:
    if name.partition(".")[0] in _DECODERS:
        yield name, f"line {line} imports `{name}`, which unpacks what is not seen in the code."


def _is_long(value: str | bytes) -> bool:
    """True for a long string, but for a text of words, such as a docstring."""
    if len(value) < LONG_TEXT or isinstance(value, bytes):
        return len(value) >= LONG_TEXT
    is_prose = len(value) < 12 * len(value.split())
    return not is_prose or re.search(r"[;{}]|\w\(|^\s*\w+ = ", value, re.MULTILINE) is not None


def _of_c(text: str) -> Reasons:
    reasons: Reasons = {}
    if found := re.search(r"\basm\b", text):
        reasons["assembly"] = f"line {_line(text, found.start())} has inline assembly{_UNSEEN}"
    macros = re.findall(r"^\s*#\s*define\b", text, re.MULTILINE)
    if len(macros) > MANY_MACROS:
        reasons["macros"] = f"{len(macros)} macros: what they stand for was not compared."
    if found := _C_TEXT.search(text):
        reasons["text"] = (
            f"line {_line(text, found.start())} has a string of {len(found[0])} characters{_UNSEEN}"
        )
    if found := _C_NUMBERS.search(text):
        reasons["numbers"] = (
            f"line {_line(text, found.start())} has a list of {found[0].count(',')} values{_UNSEEN}"
        )
    return reasons


def _line(text: str, offset: int) -> int:
    return text.count("\n", 0, offset) + 1
