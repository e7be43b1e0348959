"""Builds a sound notebook out of whatever was handed in.

Nothing of the submitted file's structure is kept: cells are made anew from their kind and their
text, the graded ones with the metadata they were released with. So broken JSON, foreign schemas,
missing, doubled or renamed cells cannot stop the grading, and metadata carries nothing to a page.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from nbformat import NotebookNode

from hotloop import notebook_cells
from hotloop.course import nodes
from hotloop.course.released import Release, ReleasedCell
from hotloop.course.sanitize import harmless_markdown, literal
from hotloop.notebook_cells import Cell
from hotloop.worker.notebook import Unreadable

MAX_MARKDOWN = 512 * 1024
"""Characters of all text cells together: what comes after them is shown as its source, unparsed."""

MISSING_ANSWER = "*(This cell was missing: look for the answer in the cells around it.)*"

NOTHING_RELEASED = (
    "None of the exercise's cells is in the notebook. Expected the notebook that was released: "
    "copy your answers into it, and hand that in."
)


@dataclass
class Repaired:
    """A sound notebook, and what was amiss with the submitted one, in sentences."""

    notebook: NotebookNode
    notes: list[str] = field(default_factory=list[str])
    unreadable: str = ""


def repair(data: bytes | None, release: Release) -> Repaired:
    """The notebook to grade. `data` is None when none was handed in.

    Markdown that was released is shown as it is.
    """
    released, known_texts = release.cells, release.texts
    try:
        cells = _handed_in(data, release.module)
    except Unreadable as reason:
        cells, unreadable = [], str(reason)
    else:
        unreadable = ""
    result = Repaired(nodes.notebook(), [unreadable] if unreadable else [], unreadable)
    chosen = _choose(cells, released, result.notes)
    if cells and not chosen:
        result.notes = [NOTHING_RELEASED]
    placed: list[tuple[str, NotebookNode]] = []
    parsed = 0
    for index, cell in enumerate(cells):
        known = chosen.get(index)
        if known is not None:
            placed.append((known.grade_id, _released_node(known, cell.source)))
            continue
        if cell.kind in ("markdown", ""):
            parsed += len(cell.source)
        placed.append(("", _plain_node(cell, known_texts, parsed <= MAX_MARKDOWN)))
    elsewhere = bool(chosen) and _has_text_of_their_own(cells, released, known_texts)
    _add_missing(placed, released, set(chosen.values()), result, elsewhere)
    result.notebook.cells = [node for _, node in placed]
    for number, node in enumerate(result.notebook.cells):
        node.id = f"cell-{number}"
    result.notebook.metadata["kernelspec"] = dict(release.kernelspec)
    return result


def _handed_in(data: bytes | None, module: str) -> list[Cell]:
    """The cells of a notebook file of any format version. Unreadable says why there are none."""
    if data is None:
        raise Unreadable("No notebook was handed in: hand in the notebook under its own name.")
    cells = notebook_cells.cells(data, module)
    if not any(cell.source.strip() for cell in cells):
        raise Unreadable("The notebook is empty: hand in the one that you have worked in.")
    return cells


def _choose(
    cells: Sequence[Cell], released: Sequence[ReleasedCell], notes: list[str]
) -> dict[int, ReleasedCell]:
    """Which submitted cell stands for which released one: by grade id, by cell id, by its text.

    Of several, the last one counts, as in nbgrader. What no kernel runs is no answer in code.
    """
    chosen: dict[int, ReleasedCell] = {}
    for known in released:
        fit = [(i, cell) for i, cell in enumerate(cells) if _may_be(known, cell)]
        by_grade_id = [i for i, cell in fit if cell.grade_id == known.grade_id]
        if len(by_grade_id) > 1:
            notes.append(f"The cell “{known.grade_id}” was there more than once: the last counts.")
        places = (
            by_grade_id
            or [i for i, cell in fit if cell.cell_id == known.grade_id]
            or [i for i, cell in fit if known.source and cell.source == known.source]
        )
        free = [place for place in places if place not in chosen]
        if free:
            chosen[free[-1]] = known
        elif not places:
            notes += [_not_run(known, cell) for cell in cells if _claims(known, cell)][-1:]
    return chosen


def _may_be(known: ReleasedCell, cell: Cell) -> bool:
    return not (known.cell_type == "code" and known.solution) or cell.kind in ("code", "")


def _claims(known: ReleasedCell, cell: Cell) -> bool:
    return known.grade_id in (cell.grade_id, cell.cell_id)


def _not_run(known: ReleasedCell, cell: Cell) -> str:
    return (
        f"The cell “{known.grade_id}” is a {cell.kind} cell, which is not run: nothing in it "
        "counts. Make it a code cell (in JupyterLab select it, press Esc, then Y), hand in again."
    )


def _is_answered(known: ReleasedCell, source: str) -> bool:
    """False for a written answer without a word, or with the words that it was handed out with."""
    words = source.split()
    return any(map(str.isalnum, source)) and words != known.source.split()


def _has_text_of_their_own(
    cells: Sequence[Cell], released: Sequence[ReleasedCell], known_texts: Collection[str]
) -> bool:
    """Whether a written answer may stand outside of its cell, in text that nobody was given."""
    ids = {known.grade_id for known in released}
    given = {text.strip() for text in (*known_texts, *(known.source for known in released))}
    return any(
        cell.kind in ("markdown", "")
        and not ids & {cell.grade_id, cell.cell_id}
        and any(map(str.isalnum, cell.source))
        and cell.source.strip() not in given
        for cell in cells
    )


def _released_node(known: ReleasedCell, source: str) -> NotebookNode:
    """The cell with its released metadata; its text too, unless the learner was to change it.

    A written answer that says nothing has its released text, to which nbgrader gives no points.
    """
    written = known.grade and known.solution
    untouched = known.locked or (written and not _is_answered(known, source))
    text = known.source if untouched else source
    metadata = {"nbgrader": known.metadata()}
    if known.cell_type == "code":
        return nodes.code(text, metadata)
    unchanged = text == known.source
    return nodes.markdown(text if unchanged else harmless_markdown(text), metadata)


def _plain_node(cell: Cell, known_texts: Collection[str], parse: bool) -> NotebookNode:
    """A cell that is the learner's own. parse: False when there was too much Markdown before."""
    if cell.kind == "code":
        return nodes.code(cell.source)
    if cell.source in known_texts and cell.kind == "markdown":
        return nodes.markdown(cell.source)
    if cell.kind == "raw" or not parse:
        return nodes.markdown(literal(cell.source))
    return nodes.markdown(harmless_markdown(cell.source))


def _add_missing(
    placed: list[tuple[str, NotebookNode]],
    released: Sequence[ReleasedCell],
    present: Collection[ReleasedCell],
    result: Repaired,
    elsewhere: bool,
) -> None:
    """Put graded cells back: behind the released cell before them, or at the end.

    elsewhere: written answers that are missing may stand in cells of the learner's own.
    """
    before = ""
    for known in released:
        if known.needed and known not in present:
            if present:
                result.notes.append(f"The cell “{known.grade_id}” was missing and was put back.")
            place = next(
                (i for i, (name, _) in enumerate(placed) if name == before), len(placed) - 1
            )
            source = known.source
            if known.solution and elsewhere:
                # Other text than the released one, so that a person looks at it.
                source = f"{source}\n\n{MISSING_ANSWER}"
            placed.insert(place + 1, (known.grade_id, _released_node(known, source)))
        if any(name == known.grade_id for name, _ in placed):
            before = known.grade_id
