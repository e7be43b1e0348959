"""What the host's clock says of each line of a step while a device works behind it.

A model with two clocks, the host's and the device's, and supposed costs.
proofs/asynchronous_clock.py shows the same with a real queue.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Line:
    """One line of the step. host, device: milliseconds of work; waits: for all work before it."""

    name: str
    host: int = 0
    device: int = 0
    waits: bool = False


@dataclass
class Timeline:
    """Who worked when: (name, start, end) on the host and on the device."""

    host: list[tuple[str, int, int]] = field(default_factory=list[tuple[str, int, int]])
    device: list[tuple[str, int, int]] = field(default_factory=list[tuple[str, int, int]])


def simulate(step: list[Line], steps: int) -> Timeline:
    """The host goes through the lines; the device takes what it is given, in order."""
    timeline, now, device_free = Timeline(), 0, 0
    for line in step * steps:
        began = now
        now += line.host
        if line.device:
            start = max(now, device_free)  # not before it is launched, not before its turn
            device_free = start + line.device
            timeline.device.append((line.name, start, device_free))
        if line.waits:
            now = max(now, device_free)
        timeline.host.append((line.name, began, now))
    return timeline


STEPS = 10
WORK = [
    Line("next(loader)", host=2),
    Line("forward", host=3, device=12),
    Line("backward", host=5, device=24),
    Line("optimizer.step()", host=2, device=3),
]
READ = Line("loss.item()", waits=True)


def report(title: str, step: list[Line]) -> tuple[float, float]:
    """Print one step, the tenth; return the host's and the true milliseconds a step."""
    timeline = simulate(step, STEPS)
    print(title)
    for name, began, ended in timeline.host[-len(step) :]:
        work = sum(line.device for line in step if line.name == name)
        print(f"  {name:17} host's clock {ended - began:3} ms   device busy {work:3} ms")
    host = timeline.host[-1][2] / STEPS
    true = max(timeline.host[-1][2], timeline.device[-1][2]) / STEPS
    busy = sum(end - start for _, start, end in timeline.device) / STEPS
    print(f"  a step: {host:.1f} ms on the host's clock, {true:.1f} ms until the device is done")
    print(f"  the device is busy {busy / true:.0%} of that time")
    return host, true


def main() -> None:
    """The step with the read, and without."""
    with_read, true_with = report("with loss.item() in every step", [*WORK, READ])
    without, true_without = report("without", WORK)
    assert with_read == true_with == 44
    assert without == 12, "the clock was stopped while the device still had work"
    assert round(true_without) == 40, "39 ms of work a step, and 5 before the first can start"


if __name__ == "__main__":
    main()
