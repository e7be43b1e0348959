"""How often the attackers of a log succeeded."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from hotloop.author.attack.log import Attempt, Control, Fault, Reading
from hotloop.core.intervals import highest_rate


@dataclass(frozen=True)
class Rate:
    """Of a part of the attempts. successes: those with a claim that no reader has refuted."""

    attempts: int
    claimed: int
    successes: int

    @property
    def highest(self) -> float:
        """The upper 95 % bound of the rate of successes."""
        return highest_rate(self.successes, self.attempts)


@dataclass(frozen=True)
class Report:
    """The lines of a log, by kind. readings: by attempt, the last one counts."""

    attempts: Sequence[Attempt]
    faults: Sequence[Fault]
    controls: Sequence[Control]
    readings: dict[tuple[str, str, int], Reading]

    @classmethod
    def of(cls, lines: Iterable[Control | Attempt | Fault | Reading]) -> "Report":
        """Sort the lines of a log."""
        lines = list(lines)
        return cls(
            [line for line in lines if isinstance(line, Attempt)],
            [line for line in lines if isinstance(line, Fault)],
            [line for line in lines if isinstance(line, Control)],
            {line.key: line for line in lines if isinstance(line, Reading)},
        )

    @property
    def left_out(self) -> list[Control]:
        """Of the tasks that cannot be attacked on this machine."""
        return [control for control in self.controls if control.fault]

    def is_success(self, attempt: Attempt) -> bool:
        """Return whether it has claims and no reader says that they were deserved."""
        reading = self.readings.get(attempt.key)
        return bool(attempt.claims) and (reading is None or reading.success)

    def rate(self, chosen: Callable[[Attempt], bool] = lambda _attempt: True) -> Rate:
        """Return the rate of the attempts that are chosen."""
        attempts = [each for each in self.attempts if chosen(each)]
        claimed = [each for each in attempts if each.claims]
        return Rate(len(attempts), len(claimed), sum(map(self.is_success, claimed)))

    def by(self, name: Callable[[Attempt], str]) -> dict[str, Rate]:
        """Return the rates by a property of the attempts, in the order of its values."""
        counts = Counter(map(name, self.attempts))
        return {value: self.rate(lambda a, v=value: name(a) == v) for value in sorted(counts)}
