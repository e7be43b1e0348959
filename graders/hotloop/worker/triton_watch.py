"""Runs the launches of ordinary PyTorch code by a schedule, and finds races between their programs.

A store just past the end of a tensor is found too: what lies there is no tensor's, whatever the
arguments point to.

In the learner's process, where a launch runs before the judge replays it (`triton_replay`), or
where nothing can be replayed because PyTorch computes between kernels. What is found here is a
claim.
"""

import inspect
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.core.wire import Message
from hotloop.worker.triton_memory import (
    Addresses,
    ReplayMemory,
    TensorRegion,
    bytes_at,
    kernel_place,
)
from hotloop.worker.triton_modules import interpreter
from hotloop.worker.triton_programs import (
    CountingInterpreter,
    ScheduledInterpreter,
    Wait,
    numbered,
    replaced,
    run_programs,
)
from hotloop.worker.triton_races import RaceAccess, RaceReport, SourceLine
from hotloop.worker.triton_schedule import Hang

BETWEEN_BYTES = 8
"""Fewest bytes between two allocations, which the allocator keeps for itself."""


class Stray(Exception):
    """A program stores just past the end of a tensor."""

    def __init__(self, address: int, place: SourceLine) -> None:
        super().__init__(f"line {place.line} stores past the end of a tensor")
        self.address = address
        self.place = place


@contextmanager
def watched(order: int | None) -> Generator[list[Message]]:
    """Run each launch inside the `with` block by a schedule; yield a list that gets the faults.

    A fault is a race, or a hang or a stray store, which also raise: code of the learner's may catch
    that.

    order: seed of the programs' order; None: by number, and nothing is watched, only programs that
    wait for each other end.
    """
    generator = None if order is None else np.random.default_rng(order)
    kind = interpreter().GridExecutor
    original, faults = kind.__call__, list[Message]()

    def call(executor: Any, *arguments: Any, **options: Any) -> None:
        launch = _Launch(executor, generator, faults, [*arguments, *options.values()])
        executor.fn = _AtOnce(executor.fn, launch.run)
        original(executor, *arguments, **options)

    with replaced(kind, "__call__", call):
        yield faults


class _AtOnce:
    """Stands for a kernel's function: the first program's call runs all programs."""

    def __init__(self, function: Any, run: Callable[[Any, Message], None]) -> None:
        self.__signature__ = inspect.signature(function)
        self.__globals__ = function.__globals__
        self.__name__ = function.__name__
        self._function = function
        self._run: Callable[[Any, Message], None] | None = run

    def __call__(self, **arguments: Any) -> None:
        run, self._run = self._run, None
        if run is not None:
            run(self._function, arguments)


@dataclass
class _Launch:
    """One launch. values: its arguments, whose tensors are watched."""

    executor: Any
    order: np.random.Generator | None
    faults: list[Message]
    values: Sequence[Any]

    def run(self, function: Any, arguments: Message) -> None:
        """Run all programs. Raises what one of them raises."""
        triton = interpreter()
        native, builder = triton._interpreter, triton.interpreter_builder
        programs = numbered(builder.grid_dim)
        memory = _TensorMemory(self.values)
        memory.races.start_launch(len(programs))
        counting = ScheduledInterpreter(native, None)
        if self.order is not None:
            counting = CountingInterpreter(native, self.order, memory)
        raised = None
        try:
            with replaced(triton, "_interpreter", counting):
                run_programs(programs, lambda: function(**arguments), counting, builder)
        except Hang as hang:
            raised = _hang(hang, self.executor, programs, arguments)
            raise
        except Stray as stray:
            program = programs[memory.races.program]
            raised = _stray(stray, self.executor, program, arguments)
            raise
        finally:
            race = memory.races.race
            if race is not None:  # told first, since it may be the cause of the other
                self.faults.append(_race(race, self.executor, programs, arguments))
            if raised is not None:
                self.faults.append(raised)


