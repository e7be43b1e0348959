"""A task's function and its kernels under a contract: what is proved of each."""

# What is read can be of any type: a tuple of the file's holds anything.
# pyright: reportUnknownVariableType=false, reportUnknownArgumentType=false

import ast
import time
from collections.abc import Mapping, Sequence
from typing import Any

from hotloop.engines.prover import access
from hotloop.engines.prover.contract import (
    MOST_ELEMENTS,
    Contract,
    PlainArgument,
    TensorArgument,
    size,
)
from hotloop.engines.prover.kernel import Kernel
from hotloop.engines.prover.launcher import Launch, Path, paths
from hotloop.engines.prover.module import Dotted, Module
from hotloop.engines.prover.products import PRODUCTS
from hotloop.engines.prover.report import (
    COUNTEREXAMPLE,
    PROVED,
    TESTED,
    Claim,
    Counterexample,
    Report,
)
from hotloop.engines.prover.solver import Clock, Names, NotRead, model_of
from hotloop.engines.prover.values import (
    NOTHING,
    Tensor,
    Value,
    as_value,
    in_range,
    of_formula,
    unknown,
)
from hotloop.engines.prover.z3_types import Formula, z3

KERNEL_S = 5.0
"""Time for one kernel on one path, on a core."""
LAUNCHER_S = 3.0
TOTAL_S = 20.0
_ABOUT = ("bounds", "races")
SMALL = (1, 2, 3, 5, 9, 17, 33, 65, 129, 257, 1025, 4097)
"""Sizes that a smallest counterexample is looked for below."""


class Call:
    """The arguments of the call as values, and the facts that the contract gives."""

    def __init__(self, contract: Contract) -> None:
        self.symbols: dict[str, Formula] = {name: z3.Int(name) for name in contract.symbols}
        self.facts: list[Formula] = []
        for name, symbol in contract.symbols.items():
            extent = self.symbols[name]
            self.facts += [extent >= symbol.least, extent <= MOST_ELEMENTS]
        for more, less in contract.at_least:
            self.facts.append(self._size(more) >= self._size(less))
        for count, cut, each in contract.tiles:
            tiles, whole = self._size(count), self._size(cut)
            self.facts += [tiles * each >= whole, tiles * each < whole + each]
        self.arguments: list[Any] = []
        for number, one in enumerate(contract.arguments):
            self.arguments.append(self._argument(number, one))

    def _argument(self, number: int, one: TensorArgument | PlainArgument) -> Any:
        if isinstance(one, PlainArgument):
            if one.unknown:
                return unknown()
            return one.value if not one.text else _plain(self._size(one.text))
        tensor = Tensor(
            one.name,
            [self._size(text) for text in one.sizes],
            [self._size(text) for text in one.strides],
            argument=number,
            disjoint=one.disjoint,
            bytes_each=one.bytes_each,
        )
        self.facts += of_size(tensor)
        return tensor

    def _size(self, text: str) -> Formula:
        formula = size(text, self.symbols)
        return z3.IntVal(formula) if isinstance(formula, int) else formula


def of_size(tensor: Tensor) -> list[Formula]:
    """Return the facts that a tensor exists and is not too large."""
    extent: Any = z3.IntVal(1)
    for count, stride in zip(tensor.sizes, tensor.strides, strict=True):
        extent = extent + (count - 1) * stride
    return [
        *(count <= MOST_ELEMENTS for count in tensor.sizes),
        tensor.elements <= MOST_ELEMENTS,
        z3.simplify(extent) <= MOST_ELEMENTS,
    ]


def _plain(formula: Formula) -> Any:
    simple = z3.simplify(formula)
    return int(simple.as_long()) if z3.is_int_value(simple) else of_formula(simple)


def prove(
    source: str,
    entry: str,
    contract: Contract,
    recorded: Sequence[Mapping[str, Any]] = (),
    *,
    total_s: float = TOTAL_S,
) -> Report:
    """Return what holds of every kernel that `entry` launches.

    recorded: calls whose launches are known: `values` of the symbols, and `launches` as in a launch
    plan. If what is read here differs from any, nothing is proved.
    """
    started = time.process_time()
    PRODUCTS.clear()
    names = Names()
    try:
        module = Module(source)
        module.require_clear(entry)
        if entry not in module.functions:
            raise NotRead(f"`{entry}` is no function of this file")
        if module.functions[entry].decorator_list:
            raise NotRead(f"`{entry}` has a decorator")
        call = Call(contract)
        clock = Clock(LAUNCHER_S)
        ways = paths(module, names, module.functions[entry], call.arguments, call.facts, clock)
        if not ways:
            raise NotRead("no launch of a kernel is found")
        _require_agreement(ways, call, names, recorded)
    except Exception as reason:  # noqa: BLE001 - no file may end a proof otherwise
        return Report(unread("", reason), time.process_time() - started)
    claims: dict[tuple[str, str], Claim] = {}
    spent: dict[str, float] = {}
    for way in ways:
        for launch in way.launches:
            began = time.process_time()
            seconds = min(KERNEL_S, total_s - (began - started))
            for claim in _of_launch(module, names, call, way, launch, Clock(seconds)):
                key = (claim.kernel, claim.about)
                if key not in claims or _rank(claim) > _rank(claims[key]):
                    claims[key] = claim
            name = launch.kernel.name
            spent[name] = spent.get(name, 0.0) + time.process_time() - began
    return Report(list(claims.values()), time.process_time() - started, spent)


