"""The texts: sentences from the docstrings of Python's standard library, and what each is about.

Nothing is downloaded: they are read from the source of the Python that runs this, without
importing it. The topic of a sentence is that of the module it stands in. What is served later is
thus a small router: a question or a sentence comes in, and out comes the part of the library that
it belongs to.

    python curriculum/triton_ensemble/model/texts.py      how many there are, and some of each
"""

from __future__ import annotations

import ast
import hashlib
import re
import sysconfig
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

TOPICS = ("concurrency", "files", "network", "numbers", "testing", "text")
MODULES = {
    "concurrency": "asyncio threading multiprocessing concurrent queue sched subprocess selectors",
    "files": "pathlib shutil tempfile zipfile tarfile glob gzip lzma bz2 fileinput filecmp os "
    "fnmatch posixpath ntpath genericpath linecache zipapp _compression",
    "network": "http urllib socket ssl ftplib smtplib poplib imaplib nntplib telnetlib "
    "socketserver xmlrpc ipaddress wsgiref webbrowser cgi",
    "numbers": "statistics fractions _pydecimal random numbers datetime _pylong calendar colorsys "
    "_strptime bisect heapq hashlib hmac secrets",
    "testing": "unittest doctest pdb bdb trace traceback cProfile profile pstats logging timeit "
    "warnings tracemalloc faulthandler inspect dis",
    "text": "re string textwrap difflib html json csv gettext locale tokenize codecs shlex email "
    "configparser tomllib plistlib pprint reprlib stringprep xml",
}
HELD_OUT = 0.15
"""Share of the sentences that no training sees. Which ones is decided by each sentence alone, so
that the same sentence is held out in every version of Python."""

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`'\"])")
_PROMPT = re.compile(r"^\s*(>>>|\.\.\.|:param|:return|:type|@)")
_WORD = re.compile(r"[A-Za-z]{2,}")
_LEAST_WORDS, _MOST_WORDS = 5, 40


@dataclass(frozen=True)
class Text:
    """A sentence and its topic, an index into TOPICS."""

    sentence: str
    topic: int

    @property
    def held_out(self) -> bool:
        """True for the share that is kept for the test."""
        digest = hashlib.sha256(self.sentence.encode()).digest()
        return int.from_bytes(digest[:4], "big") < HELD_OUT * 2**32


def read() -> list[Text]:
    """All sentences, each once, in a fixed order. One that stands in two topics is in none."""
    found: dict[str, set[int]] = {}
    for index, topic in enumerate(TOPICS):
        for file in _files(MODULES[topic].split()):
            for sentence in _sentences(file):
                found.setdefault(sentence, set()).add(index)
    texts = [Text(sentence, topics.pop()) for sentence, topics in found.items() if len(topics) == 1]
    return sorted(texts, key=lambda text: text.sentence)


def _files(modules: list[str]) -> Iterator[Path]:
    library = Path(sysconfig.get_path("stdlib"))
    for module in modules:
        if (library / module).is_dir():
            yield from sorted(
                path for path in (library / module).rglob("*.py") if "test" not in path.parts
            )
        elif (library / f"{module}.py").is_file():
            yield library / f"{module}.py"


def _sentences(file: Path) -> Iterator[str]:
    tree = ast.parse(file.read_text(encoding="utf-8", errors="replace"))
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for paragraph in re.split(r"\n\s*\n", ast.get_docstring(node) or ""):
            if any(_PROMPT.match(line) for line in paragraph.splitlines()):
                continue
            for sentence in _SENTENCE_END.split(" ".join(paragraph.split())):
                if _LEAST_WORDS <= len(_WORD.findall(sentence)) <= _MOST_WORDS:
                    yield sentence


def main() -> None:
    """Print what there is."""
    texts = read()
    for index, topic in enumerate(TOPICS):
        own = [text for text in texts if text.topic == index]
        print(f"{topic}: {len(own)}, of which {sum(t.held_out for t in own)} held out")
        for text in own[:: max(1, len(own) // 4)][:4]:
            print(f"    {text.sentence}")


if __name__ == "__main__":
    main()
