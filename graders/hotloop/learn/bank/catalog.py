"""All questions, of modules and of tracks, in the curriculum's order."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hotloop.core import paths
from hotloop.core.yaml_lines import CurriculumError, Location, load, place
from hotloop.learn.bank.question import InterviewQuestion, Questions
from hotloop.learn.bank.translation import Translation, Translations, differences
from hotloop.tasks import curriculum, figures

GENERAL = "questions"
"""The folder, next to the modules', with the questions that belong to a whole track."""


@dataclass(frozen=True)
class Proof:
    """A program that demonstrates an answer's claim, and its recorded output."""

    path: Path
    source: str
    output: str | None


@dataclass(frozen=True)
class CatalogEntry:
    """A question and its place. key: `module.id`, or `track.id` for a track's own question."""

    key: str
    track: str
    module: str | None
    question: InterviewQuestion
    chinese: Translation | None
    folder: Path
    proofs: tuple[Proof, ...]

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages in which it can be asked: `en`, and `zh` if it is translated."""
        return ("en", "zh") if self.chinese else ("en",)


@cache
def catalog() -> tuple[CatalogEntry, ...]:
    """Return every question: track by track, first those of its modules, then the track's own.

    Raises CurriculumError if a file is invalid or an id occurs twice.
    """
    entries: list[CatalogEntry] = []
    modules = curriculum.modules()
    for track in curriculum.curriculum().tracks:
        for module in modules:
            if module.track == track.id:
                entries += of_module(module.id)
        entries += _read(paths.curriculum() / GENERAL, track.id, track.id, None)
    _refuse_repeated_ids(entries)
    return tuple(entries)


def of_module(name: str) -> list[CatalogEntry]:
    """Return the questions of the module `name`; none if it has no questions.yaml."""
    module = curriculum.load_module(name)
    folder = curriculum.folder(name)
    entries = _read(folder, "questions", module.track, name)
    for index, entry in enumerate(entries):
        if not entry.question.links:
            where = place(folder / "questions.yaml", ("questions", index))
            raise CurriculumError(f"{where}: a module's question links to a task that practices it")
    return entries


def find(key: str) -> CatalogEntry:
    """Return the question `module.id` or `track.id`; its id alone is enough, since ids are unique.

    Raises KeyError if there is none.
    """
    for entry in catalog():
        if key in (entry.key, entry.question.id):
            return entry
    raise KeyError(f"there is no question {key!r}")


def related(task: str) -> tuple[CatalogEntry, ...]:
    """Return the questions that the task `module.task` practises."""
    return tuple(entry for entry in catalog() if task in entry.question.links)


def _read(folder: Path, name: str, track: str, module: str | None) -> list[CatalogEntry]:
    path = folder / f"{name}.yaml"
    if not path.is_file():
        return []
    questions = load(path, Questions, _with_figures(path)).questions
    chinese = _translations(folder / f"{name}.zh.yaml", questions)
    return [
        CatalogEntry(
            f"{module or track}.{question.id}",
            track,
            module,
            question,
            chinese.get(question.id),
            folder,
            tuple(_proofs(path, index, question)),
        )
        for index, question in enumerate(questions)
    ]


def _translations(path: Path, questions: list[InterviewQuestion]) -> dict[str, Translation]:
    if not path.is_file():
        return {}
    known = {question.id: question for question in questions}
    translations = load(path, Translations, _with_figures(path)).questions
    faults: list[str] = []
    for index, translation in enumerate(translations):
        question = known.get(translation.id)
        if question is None:
            where = place(path, ("questions", index, "id"))
            faults.append(f"{where}: there is no question {translation.id!r} in English")
            continue
        for key, sentence in differences(question, translation):
            faults.append(f"{place(path, ('questions', index, key))}: {translation.id}: {sentence}")
    if faults:
        raise CurriculumError("\n".join(faults))
    return {translation.id: translation for translation in translations}


def _with_figures(path: Path) -> Callable[[str], str]:
    def rendered(text: str) -> str:
        try:
            return figures.plain(text, str(path))
        except figures.FigureError as error:
            raise CurriculumError(str(error)) from None

    return rendered


def _proofs(path: Path, index: int, question: InterviewQuestion) -> Iterator[Proof]:
    for name in question.programs:
        program = path.parent / name
        if not program.is_file():
            key = "proof" if question.proof else "proofs"
            where: Location = ("questions", index, key)
            raise CurriculumError(f"{place(path, where)}: there is no program {name}")
        output = program.with_suffix(".txt")
        yield Proof(
            program,
            program.read_text(encoding="utf-8"),
            output.read_text(encoding="utf-8") if output.is_file() else None,
        )


def _refuse_repeated_ids(entries: list[CatalogEntry]) -> None:
    seen: dict[str, str] = {}
    for entry in entries:
        other = seen.setdefault(entry.question.id, entry.key)
        if other != entry.key:
            raise CurriculumError(
                f"{entry.folder}:1: the question {entry.key} has the id of {other}; ids are unique"
            )
