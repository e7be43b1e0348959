"""What a check's author supplies, guarded in one place.

A check is made of an author's functions: generators of cases, references, tolerances, the smallest
traffic. If one of them raises, returns another type than it promises, or generates nothing, the
check is broken, and no answer can have caused that: `judge_error`, never a learner's zero and never
a pass. Every dataclass that takes such functions derives from `Authored`, which wraps them when an
instance is made. So a check calls `self.cases(rng)` and cannot forget the guard.

Functions that read the answer are the exception: an answer may make them raise, and then it is
wrong (`hotloop.judge.exception_attribution`). A class names them in `reads_answer`; only the type
of what they return is checked. Where that is a list of the answer's own, the answer chose it, and
is wrong too.
"""

import collections.abc
import re
import sys
import types
import typing
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields
from functools import cache, wraps
from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np

from hotloop.judge.candidate import ANY_KIND, Kind, Style
from hotloop.judge.judge_fault import JudgeFault, generated, ours

if TYPE_CHECKING:  # which imports half of the judge
    from hotloop.judge.session import Session

_GUARD = "__guarded__"
_PLAIN: dict[object, tuple[type, ...]] = {
    str: (str,),
    int: (int,),
    float: (float, int),
    bool: (bool,),
    bytes: (bytes,),
    tuple: (tuple, list),
    type(None): (type(None),),
}
"""What may be given for a plain type."""

_NOT_IMPORTED = frozenset({"OracleFunction | None"})
"""Quoted types of fields that hold no function and whose modules are imported only if needed."""

_CALLABLE = typing.get_origin(Callable[[], None])
_ITEMS = (collections.abc.Iterable, collections.abc.Iterator, collections.abc.Sequence)


@dataclass(frozen=True)
class Authored:
    """Base of dataclasses whose fields hold functions of a check's author.

    reads_answer: names of the fields whose functions receive what the candidate made.

    Raises TypeError for a field that holds a value where its type says `Callable`, and for a number
    or a text of another type, such as numpy.int64, which fails only later, where an answer is read.
    """

    reads_answer: ClassVar[frozenset[str]] = frozenset()

    def __post_init__(self) -> None:
        """Wrap the functions. A subclass with a `__post_init__` of its own calls this one too."""
        for name, kinds in _plain_fields(type(self)):
            value = getattr(self, name)
            if not isinstance(value, kinds):
                raise TypeError(
                    f"`{name}` of {type(self).__name__} is {value!r:.80}, expected "
                    f"{' or '.join(kind.__name__ for kind in kinds)}"
                )
        for name, takes, returns, alternatives in _functions(type(self)):
            value = getattr(self, name)
            if callable(value):
                what = f"`{name}` of {type(self).__name__}"
                guarded = _guarded(value, what, returns, own=name not in self.reads_answer)
                object.__setattr__(self, name, guarded)
            elif not alternatives:
                raise TypeError(
                    f"`{name}` of {type(self).__name__} is {value!r:.80}, expected a function: "
                    f"{_signature(takes, returns)}"
                )


@dataclass(frozen=True)
class Check(Authored):
    """Base of all checks, which are called with the session and return a sentence.

    after: names of the checks of the task that must pass first; None: those that are usual.
    entry: name of the function to judge, in the same file or notebook, if not the task's.
    style: how that function is called, if not as the task's.
    timed: the check times a worker on a CPU, so that worker is started by exec instead of fork. The
        check calls `session.alone()` before it measures.
    instrumented: other code of the learner runs in the process that is measured.
    scored_by: what module.yaml has to say about the check: "levels" if it reads `session.levels`,
        "limits" if it reads `session.limits`.
    """

    fits: ClassVar[frozenset[Kind]] = ANY_KIND
    after: tuple[str, ...] | None = field(default=None, kw_only=True)
    entry: str | None = field(default=None, kw_only=True)
    style: Style | None = field(default=None, kw_only=True)
    timed: bool = field(default=False, kw_only=True)
    instrumented: bool = field(default=False, kw_only=True)
    scored_by: str = field(default="", kw_only=True)

    @property
    def usually_after(self) -> tuple[str, ...]:
        """Names of the checks that must pass first, where `after` does not say."""
        return ()

    @property
    def prerequisites(self) -> tuple[str, ...]:
        """Names of the checks that must pass before this one."""
        return self.usually_after if self.after is None else self.after

    @property
    def can_judge(self) -> frozenset[Kind]:
        """What the check can judge; a task of another kind refuses it."""
        return self.fits

    def __call__(self, session: "Session", /) -> str:
        """Measure the candidate; return the sentence if it passes, raise `Ruling` otherwise."""
        raise NotImplementedError


@cache
def _functions(cls: type[Authored]) -> tuple[tuple[str, object, object, bool], ...]:
    """Return name, types of arguments and result, and whether another type is allowed.

    For each field that holds a function.
    """
    functions: list[tuple[str, object, object, bool]] = []
    for name, choices in _choices_of_fields(cls):
        for choice in choices:
            if typing.get_origin(choice) is _CALLABLE:
                takes, returns = typing.get_args(choice)
                functions.append((name, takes, returns, len(choices) > 1))
                break
    return tuple(functions)


