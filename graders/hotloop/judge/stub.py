"""Answers a task of which nothing is written from the submission's files, without a process.

Nothing is written if the task's files are as they were handed out; or if its parts of them are,
where each part still raises NotImplementedError, and a CUDA kernel's body is still empty. Whatever
could lead around a part, such as a second definition of its name, leaves the answer to the judge.
"""

import ast
import platform
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib import metadata
from itertools import pairwise
from pathlib import Path
from types import FunctionType

from hotloop import __version__
from hotloop.core import paths
from hotloop.core.record import NOT_ATTEMPTED, CheckRecord, Circumstances, Record
from hotloop.core.variant import digest_of
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge import notebook_release
from hotloop.judge.device import device_name, driver_version
from hotloop.judge.files import MAX_TEXT, SubmissionFiles
from hotloop.judge.grader_digest import grader_digest
from hotloop.judge.job import Job
from hotloop.judge.notebook_repair import repaired
from hotloop.worker.notebook import UnreadableNotebook

_RAISES = f"{NOT_ATTEMPTED} yet: it still raises NotImplementedError."
_MARKER = re.compile(r"^[ \t]*### TASK (\w+\.\w+)(?: \w+)?$", re.MULTILINE)
_KEY = re.compile(rb"### TASK (\w+\.\w+)")
_WORD = re.compile(r"import\s*(?:\(\s*)?\*|\w+")
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_DYNAMIC = frozenset(
    {"__dict__", "delattr", "eval", "exec", "f_globals", "globals", "modules", "setattr", "vars"}
)
"""Words of Python code that can define a name without writing it, as can `import *`."""


def stub_record(job: Job, live: Mapping[str, object] | None = None) -> Record | None:
    """Return the record of a task that was not begun; None if a judge must look at it.

    In a take-home one always does, since what counts there depends on the check.

    live: the names of a running notebook, in which the answer may be newer than in its file.
    """
    start, clock = datetime.now(UTC).isoformat(timespec="seconds"), time.monotonic()
    if job.files is None or job.source is not None or job.given:
        return None
    if job.spec.file is None and job.notebook is None:
        sentence = _RAISES if live is not None and _is_stub_live(job, live) else ""
    else:
        sentence = _untouched(job.spec.files) if _is_stub(job, Path(job.files)) else ""
    checks = [name for name in job.spec.checks if job.checks is None or name in job.checks]
    if not (sentence and checks):
        return None
    return Record(
        job.module,
        job.task,
        Verdict.WRONG_ANSWER,
        sentence,
        tuple(CheckRecord(name, Verdict.WRONG_ANSWER, sentence) for name in checks),
        Circumstances(
            submission_digest=job.submission_digest,
            grader_version=__version__,
            grader_digest=grader_digest(job.module),
            device=device_name(),
            driver=driver_version(),
            libraries={"python": platform.python_version(), "numpy": metadata.version("numpy")},
            seed=job.seed,
            isolation=job.isolation,
            started=start,
            seconds=round(time.monotonic() - clock, 3),
            variant=digest_of(job.variant),
            seeded=bool(job.seed),
        ),
    )


def _untouched(names: Sequence[str]) -> str:
    files = " and ".join(f"`{name}`" for name in names)
    verb = "are as they were" if len(names) > 1 else "is as it was"
    return f"{NOT_ATTEMPTED} yet: for this task, {files} {verb} handed out."


def has_empty_body(source: str, kernel: str) -> bool:
    """Return True if the CUDA kernel's body contains only comments."""
    code = re.sub(r"//[^\n]*|/\*.*?(?:\*/|\Z)", "", source, flags=re.DOTALL)
    return re.search(rf"\b{re.escape(kernel)}\s*\([^()]*\)\s*\{{\s*\}}", code) is not None


def _is_stub_live(job: Job, names: Mapping[str, object]) -> bool:
    """Return True if the task's functions do nothing but raise NotImplementedError."""
    exercise = SubmissionFiles(paths.exercises() / job.module)
    key, notebook = f"{job.module}.{job.task}", job.spec.files[-1]
    cells = _cells(notebook, exercise.content(notebook), job.module)
    parts = [part for cell in cells for part in _parts(cell)]
    stubs = [s for task, part in parts if task == key for s in part if _raises(s)]
    entries = {stub.name for stub in stubs if isinstance(stub, _DEFINITIONS)}
    return job.spec.entry in entries and all(_is_raising(names.get(name)) for name in entries)


def _is_raising(function: object) -> bool:
    """Return True for a function whose compiled code is that of a stub."""
    if not isinstance(function, FunctionType):
        return False
    code, stub = function.__code__, _stub.__code__
    return (code.co_code, code.co_names) == (stub.co_code, stub.co_names)


