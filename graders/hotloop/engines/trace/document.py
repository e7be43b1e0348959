"""Parses a trace's JSON one event at a time, without holding all of it in memory.

The standard library's scanner reads each value; this file finds where the next one begins and
fetches more text when a value is cut off. A value longer than `MOST_VALUE` is refused, so memory
use is bounded for any file.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, cast

from hotloop.engines.trace.error import EXPORT_AGAIN, Problem, TraceError

MOST_VALUE = 4 << 20
"""Most characters of one event, or of one value outside the events."""
MOST_KEYS = 10_000
"""Most keys outside the events."""
SCHEMA = 1

_EVENTS = "traceEvents"
_SCHEMA_KEY = "schemaVersion"
_SPACE = re.compile(r"[ \t\n\r]*")
_CUT_WORD = 16  # a cut-off `-1.5e` or `fals` is reported at most this far from the end
_NOT_JSON = f"{EXPORT_AGAIN}, and do not edit it by hand."


class _NotFinite(ValueError):
    pass


def _refuse(word: str) -> float:
    raise _NotFinite(word)


_SCAN = cast(
    Callable[[str, int], tuple[Any, int]],
    cast(Any, json.JSONDecoder(strict=False, parse_constant=_refuse)).scan_once,
)


class Document:
    """Walks over the text once. `problem` creates the errors for this file."""

    def __init__(self, pieces: Iterator[str], problem: Problem) -> None:
        self._pieces = pieces
        self._problem = problem
        self._text = ""
        self._at = 0
        self._before = 0  # characters dropped so far
        self._ended = False

    def events(self) -> Iterator[dict[str, Any]]:
        """Yield the members of `traceEvents`, or of an array that is the whole text.

        Other values are checked and dropped. Raises TraceError if the text is not a trace.
        """
        if self._opened() == "[":
            yield from self._members()
            self._ends()
            return
        self._at += 1
        has_events = False
        if self._peek() == "}":
            raise self._no_events()
        for _ in range(MOST_KEYS):
            if self._key() == _EVENTS:
                if has_events:
                    raise self._problem("it has two lists of traceEvents", _NOT_JSON)
                has_events = True
                yield from self._members()
            if self._closed("}"):
                break
        else:
            raise self._problem(f"it has more than {MOST_KEYS:,} keys beside its events", _NOT_JSON)
        self._ends()
        if not has_events:
            raise self._no_events()

    def _ends(self) -> None:
        if self._peek():
            raise self._malformed("more text follows the end of the trace")

    def _opened(self) -> str:
        """Return the bracket that the text begins with."""
        first = self._peek()
        if not first:
            raise self._problem("the file is empty", f"{EXPORT_AGAIN}.")
        if first not in ("{", "["):
            raise self._malformed("it is not JSON")
        return first

    def _key(self) -> str:
        """Read a key, and its value unless it is the list of events."""
        if self._peek() != '"':
            raise self._unexpected()
        key = self._value()
        if self._peek() != ":":
            raise self._unexpected()
        self._at += 1
        if key != _EVENTS:
            if not self._peek():
                raise self._unexpected()
            value = self._value()
            if key == _SCHEMA_KEY and (type(value) is not int or value != SCHEMA):
                raise self._problem(
                    f"its schema version is another one than {SCHEMA}, the only one known here",
                    "Export it with the torch.profiler of this course's environment.",
                )
        return cast(str, key)

    def _members(self) -> Iterator[dict[str, Any]]:
        if self._peek() != "[":
            raise self._unexpected() if not self._peek() else self._no_events()
        self._at += 1
        if self._peek() == "]":
            self._at += 1
            return
        while True:
            if self._peek() != "{":
                raise self._unexpected()
            yield cast(dict[str, Any], self._value())
            if self._closed("]"):
                return

    def _closed(self, bracket: str) -> bool:
        """Read "," or the closing bracket; return True for the bracket."""
        char = self._peek()
        if char not in {",", bracket} or not char:
            raise self._unexpected()
        self._at += 1
        return char == bracket

    def _peek(self) -> str:
        """Return the next non-space character, or "" at the end of the file."""
        while True:
            self._at = cast(Any, _SPACE.match(self._text, self._at)).end()
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _more(self) -> bool:
        if self._ended:
            return False
        piece = next(self._pieces, None)
        if piece is None:
            self._ended = True
            return False
        self._before += self._at
        self._text = self._text[self._at :] + piece
        self._at = 0
        return True

    def _value(self) -> object:
        """Read the value that begins here. One that ends near the end of the text is read again."""
        while True:
            stopped = len(self._text)
            unterminated = False
            try:
                value, end = _SCAN(self._text, self._at)
                if self._ended or len(self._text) - end > _CUT_WORD:
                    return self._taken(value, end)
            except json.JSONDecodeError as error:
                stopped, unterminated = error.pos, error.msg.startswith("Unterminated")
            except StopIteration as error:
                stopped = cast(int, error.value)
            except RecursionError:
                raise self._problem(
                    "its values are nested absurdly deep", f"{EXPORT_AGAIN}."
                ) from None
            except ValueError as error:
                raise self._bad_number(error) from None
            self._longer(cut=unterminated or len(self._text) - stopped <= _CUT_WORD)

    def _taken(self, value: object, end: int) -> object:
        if end - self._at > MOST_VALUE:
            raise self._too_long()
        self._at = end
        return value

    def _longer(self, *, cut: bool) -> None:
        """Double the text, so that a long value is scanned twice in total."""
        length = len(self._text) - self._at
        if length > MOST_VALUE:
            raise self._too_long() if cut else self._malformed("it is not JSON")
        ended = self._ended
        wanted = min(2 * length, MOST_VALUE + _CUT_WORD + 1)
        while len(self._text) - self._at < wanted and self._more():
            pass
        if ended:
            raise self._truncated() if cut else self._malformed("it is not JSON")

    def _unexpected(self) -> TraceError:
        return self._malformed("it is not JSON") if self._peek() else self._truncated()

    def _malformed(self, what: str) -> TraceError:
        where = self._before + self._at
        return self._problem(f"{what} (looked at from character {where:,} on)", _NOT_JSON)

    def _truncated(self) -> TraceError:
        return self._problem(
            "it ends in the middle of the JSON, so it was cut off or is still being written",
            f"{EXPORT_AGAIN}, and see that the disk is not full.",
        )

    def _too_long(self) -> TraceError:
        return self._problem(
            f"one event in it is longer than {MOST_VALUE >> 20} million characters",
            "Record without `record_shapes`, or name your ranges shorter.",
        )

    def _bad_number(self, error: ValueError) -> TraceError:
        what = "NaN or Infinity" if isinstance(error, _NotFinite) else "one of thousands of digits"
        return self._problem(f"a number in it is not finite ({what})", f"{EXPORT_AGAIN}.")

    def _no_events(self) -> TraceError:
        return self._problem(
            "it has no list of traceEvents, so it is not a trace of torch.profiler",
            "Give the file that `prof.export_chrome_trace(path)` wrote.",
        )