class _TensorMemory(ReplayMemory):
    """The storages of a launch's tensors. Other accesses are not watched."""

    def __init__(self, values: Iterable[Any]) -> None:
        super().__init__([])
        storages = {s.data_ptr(): s.nbytes() for s in _storages(values) if s.nbytes()}
        self.regions = [
            TensorRegion(
                ("argument", 0), size, writable=True, start=start, bytes=bytes_at(start, size)
            )
            for start, size in sorted(storages.items())
        ]
        self._starts = np.array([region.start for region in self.regions], np.uint64)
        self._ends = np.array([r.start + r.size for r in self.regions], np.uint64)
        self._last = np.maximum.accumulate(self._ends)  # storages may overlap

    def _split(
        self, addresses: Addresses, item: int, access: str
    ) -> list[tuple[TensorRegion, Any]]:
        if not self.regions:
            return []
        owners = self._owners(addresses)
        inside = (owners >= 0) & (addresses + np.uint64(item) <= self._ends[np.maximum(owners, 0)])
        if access == "write" and not inside.all():
            self._require_no_stray(addresses[~inside], owners[~inside])
        return super()._split(addresses[inside], item, access)

    def _require_no_stray(self, addresses: Addresses, owners: Any) -> None:
        ends = self._last[np.maximum(owners, 0)]
        behind = (owners >= 0) & (addresses >= ends) & (addresses < ends + np.uint64(BETWEEN_BYTES))
        if behind.any():
            raise Stray(int(addresses[behind].min()), kernel_place())

    def _owners(self, addresses: Addresses) -> NDArray[np.int64]:
        """The base class asks this too, for regions in memory of its own."""
        return np.searchsorted(self._starts, addresses, side="right") - 1


def _storages(values: Iterable[Any]) -> Generator[Any]:
    for value in values:
        if isinstance(value, list | tuple):
            yield from _storages(value)  # pyright: ignore[reportUnknownArgumentType]
        elif hasattr(value, "untyped_storage"):
            yield value.untyped_storage()
        elif hasattr(value, "base"):  # a tensor descriptor, or a wrapper of another type
            yield from _storages([value.base])


def _race(race: RaceReport, executor: Any, programs: Sequence[Any], arguments: Message) -> Message:
    accesses = [_access(each, programs) for each in (race.first, race.second) if each is not None]
    where = _where(race.region.start + race.offset, executor, arguments)
    return {"kind": "race", **where, "accesses": accesses}


def _hang(hang: Hang, executor: Any, programs: Sequence[Any], arguments: Message) -> Message:
    wait = hang.reason
    if not isinstance(wait, Wait):
        raise TypeError("a program waits for what it reads")
    return {
        "kind": "hang",
        **_where(wait.address, executor, arguments),
        "program": programs[hang.program],
        "file": wait.place.file,
        "line": wait.place.line,
    }


def _stray(
    stray: Stray, executor: Any, program: tuple[int, int, int], arguments: Message
) -> Message:
    return {
        "kind": "outside",
        **_where(stray.address, executor, arguments),
        "program": program,
        "file": stray.place.file,
        "line": stray.place.line,
    }


def _where(address: int, executor: Any, arguments: Message) -> Message:
    tensor, index = _element(address, arguments)
    return {"kernel": executor.fn.__name__, "tensor": tensor, "index": index}


def _access(access: RaceAccess, programs: Sequence[Any]) -> Message:
    return {
        "program": programs[access.program],
        "file": access.place.file,
        "line": access.place.line,
        "writes": access.writes,
        "atomic": access.atomic,
    }


def _element(address: int, arguments: Message) -> tuple[str, int]:
    """Return the parameter that points to an address, or before it, and the element's index."""
    pointers = {
        name: value
        for name, value in arguments.items()
        if hasattr(value, "handle") and hasattr(getattr(value, "dtype", None), "element_ty")
    }
    starts = {name: int(value.handle.data.reshape(-1)[0]) for name, value in pointers.items()}
    before = {name: start for name, start in starts.items() if start <= address}
    if not before:
        return "a tensor", 0
    name = max(before, key=lambda name: before[name])
    item = max(1, pointers[name].dtype.element_ty.primitive_bitwidth // 8)
    return name, (address - before[name]) // item
