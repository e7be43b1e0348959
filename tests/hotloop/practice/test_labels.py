from __future__ import annotations

import re
from dataclasses import asdict

from hotloop.practice.labels import LABELS


def test_both_languages_have_the_same_places() -> None:
    english, chinese = asdict(LABELS["en"]), asdict(LABELS["zh"])
    for name, text in english.items():
        assert set(re.findall(r"{\w+}", text)) == set(re.findall(r"{\w+}", chinese[name])), name


def test_chinese_has_its_own_signs() -> None:
    for text in asdict(LABELS["zh"]).values():
        assert not re.search(r"[\u4e00-\u9fff][,:;?!]|[,:;?!][\u4e00-\u9fff]", text), text
