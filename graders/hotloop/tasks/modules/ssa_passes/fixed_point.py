"""Programs in the dialect `fix` of fixed-point numbers: generated, broken, read, run, simplified.

xDSL reads what a candidate makes of them, in a process of its own, with the dialect that learners
are given and rules of ours.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from hotloop.core import paths
from hotloop.core.wire import as_list, as_message
from hotloop.judge.program import Program
from hotloop.judge.questions import Question, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.tasks.modules.ssa_passes.arithmetic import wrap
from hotloop.tasks.modules.ssa_passes.cleaning import Language
from hotloop.tasks.modules.ssa_passes.language import Malformed
from hotloop.tasks.modules.ssa_passes.regions import LONGEST, Op

COUNT = 60
MOST = 62
FRACTIONS = (0, 4, 8, 16)
I64 = "i64"
PARAMS = (("a", I64), ("b", I64), ("c", "i1"))
FIX_TEXT = Program(
    {
        **{
            name: Path(__file__).parent / "programs" / name
            for name in ("fix_text.py", "mlir_text.py")
        },
        "fix_dialect.py": paths.exercises() / "ssa_passes" / "fix_dialect.py",
    },
    "fix_text.py",
)

Body = tuple[Op, ...]
Values = dict[str, tuple[int, str]]
"""Bits and type, by name."""


def num(fraction: int) -> str:
    """Return the text of a type."""
    return f"!fix.num<{fraction}>"


def fraction_of(kind: str) -> int:
    """Return the fractional bits of a number's type."""
    return int(kind[len("!fix.num<") : -1])


@dataclass(frozen=True)
class FixProgram:
    """One function of two i64 and an i1 that returns an i64. types: of all its values."""

    params: tuple[tuple[str, str], ...]
    body: Body
    types: dict[str, str] = field(default_factory=dict[str, str], compare=False)

    def __str__(self) -> str:
        params = ", ".join(f"%{name}: {kind}" for name, kind in self.params)
        types = dict(self.params)
        lines = ["func.func private @print(i64)", f"func.func @f({params}) -> i64 {{"]
        return "\n".join([*lines, *_written(self.body, types), "}"]) + "\n"

    def run(self, arguments: list[int]) -> list[int]:
        """Return the printed values followed by the result."""
        pairs = zip(self.params, arguments, strict=True)
        values: Values = {name: (value, kind) for (name, kind), value in pairs}
        printed: list[int] = []
        result = _run(self.body, values, printed)
        return [*printed, *(value for value, _ in result)]


def _written(body: Body, types: dict[str, str]) -> Iterator[str]:
    """Yield lines: operations of `fix` in the generic form, the others as people write them."""
    for op in body:
        args = ", ".join(f"%{name}" for name in op.operands)
        kinds = [types[name] for name in op.operands]
        types[op.to] = op.type
        left = f"%{op.to} = " if op.to else ""
        if op.name.startswith("fix."):
            kind = op.attribute.partition(":")[2] or I64
            value = f" <{{value = {op.attribute.partition(':')[0]} : {kind}}}>"
            inside = value if op.name == "fix.constant" else ""
            yield f'{left}"{op.name}"({args}){inside} : ({", ".join(kinds)}) -> {op.type}'
        elif op.name == "scf.if":
            yield f"{left}scf.if {args} -> ({op.type}) {{"
            yield from _written(op.regions[0], dict(types))
            yield "} else {"
            yield from _written(op.regions[1], dict(types))
            yield "}"
        elif op.name == "func.call":
            yield f"func.call @print({args}) : (i64) -> ()"
        else:
            yield f"{'return' if op.name == 'func.return' else op.name} {args} : {kinds[0]}"


def _run(body: Body, values: Values, printed: list[int]) -> list[tuple[int, str]]:
    for op in body:
        operands = [values[name] for name in op.operands]
        if op.name in ("scf.yield", "func.return"):
            return operands
        if op.name == "func.call":
            printed.append(operands[0][0])
        elif op.name == "scf.if":
            yielded = _run(op.regions[0 if operands[0][0] else 1], dict(values), printed)
            values.update(zip([op.to] if op.to else [], yielded, strict=False))
        else:
            values[op.to] = (_computed(op, operands), op.type)
    return []


