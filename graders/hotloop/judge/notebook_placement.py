"""Where the cells of a notebook to grade stand: each check follows the code that it judges."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from hotloop.judge.notebook_matching import answers_of, binds, is_prose
from hotloop.judge.notebook_release import ReleasedCell
from hotloop.worker.notebook_cells import Cell


@dataclass
class Placed:
    """A cell of the notebook to grade. known: the released cell that it is, or None.

    shown: the learner's cells whose text is shown; none of a text that was handed out. code: of a
    learner's, to be run. text: of a learner's, for a person to read.
    """

    is_code: bool
    source: str
    known: ReleasedCell | None = None
    shown: Sequence[Cell] = ()
    code: str = ""
    text: str = ""

    @cached_property
    def binds(self) -> set[str]:
        """Names that its code defines."""
        return binds(self.code)

    @property
    def may_answer(self) -> bool:
        """Whether it has text outside of graded cells, which may be an answer."""
        return self.known is None and bool(self.text or is_prose(self.code))


def as_released(known: ReleasedCell) -> Placed:
    """Return a cell as it was handed out."""
    return Placed(known.cell_type == "code", known.source, known)


class Placement:
    """Completes the placed cells by the released ones. notes: sentences for the learner."""

    def __init__(self, placed: list[Placed], released: Sequence[ReleasedCell]) -> None:
        self.notes: list[str] = []
        self._placed, self._released = placed, released
        self._order = {known.grade_id: place for place, known in enumerate(released)}
        self._answers = answers_of(released)

    def complete(self) -> None:
        """Put back graded cells that are missing, and move checks that stand before their code."""
        for known in self._released:
            here = self._place_of(known)
            if here is None and known.needed:
                self._put_back(known)
            elif here is not None and known.grade and not known.solution:
                self._move(known, here)

    def _put_back(self, known: ReleasedCell) -> None:
        self.notes.append(f"The cell “{known.grade_id}” was missing and was put back.")
        self._placed.insert(self._last_code_of(known) + 1, as_released(known))

    def _move(self, known: ReleasedCell, here: int) -> None:
        """Move a check that stands before all code that answers its task behind that code."""
        first = [places[0] for places in self._definitions(known)]
        if not first or max(first) < here:
            return
        check = self._placed.pop(here)
        self._placed.insert(self._last_code_of(known) + 1, check)
        self.notes.append(
            f"The cell “{known.grade_id}” stood before the code that it judges: it was moved "
            "behind it."
        )

    def _definitions(self, check: ReleasedCell) -> Iterator[list[int]]:
        """Yield for each part of a task's answer where it is; parts that are missing are not."""
        answers = self._answers.get(check.grade_id, [])
        for known in answers:
            names = binds(known.source)
            parts = [[name in one.binds for one in self._placed] for name in names]
            # What defines no name is recognized by the cell's own.
            parts += (
                [] if names else [[one.known == known and bool(one.code) for one in self._placed]]
            )
            yield from (
                [i for i, is_there in enumerate(part) if is_there] for part in parts if any(part)
            )

    def _last_code_of(self, known: ReleasedCell) -> int:
        """Return the place after which a released cell is put back, the end if there is no code.

        It is the last code that answers its task, with all that follows before the next task.
        """
        order = self._order[known.grade_id]
        answers = [place for places in self._definitions(known) for place in places]
        earlier = [
            place
            for place, one in enumerate(self._placed)
            if one.known is not None and self._order[one.known.grade_id] < order
        ]
        low = max(answers or earlier, default=-1)
        last = low
        for place, one in enumerate(self._placed[low + 1 :], start=low + 1):
            if one.is_code and one.known is not None and self._order[one.known.grade_id] > order:
                break
            last = place if one.is_code else last
        return last if last >= 0 else len(self._placed) - 1

    def _place_of(self, known: ReleasedCell) -> int | None:
        return next((i for i, one in enumerate(self._placed) if one.known == known), None)
