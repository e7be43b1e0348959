"""The model of a class's submissions, on cases whose outcome is known without it."""

import statistics
import sys
from pathlib import Path
from random import Random
from xml.etree import ElementTree

import pytest
from pydantic import ValidationError

sys.path.insert(0, str(Path(__file__).parent))

pytest.importorskip("simpy", reason="simpy comes with the group dev")

from simulation.drawing import chart
from simulation.model import Arrival, Lease, Site, simulate
from simulation.times import ServiceTimes, Stage, TaskTimes
from simulation.workloads import HOUR_S, deadline, stream

TIMES = ServiceTimes(
    device="d",
    date="2026-01-01",
    module="m",
    around_s=[1.0, 2.0],
    tasks={
        "right_or_not": TaskTimes(
            right=[Stage(shared_s=3.0, exclusive_s=8.0)],
            failed=[Stage(shared_s=0.5, exclusive_s=0.0)],
        )
    },
)


def stages(*parts: tuple[float, float]) -> list[Stage]:
    return [Stage(shared_s=shared, exclusive_s=exclusive) for shared, exclusive in parts]


def test_a_submission_alone_takes_the_sum_of_its_parts() -> None:
    for lease in ("machine", "device", "none"):
        outcome = simulate(Site(2, 4, lease), [Arrival(5.0, stages((1, 2), (3, 0)))])
        assert outcome.waited == [0.0]
        assert outcome.answered == [pytest.approx(6.0)]


def test_who_finds_no_place_waits_for_one() -> None:
    outcome = simulate(Site(1, 1, "none"), [Arrival(0.0, stages((4, 0)))] * 3)
    assert outcome.waited == pytest.approx([0.0, 4.0, 8.0])
    assert outcome.places_use == pytest.approx(1.0)


def test_the_next_goes_where_fewest_are() -> None:
    both = [Arrival(0.0, stages((1, 9))), Arrival(0.5, stages((1, 9)))]
    assert simulate(Site(2, 8, "device"), both).answered == pytest.approx([10.0, 10.0])
    assert simulate(Site(1, 8, "device"), both).answered == pytest.approx([10.0, 18.5])


@pytest.mark.parametrize(("lease", "last"), [("none", 12.0), ("device", 22.0), ("machine", 24.0)])
def test_a_lease_keeps_out_what_it_must(lease: Lease, last: float) -> None:
    """Two submissions measure for 10 s each, after 2 s; a third one has 4 s of other work.

    With a lease of the device, each measurement waits for the other only. With a lease of the
    machine, the first also waits for the third submission.
    """
    arrivals = [
        Arrival(0.0, stages((2, 10))),
        Arrival(0.0, stages((2, 10))),
        Arrival(0.0, stages((4, 0))),
    ]
    assert max(simulate(Site(1, 3, lease), arrivals).answered) == pytest.approx(last)


def test_who_measures_is_not_overtaken_for_ever() -> None:
    """New submissions wait behind the turnstile: without it, one of two would always be running."""
    measures = Arrival(0.5, stages((1, 10)))
    others = [Arrival(float(second), stages((2, 0))) for second in range(30)]
    outcome = simulate(Site(1, 3, "machine"), [measures, *others])
    assert outcome.answered[0] < 15.0


@pytest.mark.slow
def test_the_mean_wait_is_that_of_the_formula() -> None:
    """M/D/1: a share ρ of the time in use, service of s seconds: mean wait ρ·s / (2·(1 - ρ)).

    Source: Gross et al., Fundamentals of Queueing Theory, 4th ed., section 5.1 (the
    Pollaczek-Khinchine formula).
    """
    rng, at_s, arrivals = Random(4), 0.0, list[Arrival]()
    for _ in range(40_000):
        at_s += rng.expovariate(0.7)
        arrivals.append(Arrival(at_s, stages((1, 0))))
    outcome = simulate(Site(1, 1, "none"), arrivals)
    assert statistics.mean(outcome.waited) == pytest.approx(0.7 / (2 * 0.3), rel=0.06)
    assert outcome.places_use == pytest.approx(0.7, rel=0.02)


def test_no_lease_is_the_bound_that_no_lease_beats() -> None:
    arrivals = stream(TIMES, 200.0, 4.0, 1, share_right=0.7)
    means = [
        statistics.mean(simulate(Site(1, 4, lease), arrivals).answered)
        for lease in ("none", "device", "machine")
    ]
    assert means == sorted(means)


def test_every_part_of_a_submission_was_measured() -> None:
    rng = Random(1)
    for _ in range(50):
        around, task = TIMES.visit(rng, 0.5)
        assert around.shared_s in TIMES.around_s
        known = TIMES.tasks["right_or_not"]
        assert task in (*known.right, *known.failed)


def test_a_class_is_whole_before_its_deadline_and_most_come_late() -> None:
    window = {"day_s": 48 * HOUR_S, "rush_s": 3 * HOUR_S, "share_right": 1.0}
    at = [arrival.at_s for arrival in deadline(TIMES, 2000, 1, **window)]
    assert len(at) == 2000
    assert min(at) >= 0
    assert max(at) <= 48 * HOUR_S
    assert statistics.median(at) == pytest.approx((48 - 3 * 0.693) * HOUR_S, rel=0.01)
    plain = deadline(TIMES, 10, 1, **window, speed=False)
    assert all(stage.exclusive_s == 0 for arrival in plain for stage in arrival.stages)


def test_a_file_with_a_key_that_nobody_knows_is_refused() -> None:
    with pytest.raises(ValidationError, match="gpu_s"):
        ServiceTimes.model_validate(TIMES.model_dump() | {"gpu_s": 1})


def test_the_picture_is_a_document_that_names_its_lines() -> None:
    lines = {"one <&>": [(1, 200.0), (2, 20.0)], "two": [(1, 3.0), (2, 0.2)]}
    root = ElementTree.fromstring(chart("Title", "GPUs", "minutes", lines, (10.0, "ten")))
    text = " ".join(root.itertext())
    assert all(name in text for name in (*lines, "Title", "GPUs", "minutes", "ten"))
