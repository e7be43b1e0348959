"""The drawing of a result on an open scale."""

from __future__ import annotations

from hotloop.verdicts import open_scale

EVIDENCE = {
    "open_scale": {
        "unit": "cycles",
        "value": 4800,
        "score": 0.7,
        "marks": {
            "naive": {"score": 0, "value": 80000},
            "lower bound": {"score": 1, "value": 1500},
            "streams": {"score": 0.66},
        },
    }
}


def test_it_shows_value_marks_and_models() -> None:
    drawn = open_scale.scale_svg(EVIDENCE, {"a model": [0.2, 0.5], "a silent one": []})
    assert drawn is not None
    for words in ("yours", "4800 cycles", "80000 cycles", "streams", "0.66", "a model alone"):
        assert words in drawn
    assert "0.50" in drawn, "the best attempt of a model"
    assert "a silent one" not in drawn
    assert "0.700 of the way" in open_scale.describe(EVIDENCE)


def test_other_evidence_has_no_scale() -> None:
    for evidence in ({}, {"open_scale": 3}, {"open_scale": {"score": "high"}}):
        assert open_scale.scale_svg(evidence) is None
        assert open_scale.score_of(evidence) is None
        assert open_scale.speedup(evidence) is None


def test_a_board_ranks_by_speedup_over_the_naive_program() -> None:
    assert open_scale.speedup(EVIDENCE) == (80000 / 4800, 1500 / 4800)
