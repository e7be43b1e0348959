"""The discrete-event model: one queue, nodes that grade several submissions at once, and devices.

A submission takes a place on a node and keeps it until it is done. Its stages follow each other:
each has a part that runs beside other submissions and, if speed is measured, a part with exclusive
use of the node's device. The effect depends on the lease:

- `machine`: a readers-writer lock with a turnstile, as in `hotloop.judge.lease`. A measurement
  waits until all other stages on the node have ended, and keeps new ones out at once: without the
  real lease's patience, which takes less time where there are more places than cores.
- `device`: a measurement waits only for other measurements; other stages go on.
- `none`: nothing waits. Its speeds would be wrong: it is the lower bound for any lease.
"""

from collections import deque
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import simpy

from simulation.times import Stage

Lease = Literal["machine", "device", "none"]
Steps = Generator[simpy.Event, Any, None]


@dataclass(frozen=True)
class Site:
    """The machines: nodes with one device each, and how many gradings run at once on a node."""

    nodes: int
    places: int
    lease: Lease


@dataclass(frozen=True)
class Arrival:
    """A submission that is handed in at `at_s` and then needs `stages`."""

    at_s: float
    stages: Sequence[Stage]


@dataclass
class Outcome:
    """Seconds by submission, in the order of arrival, and the utilization of the site.

    waited: from handing in to the start of grading. answered: from handing in to the feedback.
    """

    waited: list[float] = field(default_factory=list[float])
    answered: list[float] = field(default_factory=list[float])
    end_s: float = 0.0
    places_use: float = 0.0
    devices_use: float = 0.0


class _Room(Protocol):
    def shared(self, seconds: float) -> Steps: ...
    def exclusive(self, seconds: float) -> Steps: ...


def simulate(site: Site, arrivals: Sequence[Arrival]) -> Outcome:
    """Simulate all arrivals. Simulated time starts at 0 s."""
    environment = simpy.Environment()
    run = _Run(environment, site, arrivals)
    environment.run()
    return run.outcome()


class _Run:
    def __init__(
        self, environment: simpy.Environment, site: Site, arrivals: Sequence[Arrival]
    ) -> None:
        self._environment, self._site, self._arrivals = environment, site, arrivals
        self._rooms = [_room(environment, site) for _ in range(site.nodes)]
        self._free = [site.places] * site.nodes
        self._queue: deque[int] = deque()
        self._began = [0.0] * len(arrivals)
        self._done = [0.0] * len(arrivals)
        self._busy = self._measuring = 0.0
        environment.process(self._hand_in())

    def outcome(self) -> Outcome:
        """Return the result, after the run."""
        first = min((arrival.at_s for arrival in self._arrivals), default=0.0)
        end = max(self._done, default=0.0)
        span = max(end - first, 1e-9)
        pairs = list(zip(self._arrivals, self._began, self._done, strict=True))
        return Outcome(
            waited=[began - arrival.at_s for arrival, began, _ in pairs],
            answered=[done - arrival.at_s for arrival, _, done in pairs],
            end_s=end,
            places_use=self._busy / span / (self._site.nodes * self._site.places),
            devices_use=self._measuring / span / self._site.nodes,
        )

    def _hand_in(self) -> Steps:
        order = sorted(range(len(self._arrivals)), key=lambda index: self._arrivals[index].at_s)
        for index in order:
            yield self._environment.timeout(self._arrivals[index].at_s - self._environment.now)
            self._queue.append(index)
            self._begin_what_can()

    def _begin_what_can(self) -> None:
        """Start the oldest submissions, each on the node with most free places."""
        while self._queue and max(self._free):
            node = self._free.index(max(self._free))
            self._free[node] -= 1
            self._environment.process(self._grade(self._queue.popleft(), node))

    def _grade(self, index: int, node: int) -> Steps:
        room = self._rooms[node]
        self._began[index] = self._environment.now
        for stage in self._arrivals[index].stages:
            yield from room.shared(stage.shared_s)
            if stage.exclusive_s:
                yield from room.exclusive(stage.exclusive_s)
                self._measuring += stage.exclusive_s
        self._done[index] = self._environment.now
        self._busy += self._done[index] - self._began[index]
        self._free[node] += 1
        self._begin_what_can()


class _Open:
    """The lease `none`."""

    def __init__(self, environment: simpy.Environment) -> None:
        self._environment = environment

    def shared(self, seconds: float) -> Steps:
        yield self._environment.timeout(seconds)

    def exclusive(self, seconds: float) -> Steps:
        yield self._environment.timeout(seconds)


class _OwnDevice(_Open):
    """The lease `device`: one measurement at a time per device."""

    def __init__(self, environment: simpy.Environment) -> None:
        super().__init__(environment)
        self._device = simpy.Resource(environment)

    def exclusive(self, seconds: float) -> Steps:
        with self._device.request() as turn:
            yield turn
            yield self._environment.timeout(seconds)


class _WholeMachine(_Open):
    """The lease `machine`: one measurement alone on the node, or any number of other stages."""

    def __init__(self, environment: simpy.Environment, places: int) -> None:
        super().__init__(environment)
        self._turnstile = simpy.Resource(environment)
        self._room = simpy.Container(environment, capacity=places, init=places)
        self._places = places

    def shared(self, seconds: float) -> Steps:
        yield from self._held(1, seconds)

    def exclusive(self, seconds: float) -> Steps:
        yield from self._held(self._places, seconds)

    def _held(self, parts: int, seconds: float) -> Steps:
        with self._turnstile.request() as turn:
            yield turn
            yield self._room.get(parts)
        yield self._environment.timeout(seconds)
        yield self._room.put(parts)


def _room(environment: simpy.Environment, site: Site) -> _Room:
    if site.lease == "machine":
        return _WholeMachine(environment, site.places)
    return _OwnDevice(environment) if site.lease == "device" else _Open(environment)
