"""The words of a practice session in both languages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from hotloop.bank.wording import Language


@dataclass(frozen=True)
class Labels:
    """Sentences and short words; places in braces are filled in."""

    question: str
    new: str
    again: str
    with_numbers: str
    usage: str
    numeric_usage: str
    clock: str
    overtime: str
    hint: str
    no_hint: str
    taken: str
    your_words: str
    number: str
    also: str
    practise: str
    proofs: str
    your_mark: str
    not_a_mark: str
    kept: str
    skipped: str
    go_on: str
    ended: str
    nothing_marked: str


LABELS: Mapping[Language, Labels] = {
    "en": Labels(
        question="Question {number} of {of}",
        new="new",
        again="practised {times}×, last mark {mark}",
        with_numbers="With numbers",
        usage="Answer aloud or write. h hint · r reveal · s skip · q stop",
        numeric_usage="Type the number with its unit. h hint · r reveal · s skip · q stop",
        clock="{taken} of {minutes} min",
        overtime="the time is over: r reveals the answer",
        hint="Hint {number} of {of}",
        no_hint="There is no further hint.",
        taken="You took {taken} of {minutes} minutes.",
        your_words="You wrote",
        number="The number",
        also="Ask yourself next",
        practise="Practise it: {tasks}",
        proofs="Programs that show it: hotloop questions {key}",
        your_mark="Your mark, 0 to 4",
        not_a_mark="A mark is 0, 1, 2, 3 or 4; s marks nothing.",
        kept="Marked {mark}; it returns on {date}.",
        skipped="Not marked.",
        go_on="Enter: next question · q stop",
        ended="{marked} marked, {minutes} minutes. {due} more are due.",
        nothing_marked="Nothing was marked.",
    ),
    "zh": Labels(
        question="第 {number} 题，共 {of} 题",
        new="新题",
        again="练过 {times} 次，上次 {mark} 分",
        with_numbers="换成具体数字",
        usage="说出或写下答案。h 提示 · r 看答案 · s 跳过 · q 结束",
        numeric_usage="输入数字和单位。h 提示 · r 看答案 · s 跳过 · q 结束",
        clock="{taken} / {minutes} 分钟",
        overtime="时间到了：输入 r 看答案",
        hint="提示 {number} / {of}",
        no_hint="没有更多提示了。",
        taken="用时 {taken}，建议 {minutes} 分钟。",
        your_words="你写的是",
        number="数字",
        also="接着问自己",
        practise="动手练习：{tasks}",
        proofs="证明程序：hotloop questions {key}",
        your_mark="给自己打分，0 到 4",
        not_a_mark="分数是 0、1、2、3 或 4；输入 s 则不评分。",
        kept="{mark} 分；下次练习：{date}。",
        skipped="没有评分。",
        go_on="回车：下一题 · q 结束",
        ended="评了 {marked} 题，用时 {minutes} 分钟。还有 {due} 题到期。",
        nothing_marked="没有评分的题。",
    ),
}