def _computed(op: Op, operands: list[tuple[int, str]]) -> int:
    """Return the bits of an operation's result."""
    bits = [value for value, _ in operands]
    match op.name.partition(".")[2]:
        case "constant":
            return int({"true": "1", "false": "0"}.get(op.attribute, op.attribute))
        case "pack" | "unpack":
            return bits[0]
        case "add" | "addi":
            return wrap(bits[0] + bits[1])
        case "mul" | "muli":
            return wrap(bits[0] * bits[1])
        case "rescale":
            by = fraction_of(op.type) - fraction_of(operands[0][1])
            return wrap(bits[0] << by) if by >= 0 else bits[0] >> -by
        case "shli" | "shrsi":
            if not 0 <= bits[1] < 64:
                raise Malformed(f"{op.name} shifts by {bits[1]} bits")
            return wrap(bits[0] << bits[1]) if op.name == "arith.shli" else bits[0] >> bits[1]
        case _:
            raise ValueError(f"{op.name} has not been read")


# --- reading --------------------------------------------------------------------------------------


def reader(session: Session) -> Callable[[object], FixProgram]:
    """Return a function that reads a program's text with xDSL. It raises Malformed."""

    def read(text: object) -> FixProgram:
        if not isinstance(text, str) or len(text) > LONGEST:
            raise Malformed(f"it gives {shown(text)}, not a program's text")
        function = as_message(answer := FIX_TEXT.given(session, "reads MLIR").ask("program", text))
        if function is None:
            raise Malformed(str(answer))
        types = {str(name): str(kind) for name, kind in as_list(function["params"])}
        params = tuple(types.items())
        body = _from_plain(as_list(function["body"]), types)
        if not body or body[-1].name != "func.return":
            raise Malformed("its function does not end with return")
        return FixProgram(params, body, types)

    return read


def _from_plain(body: list[object], types: dict[str, str]) -> Body:
    """Return a region's operations. types: of the values before it; those in it are added."""
    ops: list[Op] = []
    for each in body:
        name, operands, attribute, to, kind, regions = as_list(each)
        inner = tuple(_from_plain(as_list(region), types) for region in as_list(regions))
        op = Op(name, tuple(as_list(operands)), attribute, to, kind, inner)
        if not _is_known(op, [types[name] for name in op.operands], types):
            raise Malformed(f"{name} is none of the operations of this task, with these types")
        if to:
            types[to] = kind
        ops.append(op)
    return tuple(ops)


def _is_known(op: Op, kinds: list[str], types: dict[str, str]) -> bool:
    """Whether the machine runs such an operation. xDSL has verified those of `fix`."""
    match op.name:
        case "arith.constant":
            truth = op.type == "i1" and op.attribute in ("true", "false")
            return truth or (op.type == I64 and op.attribute.lstrip("-").isdigit())
        case "arith.addi" | "arith.muli" | "arith.shli" | "arith.shrsi":
            return [*kinds, op.type] == [I64] * 3
        case "func.call":
            return op.attribute == "print" and kinds == [I64] and not op.to
        case "func.return":
            return kinds == [I64]
        case "scf.yield":
            return len(kinds) == 1
        case "scf.if":
            ends = [region[-1] if region else Op("") for region in op.regions]
            yields = all(end.name == "scf.yield" for end in ends)
            return yields and [types[end.operands[0]] for end in ends] == [op.type] * 2
        case _:
            return op.name.startswith("fix.")


# --- what is asked of a result --------------------------------------------------------------------


def same_function(program: FixProgram, result: FixProgram) -> str | None:
    """Return a message if the parameter types differ, else None."""
    if [kind for _, kind in result.params] != [kind for _, kind in program.params]:
        return "its function takes something else"
    return None


def different(program: FixProgram, result: FixProgram, rng: random.Random) -> str | None:
    """Return a message if printed values or result differ on one of six inputs, else None."""
    for condition in (0, 1):
        for _ in range(3):
            wide = (wrap(rng.getrandbits(64)), wrap(rng.getrandbits(64)))
            pair = [rng.choice((1, -1, 7, -30, -(2**63), *wide)) for _ in "ab"]
            arguments = [*pair, condition]
            try:
                now, was = result.run(arguments), program.run(arguments)
            except Malformed as malformed:
                return str(malformed)
            if now != was:
                return f"with {arguments} it gives {now}, not {was}"
    return None


def simplified(program: FixProgram, result: FixProgram, rng: random.Random) -> str | None:
    """Return a message if it computes something else, or a pattern still matches."""
    mismatch = different(program, result, rng)
    if mismatch is not None:
        return mismatch
    ops = list(_all(result.body))
    made = {op.to: op for op in ops if op.to}
    read = {name for op in ops for name in op.operands}
    for op in ops:
        if op.name.startswith("fix.") and (left := _left(op, made, read, result.types)):
            return f"%{op.to} = {op.name}: {left}"
    return None


