"""The words that exports add to a question, by language."""

from collections.abc import Mapping
from dataclasses import dataclass

from hotloop.learn.bank.wording import Language


@dataclass(frozen=True)
class Labels:
    """Headings and short labels."""

    bank: str
    probes: str
    strategy: str
    say: str
    answer: str
    weak_answers: str
    reveals: str
    follow_ups: str
    rubric: str
    hints: str
    practise: str
    minutes: str
    levels: Mapping[str, str]


LABELS: Mapping[Language, Labels] = {
    "en": Labels(
        bank="Hotloop",
        probes="What it probes",
        strategy="How to answer",
        say="Say this",
        answer="A good answer",
        weak_answers="Weak answers",
        reveals="reveals",
        follow_ups="Then ask",
        rubric="Marks",
        hints="Hints",
        practise="Practice",
        minutes="minutes",
        levels={
            "beginner": "beginner",
            "intermediate": "intermediate",
            "advanced": "advanced",
        },
    ),
    "zh": Labels(
        bank="Hotloop 中文",
        probes="考察什么",
        strategy="怎样回答",
        say="这样说",
        answer="好的回答",
        weak_answers="较差的回答",
        reveals="说明",
        follow_ups="接着追问",
        rubric="评分",
        hints="提示",
        practise="练习",
        minutes="分钟",
        levels={"beginner": "初级", "intermediate": "中级", "advanced": "高级"},
    ),
}
