"""What others write is shown with a mark for each character that hides or turns text."""

from pathlib import Path

import pytest
from markupsafe import Markup

from hotloop.core.html_templates import environment
from hotloop.core.untrusted_text import hidden, readable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u202eb", "a⟦U+202E⟧b"),
        ("a\u2066b\u2069", "a⟦U+2066⟧b⟦U+2069⟧"),
        ("\u061c\u200b\ufeff\xad", "⟦U+061C⟧⟦U+200B⟧⟦U+FEFF⟧⟦U+00AD⟧"),
        ("\x1b[31m\x00\r", "⟦U+001B⟧[31m⟦U+0000⟧⟦U+000D⟧"),
        ("name\u3164", "name⟦U+3164⟧"),
        ("tag\U000e0041", "tag⟦U+E0041⟧"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("a form's\r\nlines\r", "a form's\r\nlines⟦U+000D⟧"),
        ("می\u200cخواهم 👩\u200d💻 −∞ 中文", "می\u200cخواهم 👩\u200d💻 −∞ 中文"),
    ],
)
def test_what_hides_is_marked(text: str, shown: str) -> None:
    assert readable(text) == shown
    assert bool(hidden(text)) is (text != shown)


def test_a_text_that_cannot_be_encoded_can_be_written() -> None:
    assert readable("caf\udce9").encode() == b"caf?"


def test_every_template_shows_marks(tmp_path: Path) -> None:
    """In text, in attributes, and in markup that was made elsewhere."""
    (tmp_path / "x.html").write_text('<p title="{{ a }}">{{ a }} {{ made }} {{ number }}</p>')
    template = environment(tmp_path).get_template("x.html")
    shown = template.render(a="<\u202e>", made=Markup("<b>\u2067</b>"), number=3)
    assert shown == '<p title="&lt;⟦U+202E⟧&gt;">&lt;⟦U+202E⟧&gt; <b>⟦U+2067⟧</b> 3</p>'
