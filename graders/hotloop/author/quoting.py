"""Keeps code and outputs that a lesson quotes equal to the quoted files of the clone.

A quotation is a comment that names its source, an empty line, and fenced code:

    <!-- from curriculum/fused_softmax/proofs/row_kernels.cu:block_tree -->

A source is a file, a file and a section between `--8<-- [start:name]` and `[end:name]`, or a file
and two line numbers. The lesson can therefore be read where it is, on GitHub or in JupyterLab.
"""

import re
import textwrap
from pathlib import Path

from hotloop.core import paths
from hotloop.core.user_error import UserError

_COMMENT = "<!-- from "
_QUOTATION = re.compile(
    r"^(?P<head>(?P<indent> *)<!-- from (?P<source>\S+) -->\n\n(?P=indent)(?P<fence>`{3,})\w*\n)"
    r".*?^(?P<end>(?P=indent)(?P=fence))$",
    re.MULTILINE | re.DOTALL,
)
_MARK = re.compile(r"--8<-- \[(?:start|end):\w+\]")


def stale() -> list[Path]:
    """Return the pages in curriculum/ with a quotation that differs from its source."""
    pages = [(p, p.read_text(encoding="utf-8")) for p in sorted(paths.curriculum().glob("*/*.md"))]
    return [path for path, text in pages if refreshed(text, path) != text]


def write() -> list[Path]:
    """Copy the sources into the pages again, and return the changed pages."""
    changed = stale()
    for path in changed:
        text = refreshed(path.read_text(encoding="utf-8"), path)
        path.write_text(text, encoding="utf-8")
    return changed


def refreshed(text: str, page: Path) -> str:
    """Return the page's text with its quotations updated from their sources.

    Raises UserError if a quotation has no code, or its source does not exist.
    """
    if len(_QUOTATION.findall(text)) != text.count(_COMMENT):
        raise UserError(
            f"{page}: behind each {_COMMENT}… --> come an empty line and fenced code, "
            "which `hotloop author render` fills."
        )
    return _QUOTATION.sub(lambda match: _quoted(match, page), text)


def _quoted(match: re.Match[str], page: Path) -> str:
    body = textwrap.indent(source(match["source"], page), match["indent"])
    if match["fence"] in body:
        raise UserError(f"{page}: {match['source']} has a fence in it; use a longer one around it.")
    return f"{match['head']}{body}{match['end']}"


def source(name: str, page: Path) -> str:
    """Return the lines that `page` quotes, without markers and common indentation.

    Raises UserError if the file or section does not exist.
    """
    file, _, part = name.partition(":")
    path = paths.root() / file
    if not path.is_file():
        raise UserError(f"{page}: it quotes {file}, which does not exist.")
    lines = path.read_text(encoding="utf-8").split("\n")
    if re.fullmatch(r"\d+:\d+", part):
        first, last = map(int, part.split(":"))
        lines = lines[first - 1 : last]
    elif part:
        lines = _section(lines, part, f"{page}: it quotes {name}")
    quoted = "\n".join(line for line in lines if not _MARK.search(line))
    return textwrap.dedent(quoted).strip("\n") + "\n"


def _section(lines: list[str], part: str, where: str) -> list[str]:
    try:
        first = next(i for i, line in enumerate(lines) if f"--8<-- [start:{part}]" in line)
        last = next(i for i, line in enumerate(lines) if f"--8<-- [end:{part}]" in line)
    except StopIteration:
        raise UserError(f"{where}, which has no section {part}.") from None
    return lines[first + 1 : last]