@cache
def _plain_fields(cls: type[Authored]) -> tuple[tuple[str, tuple[type, ...]], ...]:
    """Return name and allowed types of the fields that hold plain values, or such a dataclass."""
    plain: list[tuple[str, tuple[type, ...]]] = []
    for name, choices in _choices_of_fields(cls):
        kinds = [_allowed(choice) for choice in choices]
        if all(kinds):
            plain.append((name, tuple(kind for allowed in kinds for kind in allowed or ())))
    return tuple(plain)


def _allowed(choice: object) -> tuple[type, ...]:
    """Return the types of the values that may be given for a type; none for one of no interest."""
    if isinstance(choice, type) and issubclass(choice, Authored):
        return (choice,)
    return _PLAIN.get(cast(object, typing.get_origin(choice) or choice), ())


def _choices_of_fields(cls: type[Authored]) -> Iterator[tuple[str, tuple[object, ...]]]:
    """Yield each field's name and the members of its type.

    Raises NameError for a quoted type that does not exist at run time: it could hide a function.
    """
    for each in fields(cls):
        hint: object = each.type
        if isinstance(hint, str):
            if hint in _NOT_IMPORTED:
                continue
            hint = eval(hint, vars(sys.modules[cls.__module__]))  # noqa: S307 - our own source
        yield each.name, _choices(hint)


def _choices(hint: object) -> tuple[object, ...]:
    """Return the members of a union, or the type itself."""
    return (
        typing.get_args(hint)
        if typing.get_origin(hint) in (typing.Union, types.UnionType)
        else (hint,)
    )


def _signature(takes: object, returns: object) -> str:
    """Return the type of a function as text, such as `(Generator) -> Iterable[Case]`."""
    kinds = ", ".join(map(_name, cast("list[object]", takes))) if takes is not ... else "..."
    return f"`({kinds}) -> {_name(returns)}`"


def _name(hint: object) -> str:
    text = hint.__name__ if isinstance(hint, type) and not typing.get_args(hint) else str(hint)
    return re.sub(r"\w+\.", "", text)


def _guarded(function: Callable[..., Any], what: str, returns: object, *, own: bool) -> Any:
    """Return the function, such that its faults become JudgeFault. own: no answer reaches it."""
    if hasattr(function, _GUARD):
        return function
    origin = typing.get_origin(returns)

    @wraps(function)
    def items(*arguments: Any, **named: Any) -> Any:
        (kind,) = typing.get_args(returns)
        call = cast(Callable[[], Iterable[object]], lambda: function(*arguments, **named))
        results = generated(call, kind if isinstance(kind, type) else None, what)
        return list(results) if origin is collections.abc.Sequence else results

    @wraps(function)
    def value(*arguments: Any, **named: Any) -> Any:
        if own:
            with ours(what):
                result = function(*arguments, **named)
        else:
            result = function(*arguments, **named)
        if not _is(result, returns):
            if not own and _is_part(result, arguments):
                raise TypeError(f"{what} returned a part of the answer")
            expected = returns.__name__ if isinstance(returns, type) else returns
            raise JudgeFault(f"{what} returned {result!r:.200}, expected {expected}")
        if origin is _CALLABLE:
            return _guarded(result, what, typing.get_args(returns)[-1], own=own)
        return result

    guard = items if own and origin in _ITEMS else value
    setattr(guard, _GUARD, True)
    return guard


def _is(result: Any, expected: Any) -> bool:
    """Return whether a value has a type that an author has promised.

    True for what is not looked at here: `None`, where nobody reads the result, and arrays, which
    `Case.truth` converts and compares with the output's shape.
    """
    if isinstance(expected, types.UnionType):
        return any(
            result is None if choice is type(None) else _is(result, choice)
            for choice in typing.get_args(expected)
        )
    origin, parts = typing.get_origin(expected), typing.get_args(expected)
    if expected in (None, Any) or (origin or expected) is np.ndarray:
        return True
    if origin is _CALLABLE:
        return callable(result)
    if origin is tuple:
        if not isinstance(result, tuple | list):
            return False
        each = cast("tuple[Any, ...] | list[Any]", result)
        kinds = parts[:1] * len(each) if parts[1:] == (...,) else parts
        return len(each) == len(kinds) and all(map(_is, each, kinds))
    return isinstance(result, (float, int) if expected is float else (origin or expected))


def _is_part(result: object, argument: object) -> bool:
    """Return whether a function handed on, as it is, a list, dict or array that it was given."""
    if result is argument:
        return isinstance(result, list | dict | np.ndarray)
    if isinstance(argument, dict):
        argument = list(cast("dict[object, object]", argument).values())
    return isinstance(argument, list | tuple) and any(
        _is_part(result, each) for each in cast("list[object]", argument)
    )
