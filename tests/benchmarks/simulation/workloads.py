"""Arrival times of submissions: a class at its deadline, and a hiring team's steady stream."""

from random import Random

from simulation.model import Arrival
from simulation.times import ServiceTimes, correctness_only

HOUR_S = 3600.0


def deadline(
    times: ServiceTimes,
    learners: int,
    seed: int,
    *,
    day_s: float,
    rush_s: float,
    share_right: float,
    speed: bool = True,
) -> list[Arrival]:
    """Return a class's submissions in the last `day_s` before its deadline, denser towards the end.

    The time that a learner leaves before the deadline is exponential with mean `rush_s`.
    """
    rng = Random(seed)
    left = [min(rng.expovariate(1 / rush_s), day_s) for _ in range(learners)]
    return [_arrival(times, rng, day_s - early, share_right, speed) for early in left]


def stream(
    times: ServiceTimes,
    an_hour: float,
    hours: float,
    seed: int,
    *,
    share_right: float,
    speed: bool = True,
) -> list[Arrival]:
    """Return independent candidates' submissions: a Poisson process."""
    rng = Random(seed)
    arrivals: list[Arrival] = []
    at_s = rng.expovariate(an_hour / HOUR_S)
    while at_s < hours * HOUR_S:
        arrivals.append(_arrival(times, rng, at_s, share_right, speed))
        at_s += rng.expovariate(an_hour / HOUR_S)
    return arrivals


def _arrival(
    times: ServiceTimes, rng: Random, at_s: float, share_right: float, speed: bool
) -> Arrival:
    stages = times.visit(rng, share_right)
    return Arrival(at_s, stages if speed else correctness_only(stages))
