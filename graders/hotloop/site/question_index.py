"""The index of all questions: a list that is filtered in the browser, and lists by track.

Without JavaScript the list shows all questions, and the pages by track divide it. The site's search
finds each question's own page instead.
"""

from collections.abc import Iterable, Sequence

from hotloop.learn.bank.catalog import CatalogEntry
from hotloop.learn.bank.interviews import ROUNDS, roles_of, round_of
from hotloop.learn.bank.question import Kind
from hotloop.site.markdown import NOT_SEARCHED, front_matter, plain, prose
from hotloop.site.questions import LEVELS_IN_CHINESE, address
from hotloop.tasks import curriculum

_KINDS: dict[Kind, str] = {
    "concept": "Explain a concept",
    "profile": "Read a profile",
    "fault": "Find the bug in a kernel",
    "design": "Design a system",
}
_LANGUAGES = {"en": "English", "zh": "中文"}


def index_page(entries: Sequence[CatalogEntry]) -> list[str]:
    """Return the page with all questions and the filters."""
    tracks = curriculum.curriculum().tracks
    both = sum(entry.chinese is not None for entry in entries)
    by_track = " · ".join(f"[{t.title}]({t.id}/index.md)" for t in tracks)
    modules = dict.fromkeys(entry.module for entry in entries if entry.module)
    return [
        *front_matter(
            {
                "title": "Interview questions",
                "description": "Interview questions on making models fast, with answer strategies.",
                "hide": ["toc"],
                **NOT_SEARCHED,
            }
        ),
        "# Interview questions",
        "",
        prose(
            f"{len(entries)} questions in {len(tracks)} tracks, {both} of them in Chinese too.",
            "Each page has an answer, weak answers and what they reveal, a rubric, follow-ups and",
            "a strategy, and prints as a sheet for the interviewer. What an answer claims is shown",
            "by a program that runs in our tests, or marked as cited or as opinion.",
            "`hotloop questions --role kernels --round debugging --export kit` writes a set of",
            "them as one page to print; with `--minutes 60`, as many as fit an hour, with a clock",
            "and a sheet for the candidate.",
        ),
        "",
        f"By track: {by_track}.",
        "",
        '<form class="filters" data-filters hidden>',
        _select("level", "Level", [(t, t.capitalize()) for t in curriculum.curriculum().tiers]),
        _select("role", "Role", [(r.id, r.title) for r in curriculum.curriculum().roles]),
        _select("round", "Round", list(ROUNDS.items())),
        _select("kind", "Kind", list(_KINDS.items())),
        _select("track", "Track", [(t.id, t.title) for t in tracks]),
        _select("module", "Module", [(m, curriculum.load_module(m).title) for m in modules]),
        _select("language", "Language", list(_LANGUAGES.items())),
        '<label>Words<input type="search" name="words" autocomplete="off"></label>',
        '<output aria-live="polite" data-count></output>',
        "</form>",
        "",
        *question_list(entries, ""),
    ]


def track_page(track: curriculum.Track, entries: Iterable[CatalogEntry]) -> list[str]:
    """Return one track's questions, level by level."""
    lines = [
        *front_matter({"title": f"Questions: {track.title}", **NOT_SEARCHED}),
        f"# Questions: {track.title}",
        "",
        f"{track.summary} [The modules of this track](../../tracks/{track.id}/index.md).",
        "",
    ]
    mine = [entry for entry in entries if entry.track == track.id]
    for level in curriculum.curriculum().tiers:
        of_level = [entry for entry in mine if entry.question.level == level]
        if of_level:
            lines += [f"## {level.capitalize()}", "", *question_list(of_level, "../")]
    return lines


def chinese_page(entries: Sequence[CatalogEntry]) -> list[str]:
    """Return the page of translated questions, with their Chinese titles."""
    lines = [
        *front_matter(
            {
                "title": "中文题目",
                "description": "中文面试题：题目、策略、参考答案与评分标准。",
                **NOT_SEARCHED,
            }
        ),
        '<div lang="zh-Hans" markdown>',
        "",
        "# 中文题目",
        "",
        f"共 {len(entries)} 题。每题都有英文版本，编号相同。",
        "",
    ]
    for track in curriculum.curriculum().tracks:
        mine = [entry for entry in entries if entry.track == track.id]
        if mine:
            lines += [f"## {track.title}", ""]
            lines += [*(_in_chinese(entry) for entry in mine), ""]
    return [*lines, "</div>"]


def question_list(entries: Iterable[CatalogEntry], root: str) -> list[str]:
    """Return links with the attributes that the filters use; root: path prefix of questions/."""
    items = [item for entry in entries for item in _item(entry, root)]
    return ['<ul class="questions" data-questions>', *items, "</ul>", ""]


def _item(entry: CatalogEntry, root: str) -> list[str]:
    question = entry.question
    languages = " ".join(entry.languages)
    other = ""
    if entry.chinese is not None:
        there = f"{root}{address(entry, chinese=True)}.html"
        title = plain(entry.chinese.title)
        other = f' · <a lang="zh-Hans" hreflang="zh-Hans" href="{there}">{title}</a>'
    where = entry.module or entry.track
    return [
        (
            f'<li data-track="{entry.track}" data-module="{entry.module or ""}"'
            f' data-level="{question.level}" data-kind="{question.kind}"'
            f' data-role="{" ".join(roles_of(entry))}" data-round="{round_of(entry)}"'
            f' data-language="{languages}">'
            f'<a href="{root}{address(entry)}.html">{plain(question.title)}</a>'
            f"<small>{question.level} · {question.minutes} minutes ·"
            f" {ROUNDS[round_of(entry)].lower()} · {where.replace('_', ' ')}"
            f"{other}</small></li>"
        )
    ]


def _in_chinese(entry: CatalogEntry) -> str:
    assert entry.chinese is not None
    level = LEVELS_IN_CHINESE[entry.question.level]
    page = f"{address(entry, chinese=True)}.md"
    return f"- [{entry.chinese.title}]({page})：{level}，{entry.question.minutes} 分钟"


def _select(name: str, label: str, options: Sequence[tuple[str, str]]) -> str:
    choices = "".join(f'<option value="{value}">{plain(text)}</option>' for value, text in options)
    return (
        f'<label>{label}<select name="{name}"><option value="">all</option>'
        f"{choices}</select></label>"
    )
