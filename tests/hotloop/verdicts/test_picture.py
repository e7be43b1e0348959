"""The drawing of a speed measurement."""

import xml.etree.ElementTree as ET
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hotloop.verdicts.picture import bars, describe, seconds, speed_svg

EVIDENCE: dict[str, Any] = {
    "baseline_seconds": {"p20": 0.0018, "p50": 0.002, "p80": 0.0022},
    "candidate_seconds": {"p20": 0.0009, "p50": 0.001, "p80": 0.0011},
    "ratio": 2.0,
    "interval": [1.9, 2.1],
    "levels": [{"ratio": 1.5, "earned": 0.5}, {"ratio": 2.5, "earned": 1.0}],
    "gb_per_s": 12.34,
    "fraction_of_limit": 0.4,
    "limit_ratio": 5.0,
    "reference_ratio": 2.6,
}


def rects(evidence: dict[str, Any]) -> list[float]:
    svg = speed_svg(evidence)
    assert svg is not None
    return [float(r.get("width", 0)) for r in ET.fromstring(svg).findall(".//{*}rect")]


def test_bars_are_as_long_as_their_ratios() -> None:
    widths = rects(EVIDENCE)
    assert [round(width / widths[0], 1) for width in widths] == [1.0, 2.0, 2.6, 5.0]


def test_a_limit_far_away_leaves_room_for_what_was_measured() -> None:
    far = {**EVIDENCE, "limit_ratio": 836.4}
    widths = rects(far)
    assert [round(width / widths[0], 1) for width in widths] == [1.0, 2.0, 2.6], "no bar of 836"
    assert widths[2] > rects(EVIDENCE)[3] / 2
    svg = speed_svg(far)
    assert svg is not None
    assert "836× · 2.39 µs" in svg
    assert "The bar of the limit is cut short." in describe(far)
    assert "cut short" not in describe(EVIDENCE)


def test_rows_and_times() -> None:
    rows = bars(EVIDENCE)
    assert [row.label for row in rows] == ["naive", "yours", "reference", "device’s limit"]
    assert rows[1].seconds == 0.001
    assert rows[3].seconds == pytest.approx(0.0004)
    assert [row.interval for row in rows] == [None, (1.9, 2.1), None, None]


def test_what_was_not_measured_is_not_drawn_but_told() -> None:
    partial = {**EVIDENCE, "reference_ratio": None, "limit_ratio": None, "fraction_of_limit": None}
    assert [row.label for row in bars(partial)] == ["naive", "yours"]
    assert "limit is not yet measured" in describe(partial)
    assert "reference is not yet measured" in describe(partial)
    assert "not yet measured" not in describe(EVIDENCE)


def test_the_text_alternative_says_it_all() -> None:
    svg = speed_svg(EVIDENCE)
    assert svg is not None
    label = ET.fromstring(svg).get("aria-label")
    assert label == (
        "2.00 times as fast as naive (95 % interval 1.90 to 2.10); 12.3 GB/s, "
        "40% of what this device can do."
    )


def test_a_limit_that_is_not_the_devices_has_its_name() -> None:
    served = {**EVIDENCE, "gb_per_s": None, "limit": "the network alone"}
    assert bars(served)[3].label == "network alone"
    assert describe(served).endswith(", 40% of the speed of the network alone.")


def test_the_slowest_answers_are_told_where_requests_were_timed_one_by_one() -> None:
    served = {**EVIDENCE, "p95_seconds": [0.0169, 0.0115]}
    assert describe(served).endswith(
        " 95 % of the answers came within 11.5 ms, naive’s within 16.9 ms."
    )
    assert "95 % of" not in describe({**EVIDENCE, "p95_seconds": [0.0169, None]})


def test_only_the_level_for_all_points_is_labeled() -> None:
    svg = speed_svg({**EVIDENCE, "levels": [*EVIDENCE["levels"], {"ratio": 4.0, "earned": 0.0}]})
    assert svg is not None
    assert svg.count("all points") == 1
    assert "all points: 2.50×" in svg


@pytest.mark.parametrize("missing", ["baseline_seconds", "candidate_seconds", "ratio"])
def test_no_measurement_no_drawing(missing: str) -> None:
    assert speed_svg({k: v for k, v in EVIDENCE.items() if k != missing}) is None


def test_durations() -> None:
    shown = [seconds(value) for value in (2.0, 0.0123, 4.5e-5, 7e-9)]
    assert shown == ["2 s", "12.3 ms", "45 µs", "7 ns"]


_anything = st.none() | st.booleans() | st.text() | st.floats(0.001, 1e6) | st.lists(st.integers())


@pytest.mark.slow
@given(
    st.fixed_dictionaries(
        {}, optional=dict.fromkeys([*EVIDENCE, "limit", "p95_seconds"], _anything)
    )
)
def test_odd_evidence_breaks_nothing(changes: dict[str, Any]) -> None:
    svg = speed_svg({**EVIDENCE, **changes})
    if svg is not None:
        ET.fromstring(svg)
