"""Interview questions of skill guides: which questions cover them, and common errors."""

from collections.abc import Sequence

from hotloop.learn.bank.catalog import find
from hotloop.learn.bank.guides import Correction, Guide
from hotloop.site.markdown import front_matter, one_line, prose
from hotloop.site.questions import address


def page(guides: Sequence[Guide]) -> list[str]:
    """Return the page, one section per guide, in the order of `guides`."""
    lines = [
        *front_matter({"title": "What guides ask", "description": "Guides' questions, covered."}),
        "# What guides ask",
        "",
        prose(
            "Skill guides for this work ask a few questions each. Here they are in our words,",
            "with the questions of this bank that cover them, and what is often read about them",
            "and does not hold.",
        ),
        "",
    ]
    for title in dict.fromkeys(guide.guide for guide in guides):
        lines += [f"## {title[:1].upper()}{title[1:]}", ""]
        for guide in guides:
            if guide.guide == title:
                lines += _asked(guide)
    if translated := [guide for guide in guides if guide.chinese]:
        lines += ["## 中文面试的问题", "", '<div lang="zh-Hans" markdown>', ""]
        for guide in translated:
            lines += _asked_in_chinese(guide)
        lines += ["</div>", ""]
    return lines


def _asked(guide: Guide) -> list[str]:
    entries = [find(key) for key in guide.covered_by]
    links = ", ".join(f"[{entry.question.title}]({address(entry)}.md)" for entry in entries)
    lines = [f"**{one_line(guide.asks)}**", "", f"Covered by {links}.", ""]
    for correction in guide.corrections:
        lines += [f"- Often read: {one_line(correction.usual)}", ""]
        lines += [f"    What holds: {one_line(correction.right)} ({_backing(correction)})", ""]
    return lines


def _asked_in_chinese(guide: Guide) -> list[str]:
    if guide.chinese is None:
        return []
    links = "、".join(
        f"[{entry.chinese.title}]({address(entry, chinese=True)}.md)"
        for entry in map(find, guide.covered_by)
        if entry.chinese
    )
    lines = [f"**{one_line(guide.chinese.asks)}**", "", f"本题库中的问题：{links}。", ""]
    for correction, english in zip(guide.chinese.corrections, guide.corrections, strict=True):
        lines += [f"- 常见的说法：{one_line(correction.usual)}", ""]
        lines += [f"    实际情况：{one_line(correction.right)}（{_backing(english)}）", ""]
    return lines


def _backing(correction: Correction) -> str:
    if correction.proof is not None:
        return f"`curriculum/{correction.proof}`"
    return f"<{correction.source}>"
