"""Builds the order of cells from any hand-in: what runs, what is shown, and what is judged where.

Nothing of the submitted file's structure is kept. So broken JSON, foreign schemas, and missing,
duplicate or renamed cells cannot stop the judging, and whoever judges comes to the same cells.

No answer is lost on the way: all code that answers a task runs before its check, and a written
answer is what all copies of its cell say. Where an answer may stand outside of its cell, a person
looks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from hotloop.judge.notebook_matching import (
    answers_of,
    binds,
    copies,
    is_answer,
    mark_of,
    says_something,
    words,
)
from hotloop.judge.notebook_placement import Placed, Placement, as_released
from hotloop.judge.notebook_release import Release, ReleasedCell
from hotloop.worker import notebook_cells
from hotloop.worker.notebook import UnreadableNotebook
from hotloop.worker.notebook_cells import Cell

MISSING_ANSWER = "*(Nothing is written here: look for the answer in the cells around it.)*"

NOTHING_RELEASED = (
    "None of the exercise's cells is in the notebook. Expected the notebook that was released: "
    "copy your answers into it, and hand that in."
)


@dataclass
class Repaired:
    """The cells of a notebook in order, and the problems of the submitted one, in sentences.

    answers: how many cells hold something of the learner's, 0 without a cell of the exercise.
    persons: judged tasks whose answer may be in a text that is not run, so that a person looks.
    """

    cells: Sequence[Placed]
    notes: list[str] = field(default_factory=list[str])
    unreadable: str = ""
    answers: int = 0
    persons: Sequence[str] = ()

    def before(self, task: str) -> list[str]:
        """Return the code to run before a task's check: all but checks. "" is no task."""
        sources: list[str] = []
        for cell in self.cells:
            known = cell.known
            if known is not None and known.grade and not known.solution:
                if known.grade_id == task:
                    break
            elif cell.is_code and cell.source.strip():
                sources.append(cell.source)
        return sources


def repaired(data: bytes | None, release: Release) -> Repaired:
    """Return the cells of a notebook file in the order in which they are judged.

    data: None if none was handed in.
    """
    try:
        cells, unreadable = _handed_in(data, release.module), ""
    except UnreadableNotebook as reason:
        cells, unreadable = [], str(reason)
    building = _Building(cells, release)
    building.place()
    building.complete()
    found = building.answers if building.recognized else 0
    if unreadable or not building.recognized:
        building.notes.insert(0, unreadable or NOTHING_RELEASED)
    return Repaired(building.placed, building.notes, unreadable, found, building.persons)


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


