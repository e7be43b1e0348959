"""Signals from similarity to other candidates' work, the published solution, or wrong answers.

`tests/benchmarks/similarity.py` measures how often honest work exceeds the bounds; the package
contains its result.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, cast

from hotloop.course.alike.likeness import (
    MODERATE,
    STRONG,
    Likeness,
    Print,
    Printed,
    alike,
    likeness,
    print_of,
    prints,
)
from hotloop.course.alike.parts import WorkPart, language_of, parts
from hotloop.course.learner_files import lines_of
from hotloop.takehome.integrity.signal import Signal, Strength
from hotloop.takehome.recorded import recorded
from hotloop.tasks import render, task_lines
from hotloop.tasks.curriculum import Module
from hotloop.tasks.markers import MarkerError, parse, regions
from hotloop.tasks.reference_files import sources
from hotloop.tasks.render import WrongAnswer

MOST_OTHERS = 300
"""Most other candidates' works to compare with."""

MOST_SIGNALS = 12
"""Most signals of one kind; one more lists the rest."""

MOST_EVIDENCE = 20
MOST_NAMED = 40
_KINDS = ("candidate", "solution", "wrong")

_INNOCENT = {
    "candidate": (
        "Short tasks have few right ways; both may have used the same public source or the same "
        "assistant, which your rules may allow. Compare the two by eye, and ask both to explain."
    ),
    "solution": (
        "The reference is public, and reading it may be allowed. A short task written in the "
        "starter's style comes close to it by itself."
    ),
    "wrong": (
        "The wrong answers are the usual mistakes: who makes one of them by themselves writes much "
        "the same code."
    ),
}


@dataclass(frozen=True)
class Other:
    """Another candidate's work. starter: the files that this candidate was given."""

    pseudonym: str
    files: Mapping[str, bytes]
    starter: Mapping[str, bytes]


@dataclass(frozen=True)
class _Match:
    """A work that is alike. tasks: those that the part answers."""

    with_whom: str
    what: str
    part: str
    tasks: tuple[str, ...]
    found: Likeness


def signals(
    module: Module,
    tasks: Sequence[str],
    files: Mapping[str, bytes],
    starter: Mapping[str, bytes],
    others: Iterable[Other],
) -> list[Signal]:
    """Return a signal for each work that this one is too similar to.

    Candidates' works come before published ones; within each kind, the most similar first.
    """
    mine = _by_task(module, tasks, files, starter)
    matches = list(_to_published(module, tasks, mine, parts(starter, module, tasks)))
    for other in others:
        theirs = _by_task(module, tasks, other.files, other.starter)
        matches += (
            _Match("candidate", f"the work of {other.pseudonym}", part.name, part.tasks, found)
            for part, found in alike(mine, theirs)
        )
    matches.sort(key=lambda match: match.found.score, reverse=True)
    return [signal for kind in _KINDS for signal in _of_kind(module.id, kind, matches)]


def _by_task(
    module: Module, tasks: Sequence[str], files: Mapping[str, bytes], starter: Mapping[str, bytes]
) -> list[Printed]:
    """Return fingerprints of what was written for each task.

    Of a file that tasks share, only the lines of the task count, and those of no task: else code of
    one task that is like another one's makes all of it alike.
    """
    found: list[Printed] = []
    for name in tasks:
        task = module.task(name)
        shared = [
            file
            for file in task.files
            if file.endswith(_BY_LINES) and sum(file in other.files for other in module.tasks) > 1
        ]
        own = {
            file: _lines_of(files[file], file, starter, name) for file in shared if file in files
        }
        for part, printed in prints(module, [name], {**files, **own}, starter):
            is_shared = part.name in shared
            shown = replace(part, name=f"{part.name} · {name}") if is_shared else part
            found.append((shown, printed))
    return found


_BY_LINES = (".py", ".cu", ".cuh", ".cpp")
"""Files whose lines belong to functions."""


def _lines_of(data: bytes, file: str, starter: Mapping[str, bytes], task: str) -> bytes:
    lines = lines_of(data)
    tasks = task_lines.owners(file, lines, lines_of(starter.get(file, b"")))
    own = (line for line, of in zip(lines, tasks, strict=True) if not of or task in of)
    return "\n".join(own).encode()


def _of_kind(module: str, kind: str, matches: Iterable[_Match]) -> Iterator[Signal]:
    alike: dict[str, list[_Match]] = {}
    for match in matches:
        if match.with_whom == kind and match.found.score >= MODERATE:
            alike.setdefault(match.what, []).append(match)
    works = list(alike.values())
    yield from (_signal(module, matches) for matches in works[:MOST_SIGNALS])
    if beyond := works[MOST_SIGNALS:]:
        yield _more(module, beyond)


def _to_published(
    module: Module, tasks: Sequence[str], mine: Sequence[Printed], starter: Sequence[WorkPart]
) -> Iterator[_Match]:
    for kind, what, owners, published in published_code(module.id, tasks, starter):
        for part, own in mine:
            if not set(part.tasks) & owners:
                continue
            found = likeness(own, published)
            if found is not None:
                yield _Match(kind, what, part.name, tuple(owners), found)