def _all(body: Body) -> Iterator[Op]:
    for op in body:
        yield op
        for region in op.regions:
            yield from _all(region)


def _left(op: Op, made: dict[str, Op], read: set[str], types: dict[str, str]) -> str | None:
    """Return which pattern matches an operation, or None."""
    sources = [made.get(name, Op("")) for name in op.operands]
    if op.to not in read:
        return "nothing reads it"
    if op.name == "fix.rescale":
        if types[op.operands[0]] == op.type:
            return "it changes nothing"
        inner = sources[0]
        if inner.name == "fix.rescale" and _up(inner, types) == _up(op, types):
            return "it and the rescale that it reads are one"
    if op.name == "fix.add" and any(_is_constant(each, "0") for each in sources):
        return "it adds zero"
    if op.name == "fix.mul":
        ones = [each for each in sources if _is_constant(each, "1") and each.type == num(0)]
        return "it multiplies by one" if ones else None
    opposite = {"fix.pack": "fix.unpack", "fix.unpack": "fix.pack"}.get(op.name)
    if opposite and sources[0].name == opposite and types[sources[0].operands[0]] == op.type:
        return f"it undoes the {opposite} that it reads"
    return None


def _is_constant(op: Op, value: str) -> bool:
    return op.name == "fix.constant" and op.attribute == value


def _up(op: Op, types: dict[str, str]) -> bool:
    return fraction_of(types[op.operands[0]]) < fraction_of(op.type)


def lowered(program: FixProgram, result: FixProgram, rng: random.Random) -> str | None:
    """Return a message if something of `fix` is left, or it computes something else."""
    for op in _all(result.body):
        if op.name.startswith("fix.") or op.type.startswith("!fix."):
            return f"{op.name} with a result of type {op.type or 'none'} is still there"
    return different(program, result, rng)


# --- generation -----------------------------------------------------------------------------------


class _Generator:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.count = 0

    def op(self, name: str, *operands: str, attribute: str = "", kind: str = I64) -> Op:
        self.count += 1
        return Op(name, operands, attribute, f"v{self.count}", kind)

    def body(self, scope: dict[str, str], length: int, depth: int) -> list[Op]:
        """Return operations; their results are added to `scope`."""
        ops: list[Op] = []
        for _ in range(length):
            new = [self.choice(scope, depth)] if depth and self.rng.random() < 0.15 else None
            for op in new or self.step(scope):
                ops.append(op)
                if op.to:
                    scope[op.to] = op.type
        return ops

    def step(self, scope: dict[str, str]) -> list[Op]:
        """Return an operation or a few, among them all that a pattern matches or almost matches."""
        rng = self.rng
        ints = [name for name, kind in scope.items() if kind == I64]
        numbers = [name for name, kind in scope.items() if kind.startswith("!fix")]
        roll = rng.random()
        if not numbers or roll < 0.12:
            return [self.op("fix.pack", rng.choice(ints), kind=num(rng.choice(FRACTIONS)))]
        one = rng.choice(numbers[-6:])
        kind = scope[one]
        if roll < 0.3:
            first = self.op("fix.rescale", one, kind=num(rng.choice(FRACTIONS)))
            return [first, self.op("fix.rescale", first.to, kind=num(rng.choice(FRACTIONS)))]
        if roll < 0.45:
            value = self.op("fix.constant", attribute=str(rng.choice((0, 0, 1, 5))), kind=kind)
            operands = rng.sample((one, value.to), 2)
            return [value, self.op("fix.add", *operands, kind=kind)]
        if roll < 0.6 and fraction_of(kind) <= 24:
            by = rng.choice((0, 0, 8))
            value = self.op("fix.constant", attribute=str(rng.choice((1, 1, 3))), kind=num(by))
            operands = rng.sample((one, value.to), 2)
            return [value, self.op("fix.mul", *operands, kind=num(fraction_of(kind) + by))]
        if roll < 0.75:
            out = self.op("fix.unpack", one)
            return [out, self.op("fix.pack", out.to, kind=rng.choice((kind, num(12))))]
        same = [name for name in numbers if scope[name] == kind]
        if roll < 0.85:
            return [self.op("fix.add", one, rng.choice(same), kind=kind)]
        if roll < 0.93 and 2 * fraction_of(kind) <= MOST:
            return [self.op("fix.mul", one, rng.choice(same), kind=num(2 * fraction_of(kind)))]
        out = self.op("fix.unpack", one)
        return [out, Op("func.call", (out.to,))]

    def choice(self, scope: dict[str, str], depth: int) -> Op:
        """Return an scf.if that gives a number."""
        kind = num(self.rng.choice(FRACTIONS))
        regions: list[Body] = []
        for _ in range(2):
            inside = dict(scope)
            ops = self.body(inside, self.rng.randint(1, 3), depth - 1)
            last = self.op("fix.pack", self.rng.choice("ab"), kind=kind)
            numbers = [name for name, each in inside.items() if each.startswith("!fix")]
            if numbers:
                last = self.op("fix.rescale", self.rng.choice(numbers), kind=kind)
            regions.append((*ops, last, Op("scf.yield", (last.to,))))
        return replace(self.op("scf.if", "c", kind=kind), regions=(regions[0], regions[1]))


