"""One variant of a module, as plain data that judge, packs and notebooks exchange."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self, cast

FORMAT = 1

VARIANT_FILE = "variant.json"
"""Lies beside a candidate's notebook, so that `check()` there judges the right variant."""

_KEYS = {"format", "module", "options", "names"}
_IDENTIFIER = re.compile(r"[a-z][a-z0-9_]{0,59}")
_CALLABLE = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,59}")
_OPTION = re.compile(r"[a-z0-9_.,-]{1,60}")


@dataclass(frozen=True)
class Variant:
    """options: the chosen option by choice. names: new names of callables by their plain names.

    Without either it is the module as courses teach it.
    """

    module: str
    options: Mapping[str, str] = field(default_factory=dict[str, str])
    names: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def is_plain(self) -> bool:
        """Nothing differs."""
        return not self.options and not self.names

    @property
    def digest(self) -> str:
        """Tells variants apart without saying what they are; empty for the plain one."""
        if self.is_plain:
            return ""
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def called(self, name: str) -> str:
        """What the callable `name` is called here."""
        return self.names.get(name, name)

    def values(self) -> dict[str, Any]:
        """All constants of the module's choices; plain ones where this variant says nothing."""
        # A judge without a variant needs no library that reads a module's files.
        from hotloop.variants.form import values_of

        return dict(values_of(self))

    def to_json(self) -> dict[str, Any]:
        """A document of plain JSON types."""
        return {
            "format": FORMAT,
            "module": self.module,
            "options": dict(self.options),
            "names": dict(self.names),
        }

    @classmethod
    def from_json(cls, document: object) -> Self:
        """Read what `to_json` wrote. ValueError for anything else.

        Whether the module has such a variant is for `form.require` to say.
        """
        if not isinstance(document, dict):
            raise ValueError("a variant is an object")
        given = cast(dict[str, object], document)
        if set(given) != _KEYS:
            raise ValueError(f"a variant has the keys {', '.join(sorted(_KEYS))}, and no others")
        if given["format"] != FORMAT:
            raise ValueError(f"variant format {given['format']!r} is not {FORMAT}")
        module = given["module"]
        if not isinstance(module, str) or _IDENTIFIER.fullmatch(module) is None:
            raise ValueError("a variant's module is no module's name")
        options = _texts(given["options"], "options", _IDENTIFIER, _OPTION)
        names = _texts(given["names"], "names", _CALLABLE, _CALLABLE)
        return cls(module, options, names)


def plain(module: str) -> Variant:
    """The module as it is."""
    return Variant(module)


def _texts(
    value: object, what: str, keys: re.Pattern[str], values: re.Pattern[str]
) -> dict[str, str]:
    if not isinstance(value, dict) or len(cast(dict[object, object], value)) > 100:
        raise ValueError(f"a variant's {what} are an object of at most 100 entries")
    found: dict[str, str] = {}
    for key, text in cast(dict[object, object], value).items():
        if not isinstance(key, str) or keys.fullmatch(key) is None:
            raise ValueError(f"a variant's {what} have an unusable key")
        if not isinstance(text, str) or values.fullmatch(text) is None:
            raise ValueError(f"a variant's {what} have an unusable value for {key}")
        found[key] = text
    return found
