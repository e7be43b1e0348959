"""Runs the programs of one launch in Triton's interpreter and watches their accesses to memory."""

from collections.abc import Callable, Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from hotloop.worker import triton_schedule
from hotloop.worker.triton_memory import ReplayMemory, is_kernels, kernel_frame
from hotloop.worker.triton_races import SourceLine
from hotloop.worker.triton_schedule import Schedule

LINE_BYTES = 128
"""Size of a cache line."""

_ATOMICS = {
    "create_atomic_rmw": 1,
    "create_atomic_cas": 0,
    "create_atomic_load": 0,
    "create_atomic_store": 0,
    "create_atomic_poll": 0,
}
"""The builder's atomics, with the position of their pointers. They end with semantic and scope."""


@dataclass
class _Access:
    """The access in progress, of each program.

    semantic: of an atomic, by Triton's name; "" for plain ones. A volatile load is RELAXED, as in
    PTX. scope: "CTA" if other programs need not see it. polls: it repeats its load by itself.
    """

    semantic: str = ""
    scope: str = ""
    polls: bool = False

    @property
    def is_atomic(self) -> bool:
        """Whether other programs see the access as one."""
        return bool(self.semantic) and self.scope != "CTA"

    @property
    def acquires(self) -> bool:
        """Whether what another program released happened before what follows."""
        return self.semantic in {"ACQUIRE", "ACQUIRE_RELEASE"}

    @property
    def releases(self) -> bool:
        """Whether what came before happens before what acquires it."""
        return self.semantic in {"RELEASE", "ACQUIRE_RELEASE"}


@dataclass(frozen=True)
class Wait:
    """What a program reads again and again."""

    place: SourceLine
    address: int

    def __str__(self) -> str:
        """Say where it waits."""
        return f"it reads the same again and again in line {self.place.line}"


@dataclass
class _Read:
    """The last read in one place. state: the program's variables; None at the first read."""

    pointers: NDArray[Any]
    value: NDArray[Any]
    changes: int
    state: list[Any] | None


class ScheduledInterpreter:
    """Replaces the interpreter's native module: hands over to other programs where one waits.

    order: as in `Schedule`.
    """

    def __init__(self, native: Any, order: np.random.Generator | None) -> None:
        self._native = native
        self.schedule = Schedule(order, lambda: self.changes)
        self.access = _Access()
        self.changes = 0
        """How often a program has changed memory."""
        self.used_atomics = False
        self.program = 0
        self._reads: dict[int, dict[tuple[CodeType, int], _Read]] = {}
        self._accesses: dict[int, _Access] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._native, name)

    def load(self, pointers: Any, mask: Any, other: Any, dtype: Any) -> Any:
        """A masked load."""
        value = self._native.load(pointers, mask, other, dtype)
        if not self.access.semantic or self.access.polls:
            self.note_read(pointers, value)
        return value

    def store(self, pointers: Any, value: Any, mask: Any) -> Any:
        """A masked store."""
        self.changes += 1
        return self._native.store(pointers, value, mask)

    def atomic_rmw(self, operation: Any, pointers: Any, value: Any, mask: Any, order: Any) -> Any:
        """An atomic read-modify-write."""
        old = self._native.atomic_rmw(operation, pointers, value, mask, order)
        new = self._native.load(pointers, mask, np.zeros_like(value), value.dtype)
        active = np.asarray(mask, np.bool_)
        self.changes += np.asarray(old)[active].tobytes() != np.asarray(new)[active].tobytes()
        return old

    def atomic_cas(self, pointers: Any, expected: Any, value: Any, order: Any) -> Any:
        """An atomic compare-and-swap."""
        old = self._native.atomic_cas(pointers, expected, value, order)
        self.changes += bool(((old == expected) & (value != expected)).any())
        return old

    def begin(self, number: int) -> None:
        """Go on with a program."""
        self.program = number
        self.access = self._accesses.setdefault(number, _Access())

    def end(self) -> None:
        """Forget the current program, which has ended."""
        self._reads.pop(self.program, None)
        self._accesses.pop(self.program, None)

    def note_read(self, pointers: Any, value: Any) -> None:
        """Hand over if the program has read the same in the same place when it was there last."""
        frame = kernel_frame()
        if frame is None or not np.size(pointers):
            return
        reads = self._reads.setdefault(self.program, {})
        key = frame.f_code, frame.f_lasti  # each part of `a or b` has code of its own
        pointers, value = np.asarray(pointers), np.asarray(value)
        last = reads.get(key)
        now = reads[key] = _Read(pointers, value, self.changes, None)
        if last is None or not (_same(pointers, last.pointers) and _same(value, last.value)):
            return
        now.state = _state(frame)
        before = last.state if last.changes == now.changes else None
        same = before is not None and _all_same(now.state, before)
        first = int(pointers.reshape(-1)[0])
        self.schedule.repeats(
            same=same, reason=Wait(SourceLine(frame.f_code.co_filename, frame.f_lineno), first)
        )


