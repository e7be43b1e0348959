"""Chooses the mutants of a module's reference that are judged, and renders their files."""

import ast
import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from hotloop.learn.mutation import Edit, c_code, python_code
from hotloop.tasks import curriculum, render
from hotloop.tasks.curriculum import Module, Task
from hotloop.tasks.markers import Region, parse, regions
from hotloop.tasks.reference_files import sources

LANGUAGES = {".py": python_code.edits, ".cu": c_code.edits, ".cpp": c_code.edits}


@dataclass(frozen=True)
class Mutant:
    """A reference solution with one mistake.

    id: stable while the task's code does not change. shown: the changed line, before and after.
    files: renders the submission.
    """

    id: str
    module: str
    task: str
    operator: str
    language: str
    shown: tuple[str, str]
    files: Callable[[], dict[str, bytes]]


def mutants(module: Module, task: Task, most: int) -> list[Mutant]:
    """Return at most `most` of a task's mutants; operators take turns, a hash picks the places."""
    by_operator: dict[str, list[_Place]] = defaultdict(list)
    for place in places(module, task):
        by_operator[place.edit.operator].append(place)
    queues = [sorted(found, key=lambda p: p.id) for found in by_operator.values()]
    queues.sort(key=lambda queue: queue[0].id)
    chosen: list[Mutant] = []
    while queues and len(chosen) < most:
        for queue in list(queues):
            mutant = next(_handed_in(queue), None)
            if mutant is None:
                queues.remove(queue)
            elif len(chosen) < most:
                chosen.append(mutant)
    return chosen


@dataclass(frozen=True)
class _Place:
    """An edit in a region of a task."""

    module: str
    task: str
    path: Path
    region: Region
    text: str
    edit: Edit

    @property
    def shown(self) -> tuple[str, str]:
        """The lines around the edit, before and after."""
        start = self.text.rfind("\n", 0, self.edit.start) + 1
        end = self.text.find("\n", self.edit.end)
        before = self.text[start:end]
        after = self.text[start : self.edit.start] + self.edit.text + self.text[self.edit.end : end]
        return before.strip(), after.strip()

    @property
    def id(self) -> str:
        """An id made from region, operator, and place."""
        within = self.text.count("\n", 0, self.edit.start) - self.region.line
        said = f"{self.region.key}|{self.edit.operator}|{within}|{self.shown}"
        digest = hashlib.sha256(said.encode()).hexdigest()[:8]
        return f"{self.module}.{self.task}/{self.edit.operator.replace(' ', '_')}/{digest}"


def places(module: Module, task: Task) -> Iterator[_Place]:
    for path in sources(module.id).values():
        if path.suffix not in LANGUAGES:
            continue
        text = path.read_text(encoding="utf-8")
        own = [r for r in regions(parse(text, path.name)) if r.task == f"{module.id}.{task.id}"]
        spans = [(region, *_span(text, region)) for region in own]
        seen: set[tuple[int, int, str]] = set()
        for edit in LANGUAGES[path.suffix](text) if spans else ():
            if (edit.start, edit.end, edit.text) in seen:
                continue
            seen.add((edit.start, edit.end, edit.text))
            for region, start, end in spans:
                if start <= edit.start and edit.end <= end:
                    yield _Place(module.id, task.id, path, region, text, edit)


def _span(text: str, region: Region) -> tuple[int, int]:
    """Return the offsets of the first and last character of a region's lines."""
    lines = text.split("\n")
    first = region.line
    last = next(n for n in range(first, len(lines)) if "### END SOLUTION" in lines[n])
    return len("\n".join(lines[:first])) + 1, len("\n".join(lines[:last]))


def _handed_in(queue: list[_Place]) -> Iterator[Mutant]:
    """Yield the queue's mutants that still parse."""
    while queue:
        place = queue.pop(0)
        edit = place.edit
        changed = place.text[: edit.start] + edit.text + place.text[edit.end :]
        if place.path.suffix == ".py" and not _is_python(changed):
            continue
        body = next(r.body for r in regions(parse(changed, "mutant")) if r.key == place.region.key)
        yield Mutant(
            place.id,
            place.module,
            place.task,
            edit.operator,
            "Triton" if "triton" in place.path.name else _LANGUAGE[place.path.suffix],
            place.shown,
            partial(_files, place, body),
        )
        return


_LANGUAGE = {".py": "Python", ".cu": "CUDA", ".cpp": "C++"}


def _is_python(text: str) -> bool:
    try:
        ast.parse(text)
    except SyntaxError:
        return False
    return True


def _files(place: _Place, body: Sequence[str]) -> dict[str, bytes]:
    """Render the submission, as for a wrong answer."""
    leader = "" if place.path.suffix == ".py" else "// "
    task = curriculum.load_module(place.module).task(place.task)
    lines = [
        f"{leader or '# '}A mutant.",
        f"{leader}### BEGIN SOLUTION {place.region.key}",
        *body,
        f"{leader}### END SOLUTION",
    ]
    with TemporaryDirectory() as folder:
        wrong = Path(folder) / f"mutant{place.path.suffix}"
        fails = f"\nfails: {place.task}.{task.checks[0].id}\n"
        head = f'"""A mutant.\n{fails}"""' if not leader else f"/*\n{fails}*/"
        wrong.write_text("\n".join([head, *lines[1:]]), encoding="utf-8")
        return render.submission(place.module, wrong)
