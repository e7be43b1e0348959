"""The class page as one file of HTML that needs nothing else: no script, no picture, no host."""

from datetime import UTC, datetime
from pathlib import Path

from markupsafe import Markup

from hotloop.core.verdict import Verdict
from hotloop.course.class_page.causes import BY_HAND, NOT_JUDGED
from hotloop.course.class_page.distribution import Distribution, svg
from hotloop.course.class_page.summary import ClassSummary
from hotloop.course.item_statistics import GOOD_CORRELATION, fewest_learners
from hotloop.course.render_record import number, prose
from hotloop.html_templates import environment

TEMPLATES = Path(__file__).parents[1] / "templates" / "class_page"
SHOWN_CAUSES = 25
"""Of a module: what only one learner met is no pattern, and stands in --json."""

KINDS = {
    Verdict.JUDGE_ERROR.value: "fault of the judge",
    NOT_JUDGED: "not judged",
    Verdict.UNDECIDED.value: "undecided",
    Verdict.NOT_MEASURED.value: "not measured",
    BY_HAND: "by hand",
}
"""Why points are open, in words. Each has a section on the page that says what to do."""


def page(found: ClassSummary) -> str:
    """The whole document."""
    templates = environment(
        TEMPLATES, number=number, prose=prose, percent=_percent, seconds=_seconds
    )
    return templates.get_template("index.html.j2").render(
        course=found,
        made=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        kinds=KINDS,
        shown_causes=SHOWN_CAUSES,
        drawing=_drawing,
        good=GOOD_CORRELATION,
        fewest=fewest_learners(),
    )


def file_name(modules: list[str] | None) -> str:
    """A page of some modules does not replace the page of the course."""
    return f"class-{'-'.join(modules)}.html" if modules else "class.html"


def _drawing(what: str, found: Distribution) -> Markup:
    return Markup(svg(what, found))


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}".replace("%", " %")


def _seconds(value: float) -> str:
    """Seconds, or minutes where there are many."""
    return f"{value:.1f} s" if value < 120 else f"{value / 60:.1f} min"
