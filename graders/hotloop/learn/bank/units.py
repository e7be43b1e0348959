"""The accepted notations of an answer's unit, and their factors to the requested unit."""

from collections.abc import Iterator, Mapping

_THOUSANDS: Mapping[str, float] = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_BINARY: Mapping[str, float] = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}
_WORDS: Mapping[str, float] = {"thousand": 1e3, "million": 1e6, "billion": 1e9}
_MULTIPLES: Mapping[str, float] = {**_THOUSANDS, **_WORDS}
_BYTES: Mapping[str, float] = {"bytes": 1, "byte": 1, "B": 1}
_BITS: Mapping[str, float] = {"bits": 1, "bit": 1, "b": 1}
_TIMES: Mapping[str, float] = {
    "s": 1,
    "seconds": 1,
    "ms": 1e-3,
    "us": 1e-6,
    "µs": 1e-6,
    "μs": 1e-6,  # the Greek letter; the line above has the micro sign
    "ns": 1e-9,
    "min": 60,
    "h": 3600,
}


def readings(unit: str) -> dict[str, float]:
    """Return each notation of the unit with its factor to `unit`; "" is a bare number.

    A page can check answers with this alone: look up the written unit, exactly or else ignoring
    case, and multiply.
    """
    name, per = _split(unit)
    known = dict(_family(name))
    own = known.get(name, 1.0)
    named = {f"{way}{per}": factor / own for way, factor in known.items()}
    bare = {way: factor / own for way, factor in known.items() if way in _MULTIPLES}
    return {"": 1.0, unit: 1.0, **bare, **named}


def base_factor(unit: str) -> float:
    """Return the factor of a bare number meant in the unit without prefix: bytes for GB."""
    name, _ = _split(unit)
    return 1 / dict(_family(name)).get(name, 1.0)


def is_bytes(unit: str) -> bool:
    """Return True for a unit of bytes, with or without a prefix, also per second."""
    return _measures(_split(unit)[0], _BYTES)


def shown(value: float, unit: str) -> str:
    """Return the number formatted for people, with a prefixed form in addition if it is long."""
    plain = f"{value:,.0f}" if value == round(value) else f"{value:,.4g}"
    text = f"{plain} {unit}".strip()
    name, per = _split(unit)
    symbol = "B" if name in _BYTES else name
    if abs(value) < 1e4 or not (name in _BYTES or "FLOP" in name):
        return text
    prefix, factor = max((p for p in _THOUSANDS.items() if p[1] <= abs(value)), key=lambda p: p[1])
    return f"{text} ({value / factor:.4g} {prefix.replace('K', 'k')}{symbol}{per})"


def _split(unit: str) -> tuple[str, str]:
    """Split `GB/s` into `GB` and `/s`."""
    name, slash, rest = unit.strip().partition("/")
    return name.strip(), f"{slash}{rest.strip()}"


def _family(name: str) -> Iterator[tuple[str, float]]:
    """Yield all notations of the quantity that `name` measures, with their factors."""
    if name in _TIMES:
        yield from _TIMES.items()
    elif name == "%":
        yield from {"%": 0.01, "percent": 0.01}.items()
    elif _measures(name, _BYTES):
        yield from _scaled(_BYTES, 1)
        yield from _scaled(_BITS, 1 / 8)
    elif _measures(name, _BITS):
        yield from _scaled(_BITS, 1)
        yield from _scaled(_BYTES, 8)
    else:
        yield from _counted(name)


def _measures(name: str, ways: Mapping[str, float]) -> bool:
    return any(name == way for way, _ in _scaled(ways, 1))


def _scaled(ways: Mapping[str, float], worth: float) -> Iterator[tuple[str, float]]:
    for way, factor in ways.items():
        yield way, factor * worth
        for prefix, power in {**_THOUSANDS, **_BINARY}.items():
            yield f"{prefix}{way}", factor * worth * power


def _counted(name: str) -> Iterator[tuple[str, float]]:
    """Yield notations of counted things, such as tokens or FLOP, with or without their name."""
    scaled = name[:1] in _THOUSANDS and name[1:].startswith("FLOP")
    bare = name[1:] if scaled else name
    for way in dict.fromkeys((bare, bare.removesuffix("s"), f"{bare.removesuffix('s')}s")):
        yield way, 1.0
        for multiple, power in _MULTIPLES.items():
            yield f"{multiple}{way}", power
            yield f"{multiple} {way}", power
    yield from _MULTIPLES.items()
