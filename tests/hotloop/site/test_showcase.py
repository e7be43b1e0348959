"""The front page shows recorded results only."""

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from hotloop.core import paths
from hotloop.site import showcase


def test_three_panels_with_a_speed_a_race_and_a_question() -> None:
    soup = BeautifulSoup("\n".join(showcase.section()), "html.parser")
    verdict, race, question = soup.select("section")
    assert "4.42× the baseline" in verdict.get_text()
    assert verdict.select_one("svg") is not None
    assert "all points: 3.00×" in verdict.get_text()
    assert "Why is one thread per row slow?" in question.get_text()
    assert "Strong: “In one load, lane i reads from row i" in question.get_text()
    assert "Weak: “the threads of a warp diverge”." in question.get_text()
    assert race.get_text().startswith("A data race is found without a GPU, with its lines")
    assert [a["href"] for a in soup.select("a")] == [
        "results.html",
        "modules/fused_softmax/find_the_bug.html",
        "questions/index.html",
    ]


def test_the_race_is_what_the_checker_says_today() -> None:
    """`test_proofs.py` compares this record with what the simulator prints."""
    soup = BeautifulSoup("\n".join(showcase.section()), "html.parser")
    _, race, _ = soup.select("section")
    sentence, *accesses = (paths.curriculum() / showcase.RACE).read_text().strip().split("\n")
    assert " ".join(sentence.replace("`", "").split(": ", 1)) in race.get_text()
    assert len(accesses) == 2
    assert all(access.strip() in race.get_text() for access in accesses)
    kernel = (paths.curriculum() / showcase.KERNEL).read_text().split("\n")
    shown = [line.split(" ", 1) for line in race.select("code")[0].get_text().split("\n")]
    assert shown == [[number, kernel[int(number) - 1]] for number, _ in shown]
    assert {access.split(":")[1] for access in accesses} <= {number for number, _ in shown}


def test_a_report_without_a_line_stops_the_build(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "said.txt").write_text("race: Data race on x.\n")
    monkeypatch.setattr(showcase, "RACE", str(tmp_path / "said.txt"))
    with pytest.raises(ValueError, match=r"names no line of tree_sum\.cu"):
        showcase.section()


def test_what_is_gone_stops_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(showcase, "SPEED", (*showcase.SPEED[:4], "gone"))
    with pytest.raises(ValueError, match=r"nvidia_h200 has fused_softmax\.triton_forward\.gone"):
        showcase.section()


def test_the_readmes_picture_is_drawn_from_the_recorded_run() -> None:
    """`python -m hotloop.site.showcase > site/pages/assets/verdict.svg`."""
    root = paths.curriculum().parent
    name = "site/pages/assets/verdict.svg"
    drawn = (root / name).read_text(encoding="utf-8")
    assert drawn == showcase.picture() + "\n"
    assert "4.42× the baseline" in drawn
    assert f"]({name})" in (root / "README.md").read_text(encoding="utf-8")
