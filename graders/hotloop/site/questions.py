"""A page for each interview question, in English and, where there is a translation, in Chinese."""

from collections.abc import Sequence
from dataclasses import dataclass

from hotloop.core import paths
from hotloop.core.yaml_lines import CurriculumError
from hotloop.learn.bank.catalog import CatalogEntry, Proof
from hotloop.learn.bank.numeric import draw
from hotloop.learn.bank.question import InterviewQuestion
from hotloop.learn.bank.translation import BEHIND, Translation
from hotloop.learn.bank.wording import blocks
from hotloop.site.markdown import fenced, folded, front_matter, one_line, plain, table
from hotloop.tasks import curriculum

Words = dict[str, str]

ENGLISH: Words = {
    "asks": "The question",
    "probes": "What it probes",
    "strategy": "A strategy for the answer",
    "hints": "Hints",
    "hint": "Hint",
    "after": "After your answer",
    "first": "Answer first, aloud or in writing. Then compare.",
    "spoken": "Show what to say in a minute",
    "whole": "Show the whole answer",
    "weak": "Weak answers and what they reveal",
    "says": "candidates say",
    "reveals": "it reveals",
    "ladder": "Follow-ups, each harder than the one before",
    "rubric": "Rubric",
    "mark": "mark",
    "anchor": "the answer",
    "numbers": "With numbers",
    "formula": "Show the answer",
    "practise": "Practice it",
    "none": "No task covers this question.",
    "backing": "Evidence",
    "program": "Shown by a program",
    "source": "Its source",
    "prints": "What it prints",
    "no output": "Its output was not recorded; the tests run it.",
    "cited": "Cited",
    "opinion": "Opinion",
    "opinion is": "Judgment, which another experienced engineer may not share:",
    "reading": "Further reading",
    "minutes": "minutes",
    "level": "Level",
    "time": "Time",
    "track": "Track",
    "module": "Module",
    "basis": "Basis",
    "other": "中文",
    "from": "written in",
}
CHINESE: Words = {
    "asks": "题目",
    "probes": "考察什么",
    "strategy": "回答策略",
    "hints": "提示",
    "hint": "提示",
    "after": "回答之后",
    "first": "先自己回答，口头或书面均可，然后再对照。",
    "spoken": "显示一分钟的回答",
    "whole": "显示完整的回答",
    "weak": "常见的弱回答，以及它们说明了什么",
    "says": "会听到",
    "reveals": "说明了什么",
    "ladder": "追问，由浅入深",
    "rubric": "评分标准",
    "mark": "分数",
    "anchor": "回答的表现",
    "numbers": "带数字的版本",
    "formula": "显示答案",
    "practise": "配套练习",
    "none": "这道题没有配套练习。",
    "backing": "证据",
    "program": "由程序验证",
    "source": "源代码",
    "prints": "输出",
    "no output": "没有记录输出；测试会运行它。",
    "cited": "引用",
    "opinion": "观点",
    "opinion is": "以下是判断，其他有经验的工程师可能有不同看法：",
    "reading": "延伸阅读",
    "minutes": "分钟",
    "level": "级别",
    "time": "时间",
    "track": "方向",
    "module": "模块",
    "basis": "依据",
    "other": "English",
    "from": "出处",
}
LEVELS_IN_CHINESE = {"beginner": "初级", "intermediate": "中级", "advanced": "高级"}


@dataclass(frozen=True)
class QuestionText:
    """A question's text in one language, with the page's headings in it."""

    words: Words
    language: str
    title: str
    text: InterviewQuestion | Translation

    @property
    def chinese(self) -> bool:
        """Whether this is the translation."""
        return self.language != "en"


def address(entry: CatalogEntry, *, chinese: bool = False) -> str:
    """Return the page's path below questions/, without suffix."""
    return f"{entry.key.replace('.', '/')}{'.zh' if chinese else ''}"


