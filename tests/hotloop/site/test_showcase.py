"""The front page shows recorded results only."""

import pytest
from bs4 import BeautifulSoup

from hotloop.site import showcase


def test_three_panels_with_a_speed_a_race_and_a_question() -> None:
    soup = BeautifulSoup("\n".join(showcase.section()), "html.parser")
    verdict, race, question = soup.select("section")
    assert "4.42× the baseline" in verdict.get_text()
    assert verdict.select_one("svg") is not None
    assert "all points: 3.00×" in verdict.get_text()
    assert "softmax.cu:58 and softmax.cu:53" in race.get_text()
    assert "Why does softmax subtract the maximum?" in question.get_text()
    assert [a["href"] for a in soup.select("a")] == [
        "results.html",
        "how-the-judge-works.html",
        "questions/index.html",
    ]


def test_what_is_gone_stops_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(showcase, "SPEED", (*showcase.SPEED[:4], "gone"))
    with pytest.raises(ValueError, match=r"nvidia_h200 has fused_softmax\.triton_forward\.gone"):
        showcase.section()
