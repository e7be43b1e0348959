"""Renders the class page as one HTML file without scripts or external resources."""

from datetime import UTC, datetime
from pathlib import Path

from markupsafe import Markup

from hotloop.core.html_templates import environment
from hotloop.core.verdict import Verdict
from hotloop.course.class_page.causes import BY_HAND, NOT_JUDGED
from hotloop.course.class_page.distribution import Distribution, picture
from hotloop.course.class_page.summary import ClassSummary
from hotloop.course.item_statistics import GOOD_CORRELATION, fewest_learners
from hotloop.verdicts import words as verdict_words
from hotloop.verdicts.render_record import LINES_STYLE, number, prose

TEMPLATES = Path(__file__).parents[1] / "templates" / "class_page"
SHOWN_CAUSES = 25
"""Most causes per module on the page; --json has all of them."""

KINDS = {
    Verdict.JUDGE_ERROR.value: "fault of the judge",
    NOT_JUDGED: "not judged",
    Verdict.UNDECIDED.value: "undecided",
    Verdict.NOT_MEASURED.value: "not measured",
    BY_HAND: "by hand",
}
"""Titles for the reasons for open points; each has a section on the page that says what to do."""


def page(class_summary: ClassSummary) -> str:
    """Return the HTML document."""
    templates = environment(
        TEMPLATES, number=number, prose=prose, percent=_percent, seconds=_seconds
    )
    return templates.get_template("index.html.j2").render(
        course=class_summary,
        made=f"{datetime.now(UTC):%Y-%m-%d %H:%M} UTC",
        kinds=KINDS,
        shown_causes=SHOWN_CAUSES,
        drawing=_drawing,
        good=GOOD_CORRELATION,
        fewest=fewest_learners(),
        instrumented=verdict_words.INSTRUMENTED,
        lines_style=LINES_STYLE,
    )


def file_name(modules: list[str] | None, *, names: bool) -> str:
    """Return the file name: one page must not replace another that shows more or fewer.

    names: whether it names the learners; what is published must never turn into that page.
    """
    return "-".join(["class", *(modules or []), *(["names"] if names else [])]) + ".html"


def _drawing(what: str, counts: Distribution) -> Markup:
    return Markup(picture(what, counts))


def _percent(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%}".replace("%", " %")


def _seconds(value: float) -> str:
    """Format a duration in seconds, or in minutes from 120 s."""
    return f"{value:.1f} s" if value < 120 else f"{value / 60:.1f} min"