class CountingInterpreter(ScheduledInterpreter):
    """Also tells `ReplayMemory` of every access, which checks and counts it.

    Raises AttributeError for a function that this class does not know, since it could access
    memory. lines: the cache lines that the current program has loaded.
    """

    _HARMLESS = frozenset({"MEM_SEMANTIC", "RMW_OP", "fma_fp32", "fma_fp64"})

    def __init__(
        self, native: Any, order: np.random.Generator | None, memory: ReplayMemory
    ) -> None:
        super().__init__(native, order)
        self._memory = memory
        self.lines = set[int]()
        self._lines: dict[int, set[int]] = {}

    def __getattr__(self, name: str) -> Any:
        if name not in self._HARMLESS:
            raise AttributeError(f"the byte counter does not know {name!r}")
        return getattr(self._native, name)

    def begin(self, number: int) -> None:
        """Go on with a program."""
        super().begin(number)
        self._memory.races.program = number
        self.lines = self._lines.setdefault(number, set())

    def end(self) -> None:
        """Forget the current program, which has ended."""
        super().end()
        self._memory.races.end_program()

    def loaded(self, programs: int) -> list[set[int]]:
        """Return the cache lines that each program has loaded, by program."""
        return [self._lines.get(number, set()) for number in range(programs)]

    def load(self, pointers: Any, mask: Any, other: Any, dtype: Any) -> Any:
        """A masked load; inactive lanes move no bytes."""
        pointers, mask, other = _together(pointers, np.asarray(mask, np.bool_), other)
        places, item = pointers[mask], np.dtype(dtype).itemsize
        if self.access.is_atomic:
            self._memory.atomic(places, item, reads=True, writes=False)
            self._acquire(places)
        else:
            self._memory.load(places, item)
        self.lines.update(np.unique(places // LINE_BYTES).tolist())
        return super().load(pointers, mask, other, dtype)

    def store(self, pointers: Any, value: Any, mask: Any) -> Any:
        """A masked store; inactive lanes move no bytes."""
        pointers, value, mask = _together(pointers, value, np.asarray(mask, np.bool_))
        if self.access.is_atomic:
            self._memory.atomic(pointers[mask], value.dtype.itemsize, reads=False, writes=True)
            self._release(pointers[mask])
        else:
            self._memory.store(pointers[mask], value[mask])
        return super().store(pointers, value, mask)

    def atomic_rmw(self, operation: Any, pointers: Any, value: Any, mask: Any, order: Any) -> Any:
        """An atomic read-modify-write: counted as a load and a store."""
        pointers, value, mask = _together(pointers, value, np.asarray(mask, np.bool_))
        self._change(pointers[mask], value[mask])
        return super().atomic_rmw(operation, pointers, value, mask, order)

    def atomic_cas(self, pointers: Any, expected: Any, value: Any, order: Any) -> Any:
        """An atomic compare-and-swap: counted as a load, and a store where it swaps."""
        pointers, expected, value = _together(pointers, expected, value)
        places = pointers.reshape(-1)
        whole = np.ones(pointers.shape, np.bool_)
        now = self._native.load(pointers, whole, np.zeros_like(value), value.dtype)
        swaps = (now == expected).reshape(-1)
        unchanged, item = places[~swaps], value.dtype.itemsize
        if self.access.is_atomic:
            self._memory.atomic(unchanged, item, reads=True, writes=False)
            self._acquire(unchanged)
        else:
            self._memory.load(unchanged, item)
        self._change(places[swaps], value.reshape(-1)[swaps])
        return super().atomic_cas(pointers, expected, value, order)

    def _change(self, places: Any, value: Any) -> None:
        """Watch an atomic change. value: what a compare-and-swap stores."""
        item = value.dtype.itemsize
        if self.access.is_atomic:
            self._memory.atomic(places, item, reads=True, writes=True)
            self._acquire(places)
            self._release(places)
        else:  # of the program's own scope: to other programs it is a load and a store
            self._memory.load(places, item)
            self._memory.store(places, value)

    def _acquire(self, places: Any) -> None:
        if self.access.acquires:
            self._memory.races.acquire(np.unique(places))

    def _release(self, places: Any) -> None:
        if self.access.releases:
            self._memory.races.release(np.unique(places))


def run_programs(
    programs: Sequence[tuple[int, int, int]],
    body: Callable[[], None],
    counting: ScheduledInterpreter,
    builder: Any,
) -> None:
    """Call `body` for each program, in the order of the interpreter's schedule.

    programs: their positions in the grid, by number. Raises what a program raises, and Hang.
    """

    def enter(number: int) -> None:
        builder.set_grid_idx(*programs[number])
        counting.begin(number)

    def program(_number: int) -> None:
        body()
        counting.end()

    with watched(builder, counting):
        counting.schedule.run(len(programs), program, enter)


def numbered(grid: Sequence[int]) -> list[tuple[int, int, int]]:
    """Return the positions of a grid's programs, by number."""
    if 0 in grid:
        return []
    positions = np.indices([*grid, 1, 1][:3]).reshape(3, -1).T
    return [(int(x), int(y), int(z)) for x, y, z in positions]


@contextmanager
def watched(builder: Any, counting: ScheduledInterpreter) -> Generator[None]:
    """Tell `counting` what the native functions are not told: volatile, semantic and scope."""
    with ExitStack() as stack:
        load = builder.create_masked_load
        stack.enter_context(replaced(builder, "create_masked_load", _masked_load(load, counting)))
        for name, position in _ATOMICS.items():
            original = getattr(builder, name, None)
            if original is not None:
                wrapped = _atomic(original, position, counting)
                stack.enter_context(replaced(builder, name, wrapped))
        yield


@contextmanager
def replaced(owner: Any, name: str, value: Any) -> Generator[None]:
    """Set an object's attribute inside the `with` block."""
    had = name in vars(owner)
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        if had:
            setattr(owner, name, before)
        else:
            delattr(owner, name)  # the class's own applies again


def _masked_load(load: Callable[..., Any], counting: ScheduledInterpreter) -> Callable[..., Any]:
    def masked_load(ptrs: Any, mask: Any, other: Any, *options: Any, **more: Any) -> Any:
        access = counting.access
        volatile = bool(more.get("is_volatile", options[-1] if options else False))
        if not volatile or access.semantic:
            return load(ptrs, mask, other, *options, **more)
        access.semantic, access.scope = "RELAXED", ""
        try:
            result = load(ptrs, mask, other, *options, **more)
        finally:
            access.semantic = ""
        counting.used_atomics = True
        counting.note_read(ptrs.data, result.data)
        return result

    return masked_load


def _atomic(
    original: Callable[..., Any], position: int, counting: ScheduledInterpreter
) -> Callable[..., Any]:
    def atomic(*arguments: Any) -> Any:
        counting.schedule.may_switch()
        access = counting.access
        # The name of an enumeration's member, from Python or from C++.
        access.semantic, access.scope = (
            str(getattr(value, "name", value)).rpartition(".")[2] for value in arguments[-2:]
        )
        access.polls = original.__name__ == "create_atomic_poll"
        try:
            result = original(*arguments)
        finally:
            access.semantic, access.scope, access.polls = "", "", False
        counting.used_atomics = True
        if result is not None:
            counting.note_read(arguments[position].data, result.data)
        return result

    return atomic


def _state(frame: FrameType | None) -> list[Any]:
    """Return where a program is in each of its functions, and their variables."""
    state: list[Any] = []
    while frame is not None and frame.f_code.co_filename != triton_schedule.__file__:
        if is_kernels(frame.f_code.co_filename):
            state += [frame.f_lasti, *frame.f_locals, *frame.f_locals.values()]
        frame = frame.f_back
    return state


def _all_same(one: Sequence[Any], other: Sequence[Any]) -> bool:
    return len(one) == len(other) and all(map(_unchanged, one, other))


def _unchanged(one: Any, other: Any) -> bool:
    """Return whether two values are certainly the same."""
    data = [getattr(getattr(value, "handle", None), "data", None) for value in (one, other)]
    if all(isinstance(each, np.ndarray) for each in data):
        return _same(*map(np.asarray, data))
    if isinstance(one, tuple) and isinstance(other, tuple):
        return _all_same(cast(tuple[Any, ...], one), cast(tuple[Any, ...], other))
    if isinstance(one, bool | int | float | str | None):
        return type(one) is type(other) and repr(one) == repr(other)  # two NaN are the same too
    return one is other and not isinstance(one, list | dict | set)


def _same(one: NDArray[Any], other: NDArray[Any]) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.size and one.reshape(-1)[0] != other.reshape(-1)[0] and one.dtype.kind != "f":
        return False  # quick, and the usual case
    return one.tobytes() == other.tobytes()


def _together(*arrays: Any) -> list[NDArray[Any]]:
    return [np.ascontiguousarray(a) for a in np.broadcast_arrays(*arrays)]
