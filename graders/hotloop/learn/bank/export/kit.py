"""An interviewer's kit: one printable HTML page, with a scorecard for a chosen set of questions.

It needs no script, picture or network, so that it can be filed with the application.
"""

from collections.abc import Sequence
from pathlib import Path

from markupsafe import Markup

from hotloop.core.html_templates import environment
from hotloop.learn.bank import numeric
from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.bank.export import markup
from hotloop.learn.bank.export.labels import LABELS
from hotloop.learn.bank.numeric import Instance
from hotloop.learn.bank.wording import Language, wording
from hotloop.tasks import curriculum

_TEMPLATES = Path(__file__).parent / "templates"


def page(entries: Sequence[CatalogEntry], language: Language) -> str:
    """Return the kit for these questions, in this order."""
    templates = environment(_TEMPLATES, inline=inline, paragraphs=paragraphs)
    titles = {track.id: track.title for track in curriculum.curriculum().tracks}
    return templates.get_template("kit.html.j2").render(
        language=language,
        labels=LABELS[language],
        own=_WORDS[language],
        minutes=sum(entry.question.minutes for entry in entries),
        questions=[
            {
                "key": entry.key,
                "track": titles[entry.track],
                "question": entry.question,
                "said": wording(entry, language),
                "numeric": _instance(entry, language),
            }
            for entry in entries
        ],
    )


def inline(text: str) -> Markup:
    """Return a piece of text as markup, for a template's filter."""
    return Markup(markup.inline(text))


def paragraphs(text: str) -> Markup:
    """Return a text's paragraphs as markup, for a template's filter."""
    return Markup(markup.paragraphs(text))


def _instance(entry: CatalogEntry, language: Language) -> Instance | None:
    if entry.question.numeric is None:
        return None
    return numeric.draw(entry.question.numeric, entry.key, wording(entry, language).numeric)


_WORDS = {
    "en": {
        "title": "Interview kit",
        "candidate": "Candidate",
        "interviewer": "Interviewer",
        "date": "Date",
        "use": (
            "Read a question as it stands, and give its time. Mark what was said, not what was "
            "meant: each mark has one sentence to hold the answer against. Write down the words "
            "that earned the mark. Ask every candidate for the same position the same questions, "
            "and mark before you hear what others think."
        ),
        "scorecard": "Scorecard",
        "question": "Question",
        "evidence": "Words that earned the mark",
        "total": "Sum of marks",
        "of": "of",
        "notes": "Notes",
        "confidential": "With answers: not for the candidate.",
        "numbers": "With numbers",
    },
    "zh": {
        "title": "面试手册",
        "candidate": "候选人",
        "interviewer": "面试官",
        "date": "日期",
        "use": (
            "照原文读出问题，并说明时间。"
            "按候选人说了什么来打分，而不是按他想说什么：每个分数都有一句话可以对照。"
            "记下赢得这个分数的原话。"
            "同一个岗位的候选人问同样的问题，并且在听到别人的看法之前打分。"
        ),
        "scorecard": "评分表",
        "question": "问题",
        "evidence": "赢得分数的原话",
        "total": "总分",
        "of": "满分",
        "notes": "记录",
        "confidential": "内含答案：请勿交给候选人。",
        "numbers": "带数字的问题",
    },
}
