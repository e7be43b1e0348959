"""The cells of a notebook as text, for what is read and never run."""

from __future__ import annotations

from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field, ValidationError


@dataclass(frozen=True)
class Cell:
    """kind: `code`, `markdown` or `raw`. grade_id: nbgrader's name of the cell, "" without one."""

    kind: str
    grade_id: str
    source: str


class _Loose(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class _Nbgrader(_Loose):
    grade_id: str = ""


class _Metadata(_Loose):
    nbgrader: _Nbgrader = Field(default_factory=_Nbgrader)


class _Cell(_Loose):
    cell_type: str
    source: str | list[str] = ""
    metadata: _Metadata = Field(default_factory=_Metadata)

    def plain(self) -> Cell:
        source = self.source if isinstance(self.source, str) else "".join(self.source)
        return Cell(self.cell_type, self.metadata.nbgrader.grade_id, source)


class _Notebook(_Loose):
    cells: list[_Cell] = Field(default_factory=list[_Cell])


def cells(data: bytes) -> list[Cell]:
    """Those of the notebook in `data`; none where it is no notebook."""
    try:
        document = _Notebook.model_validate_json(data)
    except ValidationError:
        return []
    return [cell.plain() for cell in document.cells]
