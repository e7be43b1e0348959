"""Asking a candidate for plain data: numbers, strings, and lists and dicts of them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import ClassVar, cast

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import MAX_MESSAGE, as_list, as_message
from hotloop.judge.author_guard import Authored
from hotloop.judge.file_exchange import put_file, put_files
from hotloop.judge.worker_connection import NO_PROTOCOL, WorkerConnection, readable

MOST_PLAIN = MAX_MESSAGE // 2
"""Maximum characters of an argument as JSON; a request holds more than the argument."""

Plain = str | int | float | bool | Sequence["Plain"] | Mapping[str, "Plain"] | None
"""Anything that JSON holds. A NumPy number is refused: write `int(…)` or `float(…)`."""


@dataclass(frozen=True)
class GivenFile:
    """A file whose path is passed to the candidate. name: of the file. data: its content."""

    name: str
    data: bytes

    def __post_init__(self) -> None:
        """Refuse here, where it is the check's fault, what could not be sent to a worker."""
        if not isinstance(self.name, str) or not isinstance(self.data, bytes):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise TypeError(f"a file {self.name!r} of {type(self.data).__name__}, expected bytes")


@dataclass(frozen=True)
class PlainCase(Authored):
    """One call with plain data. label: its name in messages to the learner.

    arguments: of the candidate's function: anything that JSON holds (numbers, texts, booleans,
        None, and lists and dicts of them), or a `GivenFile`.

    Raises TypeError for another argument, such as a numpy.int64.
    """

    label: str
    arguments: tuple[Plain | GivenFile, ...]

    def __post_init__(self) -> None:
        """Refuse here, where it is the check's fault, what could not be sent to a worker."""
        super().__post_init__()
        require_plain_or_files(self.arguments, "a question")


@dataclass(frozen=True)
class Question(PlainCase):
    """One question: a call whose answer is looked at.

    mismatch: takes the answer; returns the beginning of a sentence, or None if it is correct.
    """

    reads_answer: ClassVar[frozenset[str]] = frozenset({"mismatch"})
    mismatch: Callable[[object], str | None]


def require_plain_or_files(arguments: Sequence[Plain | GivenFile], what: str) -> None:
    """Raise TypeError unless each argument can be sent. what: whose arguments they are."""
    if not isinstance(arguments, list | tuple):
        raise TypeError(f"the arguments of {what} are {arguments!r:.80}, expected a tuple")
    for argument in arguments:
        if not isinstance(argument, GivenFile):
            require_plain(argument, what)


def require_plain(argument: object, what: str) -> None:
    """Raise TypeError unless the argument is plain data that fits into a message.

    what: whose argument it is.
    """
    try:
        length = len(json.dumps(argument, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise TypeError(
            f"{argument!r:.200} is no argument of {what}, expected plain data, such as int: {error}"
        ) from None
    if length > MOST_PLAIN:
        raise TypeError(f"an argument of {what} has {length} characters: give a file")


def ask_plainly(
    worker: WorkerConnection, arguments: Sequence[Plain | GivenFile], timeout_s: float
) -> object:
    """Return the resolved candidate's result for `arguments`, in "json" style.

    Raises `Raised` if the function raises an exception, and another `Ruling` if it does not end.
    """
    return ask_all_plainly(worker, [arguments], timeout_s)[0]


def ask_all_plainly(
    worker: WorkerConnection, calls: Sequence[Sequence[Plain | GivenFile]], timeout_s: float
) -> list[object]:
    """Return the results of several calls, made in one exchange; `timeout_s` is for all of them."""
    files = [argument for call in calls for argument in call if isinstance(argument, GivenFile)]
    paths = iter(put_files(worker, [(file.name, file.data) for file in files]))
    planned = [
        {
            "args": [{"json": next(paths) if isinstance(a, GivenFile) else a} for a in call],
            "returns": None,
        }
        for call in calls
    ]
    plan = {"op": "plan", "framework": "numpy", "style": "json"}
    worker.request({**plan, "calls": planned}, timeout_s)
    returned = as_list(worker.request({"op": "run"}, timeout_s).get("returned"))
    answers = [as_message(each) for each in returned]
    answers = [answer["json"] for answer in answers if answer is not None and "json" in answer]
    if len(answers) != len(calls):
        raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
    worker.answered = shown(answers[-1])
    return answers


def put_folder(worker: WorkerConnection) -> str:
    """Return the path of a new folder in the worker that the candidate may write to."""
    return str(PurePosixPath(put_file(worker, ".given", b"")).parent)


def number_mismatch(
    what: str, got: object, want: float | None, relative: float, absolute: float = 0.0
) -> str | None:
    """Return None if |got - want| ≤ relative·|want| + absolute, else a sentence's beginning."""
    if want is None:
        return None if got is None else f"{what} is {shown(got)}, expected None"
    if isinstance(got, bool) or not isinstance(got, int | float):
        return f"{what} is {shown(got)}, not a number"
    try:
        number = float(got)
    except OverflowError:
        return f"{what} is far too large"
    if abs(number - want) <= relative * abs(want) + absolute:
        return None
    return f"{what} is {number:.6g}, expected {want:.6g}"


def figures_mismatch(
    want: Mapping[str, float | str | None], relative: float, answer: object
) -> str | None:
    """Return a message about the first entry that is missing or wrong in a dict, or None.

    Texts must be equal; numbers may differ as in `number_mismatch`. More entries may be there.
    """
    reported = as_message(answer)
    if reported is None:
        return f"it returns {shown(answer)}, not a dict"
    if missing := want.keys() - reported.keys():
        return f"it has no {shown(min(missing))}"
    for name, value in want.items():
        got = reported[name]
        if isinstance(value, str):
            mismatch = None if got == value else f"{name} is {shown(got)}, expected {shown(value)}"
        else:
            mismatch = number_mismatch(name, got, value, relative)
        if mismatch is not None:
            return mismatch
    return None


def same(got: object, want: object) -> bool:
    """Whether plain data are equal. 3.0 is 3, but True is not 1."""
    if isinstance(got, bool) or isinstance(want, bool):
        return got is want
    given, wanted = as_message(got), as_message(want)
    if given is not None and wanted is not None:
        return given.keys() == wanted.keys() and all(same(given[k], wanted[k]) for k in wanted)
    if isinstance(got, list) and isinstance(want, list):
        pairs = cast("tuple[list[object], list[object]]", (got, want))
        return len(pairs[0]) == len(pairs[1]) and all(map(same, *pairs))
    return got == want


def without_zeros(counts: object) -> object:
    """Return counts without the zeros: what does not occur may be left out. Others as they are."""
    given = as_message(counts)
    if given is None:
        return counts
    return {key: count for key, count in given.items() if not same(count, 0)}


def dict_mismatch(
    what: str, got: object, want: Mapping[str, object], absent: object = None
) -> str | None:
    """Describe the first entry that differs; None if the dicts are equal.

    A long dict, shown whole, would hide the entry.

    absent: what an entry that is left out counts as, such as 0 of counts.
    """
    reported = as_message(got)
    if reported is None:
        return f"{what} is {shown(got)}, not a dict"
    for key in [*want, *reported]:
        entry = reported.get(key, absent)
        if not same(entry, want.get(key, absent)):
            expected = shown(want[key]) if key in want else "absent"
            return f"{what} of {shown(key)} is {shown(entry)}, expected {expected}"
    return None


def shown(value: object) -> str:
    """Return an answer as text for a sentence."""
    try:
        return readable(repr(value), 60)
    except RecursionError:
        return "something that is nested too deeply"
