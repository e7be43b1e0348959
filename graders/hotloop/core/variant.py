"""One variant of a module, as plain data for the judge, packs and notebooks.

It holds what a check needs: drawn constants and names. The module's `variants.yaml`, stored with
the solutions, says how these change the exercise and its solution.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self, cast

FORMAT = 1
NAME = "variant.json"
"""File name of a variant, next to a notebook that was handed out."""

Value = int | float | str | bool

_KEYS = {"format", "module", "constants", "names"}
_IDENTIFIER = re.compile(r"[a-z][a-z0-9_]{0,59}")
_CALLABLE = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,59}")
_CONSTANT = re.compile(r"[A-Z][A-Z0-9_]{0,59}")
_MOST = 100
_LONGEST = 60
"""Most characters of a text constant."""


@dataclass(frozen=True)
class Variant:
    """constants: drawn values by name. names: new names of callables by their plain names.

    With neither it is the module as courses teach it.
    """

    module: str
    constants: Mapping[str, Value] = field(default_factory=dict[str, Value])
    names: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def is_plain(self) -> bool:
        """True if nothing differs from the module."""
        return not self.constants and not self.names

    @property
    def digest(self) -> str:
        """A SHA-256 that identifies the variant without revealing it; "" for the plain one."""
        if self.is_plain:
            return ""
        text = json.dumps(self.to_json(), sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def called(self, name: str) -> str:
        """Return the name that the callable `name` has in this variant."""
        return self.names.get(name, name)

    def to_json(self) -> dict[str, Any]:
        """Return a document of plain JSON types."""
        return {
            "format": FORMAT,
            "module": self.module,
            "constants": dict(self.constants),
            "names": dict(self.names),
        }

    @classmethod
    def from_json(cls, document: object) -> Self:
        """Read what `to_json` wrote. Raises ValueError for anything else."""
        if not isinstance(document, dict):
            raise ValueError("a variant is an object")
        values = cast(dict[str, object], document)
        if set(values) != _KEYS:
            raise ValueError(f"a variant has the keys {', '.join(sorted(_KEYS))}, and no others")
        if values["format"] != FORMAT:
            raise ValueError(f"variant format {values['format']!r} is not {FORMAT}")
        module = values["module"]
        if not isinstance(module, str) or _IDENTIFIER.fullmatch(module) is None:
            raise ValueError("a variant's module is no module's name")
        constants = _entries(values["constants"], "constants", _CONSTANT)
        names = _entries(values["names"], "names", _CALLABLE)
        return cls(
            module,
            {name: _value(name, value) for name, value in constants.items()},
            {name: _name(name, value) for name, value in names.items()},
        )


def beside(folder: Path, module: str) -> Variant:
    """Return the variant whose file is in the folder, or the plain one if there is none.

    A file for another module also gives the plain one. Raises ValueError if the file is invalid.
    """
    path = folder / NAME
    try:
        variant = Variant.from_json(json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return plain(module)
    except ValueError as error:
        raise ValueError(f"{path} is damaged ({error}): fetch the module again.") from None
    return variant if variant.module == module else plain(module)


def digest_of(document: object) -> str:
    """Return the digest of a variant's JSON; "" for None. Raises ValueError as `from_json`."""
    return "" if document is None else Variant.from_json(document).digest


def plain(module: str) -> Variant:
    """Return the variant that changes nothing."""
    return Variant(module)


def _entries(value: object, what: str, keys: re.Pattern[str]) -> dict[str, object]:
    if not isinstance(value, dict) or len(cast(dict[object, object], value)) > _MOST:
        raise ValueError(f"a variant's {what} are an object of at most {_MOST} entries")
    entries = cast(dict[object, object], value)
    if not all(isinstance(key, str) and keys.fullmatch(key) for key in entries):
        raise ValueError(f"a variant's {what} have an unusable key")
    return cast(dict[str, object], entries)


def _value(name: str, value: object) -> Value:
    usable = isinstance(value, Value) and (not isinstance(value, float) or math.isfinite(value))
    if not usable or (isinstance(value, str) and len(value) > _LONGEST):
        raise ValueError(f"a variant's constants have an unusable value for {name}")
    return cast(Value, value)


def _name(name: str, value: object) -> str:
    if not isinstance(value, str) or _CALLABLE.fullmatch(value) is None:
        raise ValueError(f"a variant's names have an unusable value for {name}")
    return value
