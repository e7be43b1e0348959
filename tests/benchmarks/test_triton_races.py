"""What the benchmark of races says of itself: where and when it ran, and on how much."""

import json
from pathlib import Path

KEPT = json.loads((Path(__file__).parent / "results" / "triton_races.json").read_text("utf-8"))


def test_every_race_of_the_labeled_launches_is_found_and_no_other() -> None:
    assert KEPT["device"]
    assert KEPT["date"]
    assert KEPT["labeled"]["right_reported"] == []
    assert KEPT["labeled"]["racy_never_reported"] == []


def test_enough_public_kernels_ran_in_enough_orders() -> None:
    for library, operators in (("flaggems", 120), ("liger", 17)):
        assert len(KEPT[library]["commit"]) == 40
        assert KEPT[library]["orders"] >= 5
        assert len(KEPT[library]["ran"]) >= operators


def test_every_report_on_a_public_kernel_was_read_and_is_a_race() -> None:
    """nll_loss_nd: its programs add to `scratch_ptr` with `relaxed` and count with `release`; the
    last to arrive loads the sum without an acquire."""
    assert set(KEPT["flaggems"]["reported"]) == {"nll_loss_nd_forward"}
    assert KEPT["liger"]["reported"] == {}
