"""A learner's text cannot run code in a viewer's browser."""

import base64

import pytest
from bs4 import BeautifulSoup
from hypothesis import given
from hypothesis import strategies as st
from nbconvert.filters.markdown_mistune import markdown2html_mistune

from hotloop.course.sanitize import harmless_data, harmless_html, harmless_markdown, literal

ATTACKS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)></svg>",
    '<svg><a xlink:href="javascript:alert(1)">x</a></svg>',
    '<a href="javascript:alert(1)">x</a>',
    '<a href="java\nscript:alert(1)">x</a>',
    '<a href="data:text/html,<script>alert(1)</script>">x</a>',
    '<iframe srcdoc="<script>alert(1)</script>"></iframe>',
    '<form action="https://evil"><input name=q><button formaction="javascript:alert(1)">',
    '<meta http-equiv="refresh" content="0;url=https://evil">',
    '<link rel="stylesheet" href="https://evil">',
    "<style>*{background:url(https://evil)}</style>",
    '<div style="position:fixed;inset:0">',
    '<base href="https://evil/">',
    '<object data="https://evil"></object><embed src="https://evil">',
    '<img src="https://evil/pixel.png">',
    '<img src="/formgrader/api/assignments">',
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)>",
    '<noscript><p title="</noscript><img src=x onerror=alert(1)>">',
    "<details open ontoggle=alert(1)>x</details>",
    '<p id="notebook" name="submit" class="hotloop">x</p>',
]


def dangers(html: str) -> list[str]:
    """Return everything in a page that runs, loads, submits or overlays: an independent oracle."""
    found: list[str] = []
    for tag in BeautifulSoup(html, "html.parser").find_all(True):
        if tag.name in {
            "script",
            "style",
            "iframe",
            "svg",
            "math",
            "form",
            "input",
            "button",
            "meta",
            "link",
            "base",
            "object",
            "embed",
            "noscript",
            "template",
        }:
            found.append(tag.name)
        for name, value in tag.attrs.items():
            text = "".join(str(value).split()).lower()
            if name.startswith("on") or name in {"style", "id", "name", "class", "srcdoc"}:
                found.append(f"{tag.name} {name}")
            if name in {"src", "href", "action"} and not text.startswith(
                ("https://", "http://", "mailto:", "#", "data:image/png")
            ):
                found.append(f"{tag.name} {name}={text}")
            if name == "src" and text.startswith("http"):
                found.append(f"{tag.name} loads {text}")
    return found


@pytest.mark.parametrize("attack", ATTACKS)
def test_html_cannot_act(attack: str) -> None:
    assert dangers(attack)
    assert dangers(harmless_html(attack)) == []


@pytest.mark.slow
@given(st.text() | st.lists(st.sampled_from([*ATTACKS, "<", ">", '"', "<!--", "<p>"])).map("".join))
def test_no_html_can_act(text: str) -> None:
    assert dangers(harmless_html(text)) == []


def test_tables_and_emphasis_stay() -> None:
    table = "<table><tbody><tr><td>1</td></tr></tbody></table>"
    assert harmless_html(table) == table
    assert harmless_html("<b>bold</b> <em>x</em>") == "<b>bold</b> <em>x</em>"


@pytest.mark.parametrize(
    "attack",
    [
        *ATTACKS,
        "[x](javascript:alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x]( javascript:alert(1))",
        "[q][a]\n\n[a]: javascript:alert(1)",
        "<javascript:alert(1)>",
        "![x](https://evil/pixel.png)",
        "![x](attachment:none.png)",
        "[x](//evil)",
        "text <b onclick=alert(1)>x</b>",
        "```mermaid\nclick A call alert(1)\n```",
        "| a |\n|---|\n| <img src=x onerror=alert(1)> |",
        "````\n<script>\n```\n</script>\n````\n<script>alert(1)</script>",
    ],
)
def test_markdown_that_could_act_is_shown_as_its_source(attack: str) -> None:
    shown = harmless_markdown(attack)
    html = markdown2html_mistune(shown)
    assert [d for d in dangers(html) if not d.endswith("class")] == []
    text = BeautifulSoup(html, "html.parser").get_text()
    assert attack.strip() in text or shown == attack


@pytest.mark.parametrize(
    "source",
    [
        "# Because\n\n*two* passes, `a < b`, $x < y$ and 3 > 2",
        "a [link](https://example.org) and <https://example.org>",
        "```python\nif a < b: print('<script>')\n```",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "`<script>` is shown, \\<script> too",
    ],
)
def test_plain_markdown_stays(source: str) -> None:
    assert harmless_markdown(source) == source


@pytest.mark.slow
@given(st.text(st.sampled_from("`~<>a\n \\[]()!")))
def test_no_markdown_can_act(source: str) -> None:
    html = markdown2html_mistune(harmless_markdown(source))
    assert [d for d in dangers(html) if not d.endswith(("class", " id"))] == []


@pytest.mark.slow
@given(st.text(st.sampled_from("`~<>a\n "), min_size=1))
def test_a_literal_shows_every_character(source: str) -> None:
    html = markdown2html_mistune(literal(source))
    code = BeautifulSoup(html, "html.parser").find_all("pre")
    assert len(code) == 1
    assert source.strip("\n") in code[0].get_text()


def test_kinds_of_data() -> None:
    png = base64.b64encode(b"\x89PNG\r\n\x1a\n....").decode()
    shown = harmless_data(
        {
            "text/plain": ["a", "b"],
            "text/html": "<b>x</b><script>1</script>",
            "text/markdown": "<script>1</script>",
            "image/png": png,
            "image/jpeg": png,
            "image/svg+xml": "<svg onload=alert(1)>",
            "application/javascript": "alert(1)",
            "application/vnd.jupyter.widget-view+json": {"model_id": "x"},
            "text/latex": 3,
        }
    )
    assert shown.keys() == {"text/plain", "text/html", "text/markdown", "image/png"}
    assert shown["text/plain"] == "ab"
    assert shown["text/html"] == "<b>x</b>"
    assert harmless_data({"image/png": '"><script>alert(1)</script>'}) == {}