def _rank(claim: Claim) -> int:
    return (PROVED, TESTED, COUNTEREXAMPLE).index(claim.result)


def _of_launch(
    module: Module, names: Names, call: Call, way: Path, launch: Launch, clock: Clock
) -> list[Claim]:
    name = launch.kernel.name
    facts = [*call.facts, *way.facts]
    for tensor in way.scratch:
        facts += of_size(tensor)
    first = len(names.definitions)
    kernel = Kernel(module, names, launch.grid, facts)
    try:
        kernel.read(launch.kernel, _arguments(launch))
    except Exception as reason:  # noqa: BLE001 - no kernel may end a proof otherwise
        return unread(name, reason, kernel.line)
    definitions = names.definitions
    shared = [*facts, *launch.grid, *definitions[:first], *_formulas(launch)]

    def smallest(facts: Sequence[Formula]) -> Any:
        return smallest_model([*facts, *names.powers], list(call.symbols.values()), clock)

    finding = access.check_needs(kernel, definitions, clock)
    places: list[access.Places] = []
    for each in kernel.accesses:
        one, place = access.check_bounds(each, definitions, clock, smallest)
        places.append(place)
        if finding.proved or (one.model is not None and finding.model is None):
            finding = one
        if finding.model is not None:
            break
    bounds = _claim(name, "bounds", finding, call, way)
    if not finding.proved:
        # Places that may be outside are no places to compare.
        why = "its accesses are not proved to be in bounds"
        return [bounds, Claim(name, "races", TESTED, why, finding.line)]
    races = access.check_races(kernel, places, definitions, shared, clock, smallest)
    return [bounds, _claim(name, "races", races, call, way)]


def unread(
    kernel: str, reason: Exception, line: int | None = None, abouts: Sequence[str] = _ABOUT
) -> list[Claim]:
    """Return the claims about what was not followed to its end."""
    why = str(reason) if isinstance(reason, NotRead) else "something in it that I do not follow"
    return [Claim(kernel, about, TESTED, why, line, read=False) for about in abouts]


def _claim(name: str, about: str, finding: access.Finding, call: Call, way: Path) -> Claim:
    if finding.proved:
        return Claim(name, about, PROVED)
    if finding.model is None:
        return Claim(name, about, TESTED, finding.reason, finding.line)
    example = _example(finding.model, call, way)
    return Claim(name, about, COUNTEREXAMPLE, finding.reason, finding.line, example)


def smallest_model(facts: Sequence[Formula], sizes: Sequence[Formula], clock: Clock) -> Any:
    """Return a model in which no size is large, or None if none is found in time."""
    for most in SMALL:
        model = model_of([*facts, *(each <= most for each in sizes)], clock, access.SEARCH_S)
        if model:
            return _fewest(facts, sizes, model, clock)
    return None


def _fewest(facts: Sequence[Formula], sizes: Sequence[Formula], model: Any, clock: Clock) -> Any:
    """Make one size after the other as small as it can be."""
    together = list(facts)
    for each in sizes:
        low, high = -1, number_of(model, each)
        while high - low > 1:
            middle = (low + high) // 2
            smaller = model_of([*together, each <= middle], clock, access.SEARCH_S / 2)
            if smaller:
                model, high = smaller, number_of(smaller, each)
            else:
                low = middle
        together.append(each <= high)
    return model


def number_of(model: Any, formula: Formula) -> int:
    """Return what a formula is in a model."""
    return int(model.eval(formula, model_completion=True).as_long())


def _arguments(launch: Launch) -> dict[str, Any]:
    """Return the arguments as the kernel sees them."""
    parameters = [*launch.kernel.args.args, *launch.kernel.args.kwonlyargs]
    fixed = {
        each.arg
        for each in parameters
        if each.annotation is not None and ast.unparse(each.annotation).endswith("constexpr")
    }
    return {
        name: _argument(value, constexpr=name in fixed) for name, value in launch.arguments.items()
    }


