"""Renders the viva's two pages, each one HTML file without external resources.

The interviewer's has the key, and takes down marks and predictions. The candidate's has the changes
and what can be answered, and nothing of the key.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import UUID

from markupsafe import Markup

from hotloop.core import whole_file
from hotloop.core.html_templates import environment
from hotloop.learn.predicting.items import PredictionItem
from hotloop.learn.predicting.outcomes import WORDS
from hotloop.learn.predicting.scores import REASONING, SURE
from hotloop.learn.predicting.widths import WIDTHS
from hotloop.takehome import viva
from hotloop.takehome.team import Team
from hotloop.takehome.viva import Viva

_TEMPLATES = Path(__file__).parent / "templates" / "viva"
_MINUTES = 2.5
_PARTS: Mapping[str, Mapping[str, str]] = {
    "own": {
        "letter": "",
        "title": "The candidate’s own code",
        "shown": "Your code",
        "about": "Lines are those of the candidate’s file.",
    },
    "fixed": {
        "letter": "R",
        "title": "The published solution",
        "shown": "A solution that you have not written",
        "about": "The same questions for everybody: they make candidates comparable.",
    },
}
"""The sets of items. letter: prefix of their numbers. title: for the interviewer. shown: for the
candidate."""


def write(team: Team, pack: UUID) -> tuple[Path, Path]:
    """Write both pages with all accepted items: the interviewer's, and the candidate's.

    Raises VivaError if there are no accepted items.
    """
    record = team.pack(pack)
    own = viva.read(viva.own_path(team, pack))
    fixed = viva.read(viva.fixed_path(team, record.role))
    folder = team.report_folder(pack)
    mine, theirs = folder / viva.PAGE, folder / viva.CANDIDATE_PAGE
    whole_file.replace(mine, page(record.pseudonym, own, fixed).encode(), 0o600)
    whole_file.replace(theirs, candidate_page(own, fixed).encode(), 0o600)
    return mine, theirs


def page(pseudonym: str, own: Viva | None, fixed: Viva | None) -> str:
    """Return the interviewer's HTML document. Raises VivaError if no item is accepted."""
    sets = _sets(own, fixed)
    script = (_TEMPLATES / "viva.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    asked = {"candidate": pseudonym, "items": {name: part.digest for name, part in sets.items()}}
    count = sum(len(part.items) for part in sets.values())
    return _rendered(
        "viva.html.j2",
        pseudonym=pseudonym,
        candidate_page=viva.CANDIDATE_PAGE,
        parts=[{"name": name, **_PARTS[name], "questions": sets[name].items} for name in sets],
        count=count,
        minutes=round(_MINUTES * count),
        reasoning=REASONING,
        facts=facts,
        asked=Markup(json.dumps(asked)),
        script=Markup(script),
        script_digest=digest,
    )


def candidate_page(own: Viva | None, fixed: Viva | None) -> str:
    """Return the candidate's HTML document. Raises VivaError if no item is accepted."""
    questions = [
        {"name": f"{_PARTS[name]['letter']}{item.number}", "title": _PARTS[name]["shown"],
         "item": item}
        for name, part in _sets(own, fixed).items()
        for item in part.items
    ]  # fmt: skip
    return _rendered("candidate.html.j2", questions=questions, count=len(questions))


def _sets(own: Viva | None, fixed: Viva | None) -> dict[str, Viva]:
    both = {"own": own, "fixed": fixed}
    sets = {name: part for name, part in both.items() if part is not None and part.items}
    if not sets:
        raise viva.VivaError("No item is accepted yet: read them, then name them with --accept.")
    return sets


def _rendered(template: str, **values: Any) -> str:
    pages = environment(_TEMPLATES, sentence=_sentence)
    sides = {"+": "add", "-": "cut", "@": "at"}
    page = pages.get_template(template)
    return page.render(sides=sides, words=WORDS, sure=SURE, widths=WIDTHS, **values)


def _sentence(text: str) -> str:
    """Return the text with a large first letter. `capitalize` would make NaN nan."""
    return text[:1].upper() + text[1:]


def facts(item: PredictionItem) -> str:
    """Return additional facts of the item's outcome as sentences, or ""."""
    outcome = item.outcome
    sentences: list[str] = []
    if outcome.lines:
        which = "Line" if len(outcome.lines) == 1 else "Lines"
        sentences.append(f"{which} {' and '.join(map(str, outcome.lines))} of the changed code.")
    if outcome.factor is not None and f"{outcome.factor:.2f}×" not in outcome.sentence:
        sentences.append(f"It moves {outcome.factor:.2f}× the fewest bytes.")
    if item.width is not None:
        sentences.append(f"Of the widths asked it shows from {item.width} on.")
    if hidden := [one for one in item.sizes if one.kind == "none"]:
        sizes = ", ".join(f"[{one.rows}, {one.columns}]" for one in hidden)
        if item.outcome.kind != "none":
            sentences.append(f"It does not show with rows and columns {sizes}.")
    return " ".join(sentences)