def published_code(
    module: str, tasks: Sequence[str], starter: Sequence[WorkPart] = ()
) -> Iterator[tuple[str, str, frozenset[str], Print]]:
    """Yield kind, description, tasks and print of published code: reference, then wrong answers.

    Of a wrong answer only the difference from the reference counts. starter: starter code, which is
    removed from both.
    """
    bodies = {task: texts for task, texts in _reference(module).items() if task in tasks}
    starter_texts = {task: [part.text for part in starter if task in part.tasks] for task in tasks}
    for task, texts in bodies.items():
        for name, text in texts.items():
            language = language_of(name)
            if language is not None:
                what = f"the published solution of {task}"
                yield (
                    "solution",
                    what,
                    frozenset({task}),
                    print_of(text, language, starter_texts[task]),
                )
    for wrong in wrong_answers(module):
        language = language_of(wrong.file)
        if wrong.task not in bodies or language is None:
            continue
        text = "\n".join(line for body in wrong.bodies.values() for line in body)
        right = [*bodies[wrong.task].values(), *starter_texts[wrong.task]]
        what = f"the published wrong answer {wrong.name} of {wrong.task}"
        yield "wrong", what, frozenset({wrong.task}), print_of(text, language, right)


@cache
def _reference(module: str) -> Mapping[str, Mapping[str, str]]:
    """Return the code in the reference's regions, by task and file."""
    code: dict[str, dict[str, str]] = {}
    for name, path in sources(module).items():
        if language_of(name) is None:
            continue
        try:
            pieces = parse(path.read_text(encoding="utf-8"), str(path))
        except (UnicodeDecodeError, MarkerError):
            continue
        for region in regions(pieces):
            task = region.task.partition(".")[2]
            if region.leader == "# ":
                continue
            texts = code.setdefault(task, {})
            texts[name] = "\n".join(filter(None, [texts.get(name), *region.body]))
    return code


def _signal(module: str, matches: Sequence[_Match]) -> Signal:
    """Return the signal for one other work; the most similar part comes first."""
    first = matches[0]
    return Signal(
        kind="similarity",
        strength=_strength(module, first),
        title=f"Much like {first.what}",
        evidence=[f"{match.part}: {match.found.said}" for match in matches[:MOST_EVIDENCE]],
        innocent=_INNOCENT[first.with_whom],
        known_rate=_known_rate(module, matches),
    )


def _more(module: str, works: Sequence[Sequence[_Match]]) -> Signal:
    """Return one signal for works beyond the limit, each with its most similar part."""
    first = works[0][0]
    lines = [f"{matches[0].what}: {matches[0].found.score:.0%} alike." for matches in works]
    if (left := len(lines) - MOST_NAMED) > 0:
        lines = [*lines[:MOST_NAMED], f"And {left} more, no more alike."]
    return Signal(
        kind="similarity",
        strength=_strength(module, first),
        title=f"Much like {len(works)} more works",
        evidence=lines,
        innocent=_INNOCENT[first.with_whom],
        known_rate=_known_rate(module, [match for matches in works for match in matches]),
    )


def _strength(module: str, match: _Match) -> Strength:
    """Return "weak" for what right answers to the task in different styles have in common too."""
    if match.with_whom == "wrong":
        return "weak"
    anyway = max((row["most_alike"] for row in _measured(module, match.tasks)), default=0.0)
    if match.found.score <= anyway:
        return "weak"
    return "strong" if match.found.score >= STRONG else "moderate"


def _measured(module: str, tasks: Iterable[str]) -> list[dict[str, Any]]:
    """Return how alike right answers to these tasks are."""
    measured = recorded("similarity") or {}
    rows = cast("list[dict[str, Any]]", measured.get("by_task", []))
    return [row for row in rows if row["module"] == module and row["task"] in set(tasks)]


def _known_rate(module: str, matches: Sequence[_Match]) -> str | None:
    """Say how often right answers to the tasks that are shown are alike, if that was measured.

    Returns None for wrong answers: similarity to them was not measured on work of known origin.
    """
    measured = recorded("similarity")
    if measured is None or matches[0].with_whom == "wrong":
        return None
    tasks = list(dict.fromkeys(task for match in matches for task in match.tasks))
    rows = _measured(module, tasks)
    without = [task for task in tasks if task not in [row["task"] for row in rows]]
    said = [
        f"{row['task']}: of {row['pairs']} {'pair' if row['pairs'] == 1 else 'pairs'} of "
        f"{row['answers']} right answers in different styles, {row['false_alarms']} "
        f"{'was' if row['false_alarms'] == 1 else 'were'} alike by {MODERATE:.0%} or more; the "
        f"most alike by {row['most_alike']:.0%}."
        for row in rows
    ]
    if without:
        said.append(f"How alike right answers to {', '.join(without)} are was not measured.")
    if rows:
        said.append("They are by few hands, so that candidates may have more in common.")
    copies = cast("list[dict[str, Any]]", measured["rows"])
    said.append(
        f"Of {sum(row['disguised_copies'] for row in copies)} copies with other names, order and "
        f"layout, of answers to {' and '.join(row['task'] for row in copies)}, "
        f"{sum(row['detected'] for row in copies)} were found."
    )
    if matches[0].with_whom == "candidate":
        said.append(
            f"This work was compared with up to {MOST_OTHERS} others, so that a false alarm is "
            "likelier than for one pair."
        )
    return " ".join(said)


@cache
def wrong_answers(module: str) -> tuple[WrongAnswer, ...]:
    """Return the module's wrong answers, cached."""
    return tuple(render.wrong_answers(module))