def pages(entry: CatalogEntry, following: CatalogEntry | None) -> dict[str, list[str]]:
    """Return the question's pages, by their path below questions/.

    following: the question that the link at the end leads to; None if there is none.
    """
    question = entry.question
    english = QuestionText(ENGLISH, "en", question.title, question)
    result = {f"{address(entry)}.md": [*_page(entry, english), *_onwards(following)]}
    if entry.chinese is not None:
        chinese = QuestionText(CHINESE, "zh-Hans", entry.chinese.title, entry.chinese)
        result[f"{address(entry, chinese=True)}.md"] = _page(entry, chinese)
    return result


def basis(question: InterviewQuestion) -> list[str]:
    """Return what supports the answer: `program`, `cited`, `opinion`."""
    kinds = {
        "program": bool(question.programs),
        "cited": bool(question.cited),
        "opinion": bool(question.opinion),
    }
    return [name for name, there in kinds.items() if there]


def _page(entry: CatalogEntry, shown: QuestionText) -> list[str]:
    words, text = shown.words, shown.text
    body = [
        *_crumbs(entry, shown),
        f"# {shown.title}",
        "",
        *_glance(entry, shown),
        *_behind(text),
        f"## {words['asks']}",
        "",
        *_quoted(text.prompt),
        *folded("tip", words["strategy"], _numbered(text.strategy)),
        *_hints(shown),
        *_numeric(entry, shown),
        *_answer(entry, shown),
        *_practice(entry, shown),
    ]
    description = plain(next(blocks(text.prompt)).text)[:160]
    head = front_matter({"title": shown.title, "description": description})
    if not shown.chinese:
        return [*head, *body]
    return [*head, '<div lang="zh-Hans" markdown>', "", *body, "", "</div>"]


def _answer(entry: CatalogEntry, shown: QuestionText) -> list[str]:
    """Return all that would spoil the question, folded, and not found by the site's search."""
    words, text = shown.words, shown.text
    weak = table(
        (words["says"], words["reveals"]),
        [(f"“{one_line(each.says)}”", one_line(each.reveals)) for each in text.weak_answers],
    )
    rubric = table(
        (words["mark"], words["anchor"]),
        [(mark, one_line(anchor)) for mark, anchor in sorted(text.rubric.items())],
    )
    return [
        f"## {words['after']} {{ data-search-exclude }}",
        "",
        words["first"],
        "",
        *folded("success", words["spoken"], text.say.strip()),
        *folded("note", words["whole"], text.answer.strip()),
        *folded("note", words["rubric"], rubric),
        *folded("note", words["weak"], weak),
        *folded("quote", words["backing"], _backing(entry, shown)),
        *folded("question", words["ladder"], _numbered(text.follow_ups)),
        *folded("note", words["probes"], [f"- {one_line(each)}" for each in text.probes]),
    ]


def _numbered(items: Sequence[str]) -> list[str]:
    return [f"{n}. {one_line(each)}" for n, each in enumerate(items, start=1)]


def _crumbs(entry: CatalogEntry, shown: QuestionText) -> list[str]:
    """Return the links back, since the navigation does not list single questions."""
    if shown.chinese:
        return ["[中文题目](../chinese.md)", "{ .crumbs data-search-exclude }", ""]
    track = next(t for t in curriculum.curriculum().tracks if t.id == entry.track)
    here = f"[{track.title}](../{entry.track}/index.md)"
    return [f"[Interview questions](../index.md) › {here}", "{ .crumbs data-search-exclude }", ""]


def _onwards(following: CatalogEntry | None) -> list[str]:
    if following is None:
        return []
    return ["---", "", f"Next: [{following.question.title}](../{address(following)}.md)", ""]


def _glance(entry: CatalogEntry, shown: QuestionText) -> list[str]:
    words, question = shown.words, entry.question
    level = LEVELS_IN_CHINESE[question.level] if shown.chinese else question.level
    track = next(t for t in curriculum.curriculum().tracks if t.id == entry.track)
    parts = [
        f"**{words['level']}** {level}",
        f"**{words['time']}** {question.minutes} {words['minutes']}",
        f"**{words['track']}** [{track.title}](../{entry.track}/index.md)",
    ]
    if entry.module is not None:
        title = curriculum.load_module(entry.module).title
        parts.append(f"**{words['module']}** [{title}](../../modules/{entry.module}/index.md)")
    parts.append(f"**{words['basis']}** {', '.join(words[name] for name in basis(question))}")
    if entry.chinese is not None:
        other = address(entry, chinese=not shown.chinese).rpartition("/")[2]
        language = "en" if shown.chinese else "zh-Hans"
        parts.append(f"[{words['other']}]({other}.md){{ lang={language} hreflang={language} }}")
    return [" · ".join(parts), "{ .glance data-search-exclude }", ""]


