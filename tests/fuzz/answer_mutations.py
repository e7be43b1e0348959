"""Replies of a candidate's process: arbitrary ones, and right ones with one part altered."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import cycle
from typing import Any

from hypothesis import strategies as st
from stand_in import Data, Exchange

HUGE = '"<1e999>"'
"""A number that JSON parses as infinity; `json.dumps` cannot write it."""


def _deep(depth: int, kind: bool) -> Any:
    value: Any = 1
    for _ in range(depth):
        value = [value] if kind else {"a": value}
    return value


scalars = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.sampled_from([10**9, 2**31, 2**63, -(2**63), 10**12, 10**30, 10**3000, -1, "<1e999>"])
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "nan", "inf", "1", "\0", "../..", "x" * 5000, "é", "\ud7ff", "{}"])
    | st.text(max_size=6)
)
plain = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
) | st.builds(_deep, st.sampled_from([50, 400, 900]), st.booleans())


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    inner: Any = ()
    if isinstance(value, dict):
        inner = value.items()
    if isinstance(value, list):
        inner = list(enumerate(value))[:12]
    for key, each in inner:
        yield from _places(each, (*path, key))


def _altered(value: Any, path: tuple[Any, ...], act: Callable[[Any, Any], Any]) -> Any:
    """Return a copy of `value` in which `act(holder, key)` was applied at the end of `path`."""
    holder: Any = {"": json.loads(json.dumps(value))}
    whole, place = holder, ("", *path)
    for key in place[:-1]:
        holder = holder[key]
    act(holder, place[-1])
    return whole.get("", None)


ALTERATIONS = (
    *("replace", "remove", "empty", "double", "wrap", "text", "add", "negate"),
    *("first", "last", "shorten", "reverse"),
)


def _instead(kind: str, old: Any, new: Any) -> Any:
    """Return `old` altered in a way, or `new` if it cannot be altered that way."""
    if isinstance(old, bool | None):
        return new
    ways: dict[str, Callable[[], Any]] = {
        "wrap": lambda: [old],
        "text": lambda: str(old),
        "empty": lambda: type(old)(),
    }
    if isinstance(old, list | str):
        ways |= {
            "double": lambda: old + old,
            "first": lambda: old[:1],
            "last": lambda: old[-1:],
            "shorten": lambda: old[:-1],
            "reverse": lambda: old[::-1],
        }
    if isinstance(old, list):
        ways["add"] = lambda: [*old, new]
    if isinstance(old, dict):
        ways["add"] = lambda: {**old, "another": new}
    if isinstance(old, int | float):
        ways["negate"] = lambda: -old
    return ways.get(kind, lambda: new)()


@st.composite
def near_misses(draw: st.DrawFn, value: Any) -> Any:
    """Draw `value` with one part replaced, removed, emptied, doubled or of another type."""
    places = list(_places(value))
    path = places[draw(st.integers(0, len(places) - 1))]
    kind, new = draw(st.sampled_from(ALTERATIONS)), draw(plain)

    def act(holder: Any, key: Any) -> None:
        old = holder[key]
        if kind == "remove":
            del holder[key]
        else:
            holder[key] = _instead(kind, old, new)

    return _altered(value, path, act)


def body_of(reply: Any) -> bytes:
    """Return the reply's body as it is sent."""
    return json.dumps(reply).replace(HUGE, "1e999").encode()


@st.composite
def near_reply(draw: st.DrawFn, said: Exchange) -> tuple[bytes, Data]:
    """Draw an exchange's answer with one part altered: in the reply, or in the buffers."""
    if said.data and draw(st.booleans()):
        return body_of(said.reply), draw(_spoiled(said))
    answers = said.reply.get("returned")
    if isinstance(answers, list) and answers and draw(st.integers(0, 3)):
        index = draw(st.integers(0, len(answers) - 1))
        holder = answers[index]
        if isinstance(holder, dict) and "json" in holder:
            changed = [*answers]
            changed[index] = {"json": draw(near_misses(holder["json"]))}
            return body_of({**said.reply, "returned": changed}), said.data
    return body_of(draw(near_misses(said.reply))), said.data


SPOILED = (b"\xff" * 8, b"\0" * 8, b"\x7f\xf0" * 4, b"\0\0\x80\x7f" * 2, b'{[}]\n,:"')
"""NaN, zero, a large float64, infinity in float32, and characters of JSON."""


@st.composite
def _spoiled(draw: st.DrawFn, said: Exchange) -> Data:
    number = draw(st.sampled_from(sorted(said.data)))
    old = said.data[number]
    length = len(old)
    if said.op == "get_file":
        length = min(length, said.reply["bytes"])
    place = draw(st.integers(0, max(0, length - 8)))
    new = draw(st.sampled_from(SPOILED))
    if draw(st.booleans()):
        return {**said.data, number: new * (len(old) // 8)}
    return {**said.data, number: old[:place] + new + old[place + 8 :]}


@dataclass(frozen=True)
class Noise:
    """An answer unrelated to the recorded one: arbitrary values, in a reply that may be malformed.

    form: how the reply is made. values: used for the values in it. data: written to the buffers.
    """

    form: str
    values: list[Any]
    data: bytes

    def instead_of(self, said: Exchange) -> tuple[bytes, Data]:
        """Return the frame's body, and the buffers."""
        data = {number: _filled(self.data, len(old)) for number, old in said.data.items()}
        if self.form == "bytes":
            return self.data, data
        if self.form == "json":
            return body_of(self.values[0]), data
        values = cycle(self.values)
        reply: Any = {"ok": True}
        for key in said.reply:
            if key not in {"ok", "error", "returned"}:
                reply[key] = next(values)
        if "returned" in said.reply:
            reply["returned"] = [{"json": next(values)} for _ in said.reply["returned"]]
        if said.op == "get_file" and self.form == "file":
            reply["bytes"] = len(self.data)
        return body_of(reply), data


noises = st.builds(
    Noise,
    st.sampled_from(["bytes", "json", "answer", "answer", "file", "file"]),
    st.lists(plain, min_size=1, max_size=3),
    st.binary(min_size=1, max_size=40),
)


def _filled(data: bytes, length: int) -> bytes:
    return (data * (length // len(data) + 1))[:length]
