"""Generates exercises from solutions, and the submissions with which the grader is tested.

A file of `solutions/<module>/` becomes one of `exercises/<module>/`, which is generated and
committed, beside the files that learners are given as they are (`reference_files`). `lab.py`, a
percent notebook, becomes `lab.ipynb`. `hotloop.tasks.markers` defines the markers. A candidate's
variant is the same text, rewritten by the module's `variants.yaml`.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import jupytext
import nbformat

from hotloop.core import paths
from hotloop.core.user_error import UserError
from hotloop.core.variant import Variant
from hotloop.tasks import curriculum, patches
from hotloop.tasks.markers import (
    Directive,
    Lines,
    MarkerError,
    Piece,
    Region,
    exercise,
    parse,
    regions,
    solved,
)
from hotloop.tasks.notebook_cells import NOTEBOOK
from hotloop.tasks.reference_files import (
    NOTEBOOK_SOURCE,
    WRONG,
    files_below,
    given,
    is_generated,
    sources,
)
from hotloop.tasks.variants.rewriting import Rewriting

_FAILS = re.compile(r"^fails: (?P<task>[a-z][a-z0-9_]*)\.(?P<check>[a-z][a-z0-9_]*)$", re.MULTILINE)

Files = dict[str, bytes]
Bodies = Mapping[str, tuple[str, ...]]
_NOTHING: Bodies = {}


@dataclass(frozen=True)
class WrongAnswer:
    """A plausible mistake. `bodies` replace the regions of the reference with these keys.

    path: a patch of the reference's source or, if the mistake shares little with it, a file with
    the changed regions. file: the reference's file that has the first of them.
    """

    path: Path
    mistake: str
    task: str
    check: str
    bodies: Bodies
    file: str

    @property
    def name(self) -> str:
        """The name of its file, without suffix."""
        return self.path.stem


def render(module: str, variant: Variant | None = None) -> Files:
    """Return the exercise of `module`, from which a learner starts: content by file name."""
    rewriting = _rewriting(module, variant)
    return {
        _target(name): _finished(name, path, module, None, rewriting)
        for name, path in sources(module).items()
        if not _is_made_by_learner(path)
    }


def untouched(module: str, variant: Variant | None = None) -> Files:
    """Return the submission of a learner who changed nothing."""
    return render(module, variant)


def submission(module: str, wrong: Path | None = None, variant: Variant | None = None) -> Files:
    """Return the submission of a learner who solved everything, or made the mistake of `wrong`."""
    bodies = _NOTHING if wrong is None else wrong_answer(module, wrong).bodies
    return with_bodies(module, bodies, variant)


def with_bodies(module: str, bodies: Bodies, variant: Variant | None = None) -> Files:
    """Return the reference's submission with these bodies in place of the regions of their keys."""
    rewriting = _rewriting(module, variant)
    return {
        _target(name): _finished(name, path, module, bodies, rewriting)
        for name, path in sources(module).items()
    }


def solved_in_part(module: str, tasks: Collection[str], variant: Variant | None = None) -> Files:
    """Return the submission of a learner who solved only these tasks; the others are unchanged."""
    solved_keys = {f"{module}.{task}" for task in tasks}
    untouched = {
        region.key: tuple(region.with_stub()[1:])
        for path in sources(module).values()
        for region in _regions_of(path)
        if region.task not in solved_keys
    }
    files = with_bodies(module, untouched, variant)
    for name, path in sources(module).items():
        if _is_made_by_learner(path) and _regions_of(path)[0].key in untouched:
            del files[_target(name)]
    return files


def wrong_answers(module: str) -> list[WrongAnswer]:
    """Return the wrong answers of `module`, in name order."""
    folder = paths.solutions() / module / WRONG
    files = [p for p in folder.glob("*") if p.is_file() and not p.name.startswith(("_", "."))]
    known = files_by_region(module) if files else {}
    return [_wrong_answer(module, path, known) for path in sorted(files)]


def wrong_answer(module: str, path: Path) -> WrongAnswer:
    """Read one wrong answer. Raises MarkerError if it is incomplete or matches no region."""
    return _wrong_answer(module, path, files_by_region(module))