def _behind(text: InterviewQuestion | Translation) -> list[str]:
    behind = isinstance(text, Translation) and text.follows == BEHIND
    return [f"*{BEHIND}*", ""] if behind else []


def _quoted(text: str) -> list[str]:
    return [*(f"> {line}".rstrip() for line in text.strip().split("\n")), ""]


def _hints(shown: QuestionText) -> list[str]:
    lines: list[str] = []
    for number, hint in enumerate(shown.text.hints, start=1):
        lines += folded("tip", f"{shown.words['hint']} {number}", hint.strip())
    return [f"## {shown.words['hints']}", "", *lines] if lines else []


def _numeric(entry: CatalogEntry, shown: QuestionText) -> list[str]:
    """Return the question with one set of numbers, drawn from the question's key."""
    if entry.question.numeric is None:
        return []
    translated = entry.chinese.numeric if entry.chinese and shown.chinese else None
    one = draw(entry.question.numeric, entry.key, translated)
    body = [
        one_line(one.explain),
        "",
        *fenced(entry.question.numeric.formula),
        "",
        f"**{one.shown}** (± {one.tolerance * 100:g} %)",
    ]
    return [
        f"## {shown.words['numbers']}",
        "",
        *_quoted(one.ask),
        *folded("success", shown.words["formula"], body),
    ]


def _practice(entry: CatalogEntry, shown: QuestionText) -> list[str]:
    lines = [f"## {shown.words['practise']} {{ data-search-exclude }}", ""]
    if not entry.question.links:
        return [*lines, shown.words["none"], ""]
    for link in entry.question.links:
        module, _, task = link.partition(".")
        try:
            title = curriculum.load_module(module).task(task).title
        except KeyError as error:
            raise CurriculumError(f"{entry.key}: {error.args[0]}") from None
        lines.append(f"- [{title}](../../modules/{module}/index.md#{task}) `{link}`")
    return [*lines, ""]


# --- what backs it --------------------------------------------------------------------------------


def _backing(entry: CatalogEntry, shown: QuestionText) -> list[str]:
    words, question = shown.words, entry.question
    lines: list[str] = []
    for proof in entry.proofs:
        lines += _proof(proof, shown)
    lines += _cited(entry, shown)
    if shown.text.opinion:
        lines += [f"**{words['opinion']}.** {words['opinion is']}", ""]
        lines += [*(f"- {one_line(each)}" for each in shown.text.opinion), ""]
    if question.sources:
        lines += [f"**{words['reading']}**", "", *(f"- <{url}>" for url in question.sources), ""]
    return lines


def _proof(proof: Proof, shown: QuestionText) -> list[str]:
    words = shown.words
    name = proof.path.relative_to(paths.curriculum()).as_posix()
    lines = [f"**{words['program']}**: `curriculum/{name}`", ""]
    if proof.output is None:
        lines += [words["no output"], ""]
    else:
        lines += [f"{words['prints']}:", "", *fenced(proof.output), ""]
    return [*lines, *folded("example", words["source"], fenced(proof.source, "python"))]


def _cited(entry: CatalogEntry, shown: QuestionText) -> list[str]:
    pairs: Sequence[tuple[str, str]] = [
        (one_line(there.claim), here.source)
        for there, here in zip(shown.text.cited, entry.question.cited, strict=True)
    ]
    if not pairs:
        return []
    lines = [f"**{shown.words['cited']}**", ""]
    return [*lines, *(f"- {claim} ({shown.words['from']} <{url}>)" for claim, url in pairs), ""]
