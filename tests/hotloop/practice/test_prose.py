from __future__ import annotations

import io
import re

import pytest
from rich.cells import cell_len
from rich.console import Console

from hotloop.bank import catalog
from hotloop.practice.prose import Prose, wrapped


def test_chinese_fills_its_lines_and_no_line_begins_with_a_full_stop() -> None:
    entries = [entry for entry in catalog.catalog() if entry.chinese]
    assert entries
    for entry in entries:
        assert entry.chinese is not None
        text = " ".join(entry.chinese.answer.split())
        lines = list(wrapped(text, 40))
        assert "".join(lines).replace(" ", "") == text.replace(" ", "")
        assert all(line[0] not in "。，、；：？！）" for line in lines)
        for line in lines:
            assert cell_len(line) <= 40 or not re.search(r"[\u4e00-\u9fff]", line), line


@pytest.mark.parametrize("text", ["one two three", "一二三四五六七八九十"])
def test_nothing_is_wider_than_the_screen(text: str) -> None:
    out = io.StringIO()
    Console(file=out, width=8).print(Prose(text))
    assert all(cell_len(line.rstrip()) <= 8 for line in out.getvalue().splitlines())
    assert "".join(out.getvalue().split()) == "".join(text.split())
