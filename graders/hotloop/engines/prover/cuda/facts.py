"""What is known of the integers that stand for a thread, its loops and what it reads."""

from collections.abc import Container, Mapping, Sequence

from hotloop.engines.prover.solver import Names, variables
from hotloop.engines.prover.z3_types import Formula, z3


class Facts:
    """Which variables are the same for all threads, and what defines the others.

    facts: hold of every thread. of_all: formulas that are the same for all threads of a block.
    """

    def __init__(self, names: Names, facts: Sequence[Formula], of_all: Sequence[Formula]) -> None:
        self.names = names
        self.facts: list[Formula] = list(facts)
        self._of_all = {*variables([*facts, *of_all])}
        self._uniform = set(self._of_all)
        self._defined: dict[str, list[Formula]] = {}
        self._quotients: list[Formula] = []
        self._by_newest: dict[str, list[Formula]] = {}
        self._definitions = 0
        self._known: dict[int, tuple[Formula, Mapping[str, Formula]]] = {}

    def is_uniform(self, formula: Formula) -> bool:
        """Return whether all threads of a block surely have the same value of a formula."""
        return all(
            name in self._uniform or name in self._defined
            for name in self._behind_it(formula, self._uniform)
        )

    def _behind_it(self, formula: Formula, known: Container[str] = ()) -> dict[str, Formula]:
        """Return a formula's variables and what defines them. known: are not looked at."""
        for quotient, rest, number, by in self.names.quotients[len(self._quotients) :]:
            self._quotients.append(quotient)
            for each in (quotient, rest):
                if z3.is_const(each) and not z3.is_int_value(each):
                    self._defined.setdefault(each.decl().name(), [number, by, quotient, rest])
        found: dict[str, Formula] = {}
        todo = [formula]
        while todo:
            for name, one in self._variables(todo.pop()).items():
                if name not in found:
                    found[name] = one
                    todo += self._defined.get(name, []) if name not in known else []
        return found

    def _variables(self, formula: Formula) -> Mapping[str, Formula]:
        number = formula.get_id()
        if number not in self._known:
            self._known[number] = formula, variables([formula])
        return self._known[number][1]

    def _closed(self, facts: Sequence[Formula], *more: Formula) -> list[Formula]:
        """Return the facts with what defines their variables, and nothing else."""
        found: dict[int, Formula] = {}
        todo, seen = [*facts, *more], set[str]()
        while todo:
            for name in self._variables(todo.pop()):
                if name not in seen:
                    seen.add(name)
                    new = [each for each in self._about(name) if each.get_id() not in found]
                    found |= {each.get_id(): each for each in new}
                    todo += new
        return [*found.values(), *facts]

    def _about(self, name: str) -> list[Formula]:
        """Return the definitions of a variable."""
        for each in self.names.definitions[self._definitions :]:
            for newest in sorted(self._variables(each), key=_age)[-2:]:
                self._by_newest.setdefault(newest, []).append(each)
        self._definitions = len(self.names.definitions)
        return self._by_newest.get(name, [])

    @staticmethod
    def _is_known(formula: Formula, first: int, *also: Formula) -> bool:
        """Return whether a formula has no variable that is newer than `first`."""
        mine = {each.decl().name() for each in also}
        return all(name in mine or _age(name) <= first for name in variables([formula]))

    def _is_shared(self, name: str) -> bool:
        return name in self._of_all


def _age(name: str) -> int:
    """Return how many variables there were before this one; 0 for a size."""
    return int(name.rpartition("!")[2]) if "!" in name else 0
