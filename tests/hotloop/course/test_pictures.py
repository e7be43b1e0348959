"""Pictures in written answers are kept, and shown to whoever marks and to the learner."""

import base64
import json
import struct
import zlib
from types import SimpleNamespace
from typing import Any

import pytest
from bs4 import BeautifulSoup

from hotloop.course import pictures
from hotloop.course.pictures import Pictures
from hotloop.course.sanitize import harmless_markdown
from hotloop.tasks.notebook_cells import Cell

from .test_feedback import formgrader_page


def png(width: int = 120, height: int = 60) -> bytes:
    """Return a picture: a bar that rises."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        whole = kind + data
        return struct.pack(">I", len(data)) + whole + struct.pack(">I", zlib.crc32(whole))

    rows = b"".join(
        b"\0" + b"".join(b"\x20\x60\xc0" if x * height > (height - y) * width else b"\xff\xff\xff"
                         for x in range(width))
        for y in range(height)
    )  # fmt: skip
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    data = [chunk(b"IHDR", header), chunk(b"IDAT", zlib.compress(rows)), chunk(b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(data)


PNG = base64.b64encode(png()).decode()
GIF = base64.b64encode(b"GIF89a" + bytes(20)).decode()


def cell(source: str, attachments: Any = None) -> Cell:
    return Cell("markdown", source, "explain", "", attachments)


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("![image.png](attachment:image.png)", "image.png"),
        ("![a b](attachment:my%20plot.png)", "my plot.png"),
        ("![](<attachment:my plot.png>)", "my plot.png"),
        ('![x](attachment:ü.png "A title")', "ü.png"),
        ('<img src="attachment:image.png" width="400">', "image.png"),
        ("<IMG alt='x' src=attachment:image.png />", "image.png"),
    ],
)
def test_a_pasted_picture_is_found_however_its_name_is_written(source: str, name: str) -> None:
    found = Pictures({})
    text, kept = found.of(cell(f"Look:\n\n{source}\n\nIt rises.", {name: {"image/png": PNG}}))
    assert kept == {"picture-1.png": {"image/png": PNG}}
    assert "](attachment:picture-1.png)" in text
    assert text.startswith("Look:")
    assert text.endswith("It rises.")
    assert found.notes == []
    assert harmless_markdown(text, kept) == text


@pytest.mark.parametrize("source", ["![p](plots/p.png)", "![p](./plots/p.png)",
                                    '<img src="plots/p.png">'])  # fmt: skip
def test_a_picture_that_was_handed_in_beside_the_notebook_is_shown(source: str) -> None:
    text, kept = Pictures({"plots/p.png": png()}).of(cell(source))
    assert kept == {"picture-1.png": {"image/png": PNG}}
    assert "attachment:picture-1.png" in text


@pytest.mark.parametrize(
    ("source", "attachments"),
    [
        ("![x](attachment:x.png)", None),
        ("![x](attachment:x.png)", {"x.png": {"image/png": "no base64!"}}),
        ("![x](attachment:x.png)", {"x.png": {"image/png": base64.b64encode(b"<svg>").decode()}}),
        ("![x](attachment:x.svg)", {"x.svg": {"image/svg+xml": "<svg onload='alert(1)'>"}}),
        ("![x](attachment:x.png)", {"x.png": "text"}),
        ("![x](attachment:x.png)", ["x.png"]),
        ("![x](../../gradebook.db)", {}),
        ("![x](/etc/passwd)", {}),
    ],
)
def test_what_is_no_picture_is_named_and_its_page_can_be_made(
    source: str, attachments: Any
) -> None:
    found = Pictures({"gradebook.db": b"x"})
    text, kept = found.of(cell(f"{source} and words", attachments))
    assert kept == {}
    assert "is missing" in text
    assert "and words" in text
    assert ["is not shown" in note for note in found.notes] == [True]
    assert harmless_markdown(text, kept) == text


def test_pictures_have_one_limit_and_what_is_over_it_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(pictures, "MAX_PICTURES", len(PNG) + len(GIF))
    found = Pictures({})
    attached = {"a.png": {"image/png": PNG}, "b.gif": {"image/gif": GIF}}
    text, kept = found.of(cell("![](attachment:a.png) ![](attachment:b.gif)", attached))
    assert list(kept) == ["picture-1.png", "picture-2.gif"]
    text, kept = found.of(cell("![](attachment:a.png) words", attached))
    assert kept == {}
    assert "is left out" in text
    assert "a.png" in found.notes[0]


def test_links_to_pictures_elsewhere_stay_as_they_are_written() -> None:
    source = "![x](https://example.org/x.png) and ![y](data:image/png;base64,aaaa)"
    assert Pictures({}).of(cell(source)) == (source, {})


def test_many_beginnings_of_pictures_take_linear_time() -> None:
    for part in ("![", "<img ", "![](", "![a](<", "<img src=", "![]( "):
        Pictures({}).of(cell(part * (200_000 // len(part))))
    big = {"x.png": {"image/png": "A" * (8 << 20)}}
    found = Pictures({"y.png": bytes(8 << 20)})
    found.of(cell("![](attachment:x.png) ![](y.png) " * 5000, big))
    assert len(found.notes) == 2


def test_a_picture_that_is_named_twice_is_kept_once() -> None:
    text, kept = Pictures({}).of(
        cell("![](attachment:x.png) ![](attachment:x.png)", {"x.png": {"image/png": PNG}})
    )
    assert list(kept) == ["picture-1.png"]
    assert text.count("attachment:picture-1.png") == 2


def test_a_text_that_is_shown_as_source_is_followed_by_its_pictures() -> None:
    text, kept = Pictures({}).of(
        cell("<b>Bold</b> ![x](attachment:x.png)", {"x.png": {"image/png": PNG}})
    )
    assert harmless_markdown(text, kept).endswith("```\n\n![](attachment:picture-1.png)")


@pytest.mark.slow
def test_a_pasted_picture_is_on_both_pages(course: Any, make: SimpleNamespace) -> None:
    notebook = make.lab(explain="Memory is the limit:\n\n![image.png](attachment:image.png)")
    notebook.cells[-1]["attachments"] = {"image.png": {"image/png": PNG}}
    course.submit("ada", notebook)
    only = make.lab(explain="![](attachment:a.gif)")
    only.cells[-1]["attachments"] = {"a.gif": {"image/gif": GIF}}
    course.submit("bob", only)
    graded = course.grade()
    assert graded.problems == {}
    assert graded.notes == {}
    for student, source in {"ada": PNG, "bob": GIF}.items():
        path = course.root / "autograded" / student / "tiny" / "lab.ipynb"
        assert source in json.dumps(course.autograded(student))
        for page in (course.page(student), formgrader_page(path)):
            shown = [str(img["src"]) for img in BeautifulSoup(page, "html.parser").find_all("img")]
            assert [src.partition(",")[2] for src in shown] == [source]
            assert shown[0].startswith("data:image/")