def _wrong_answer(module: str, path: Path, known: Mapping[str, str]) -> WrongAnswer:
    text = path.read_text(encoding="utf-8")
    fails = _FAILS.search(text)
    if fails is None:
        raise MarkerError(f"{path}:1: there must be a line `fails: task.check`")
    changed = _changed(path) if path.suffix == patches.SUFFIX else regions(parse(text, str(path)))
    if not changed:
        raise MarkerError(f"{path}:1: there is no region: it replaces nothing")
    for region in changed:
        if region.key not in known:
            raise MarkerError(f"{path}:{region.line}: the reference has no region {region.key}")
        if region.task != f"{module}.{fails['task']}":
            raise MarkerError(
                f"{path}:{region.line}: the region {region.key} is not of the task that fails"
            )
    bodies = {region.key: region.body for region in changed}
    mistake, file = _first_sentence(text, path), known[changed[0].key]
    return WrongAnswer(path, mistake, fails["task"], fails["check"], bodies, file)


def _changed(patch: Path) -> list[Region]:
    """Return the regions that a patch changes.

    Raises MarkerError if it changes anything else.
    """
    changed: list[Region] = []
    for name, text in patches.patched(patch, patches.from_solutions).items():
        right, wrong = parse(patches.from_solutions(name), name), parse(text, f"{name}, patched")
        bodies = {region.key: region.body for region in regions(right)}
        if exercise(wrong, _unexpanded) != exercise(right, _unexpanded):
            raise MarkerError(f"{patch}:1: it changes {name} outside of what a learner writes")
        changed += [region for region in regions(wrong) if region.body != bodies[region.key]]
    return changed


def _unexpanded(directive: Directive) -> Lines:
    return [f"{directive.word} {directive.task}"]


def files_by_region(module: str) -> dict[str, str]:
    """Return the file of each region in the module's solutions, by key."""
    return {
        region.key: name for name, path in sources(module).items() for region in _regions_of(path)
    }


def rendered_modules() -> list[str]:
    """Return the modules that have solutions to render."""
    return [m.id for m in curriculum.modules() if (paths.solutions() / m.id).is_dir()]


def stale() -> list[Path]:
    """Return generated files of exercises/ that are missing, differ from or have no source.

    Raises MarkerError for a file of solutions/ that learners would get as it is.
    """
    return _stale(_all_rendered())


def _stale(wanted: Mapping[Path, bytes]) -> list[Path]:
    current = {path for module in rendered_modules() for path in given(module).values()}
    current |= {
        path for path, content in wanted.items() if path.is_file() and path.read_bytes() == content
    }
    present = set(files_below(paths.exercises()).values())
    return sorted((present | set(wanted)) - current)


def write() -> list[Path]:
    """Update exercises/ and return the changed files. Raises UserError outside of a clone."""
    if not paths.in_clone():
        raise UserError("exercises are rendered in a clone, not in an installed package")
    wanted = _all_rendered()
    changed = _stale(wanted)
    for path in changed:
        if path not in wanted:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(wanted[path])
    return changed


def rebase() -> list[Path]:
    """Adapt the patches to changes in the references since the last commit.

    Returns the rewritten ones. Raises MarkerError if the lines that a patch changes have changed.
    """
    files = sorted(paths.solutions().glob(f"*/{WRONG}/*{patches.SUFFIX}"))
    rebased = {path: patches.rebased(path) for path in files if not patches.fits(path)}
    for path, text in rebased.items():
        path.write_text(text, encoding="utf-8")
    return list(rebased)


def _all_rendered() -> dict[Path, bytes]:
    """Return what exercises/ must hold beside the given files."""
    return {
        paths.exercises() / module / name: content
        for module in rendered_modules()
        for name, content in _generated(module)
    }


def _generated(module: str) -> Iterator[tuple[str, bytes]]:
    """Yield the name and content of each file of the exercise that has a source in solutions/.

    Raises MarkerError for a source that has nothing for a learner to write.
    """
    as_they_are = given(module)
    for name, content in render(module).items():
        if name in as_they_are:
            continue
        if not is_generated(name, content):
            raise MarkerError(
                f"{paths.solutions() / module / name}:1: there is no region, so learners get it as "
                f"it is: move it to {paths.exercises() / module / name}"
            )
        yield name, content


def _target(name: str) -> str:
    return NOTEBOOK if name == NOTEBOOK_SOURCE else name