def _argument(value: Any, *, constexpr: bool) -> Any:
    if isinstance(value, Tensor):
        start = z3.IntVal(0)
        return Value("pointer", (), lambda _: (start, NOTHING), tensor=value)
    if constexpr or value is None or isinstance(value, str | bool | Dotted):
        return value
    if isinstance(value, float):
        return unknown()
    if isinstance(value, ast.FunctionDef | tuple):
        return value
    one = as_value(value)
    if one.kind != "int":
        return one
    formula, needs = one.at(())
    together = {**needs, **{each.get_id(): each for each in in_range(formula, 32)}}
    return of_formula(formula, 32, together)


def _formulas(launch: Launch) -> list[Formula]:
    return [
        value.at(())[0]
        for value in launch.arguments.values()
        if isinstance(value, Value) and value.kind in {"int", "bool"} and value.shape == ()
    ]


def _require_agreement(
    ways: Sequence[Path], call: Call, names: Names, recorded: Sequence[Mapping[str, Any]]
) -> None:
    """Raise NotRead if a call launched something else than what is read here."""
    clock = Clock(LAUNCHER_S)
    for one in recorded:
        values = [call.symbols[name] == value for name, value in one["values"].items()]
        for way in ways:
            equal = _equalities(way, one["launches"])
            facts = [*call.facts, *way.facts, *names.definitions, *names.powers, *values]
            if equal is not None and model_of([*facts, *equal], clock, 1.0):
                break
        else:
            raise NotRead("the launcher launched something else than I read")


def _equalities(way: Path, launches: Sequence[Mapping[str, Any]]) -> list[Formula] | None:
    """Return what makes a path's launches the recorded ones; None if nothing does."""
    if len(way.launches) != len(launches):
        return None
    scratch: dict[int, int] = {}
    equal: list[Formula] = []
    for mine, theirs in zip(way.launches, launches, strict=True):
        if mine.kernel.name != theirs["kernel"]:
            return None
        equal += [a == b for a, b in zip(mine.grid, theirs["grid"], strict=False)]
        for name, value in theirs["arguments"].items():
            one = _equality(mine.arguments.get(name), value, scratch)
            if one is None:
                return None
            equal.append(one)
    return equal


def _equality(mine: Any, theirs: Mapping[str, Any], scratch: dict[int, int]) -> Formula | None:
    """Return what makes an argument the recorded one. scratch: recorded numbers by those here."""
    if isinstance(mine, Tensor) or "tensor" in theirs:
        return z3.BoolVal(True) if _is_same_tensor(mine, theirs, scratch) else None
    value = theirs.get("value")
    if isinstance(mine, Value):
        if mine.kind != "int":
            return z3.BoolVal(True)
        whole = isinstance(value, int) and not isinstance(value, bool)
        return mine.at(())[0] == value if whole else None
    same = isinstance(mine, float | Dotted) or mine == value
    return z3.BoolVal(True) if same else None


def _is_same_tensor(mine: Any, theirs: Mapping[str, Any], scratch: dict[int, int]) -> bool:
    if not isinstance(mine, Tensor) or theirs.get("offset", 1):
        return False
    if theirs["tensor"] == "argument":
        return mine.argument == theirs["index"]
    if mine.scratch is None:
        return False
    return scratch.setdefault(mine.scratch, theirs["index"]) == theirs["index"]


def _example(model: Any, call: Call, way: Path) -> Counterexample:
    launches: list[dict[str, Any]] = []
    for launch in way.launches:
        grid = [number_of(model, count) for count in launch.grid]
        arguments = {name: _plan_argument(value, model) for name, value in launch.arguments.items()}
        launches.append({"kernel": launch.kernel.name, "grid": grid, "arguments": arguments})
    scratch = [
        {"elements": number_of(model, one.elements), "filled": one.filled, "dtype": one.dtype}
        for one in way.scratch
    ]
    values = {name: number_of(model, symbol) for name, symbol in call.symbols.items()}
    return Counterexample(values, launches, scratch)


def _plan_argument(value: Any, model: Any) -> dict[str, Any]:
    if isinstance(value, Tensor):
        if value.scratch is not None:
            return {"tensor": "scratch", "index": value.scratch}
        return {"tensor": "argument", "index": value.argument}
    if isinstance(value, Dotted):
        return {"type": value.rpartition(".")[2]}
    if isinstance(value, Value):
        if value.kind != "int":
            return {"value": 1.0}
        return {"value": number_of(model, value.at(())[0])}
    return {"value": value}
