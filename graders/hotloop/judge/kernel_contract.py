"""What may be assumed of a task's calls, by the shapes of its hidden cases.

Sizes that are equal in every case are one symbol; so are those that are always a multiple, a
product or a sum of others. What is assumed is said with each proof (`Contract.in_words`).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from hotloop.engines.prover.contract import Contract, PlainArgument, Symbol, TensorArgument
from hotloop.judge.calls import CallSpec, TensorSpec

FEW = 4
"""Different values of a plain integer up to which each is a kind of call of its own."""
ENOUGH_CASES = 4
"""Before a product, a sum or a multiple is believed to be no coincidence."""
FEWEST_COUNTS = 3
"""Different numbers of tiles that make a size's tiles no coincidence."""
MOST_KINDS = 8
LEAST_MULTIPLE = 4
SURE_MULTIPLE = 16
"""A power of two by which a kernel's tiles may be cut: the second of which few cases suffice."""

Numbers = tuple[int, ...]
"""A quantity's value in each case."""


class NoContract(Exception):
    """The cases are not of one form. Its text says why."""


@dataclass(frozen=True)
class KindOfCall:
    """A contract, and the symbols' values in those cases that are of its kind, by case."""

    contract: Contract
    values: Mapping[int, Mapping[str, int]]


@dataclass
class _Sizes:
    """Texts by the numbers that they are in the cases. multiples: see `kinds_of_call`."""

    cases: int
    multiples: bool = False
    texts: dict[Numbers, str] = field(default_factory=dict[Numbers, str])
    symbols: dict[str, Symbol] = field(default_factory=dict[str, Symbol])
    numbers: dict[str, Numbers] = field(default_factory=dict[str, Numbers])

    def new(self, label: str, numbers: Numbers, least: int = 1) -> str:
        """Return a new symbol."""
        name = f"s{len(self.symbols)}_"
        self.symbols[name] = Symbol(label, min(least, *numbers))
        self.numbers[name] = numbers
        return name

    def read(self, quantities: Mapping[str, Numbers]) -> None:
        """Give each quantity a text, the smaller first, from which the larger are made."""
        order = sorted(quantities.items(), key=lambda one: sum(one[1]))
        for label, numbers in order:
            if numbers not in self.texts:
                self.texts[numbers] = self._text(label, numbers)

    def _text(self, label: str, numbers: Numbers) -> str:
        if len(set(numbers)) == 1:
            return str(numbers[0])
        known = [(text, of) for of, text in self.texts.items() if len(set(of)) > 1]
        for text, of in known:
            if (factor := _ratio(numbers, of)) is not None:
                return f"{factor}*({text})"
            if all(a == b + 1 for a, b in zip(numbers, of, strict=True)):
                return f"{text} + 1"
        if self.cases >= ENOUGH_CASES:
            for text in _combine(numbers, known):
                return text
            for text, of in reversed(known):
                if _is_multiple(numbers, of):
                    ratio = tuple(a // b for a, b in zip(numbers, of, strict=True))
                    return f"({text})*{self.new(f'the multiple in {label}', ratio)}"
        common = math.gcd(*numbers)
        power = common & -common if self.multiples else 1
        if power >= (LEAST_MULTIPLE if self.cases >= ENOUGH_CASES else SURE_MULTIPLE):
            tiles = tuple(each // power for each in numbers)
            return f"{power}*{self.new(f'({label} / {power})', tiles)}"
        return self.new(label, numbers)


def kinds_of_call(
    calls: Sequence[CallSpec], names: Sequence[str], *, multiples: bool = False
) -> list[KindOfCall]:
    """Return a contract for each kind of call. names: of the parameters, the output's last.

    multiples: sizes that are multiples of one power of two in all cases always are, as the text of
    a task with tiles says.

    Raises NoContract if tensors differ in their number of axes, or if there are too many kinds.
    """
    specs = [[*call.arguments, call.out] for call in calls]
    if any(len(each) != len(names) for each in specs):
        raise NoContract("the calls differ in their number of arguments")
    columns = list(zip(*specs, strict=True))
    sizes = _Sizes(len(calls), multiples)
    sizes.read(dict(_quantities(columns, names)))
    at_least: list[tuple[str, str]] = []
    arguments: list[TensorArgument | PlainArgument | None] = []
    for name, column in zip(names, columns, strict=True):
        tensors = [one for one in column if isinstance(one, TensorSpec)]
        if len(tensors) == len(column):
            arguments.append(_tensor(name, tensors, sizes, at_least))
        elif tensors:
            raise NoContract(f"`{name}` is not always a tensor")
        else:
            arguments.append(_plain(name, column, sizes))
    return _kinds(columns, names, arguments, sizes, at_least)


def _kinds(
    columns: Sequence[Sequence[object]],
    names: Sequence[str],
    arguments: Sequence[TensorArgument | PlainArgument | None],
    sizes: _Sizes,
    at_least: Sequence[tuple[str, str]],
) -> list[KindOfCall]:
    """Split the calls by the plain values of which there are few."""
    open_ = [index for index, one in enumerate(arguments) if one is None]
    kinds: dict[tuple[object, ...], list[int]] = {}
    for case in range(len(columns[0])):
        key = tuple(repr(columns[index][case]) for index in open_)
        kinds.setdefault(key, []).append(case)
    if len(kinds) > MOST_KINDS:
        raise NoContract("the calls are of too many kinds")
    tiles = list(_tiles(columns, sizes))
    result: list[KindOfCall] = []
    for members in kinds.values():
        filled: list[TensorArgument | PlainArgument] = []
        for index, one in enumerate(arguments):
            value = columns[index][members[0]]
            if one is None:
                assert value is None or isinstance(value, bool | int | str)
                filled.append(PlainArgument(names[index], value=value))
            else:
                filled.append(one)
        values = {
            case: {name: numbers[case] for name, numbers in sizes.numbers.items()}
            for case in members
        }
        cut = [(count, size, each[members[0]]) for count, size, each in tiles]
        result.append(KindOfCall(Contract(sizes.symbols, filled, at_least, cut), values))
    return result


def _tiles(
    columns: Sequence[Sequence[object]], sizes: _Sizes
) -> Iterator[tuple[str, str, Numbers]]:
    """Yield symbols that are another one's number of tiles in every case, with the tiles' sizes."""
    if sizes.cases < ENOUGH_CASES:
        return
    columns_of_tiles = [
        tuple(one for one in column if isinstance(one, int) and one > 1) for column in columns
    ]
    always = [(1 << power,) * sizes.cases for power in range(1, 13)]
    for count, counts in sizes.numbers.items():
        if len(set(counts)) < FEWEST_COUNTS:
            continue
        for size, whole in sizes.numbers.items():
            for each in (*columns_of_tiles, *always):
                if count != size and _are_tiles(counts, whole, each):
                    yield count, size, each
                    break


def _are_tiles(counts: Numbers, whole: Numbers, each: Numbers) -> bool:
    return len(each) == len(counts) and all(
        count == -(-size // tile) for count, size, tile in zip(counts, whole, each, strict=True)
    )


def as_in_no_case(values: Mapping[str, int], kinds: Sequence[KindOfCall]) -> tuple[str, str] | None:
    """Return the labels of two sizes, the first above the second here and in no case; or None.

    Cases can have rules that no contract says. Sizes that break one are no counterexample.
    """
    cases = [case for kind in kinds for case in kind.values.values()]
    symbols = kinds[0].contract.symbols
    if len(cases) < ENOUGH_CASES:
        return None
    for a in symbols:
        for b in symbols:
            if values[a] > values[b] and all(case[a] <= case[b] for case in cases):
                return symbols[a].label, symbols[b].label
    return None


def _quantities(
    columns: Sequence[Sequence[object]], names: Sequence[str]
) -> Iterator[tuple[str, Numbers]]:
    for name, column in zip(names, columns, strict=True):
        tensors = [one for one in column if isinstance(one, TensorSpec)]
        if len({len(one.shape) for one in tensors}) > 1:
            raise NoContract(f"`{name}` does not always have the same number of axes")
        if len(tensors) == len(column):
            for axis in range(len(tensors[0].shape)):
                yield f"{name}.shape[{axis}]", tuple(one.shape[axis] for one in tensors)
    for name, column in zip(names, columns, strict=True):
        integers = tuple(one for one in column if isinstance(one, int))
        if len(integers) == len(column) and _is_size(integers):
            yield name, integers


def _is_size(numbers: Numbers) -> bool:
    whole = not any(isinstance(each, bool) for each in numbers)
    return whole and len(set(numbers)) > FEW and min(numbers) >= 0


def _plain(name: str, column: Sequence[object], sizes: _Sizes) -> PlainArgument | None:
    """Return the argument; None if its value makes a kind of call."""
    if any(isinstance(one, float) for one in column):
        return PlainArgument(name, unknown=True)
    integers = tuple(one for one in column if isinstance(one, int))
    if len(integers) == len(column) and not any(isinstance(one, bool) for one in column):
        if integers in sizes.texts and len(set(integers)) > 1:
            return PlainArgument(name, text=sizes.texts[integers])
        if _is_size(integers):
            raise NoContract(f"`{name}`")
    return None


def _tensor(
    name: str, specs: Sequence[TensorSpec], sizes: _Sizes, at_least: list[tuple[str, str]]
) -> TensorArgument:
    rank = len(specs[0].shape)
    texts = [sizes.texts[tuple(one.shape[axis] for one in specs)] for axis in range(rank)]
    orders = {one.order or tuple(range(rank)) for one in specs}
    strides = ["1"] * rank
    bytes_each = {one.dtype.bytes for one in specs}
    disjoint = all(one.row_gap >= 0 for one in specs)
    if len(orders) > 1:
        for axis in range(rank):
            numbers = tuple(one.strides[axis] for one in specs)
            if set(numbers) != {1}:
                strides[axis] = sizes.new(f"{name}.stride({axis})", numbers, 0)
    else:
        order = orders.pop()
        step = "1"
        for place, axis in enumerate(reversed(order)):
            strides[axis] = step
            step = texts[axis] if step == "1" else f"({step})*({texts[axis]})"
            if place == 0 and any(one.row_gap for one in specs) and rank > 1:
                row = tuple(one.shape[axis] + one.row_gap for one in specs)
                symbol = sizes.new(f"{name}.stride({order[-2]})", row, 0)
                if disjoint:
                    at_least.append((symbol, step))
                step = symbol
    return TensorArgument(
        name, texts, strides, disjoint, bytes_each.pop() if len(bytes_each) == 1 else 0
    )


def _ratio(numbers: Numbers, of: Numbers) -> int | None:
    """Return the factor above 1 by which all numbers are those, or None."""
    if 0 in of or numbers[0] % of[0]:
        return None
    factor = numbers[0] // of[0]
    same = all(a == factor * b for a, b in zip(numbers, of, strict=True))
    return factor if same and factor > 1 else None


def _combine(numbers: Numbers, known: Sequence[tuple[str, Numbers]]) -> Iterator[str]:
    for index, (one, a) in enumerate(known):
        for other, b in known[index:]:
            if all(n == x * y for n, x, y in zip(numbers, a, b, strict=True)):
                yield f"({one})*({other})"
    for one, a in known:
        for other, b in known:
            for factor in (1, 2):
                if all(n == x + factor * y for n, x, y in zip(numbers, a, b, strict=True)):
                    yield f"{one} + {factor}*({other})"


def _is_multiple(numbers: Numbers, of: Numbers) -> bool:
    if 0 in of or any(a % b for a, b in zip(numbers, of, strict=True)):
        return False
    return len({b for b in of if b > 1}) >= 2 and sum(b > 1 for b in of) >= ENOUGH_CASES
