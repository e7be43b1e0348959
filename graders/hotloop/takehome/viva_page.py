"""Renders the viva's page: one HTML file with its script and no external resources.

It is shown on the team's screen. The judge's results are hidden until the interviewer reveals them.
"""

import base64
import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
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
        "title": "Your code",
        "about": "The candidate’s own code. Lines are those of their file.",
    },
    "fixed": {
        "letter": "R",
        "title": "A solution that you have not written",
        "about": (
            "The same questions for everybody, on the published solution: they make candidates "
            "comparable."
        ),
    },
}
"""The sets of items. letter: prefix of their numbers."""


def write(team: Team, pack: UUID) -> Path:
    """Write the page with all accepted items. Raises VivaError if there are none."""
    record = team.pack(pack)
    own = viva.read(viva.own_path(team, pack))
    fixed = viva.read(viva.fixed_path(team, record.role))
    path = team.report_folder(pack) / viva.PAGE
    whole_file.replace(path, page(record.pseudonym, own, fixed).encode(), 0o600)
    return path


def page(pseudonym: str, own: Viva | None, fixed: Viva | None) -> str:
    """Return the HTML document. Raises VivaError if no item is accepted."""
    both = {"own": own, "fixed": fixed}
    sets = {name: part for name, part in both.items() if part is not None and part.items}
    if not sets:
        raise viva.VivaError("No item is accepted yet: read them, then name them with --accept.")
    script = (_TEMPLATES / "viva.js").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    asked = {"candidate": pseudonym, "items": {name: part.digest for name, part in sets.items()}}
    count = sum(len(part.items) for part in sets.values())
    return (
        environment(_TEMPLATES)
        .get_template("viva.html.j2")
        .render(
            pseudonym=pseudonym,
            parts=[{"name": name, **_PARTS[name], "questions": sets[name].items} for name in sets],
            sides={"+": "add", "-": "cut", "@": "at"},
            count=count,
            minutes=round(_MINUTES * count),
            words=WORDS,
            sure=SURE,
            widths=WIDTHS,
            reasoning=REASONING,
            facts=facts,
            asked=Markup(json.dumps(asked)),
            script=Markup(script),
            script_digest=digest,
        )
    )


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
    return " ".join(sentences)
