"""Lowering by legality, with types that change: casts, what is left over, all or nothing."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class Op:
    """result: type = dialect.name(arguments)."""

    result: str
    type: str
    name: str
    arguments: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.result}: {self.type} = {self.name}({', '.join(self.arguments)})"


Pattern = Callable[[Op], list[Op]]
CAST = "builtin.unrealized_conversion_cast"


class FailedError(Exception):
    """An operation could not be made legal."""


# --8<-- [start:convert]
@dataclass
class Conversion:
    """Rewrites what is illegal until it is legal, into a new list: the program is left alone."""

    legal: Callable[[Op], bool]
    patterns: dict[str, Pattern]
    types: dict[str, str]
    partial: bool
    done: list[Op] = field(default_factory=list)
    type_of: dict[str, str] = field(default_factory=dict)
    meant: dict[str, str] = field(default_factory=dict)

    def __call__(self, program: list[Op]) -> list[Op]:
        """All or nothing: FailedError where an operation stays illegal."""
        for op in program:
            self.meant[op.result] = op.type
            self._legalise(op, 0)
        return self.done

    def _operand(self, name: str, wanted: str) -> str:
        """The value in the type that is wanted: itself, or a cast of it."""
        if self.type_of[name] == wanted:
            return name
        cast = Op(f"{name}.{wanted}", wanted, CAST, (name,))
        if cast.result not in self.type_of:
            self._emit(cast)
        return cast.result

    def _emit(self, op: Op) -> None:
        self.done.append(op)
        self.type_of[op.result] = op.type

    def _keep(self, op: Op) -> None:
        """As it is, with operands in the types that it was written for."""
        old = tuple(self._operand(a, self.meant.get(a, self.type_of[a])) for a in op.arguments)
        self._emit(replace(op, arguments=old))

    def _legalise(self, op: Op, depth: int) -> None:
        if depth == 0 and (self.legal(op) or (self.partial and op.name not in self.patterns)):
            self._keep(op)
        elif op.name not in self.patterns or depth > 8:
            raise FailedError(f"failed to legalise {op.name}")
        else:
            for new in self.patterns[op.name](op):
                self._place(new, depth)

    def _place(self, new: Op, depth: int) -> None:
        """What a pattern made: it wants the new types, and may itself be illegal."""
        types = [self.meant.get(a, self.type_of[a]) for a in new.arguments]
        wanted = [self.types.get(each, each) for each in types]
        operands = tuple(map(self._operand, new.arguments, wanted))
        made = replace(new, arguments=operands)
        if self.legal(made):
            self._emit(made)
        else:
            self._legalise(made, depth + 1)


def reconcile(program: list[Op]) -> list[Op]:
    """A cast there and back again is the value itself; what has no user then goes."""
    source = {op.result: op for op in program}
    same: dict[str, str] = {}
    for op in program:
        if op.name == CAST:
            inner = source[op.arguments[0]]
            if inner.name == CAST and source[inner.arguments[0]].type == op.type:
                same[op.result] = inner.arguments[0]
    replaced = [
        replace(op, arguments=tuple(same.get(a, a) for a in op.arguments)) for op in program
    ]
    used = {a for op in replaced for a in op.arguments}
    return [op for op in replaced if op.name != CAST or op.result in used]


# --8<-- [end:convert]


def main() -> None:
    """A graph on tensors to loops on buffers."""
    program = [
        Op("x", "tensor", "func.argument"),
        Op("a", "tensor", "graph.relu", ("x",)),
        Op("b", "tensor", "graph.softmax", ("a",)),
        Op("c", "tensor", "graph.relu", ("b",)),
        Op("d", "tensor", "graph.relu", ("c",)),
    ]
    patterns: dict[str, Pattern] = {
        "graph.relu": lambda op: [Op(op.result, "memref", "loops.relu", op.arguments)],
    }
    types = {"tensor": "memref"}

    def legal(op: Op) -> bool:
        return op.name.startswith(("loops.", "func.", "builtin."))

    try:
        Conversion(legal, patterns, types, partial=False)(program)
        refused = ""
    except FailedError as error:
        refused = str(error)
    print(f"full conversion: {refused}; the program is as it was, {len(program)} operations")
    assert refused == "failed to legalise graph.softmax"

    partly = reconcile(Conversion(legal, patterns, types, partial=True)(program))
    print("partial conversion:")
    for op in partly:
        print(f"  {op}")
    casts = sum(op.name == CAST for op in partly)
    assert casts == 3, "into the first relu, and around what was not converted"

    patterns["graph.softmax"] = lambda op: [
        Op("m", "memref", "graph.exp", op.arguments),
        Op(op.result, "memref", "loops.normalize", ("m",)),
    ]
    try:
        Conversion(legal, patterns, types, partial=True)(program)
        broken = ""
    except FailedError as error:
        broken = str(error)
    print(f"a pattern whose result nobody can lower: {broken}")
    assert broken == "failed to legalise graph.exp"
    patterns["graph.exp"] = lambda op: [Op(op.result, "memref", "loops.exp", op.arguments)]
    whole = reconcile(Conversion(legal, patterns, types, partial=False)(program))
    casts = sum(op.name == CAST for op in whole)
    print(
        f"with a pattern for exp: {len(whole)} operations, {casts} cast, at the function's border"
    )
    assert casts == 1
    assert len({op.result for op in whole}) == len(whole)


if __name__ == "__main__":
    main()
