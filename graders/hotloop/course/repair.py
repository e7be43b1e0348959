"""Builds a valid notebook from any hand-in.

Nothing of the submitted file's structure is kept: cells are created from their kind and text, and
graded ones get their released metadata. So broken JSON, foreign schemas, and missing, duplicate or
renamed cells cannot stop the grading, and no metadata reaches a page.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from nbformat import NotebookNode

from hotloop.course import nodes
from hotloop.course.release import Release, ReleasedCell
from hotloop.course.sanitize import harmless_markdown, literal
from hotloop.tasks import notebook_cells
from hotloop.tasks.notebook_cells import Cell
from hotloop.worker.notebook import UnreadableNotebook

MAX_MARKDOWN = 512 * 1024
"""Most characters of all text cells together; later ones are shown as source, unparsed."""

MISSING_ANSWER = "*(This cell was missing: look for the answer in the cells around it.)*"

NOTHING_RELEASED = (
    "None of the exercise's cells is in the notebook. Expected the notebook that was released: "
    "copy your answers into it, and hand that in."
)


@dataclass
class Repaired:
    """A valid notebook, and the problems of the submitted one, in sentences."""

    notebook: NotebookNode
    notes: list[str] = field(default_factory=list[str])
    unreadable: str = ""


def repair(data: bytes | None, release: Release) -> Repaired:
    """Return the notebook to grade. data: None if none was handed in.

    Released Markdown is shown unchanged.
    """
    released, known_texts = release.cells, release.texts
    try:
        cells = _handed_in(data, release.module)
    except UnreadableNotebook as reason:
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
    """Return the cells of a notebook file of any format version. Raises Unreadable."""
    if data is None:
        raise UnreadableNotebook(
            "No notebook was handed in: hand in the notebook under its own name."
        )
    cells = notebook_cells.cells(data, module)
    if not any(cell.source.strip() for cell in cells):
        raise UnreadableNotebook("The notebook is empty: hand in the one that you have worked in.")
    return cells


def _choose(
    cells: Sequence[Cell], released: Sequence[ReleasedCell], notes: list[str]
) -> dict[int, ReleasedCell]:
    """Match submitted cells to released ones: by grade id, by cell id, then by text.

    Of several matches the last counts, as in nbgrader. A code answer must be a code cell.
    """
    chosen: dict[int, ReleasedCell] = {}
    for known in released:
        must_run = known.cell_type == "code" and known.solution
        fit = [(i, c) for i, c in enumerate(cells) if not must_run or c.kind in ("code", "")]
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
            same = [cell for cell in cells if known.grade_id in (cell.grade_id, cell.cell_id)]
            notes += [_not_run(known, cell) for cell in same[-1:]]
    return chosen


def _not_run(known: ReleasedCell, cell: Cell) -> str:
    return (
        f"The cell “{known.grade_id}” is a {cell.kind} cell, which is not run: nothing in it "
        "counts. Make it a code cell (in JupyterLab select it, press Esc, then Y), hand in again."
    )


def _is_answered(known: ReleasedCell, source: str) -> bool:
    """False for a written answer that is empty or unchanged."""
    words = source.split()
    return any(map(str.isalnum, source)) and words != known.source.split()


def _has_text_of_their_own(
    cells: Sequence[Cell], released: Sequence[ReleasedCell], known_texts: Collection[str]
) -> bool:
    """True if there is text of the learner outside of graded cells, which may be an answer."""
    ids = {known.grade_id for known in released}
    released_texts = {
        text.strip() for text in (*known_texts, *(known.source for known in released))
    }
    return any(
        cell.kind in ("markdown", "")
        and not ids & {cell.grade_id, cell.cell_id}
        and any(map(str.isalnum, cell.source))
        and cell.source.strip() not in released_texts
        for cell in cells
    )


def _released_node(known: ReleasedCell, source: str) -> NotebookNode:
    """Return the cell with its released metadata, and its text if the learner may edit it.

    An empty written answer gets its released text, for which nbgrader gives no points.
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
    """Return a learner's own cell. parse: False if there was too much Markdown before."""
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
    """Restore missing graded cells after the preceding released cell, or at the end.

    elsewhere: missing written answers may be in the learner's own cells.
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
                # Different from the released text, so that a person looks at it.
                source = f"{source}\n\n{MISSING_ANSWER}"
            placed.insert(place + 1, (known.grade_id, _released_node(known, source)))
        if any(name == known.grade_id for name, _ in placed):
            before = known.grade_id
