"""Pictures are well-formed whatever they say, and name what they show."""

import math
from xml.etree import ElementTree

import pytest

from hotloop.core import svg
from hotloop.core.svg import Scale

HOSTILE = "\"><script>alert(1)</script>'&lt;"


def parsed(element: str) -> ElementTree.Element:
    return ElementTree.fromstring(element)


@pytest.mark.parametrize(
    "element",
    [
        svg.text(0, 0, HOSTILE, class_=HOSTILE),
        svg.rect(0, 0, 1, 1, fill=HOSTILE, title=HOSTILE),
        svg.line(0, 0, 1, 1, stroke=HOSTILE),
        svg.circle(0, 0, 1, id=HOSTILE),
        svg.path("M0 0H1", stroke=HOSTILE),
        svg.picture(1, 1, [svg.text(0, 0, HOSTILE)], HOSTILE, HOSTILE),
    ],
)
def test_every_text_is_escaped(element: str) -> None:
    root = parsed(element)
    assert not list(root.iter("script"))
    told = [*root.itertext(), *(v for part in root.iter() for v in part.attrib.values())]
    assert any(HOSTILE in text for text in told)


def test_attributes_are_written_as_svg_names_them() -> None:
    element = svg.rect(1 / 3, 2, "40%", 5.0, class_="bar", stroke_width=1.005, rx=None, fill="")
    assert element == '<rect x="0.33" y="2" width="40%" height="5" class="bar" stroke-width="1"/>'


def test_a_style_replaces_the_pages_color() -> None:
    assert parsed(svg.text(0, 0, "x")).get("fill") == svg.PAGE
    assert parsed(svg.text(0, 0, "x", fill="#fff")).get("fill") == "#fff"
    assert parsed(svg.path("M0 0H1", stroke="none", fill=svg.BLUE)).get("stroke") == "none"


def test_a_tooltip_is_the_first_thing_in_a_shape() -> None:
    root = parsed(svg.circle(1, 2, 3, title="a < b"))
    assert root[0].tag == "title"
    assert root[0].text == "a < b"


def test_a_picture_has_a_size_and_a_name() -> None:
    root = parsed(svg.picture(120, 40.5, [svg.line(0, 0, 1, 1)], "Times", "one:\n 3 ms", width=120))
    assert root.get("viewBox") == "0 0 120 40.5"
    assert root.get("width") == "120"
    assert (root.get("role"), root.get("aria-label")) == ("img", "Times. one: 3 ms")
    assert [part.tag for part in root] == ["{http://www.w3.org/2000/svg}line"]


@pytest.mark.parametrize("to", ["down", "right", "left"])
def test_the_tip_of_an_arrow_ends_where_it_should(to: str) -> None:
    assert str(parsed(svg.tip(3, 4.25, to)).get("d")).startswith("M3 4.25l")


def test_a_curve_is_vertical_at_both_ends() -> None:
    assert svg.curve(0, 10, 40, 30) == "M0 10C0 20 40 20 40 30"


def test_large_numbers_keep_their_digits() -> None:
    assert [svg.number(n) for n in (1234567.891, 1e-9, -2.5, 3)] == ["1234567.89", "0", "-2.5", "3"]


def test_scales() -> None:
    linear, log = Scale(0, 10, 100, 0), Scale(1, 100, 0, 200, log=True)
    assert [linear.at(v) for v in (0, 5, 10)] == [100, 50, 0]
    assert [log.at(v) for v in (1, 10, 100)] == pytest.approx([0, 100, 200])
    assert Scale(3, 3, 7, 9).at(3) == 7
    assert math.isfinite(Scale(2, 2, 0, 1, log=True).at(2))
