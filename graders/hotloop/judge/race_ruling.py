"""Sentences about programs that race, wait for each other forever, or store past a tensor's end."""

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any, NoReturn

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.worker_connection import NO_PROTOCOL, readable

_VERBS = {
    (False, False): "reads it",
    (True, False): "writes it",
    (False, True): "reads it atomically",
    (True, True): "changes it atomically",
}
"""By whether an access writes and whether it is atomic."""


class RaceRuling(Ruling):
    """Programs of a launch race or hang: WRONG_ANSWER, whatever the answer was in this order."""

    def __init__(self, sentence: str) -> None:
        super().__init__(Verdict.WRONG_ANSWER, sentence)


def race(
    place: str, kernel: str, element: str, accesses: Sequence[Mapping[str, Any]]
) -> RaceRuling:
    """Return the ruling for what a worker reports.

    place: file and line of the last access. element: as in `out_ptr[3]`. accesses: two, with their
    `program`, `line`, `writes` and `atomic`; or one, whose lanes disagree. Raises Ruling TAMPERED
    for a malformed report.
    """
    if not 1 <= len(accesses) <= 2:
        _tampered()
    programs = _programs([each.get("program") for each in accesses])
    if len(accesses) == 1:
        return RaceRuling(
            f"{place}: program {programs[0]} of `{kernel}` stores different values to `{element}` "
            "in one tl.store, and which of them stays is undefined. Give each lane its own place, "
            "or combine the lanes first (tl.sum, tl.max)."
        )
    one, other = (
        f"line {readable(each.get('line'), 10)} "
        + _VERBS[bool(each.get("writes")), bool(each.get("atomic"))]
        for each in accesses
    )
    return RaceRuling(
        f"{place}: programs {programs[0]} and {programs[1]} of `{kernel}` both use `{element}`: "
        f"{one}, {other}, and nothing orders them. On a GPU they run at the same time: "
        f"{_advice(accesses)}."
    )


def hang(place: str, kernel: str, element: str, program: object) -> RaceRuling:
    """Return the ruling for a program that waits until `element` changes, which nobody does.

    Raises Ruling TAMPERED for a malformed report.
    """
    (waiting,) = _programs([program])
    return RaceRuling(
        f"{place}: program {waiting} of `{kernel}` waits for a value of `{element}` that no "
        "program writes, so the launch never ends. Let the program that it waits for write it "
        "with an atomic (tl.atomic_xchg, tl.atomic_add)."
    )


def _outside(place: str, kernel: str, element: str, program: object) -> Ruling:
    (stores,) = _programs([program])
    return Ruling(
        Verdict.WRONG_ANSWER,
        f"{place}: program {stores} of `{kernel}` stores to `{element}`, past the end of its "
        "tensor: give tl.store a `mask=` that is false there.",
    )


def claimed(report: object) -> Ruling:
    """Return the ruling for what the candidate's process reports (`worker.triton_watch`).

    Raises Ruling TAMPERED for a malformed report.
    """
    document = as_message(report)
    accesses = [as_message(each) for each in as_list(document and document.get("accesses"))]
    index = document and document.get("index")
    if not document or not isinstance(index, int) or not all(accesses):
        _tampered()
    kernel, tensor = readable(document.get("kernel"), 80), readable(document.get("tensor"), 80)
    element = f"{tensor}[{index}]"
    if (kind := document.get("kind")) in {"hang", "outside"}:
        about = hang if kind == "hang" else _outside
        return about(_place(document), kernel, element, document.get("program"))
    kept = [access for access in accesses if access]
    return race(_place(kept[-1] if kept else {}), kernel, element, kept)


def _place(access: Mapping[str, Any]) -> str:
    file = PurePosixPath(readable(access.get("file"), 1000)).name
    return f"{file}, line {readable(access.get('line'), 10)}"


def _advice(accesses: Sequence[Mapping[str, Any]]) -> str:
    if any(each.get("atomic") for each in accesses):
        return (
            "make both atomic, or order them by a lock or a flag that one program releases and "
            "the other acquires"
        )
    return "use tl.atomic_add, or give each program its own place"


def _programs(positions: Sequence[object]) -> list[str]:
    """Return programs' positions in the grid, without dimensions that none of them needs."""
    grid = [as_list(position) for position in positions]
    if not all(len(each) == 3 and all(isinstance(n, int) for n in each) for each in grid):
        _tampered()
    needed = max((at + 1 for each in grid for at in range(3) if each[at]), default=1)
    return [
        str(each[0]) if needed == 1 else f"({', '.join(map(str, each[:needed]))})" for each in grid
    ]


def _tampered() -> NoReturn:
    raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