def _stub() -> None:
    raise NotImplementedError("module.task")


def _is_stub(job: Job, submission: Path) -> bool:
    exercise, key = paths.exercises() / job.module, f"{job.module}.{job.task}"
    before, after = SubmissionFiles(exercise), SubmissionFiles(submission)
    names = {*job.spec.files, *(name for name, keys in _marked(exercise) if key in keys)}
    try:
        return all(
            _is_stub_in(name, job, _content(before, name), _content(after, name)) for name in names
        )
    except (RecursionError, MemoryError, UnicodeDecodeError, UnreadableNotebook):
        return False


@cache
def _marked(exercise: Path) -> list[tuple[str, frozenset[str]]]:
    """Return the files of an exercise that mark parts of tasks, with the keys of these tasks."""
    files = (path for path in exercise.rglob("*") if path.is_file())
    found = (
        (
            path.relative_to(exercise).as_posix(),
            frozenset(key.decode() for key in _KEY.findall(path.read_bytes())),
        )
        for path in files
    )
    return [(name, keys) for name, keys in found if keys]


def _content(files: SubmissionFiles, name: str) -> bytes | None:
    """Return a file's content; None if it is missing or cannot be read."""
    try:
        return files.content(name)
    except Ruling:
        return None


def _is_stub_in(name: str, job: Job, before: bytes | None, after: bytes | None) -> bool:
    """Return True if nothing of the task is written in a file. before: as it was handed out."""
    if before == after:
        return True  # both are missing if it is a file that the learner makes
    if before is None or after is None:
        return False
    key, entry = f"{job.module}.{job.task}", job.spec.entry
    if name.endswith(".cu"):
        alone = before.count(f"### TASK {key}".encode()) == 1
        return alone and all(has_empty_body(text.decode(), entry) for text in (before, after))
    return name.endswith((".py", ".ipynb")) and _has_stubs(
        _cells(name, before, job.module), _cells(name, after, job.module), key, entry
    )


def _cells(name: str, data: bytes, module: str) -> list[str]:
    """Return the code of a notebook's cells without checks, or the text of a file."""
    if not name.endswith(".ipynb"):
        return [data.decode()]
    notebook = repaired(data, notebook_release.exercise(module))
    if notebook.unreadable:
        raise UnreadableNotebook(notebook.unreadable)
    return notebook.before("")


def _has_stubs(before: Sequence[str], after: Sequence[str], key: str, entry: str) -> bool:
    """Return True if each part of the task in Python code raises NotImplementedError, as before."""
    if before == after:
        return True  # a notebook that was saved
    if sum(map(len, after)) > MAX_TEXT:
        return False
    by_task = [(task, part) for cell in before for task, part in _parts(cell)]
    own = [part for task, part in by_task if task == key]
    if not own or not all(any(map(_raises, part)) for part in own):
        return False
    # What belongs to no task is kept too: a stub may be what such a function calls.
    kept = [statement for task, part in by_task if task in {"", key} for statement in part]
    now = {ast.dump(statement) for cell in after for statement in _statements(cell)}
    if not now.issuperset(map(ast.dump, kept)):
        return False
    nodes = [node for part in own for statement in part for node in ast.walk(statement)]
    names = {entry, *(node.name for node in nodes if isinstance(node, _DEFINITIONS))}
    return _mentions(before, names) == _mentions(after, names)


def _statements(text: str) -> list[ast.stmt]:
    """Return the statements of a cell or file; none if it is not Python."""
    try:
        return ast.parse(text).body
    except (SyntaxError, ValueError):
        return []


def _parts(text: str) -> Iterator[tuple[str, list[ast.stmt]]]:
    """Yield each marker's task and the statements from it on, or the one around it.

    What stands before the first marker is the part of no task: of "".
    """
    markers = [(text.count("\n", 0, m.start()) + 1, m[1]) for m in _MARKER.finditer(text)]
    if not markers:
        return
    statements = _statements(text)
    begins = [(0, ""), *markers]
    for (begin, task), (end, _) in pairwise([*begins, (len(text) + 1, "")]):
        yield task, [s for s in statements if (s.end_lineno or 0) >= begin and s.lineno < end]


def _raises(statement: ast.stmt) -> bool:
    return "NotImplementedError" in ast.dump(statement)


def _mentions(cells: Sequence[str], names: set[str]) -> Counter[str]:
    """Return how often each name, and each word that could define it unseen, is written."""
    words = Counter(word for cell in cells for word in _WORD.findall(cell))
    watched = names | _DYNAMIC
    return Counter({w: count for w, count in words.items() if w in watched or w.endswith("*")})