def generated(rng: random.Random, length: int) -> FixProgram:
    """Return a program of about `length` steps."""
    generator = _Generator(rng)
    scope = dict(PARAMS)
    ops = generator.body(scope, length, 2)
    numbers = [name for name, kind in scope.items() if kind.startswith("!fix")]
    shown_numbers = rng.sample(numbers, min(8, len(numbers)))
    for name in shown_numbers:
        out = generator.op("fix.unpack", name)
        ops += [out, Op("func.call", (out.to,))]
    return FixProgram(PARAMS, (*ops, Op("func.return", ("a",))))


def generated_many(rng: random.Random, count: int) -> list[FixProgram]:
    """Return `count` programs, the smallest first."""
    return [generated(rng, 2 + number // 4) for number in range(count)]


FAULTS: dict[str, tuple[Op, ...]] = {
    "a sum of different fractions": (
        Op("fix.pack", ("b",), "", "y", num(4)),
        Op("fix.add", ("x", "y"), "", "z", num(8)),
    ),
    "a sum with another fraction": (Op("fix.add", ("x", "x"), "", "z", num(16)),),
    "a product with the fraction of one operand": (Op("fix.mul", ("x", "x"), "", "z", num(8)),),
    "a product with too many fractional bits": (
        Op("fix.rescale", ("x",), "", "y", num(40)),
        Op("fix.mul", ("y", "y"), "", "z", num(80)),
    ),
    "a rescale to too many fractional bits": (Op("fix.rescale", ("x",), "", "z", num(63)),),
    "a number of negative fractional bits": (Op("fix.pack", ("a",), "", "z", num(-1)),),
    "a constant of 32 bits": (Op("fix.constant", (), "5:i32", "z", num(8)),),
}
"""What may follow `x`, a number of 8 fractional bits, and is wrong."""


def broken(rng: random.Random, fault: str, *, nested: bool) -> FixProgram:
    """Return a program with one fault. nested: within a region."""
    program = generated(rng, rng.randint(1, 6))
    wrong = (Op("fix.pack", ("a",), "", "x", num(8)), *FAULTS[fault])
    if nested:
        arm = (*wrong, Op("scf.yield", ("x",)))
        other = (Op("fix.pack", ("b",), "", "w", num(8)), Op("scf.yield", ("w",)))
        wrong = (Op("scf.if", ("c",), "", "n", num(8), (arm, other)),)
    return FixProgram(PARAMS, (*wrong, *program.body))


def verified(rng: Rng) -> Iterator[Question]:
    """Yield programs that are right and programs that are not, in random order."""
    draw = random.Random(int(rng.integers(1 << 62)))
    faults = [(fault, nested) for fault in FAULTS for nested in (False, True)]
    rows = [(broken(draw, fault, nested=nested), fault) for fault, nested in faults]
    rows += [(generated(draw, 2 + number), "") for number in range(len(faults))]
    draw.shuffle(rows)
    for program, fault in rows:
        label = f"A program with {fault}" if fault else "A program without a fault"
        yield Question(label, (str(program),), partial(_told, bool(fault)))


def _told(wrong: bool, answer: object) -> str | None:
    said = isinstance(answer, str) and answer != ""
    if answer is not None and not said:
        return f"it returns {shown(answer)}, not None or a message"
    if said == wrong:
        return None
    return "it finds nothing" if wrong else f"it refuses it: {shown(answer)}"


_LANGUAGE = Language(
    generate=partial(generated_many, count=COUNT),
    write=str,
    reader=reader,
    fits=same_function,
    size=lambda program: sum(1 for _ in _all(program.body)),
)
SIMPLIFIED = replace(_LANGUAGE, entry="simplify_text")
LOWERING = replace(_LANGUAGE, entry="lower_text")
