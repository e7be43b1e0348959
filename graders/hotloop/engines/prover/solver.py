"""z3, with a clock: what a set of facts implies, and integers that nobody has named before."""

import time
from collections.abc import Iterable, Sequence
from typing import Any

from hotloop.engines.prover.polynomial import Polynomials
from hotloop.engines.prover.products import linear
from hotloop.engines.prover.z3_types import Formula, z3

LINEAR_S = 0.5
STEPS_A_SECOND = 2_500_000
PATIENCE = 5
"""By how much a question may overrun its time on a busy machine."""


class NotRead(Exception):
    """The prover does not follow this code, so that nothing is proved. Its text says why."""


class Clock:
    """How long all questions together may take, in seconds of this process on a core."""

    def __init__(self, seconds: float) -> None:
        self._end = time.process_time() + seconds

    @property
    def left_s(self) -> float:
        """Seconds that are left."""
        return self._end - time.process_time()


def model_of(facts: Iterable[Formula], clock: Clock, most_s: float) -> Any:
    """Return z3's model of the facts, False if there is none, and None if time was too short."""
    left = min(clock.left_s, most_s)
    if left <= 0:
        return None
    solver = z3.Solver()
    # z3's own count of its steps: what is proved does not depend on how busy the machine is.
    solver.set("rlimit", max(1, int(left * STEPS_A_SECOND)))
    solver.set("timeout", max(1, int(left * 1000 * PATIENCE)))
    solver.add(*facts)
    answer = solver.check()
    if answer == z3.sat:
        return solver.model()
    return False if answer == z3.unsat else None


def implies(facts: Sequence[Formula], claim: Formula, clock: Clock, most_s: float = 1.0) -> bool:
    """Return whether the claim surely follows from the facts."""
    return contradiction([*facts, z3.Not(claim)], clock, most_s)


def contradiction(
    facts: Sequence[Formula], clock: Clock, most_s: float, *, of_two_programs: bool = False
) -> bool:
    """Return whether the facts surely cannot hold together.

    Weaker facts without products are asked first: z3 decides those at once.
    """
    weaker = linear(facts, of_two_programs=of_two_programs)
    if model_of(weaker, clock, LINEAR_S) is False:
        return True
    return model_of(facts, clock, most_s) is False


def variables(formulas: Iterable[Formula]) -> dict[str, Formula]:
    """Return the variables of formulas, by name."""
    names: dict[str, Formula] = {}
    seen: set[int] = set()
    todo = list(formulas)
    while todo:
        node = todo.pop()
        if node.get_id() in seen:
            continue
        seen.add(node.get_id())
        if z3.is_const(node) and node.decl().kind() == z3.Z3_OP_UNINTERPRETED:
            names[node.decl().name()] = node
        todo += node.children()
    return names


class Names:
    """Makes variables that are different from all others, and keeps what defines them.

    definitions: hold for every value of the other variables, so that they may always be added.
    powers: so do these, but they make questions harder, and few proofs need them.
    """

    def __init__(self) -> None:
        self.definitions: list[Formula] = []
        self._count = 0
        self.powers: list[Formula] = []
        self._quotients: dict[tuple[int, int], tuple[Formula, Formula, Formula, Formula]] = {}

    @property
    def count(self) -> int:
        """How many variables there are: the number of the last one."""
        return self._count

    @property
    def quotients(self) -> list[tuple[Formula, Formula, Formula, Formula]]:
        """Every quotient and remainder, with the number and its divisor."""
        return list(self._quotients.values())

    def integer(self, name: str) -> Formula:
        """Return a new integer."""
        self._count += 1
        return z3.Int(f"{name}!{self._count}")

    def truth(self) -> Formula:
        """Return a new Boolean, of which nothing is known."""
        self._count += 1
        return z3.Bool(f"unknown!{self._count}")

    def power(self, number: Formula) -> Formula:
        """Return the next power of 2, of which only its distance is known; number ≥ 1."""
        key = (number.get_id(), -1)
        if key not in self._quotients:
            power = self.integer("power")
            near = z3.And(power >= number, power <= 2 * number - 1)
            self.definitions.append(z3.Implies(number >= 1, near))
            self.powers.append(z3.Or(*(power == 1 << exponent for exponent in range(31))))
            self._quotients[key] = (power, power, number, number)
        return self._quotients[key][0]

    def divide(self, number: Formula, by: Formula) -> tuple[Formula, Formula]:
        """Return quotient, rounded down, and remainder; they mean nothing unless `by` > 0."""
        # The same number, however it was added up, has one quotient.
        number, by = z3.simplify(number), z3.simplify(by)
        key = (number.get_id(), by.get_id())
        if key not in self._quotients and (known := exact(number, by)) is not None:
            self._quotients[key] = (known, z3.IntVal(0), number, by)
        if key not in self._quotients:
            quotient, rest = self.integer("quotient"), self.integer("rest")
            self.definitions.append(
                z3.Implies(by > 0, z3.And(number == quotient * by + rest, rest >= 0, rest < by))
            )
            # z3 names a formula by a number that another may have once this one is gone.
            self._quotients[key] = (quotient, rest, number, by)
        return self._quotients[key][:2]


def exact(number: Formula, by: Formula) -> Formula | None:
    """Return the quotient if the number is a multiple of `by` as a polynomial, else None."""
    polynomials = Polynomials()
    terms, divisor = (polynomials.of(z3.simplify(each)) for each in (number, by))
    parts = polynomials.divide(terms, divisor) if terms is not None and divisor else None
    return polynomials.formula(parts[0]) if parts is not None and not parts[1] else None
