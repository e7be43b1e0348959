"""How a page shows a learner's files."""

from html import unescape

from bs4 import BeautifulSoup

from hotloop.course import learner_files
from hotloop.course.learner_files import MAX_LINE, MAX_LINES, MAX_OTHERS, listing


def text(html: str) -> str:
    return BeautifulSoup(html, "html.parser").get_text()


def test_every_line_is_one_line_and_its_text_is_the_learners() -> None:
    source = "def f(x):\r\n    return x < 1 & 2\n\n# <b>\n"
    html = listing("a.py", source.encode())
    assert html.count('class="hl-line"') == 4
    assert "<b>" not in html
    assert text(html) == "a.py (4 lines)" + source.replace("\r\n", "\n").rstrip("\n")
    assert "(1 line)" in listing("a.py", b"x")


def test_a_long_file_and_a_long_line_are_cut_with_a_note() -> None:
    html = listing("a.py", b"x\n" * (MAX_LINES + 5))
    assert html.count('class="hl-line"') == MAX_LINES
    assert f"{MAX_LINES + 5} lines, the first {MAX_LINES} are shown" in html
    assert f"(line of {MAX_LINE + 1} cut)" in listing("a.py", b"x" * (MAX_LINE + 1))
    assert "cut" not in listing("a.py", b"x" * MAX_LINE)


def test_what_is_no_text_is_not_shown() -> None:
    assert text(listing("a.bin", b"\x7fELF\0\0")) == "a.bin (6 bytes, not text)"
    assert "\N{REPLACEMENT CHARACTER}" in listing("a.py", b"\xff\xfe")


def test_characters_that_mislead_are_shown_as_marks() -> None:
    html = unescape(listing("a\u202e.py", "x\x1b[31m \u2066y\ttab".encode()))
    assert not {"\u202e", "\x1b", "\u2066"} & set(html)
    assert "\ttab" in html
    assert "a⟦U+202E⟧.py" in html
    assert listing(b"\xff.py".decode("utf-8", "surrogateescape"), b"x").encode()


def test_other_files_are_those_that_nobody_asked_for_or_gave() -> None:
    files = {"work.py": b"1", "data.py": b"2", "mine.py": b"3"}
    (shown,) = learner_files.others(files, {"data.py": b"0"}, {"work.py"})
    assert "mine.py" in shown
    many = {f"{n}.py": b"" for n in range(MAX_OTHERS + 2)}
    *_, last = learner_files.others(many, {}, set())
    assert last == "<p>2 more are not shown.</p>"
