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
from hotloop.learn.bank.interview_round import WARM_UP, InterviewRound
from hotloop.learn.bank.numeric import Instance
from hotloop.learn.bank.wording import Language, wording
from hotloop.tasks import curriculum

_TEMPLATES = Path(__file__).parent / "templates"


def page(
    entries: Sequence[CatalogEntry],
    language: Language,
    plan: InterviewRound | None = None,
    seed: str | None = None,
) -> str:
    """Return the kit for these questions, in this order.

    plan: with its clock, and with short answers only, since an interviewer listens. seed: draws
    other numbers.
    """
    templates = environment(_TEMPLATES, inline=inline, paragraphs=paragraphs)
    titles = {track.id: track.title for track in curriculum.curriculum().tracks}
    clock = {one.entry.key: one for one in plan.questions} if plan else {}
    return templates.get_template("kit.html.j2").render(
        language=language,
        labels=LABELS[language],
        own=_WORDS[language],
        minutes=sum(entry.question.minutes for entry in entries),
        plan=plan,
        warm_up=WARM_UP,
        questions=[
            {
                "key": entry.key,
                "track": titles[entry.track],
                "question": entry.question,
                "said": wording(entry, language),
                "numeric": _instance(entry, language, seed),
                "planned": clock.get(entry.key),
            }
            for entry in entries
        ],
    )


def candidate_sheet(
    entries: Sequence[CatalogEntry], language: Language, seed: str | None = None
) -> str:
    """Return what the candidate sees of the questions, as text to paste into a shared pad."""
    parts: list[str] = []
    for number, entry in enumerate(entries, start=1):
        said, drawn = wording(entry, language), _instance(entry, language, seed)
        asked = f"\n\n{drawn.ask}" if drawn else ""
        parts.append(f"## {number}. {said.title}\n\n{said.prompt.strip()}{asked}\n")
    return "\n".join(parts)


def inline(text: str) -> Markup:
    """Return a piece of text as markup, for a template's filter."""
    return Markup(markup.inline(text))


def paragraphs(text: str) -> Markup:
    """Return a text's paragraphs as markup, for a template's filter."""
    return Markup(markup.paragraphs(text))


def _instance(entry: CatalogEntry, language: Language, seed: str | None) -> Instance | None:
    if entry.question.numeric is None:
        return None
    words = wording(entry, language).numeric
    return numeric.draw(entry.question.numeric, seed or entry.key, words)


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
        "from": "from minute",
        "warm_up": "Warm-up: who is here, and what the candidate worked on last",
        "closing": "The candidate's own questions",
        "round": "minutes in all. When the time of a question is over, go on: an open end is fine.",
        "second": "Second interviewer",
        "short": "A good answer in a minute",
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
        "from": "开始时刻（分钟）",
        "warm_up": "开场：双方介绍，候选人最近在做什么",
        "closing": "候选人提问",
        "round": "分钟。一题的时间到了就继续下一题，没有答完不算错。",
        "second": "第二位面试官",
        "short": "一分钟的好回答",
    },
}
