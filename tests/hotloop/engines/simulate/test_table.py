"""The bytes that a line moves, in words and as a drawing."""

from xml.etree import ElementTree

import pytest

from hotloop.engines.simulate.report import ReportLine, TrafficLine
from hotloop.engines.simulate.table import efficiency, picture, sentence


def site(space: str, moved: int, fewest: int, *, requests: int = 1, line: int = 3) -> TrafficLine:
    return TrafficLine(
        ReportLine("a<b>.cu", line), "k", space, "read", 32, 128, 4, requests, moved, fewest
    )


@pytest.mark.parametrize(
    ("one", "share", "text"),
    [
        (site("global", 128, 128), 1.0, "coalesced"),
        (site("global", 1024, 128), 0.125, "uncoalesced: moves 8.0× the requested bytes"),
        (site("shared", 1, 1), 1.0, "no bank conflicts"),
        (site("shared", 32, 1), 1 / 32, "bank conflicts: 32.0 passes for each access"),
        (site("constant", 0, 0), 1.0, ""),
        (site("global", 0, 0, requests=0), 1.0, ""),
    ],
)
def test_efficiency_and_its_sentence(one: TrafficLine, share: float, text: str) -> None:
    assert efficiency(one) == pytest.approx(share)
    assert sentence(one) == text


def test_the_picture_is_sound_and_says_everything() -> None:
    root = ElementTree.fromstring(picture([site("global", 1024, 128), site("shared", 1, 1)]))
    texts = ["".join(t.itertext()) for t in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "a<b>.cu:3 read" in texts
    assert "128 B, 12%" in texts
    assert not any("shared" in t for t in texts), "only global memory has bytes to draw"
    assert root.get("aria-label") == "a<b>.cu:3 read: 128 B, 12% efficient"
    moved, asked = root.iter("{http://www.w3.org/2000/svg}rect")
    assert float(moved.get("width", 0)) == pytest.approx(8 * float(asked.get("width", 0)), rel=0.01)


def test_a_picture_of_nothing_says_so() -> None:
    assert "no access to global memory" in picture([])
