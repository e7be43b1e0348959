"""The markers in solution files: one grammar for every file type.

    ### BEGIN SOLUTION module.task [part]  the region that a learner writes begins
    ### STUB text                          what the exercise has there instead; any number of lines
    ### END SOLUTION
    ### CARD module.task                   in a notebook's text: the task's facts
    ### HINTS module.task                  in a notebook's text: its hints, folded

A marker is alone on its line. In C++ and CUDA it follows `// `. In Python, YAML and plain text
`###` is itself a comment. In the text cells of a percent notebook every line, markers included,
begins with `# `. `part` distinguishes several regions of one task. In the exercise a region becomes
the line `### TASK module.task [part]` and the stub.
"""

import re
import textwrap
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from hotloop.core.user_error import UserError

Lines = list[str]

_MARKER = re.compile(r"^(?P<indent>[ \t]*)(?P<leader>// |# |)### (?P<words>.*)$")
_WORDS = re.compile(r"^(BEGIN SOLUTION|END SOLUTION|STUB|CARD|HINTS)(?: (.*))?$")
_RESERVED = re.compile(r"^(BEGIN|END|STUB|CARD|HINTS|TASK|SOLUTION)\b")
_KEY = re.compile(r"^(?P<task>[a-z][a-z0-9_]*\.[a-z][a-z0-9_]*)(?: (?P<part>[a-z][a-z0-9_]*))?$")


class MarkerError(UserError, ValueError):
    """Invalid or inconsistent markers; the message begins with `file:line:`."""


@dataclass(frozen=True)
class Region:
    """The code that a learner writes. key: `module.task`, or `module.task part`."""

    key: str
    indent: str
    leader: str
    stub: tuple[str, ...]
    body: tuple[str, ...]
    line: int

    @property
    def task(self) -> str:
        """The task's key, `module.task`."""
        return self.key.split(" ")[0]

    def heading(self) -> str:
        """Return the line that marks the region in the exercise."""
        return f"{self.indent}{self.leader}### TASK {self.key}"

    def with_stub(self) -> Lines:
        """Return the region's lines in the exercise: heading and stub."""
        lead = self.indent + (self.leader if self.leader == "# " else "")
        return [self.heading(), *((lead + text).rstrip() for text in self.stub)]

    def with_body(self, body: tuple[str, ...] | None) -> Lines:
        """Return the region's lines when solved: with its own body, or with a wrong answer's."""
        if body is None:
            return [self.heading(), *self.body]
        text = textwrap.indent(textwrap.dedent("\n".join(body)), self.indent)
        return [self.heading(), *text.split("\n")]


@dataclass(frozen=True)
class Directive:
    """A line that is replaced by a task's CARD or HINTS."""

    word: str
    task: str
    leader: str
    line: int


Piece = str | Region | Directive


def lines_of(text: str) -> Lines:
    """Return the lines of a source. Raises ValueError if it does not end in a newline."""
    if not text.endswith("\n"):
        raise ValueError("a source ends in a newline")
    return text[:-1].split("\n")


def parse(text: str, name: str) -> list[Piece]:
    """Return the file as plain lines, regions and directives.

    Raises MarkerError that names file and line.
    """
    pieces: list[Piece] = []
    lines = enumerate(text.split("\n"), start=1)
    for number, line in lines:
        marker = _marker(line, f"{name}:{number}")
        if marker is None:
            pieces.append(line)
            continue
        word, rest, indent, leader = marker
        if word == "BEGIN SOLUTION":
            key = _key(rest, f"{name}:{number}")
            pieces.append(_region(key, indent, leader, number, lines, name))
        elif word in {"CARD", "HINTS"}:
            task = _key(rest, f"{name}:{number}")
            pieces.append(Directive(word, task, indent + leader, number))
        else:
            raise MarkerError(f"{name}:{number}: {word} outside of a region")
    _refuse_repeats(pieces, name)
    return pieces


def regions(pieces: list[Piece]) -> list[Region]:
    """Return the regions among `pieces`, in order."""
    return [piece for piece in pieces if isinstance(piece, Region)]


def exercise(pieces: list[Piece], expand: Callable[[Directive], Lines]) -> str:
    """Return the file as a learner gets it."""
    return _join(pieces, expand, lambda region: region.with_stub())


def solved(
    pieces: list[Piece],
    expand: Callable[[Directive], Lines],
    bodies: Mapping[str, tuple[str, ...]] | None = None,
) -> str:
    """Return the solved file; `bodies` replace those of the regions with these keys."""
    replacing = bodies or {}
    return _join(pieces, expand, lambda region: region.with_body(replacing.get(region.key)))


def _join(
    pieces: list[Piece],
    expand: Callable[[Directive], Lines],
    fill: Callable[[Region], Lines],
) -> str:
    lines: Lines = []
    for piece in pieces:
        if isinstance(piece, Region):
            lines += fill(piece)
        elif isinstance(piece, Directive):
            lines += [(piece.leader + line).rstrip() for line in expand(piece)]
        else:
            lines.append(piece)
    return "\n".join(lines)


def _region(
    key: str, indent: str, leader: str, start: int, lines: Iterator[tuple[int, str]], name: str
) -> Region:
    stub: Lines = []
    body: Lines = []
    for number, line in lines:
        marker = _marker(line, f"{name}:{number}")
        if marker is None:
            body.append(line)
        elif marker[0] == "STUB":
            stub.append(marker[1])
        elif marker[0] == "END SOLUTION":
            return Region(key, indent, leader, tuple(stub), tuple(body), start)
        else:
            raise MarkerError(f"{name}:{number}: {marker[0]} inside of the region {key}")
    raise MarkerError(f"{name}:{start}: the region {key} has no END SOLUTION")


def _marker(line: str, where: str) -> tuple[str, str, str, str] | None:
    """Return word, rest, indent and leader of a marker line; None for any other line."""
    match = _MARKER.match(line)
    if match is None:
        return None
    words = _WORDS.match(match["words"].rstrip())
    if words is not None:
        return words[1], words[2] or "", match["indent"], match["leader"]
    if _RESERVED.match(match["words"]):
        raise MarkerError(f"{where}: {line.strip()!r} is not a marker that there is")
    return None


def _key(rest: str, where: str) -> str:
    if _KEY.match(rest) is None:
        raise MarkerError(f"{where}: {rest!r} is not `module.task` or `module.task part`")
    return rest


def _refuse_repeats(pieces: list[Piece], name: str) -> None:
    seen: dict[str, int] = {}
    for region in regions(pieces):
        if region.key in seen:
            raise MarkerError(
                f"{name}:{region.line}: the region {region.key} is also on line {seen[region.key]};"
                " give each a part name"
            )
        seen[region.key] = region.line