def _regions_of(path: Path) -> list[Region]:
    return regions(_pieces(path) or [])


def _is_made_by_learner(path: Path) -> bool:
    """Return True if the file is a single region without a stub: learners create it themselves."""
    pieces = [piece for piece in _pieces(path) or [] if piece != ""]
    return len(pieces) == 1 and isinstance(pieces[0], Region) and not pieces[0].stub


def _pieces(path: Path) -> list[Piece] | None:
    """Return the file's parts, or None if it is not text."""
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return None
    return parse(text, str(path))


def _rewriting(module: str, variant: Variant | None) -> Rewriting | None:
    if variant is None or variant.is_plain:
        return None
    if variant.module != module:
        raise ValueError(f"the variant is one of {variant.module}, not of {module}")
    return Rewriting(variant, {path.stem for path in sources(module).values()})


def _finished(
    source: str, path: Path, module: str, bodies: Bodies | None, rewriting: Rewriting | None
) -> bytes:
    """Return the exercise if `bodies` is None, else the solution with `bodies` inserted."""
    pieces = _pieces(path)
    if pieces is None:
        return path.read_bytes()
    name = _target(source)
    if rewriting is not None:
        pieces = rewriting.pieces(pieces, name)
        bodies = bodies and {k: tuple(rewriting.answer(v, k, name)) for k, v in bodies.items()}

    def expand(directive: Directive) -> Lines:
        lines = _expand(directive, module, path)
        if rewriting is None:
            return lines
        return rewriting.hints(lines, directive.task, name)

    text = exercise(pieces, expand) if bodies is None else solved(pieces, expand, bodies)
    return _notebook(text) if source == NOTEBOOK_SOURCE else text.encode()


def _expand(directive: Directive, module: str, path: Path) -> Lines:
    module_id, _, task_id = directive.task.partition(".")
    if module_id != module:
        raise MarkerError(f"{path}:{directive.line}: {directive.task} is not of module {module}")
    try:
        task = curriculum.load_module(module).task(task_id)
    except KeyError as error:
        raise MarkerError(f"{path}:{directive.line}: {error.args[0]}") from None
    return _card(task) if directive.word == "CARD" else _hints(task)


def _card(task: curriculum.Task) -> Lines:
    facts = f"**{task.minutes} minutes · difficulty {task.difficulty} of 5 · {task.points} points**"
    rows = [f"| {check.id} | {check.points} | {_one_line(check.asked)} |" for check in task.checks]
    return [facts, "", "| check | points | what is asked |", "| --- | --- | --- |", *rows]


def _hints(task: curriculum.Task) -> Lines:
    lines: Lines = []
    for name, hint in zip(("a nudge", "the approach", "the structure"), task.hints, strict=True):
        lines += [f"<details><summary>Hint: {name}</summary>", ""]
        lines += [*hint.split("\n"), "", "</details>", ""]
    return lines[:-1]


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _notebook(text: str) -> bytes:
    notebook = cast(Any, jupytext).reads(text, fmt="py:percent")
    notebook.metadata = cast(Any, nbformat).from_dict(_METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    taken: Counter[str] = Counter()
    for cell in notebook.cells:
        cell.id = _cell_id(cell, taken)
    nbformat.validate(notebook)
    text = cast(Any, nbformat).writes(notebook, indent=1)
    return f"{text.rstrip()}\n".encode()


_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}


def _cell_id(cell: Any, taken: Counter[str]) -> str:
    """Return the grade id, or an id that depends only on the cell's text, so that it is stable."""
    grade_id = cell.metadata.get("nbgrader", {}).get("grade_id")
    if grade_id:
        return str(grade_id)
    name = f"{cell.cell_type}-{hashlib.sha256(cell.source.encode()).hexdigest()[:10]}"
    taken[name] += 1
    return name if taken[name] == 1 else f"{name}-{taken[name]}"


def _first_sentence(text: str, path: Path) -> str:
    """Return the description's first line, without comment signs and quotes.

    Raises MarkerError if there is none.
    """
    for line in text.split("\n"):
        words = line.strip().strip('"').lstrip("#/* ").strip()
        if words:
            return words
    raise MarkerError(f"{path}:1: the first line must say what the mistake is")