class _Building:
    """The notebook to grade, while it is built from the submitted cells."""

    def __init__(self, cells: Sequence[Cell], release: Release) -> None:
        self.placed: list[Placed] = []
        self.notes: list[str] = []
        self.persons: list[str] = []
        self._cells = cells
        self._released = release.cells
        self._order = {known.grade_id: place for place, known in enumerate(release.cells)}
        self._given = {words(text) for text in release.texts}
        self._given |= {words(known.source) for known in release.cells}
        self._known_texts = release.texts
        self._copies = copies(cells, release)
        self._answers = answers_of(release.cells)
        self._binds = [binds(cell.source) for cell in cells]
        # What a learner's own cells define: there a cell as it was handed out must not run again.
        self._defined = {
            name
            for cell, names in zip(cells, self._binds, strict=True)
            if cell.kind in ("code", "") and words(cell.source) not in self._given
            for name in names
        }

    @property
    def recognized(self) -> bool:
        """Whether a cell of the exercise is in the notebook; True for an unreadable notebook."""
        return bool(self._copies) or not self._cells

    @property
    def answers(self) -> int:
        """How many cells hold something of the learner's."""
        return sum(bool(placed.code or placed.text) for placed in self.placed)

    def place(self) -> None:
        """Place the submitted cells in their order."""
        known_at = {
            place: self._released[self._order[grade_id]]
            for grade_id, places in self._copies.items()
            for place in places
        }
        mains = {grade_id: self._main(grade_id) for grade_id in self._copies}
        self._ask_for_code(known_at)
        for place, cell in enumerate(self._cells):
            known = known_at.get(place)
            if known is None:
                self._own(cell)
            elif place == mains[known.grade_id]:
                self._released_cell(known, cell)
            elif known.locked or known.cell_type == "code":
                self._copy(known, cell)

    def complete(self) -> None:
        """Put back what is missing, and let a person look for answers that are elsewhere."""
        placement = Placement(self.placed, self._released)
        placement.complete()
        # A notebook without any cell of the exercise has a note of its own.
        self.notes += placement.notes if self._copies else []
        self._ask_for_answers()

    def _ask_for_answers(self) -> None:
        """Let a person look for written answers whose cell is empty, if they may be elsewhere."""
        unanswered = [
            (placed, known)
            for placed in self.placed
            if (known := placed.known) and known.grade and known.solution and not placed.text
        ]
        elsewhere = bool(unanswered) and any(placed.may_answer for placed in self.placed)
        texts = [words(placed.text) for placed in self.placed if placed.text]
        for placed, known in unanswered:
            # Two cells that were merged keep the name of one.
            merged = (mark := mark_of(known.source)) and any(mark in text for text in texts)
            if (elsewhere or merged) and known.cell_type != "code":
                placed.source = f"{known.source}\n\n{MISSING_ANSWER}"
                self.notes.append(
                    f"Nothing is written in the cell “{known.grade_id}”: a person looks whether "
                    "your answer is in another cell."
                )

    def _main(self, grade_id: str) -> int:
        """Return which of several copies gets the released metadata: the last that is answered."""
        known, places = self._released[self._order[grade_id]], self._copies[grade_id]
        answered = [place for place in places if is_answer(known, self._cells[place].source)]
        if len(places) > 1:
            counts = (
                "what all of them say counts" if known.grade and known.solution
                else "the last counts" if known.locked or not answered
                else "the last one with an answer counts"
            )  # fmt: skip
            self.notes.append(f"The cell “{grade_id}” was there more than once: {counts}.")
        return (places if known.locked else answered or places)[-1]

    def _released_cell(self, known: ReleasedCell, cell: Cell) -> None:
        if known.grade and known.solution:
            self.placed.append(self._written(known))
            return
        if known.locked or known.cell_type != "code":
            self._changed(known, cell)
            self.placed.append(as_released(known))
            return
        answered = is_answer(known, cell.source)
        if not answered and binds(known.source) & self._defined:
            self.notes.append(
                f"The cell “{known.grade_id}” is as it was handed out and was left out: another "
                "cell defines the same."
            )
            return
        code = cell.source if answered else ""
        self.placed.append(Placed(True, cell.source, known, code=code))

    def _written(self, known: ReleasedCell) -> Placed:
        """Return a written answer: what all copies of its cell say, in their order.

        An empty one gets its released text, for which nbgrader gives no points.
        """
        cells = [self._cells[place] for place in self._copies[known.grade_id]]
        said = [(words(cell.source), cell.attachments) for cell in cells]
        parts = [
            cell
            for number, cell in enumerate(cells)
            if is_answer(known, cell.source) and said[number] not in said[:number]
        ]
        if not parts:
            return as_released(known)
        text = "\n\n".join(cell.source for cell in parts)
        is_code = known.cell_type == "code"
        return Placed(is_code, text, known, parts, code=text if is_code else "", text=text)

    def _changed(self, known: ReleasedCell, cell: Cell) -> None:
        """Keep what a learner wrote into a cell that only shows or checks: it runs before it."""
        if words(cell.source) in self._given or not says_something(cell.source):
            return
        self.notes.append(
            f"The cell “{known.grade_id}” was changed and is as it was released again; what was "
            "in it is a cell of its own before it."
        )
        # What it checks may be defined below the call, in a cell that was merged with it.
        own = cell.source.replace(known.source, "")
        self._own(replace(cell, source=own))

    def _copy(self, known: ReleasedCell, cell: Cell) -> None:
        """Keep another copy of a cell, unless it would undo an answer."""
        if is_answer(known, cell.source) or (
            not known.locked and not binds(known.source) & self._defined
        ):
            self._own(cell)

    def _own(self, cell: Cell) -> None:
        """Place a learner's own cell."""
        given = words(cell.source) in self._given
        if cell.kind == "code":
            self.placed.append(Placed(True, cell.source, code="" if given else cell.source))
        elif cell.source in self._known_texts and cell.kind == "markdown":
            self.placed.append(Placed(False, cell.source))
        else:
            text = cell.source if says_something(cell.source) and not given else ""
            self.placed.append(Placed(False, cell.source, shown=[cell], text=text))

    def _ask_for_code(self, known_at: Mapping[int, ReleasedCell]) -> None:
        """Let a person look at code in cells that are none, where no code cell answers a task.

        It is not run: the learner never could run it either.
        """
        for known in self._released:
            if known.cell_type == "code" and known.solution:
                for place in self._texts_with(known, known_at):
                    self.notes.append(_retyped_note(known, self._cells[place]))
                    self.persons += [c for c, own in self._answers.items() if known in own]

    def _texts_with(
        self, known: ReleasedCell, known_at: Mapping[int, ReleasedCell]
    ) -> Sequence[int]:
        """Return text cells with code that answers a task, the last for each name that it needs."""
        wanted = binds(known.source)
        last: dict[str, int] = {}
        for place, cell in enumerate(self._cells):
            where = known_at.get(place)
            is_essay = where is not None and where.grade and where.solution
            if cell.kind not in ("markdown", "raw") or is_essay:
                continue
            names = wanted & self._binds[place]
            is_named = known.grade_id in (cell.grade_id, cell.cell_id)
            if (names or is_named) and is_answer(known, cell.source):
                last |= dict.fromkeys(names or {""}, place)
        if wanted & self._defined:
            last.pop("", None)
        return sorted({place for name, place in last.items() if name not in self._defined})


def _retyped_note(known: ReleasedCell, cell: Cell) -> str:
    return (
        f"The cell “{known.grade_id}” is a {cell.kind} cell, which is not run: nothing in it "
        "counts, and a person looks at it. Make it a code cell (in JupyterLab select it, press "
        "Esc, then Y), hand in again."
    )
