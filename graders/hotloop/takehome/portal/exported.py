"""The list of candidates as a table for spreadsheets."""

from __future__ import annotations

import csv
import io

from hotloop.takehome.intervals import tenths
from hotloop.takehome.portal.standing import Overview, Standing

COLUMNS = (
    "pseudonym",
    "role",
    "state",
    "deadline",
    "handed in",
    "score, lowest",
    "score, highest",
)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def table(found: Overview) -> str:
    """CSV, with a line for each candidate."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerow(COLUMNS)
    for one in found.damaged:
        writer.writerow([harmless(one.name), "", "damaged", *[""] * (len(COLUMNS) - 3)])
    for one in found.candidates:
        writer.writerow(harmless(cell) for cell in _row(one))
    return stream.getvalue()


def harmless(cell: str) -> str:
    """Text that no spreadsheet takes for a formula."""
    return f"'{cell}" if cell.startswith(_FORMULA) else cell


def _row(one: Standing) -> tuple[str, ...]:
    low, high = ("", "") if one.score is None else (f"{n / 10:.1f}" for n in tenths(one.score))
    return (
        one.record.pseudonym,
        one.manifest.title,
        str(one.state),
        one.shown_deadline.isoformat(timespec="minutes") if one.shown_deadline else "",
        one.handed_in.isoformat(timespec="minutes") if one.handed_in else "",
        low,
        high,
    )
