"""Turns the checker's raw findings into messages with the source lines involved."""

from collections.abc import Callable

from hotloop.engines.simulate import async_findings
from hotloop.engines.simulate.raw_findings import (
    FindingsContext,
    Message,
    Raw,
    byte_of,
    unflattened,
)
from hotloop.engines.simulate.report import Finding, Witness

_DID = (
    "read", "write", "atomic", "waits", "traps", "indexes", "copy reads", "copy writes",
    "wgmma reads", "initializes", "arrives", "expects", "copies", "multiplies",
)  # fmt: skip
_VERB = ("reads", "writes", "updates atomically")
_CALLS = {
    5: "__syncwarp",
    6: "a shuffle",
    7: "a vote",
    8: "a match",
    9: "a match",
    18: "__activemask",
}
_VOTE = 7
_ALIGNED = {8: "elect_sync", 9: "setmaxnreg", 10: "wgmma_wait_group", 11: "wgmma"}
"""Kinds of a vote that are another instruction, with all lanes of a warp: see hopper.cuh."""


def _race(reader: FindingsContext, raw: Raw) -> Message:
    first, second = (did for _, did, _, _ in raw.who)
    same_block, same_warp, lacks_fence, is_too_narrow = raw.more
    if is_too_narrow:
        why = (
            "and an atomic with the scope of a block is none for other blocks: give it the scope "
            "of the device (atomicAdd for atomicAdd_block, cuda::thread_scope_device)"
        )
    elif lacks_fence:
        why = (
            "and a message through an atomic or a volatile variable lies in between: its reader "
            "needs a __threadfence() behind it, or a barrier"
        )
    elif not same_block:
        why = "and blocks run in any order: use an atomic, or a second kernel"
    elif 2 in (first, second):
        why = "but only one of the accesses is atomic"
    elif not same_warp:
        why = "with no __syncthreads() in between"
    else:
        why = "with no __syncwarp() or __syncthreads() in between: lanes of a warp run in any order"
    text = (
        f"Data race on {byte_of(reader, raw)}: one thread {_VERB[first]} and another "
        f"{_VERB[second]} it, {why}."
    )
    return "race", text, ()


def _out_of_bounds(reader: FindingsContext, raw: Raw) -> Message:
    where, more = _whereabouts(reader, raw)
    access = ("read", "write", "atomic update")[raw.who[0][1]]
    text = f"Out-of-bounds {access} of {raw.more[0]} bytes, {where}."
    return "out_of_bounds", text + _if_wide(raw), more


def _if_wide(raw: Raw) -> str:
    """Return a hint for 8 bytes that need not be wrong on a GPU."""
    if raw.more[0] != 8 or raw.address % 4:
        return ""
    return (
        " If this is a `size_t` or `long`: they have 32 bits in the simulator; "
        "use `unsigned long long`."
    )


def _whereabouts(reader: FindingsContext, raw: Raw) -> tuple[str, tuple[Witness, ...]]:
    if raw.more[1] or raw.address >= reader.host:
        return "in memory of the host, which a kernel cannot reach", ()
    if reader.dynamic(raw.address):
        return (
            "of dynamic shared memory, and the launch asks for none: that is its third argument",
            (),
        )
    place = reader.place(raw)
    if raw.address < 4096:
        return "at the null pointer", ()
    if place is None:
        return "in memory that is not allocated", ()
    more = [Witness(place.allocated_at, "allocated")] if place.allocated_at else []
    what = f"{place.what.partition(' `')[0]} of {place.bytes} bytes"
    name = place.what.partition(" `")[2]
    what += f" `{name}" if name else ""
    if not place.live:
        more += [Witness(place.freed_at, "freed")] if place.freed_at else []
        return f"in the {what}, which was freed", tuple(more)
    if raw.address < place.begin:
        return f"{place.begin - raw.address} bytes before the {what}", tuple(more)
    behind = raw.address - place.begin - place.bytes
    if behind > 0:
        return f"{behind} bytes past the end of the {what}", tuple(more)
    if behind == 0:
        return f"just past the end of the {what}", tuple(more)
    return f"over the end of the {what}", tuple(more)


def _misaligned(_: FindingsContext, raw: Raw) -> Message:
    alignment = raw.address & -raw.address
    return (
        "misaligned",
        f"The address is a multiple of {alignment}, and this access needs one of {raw.more[0]}."
        + _if_wide(raw),
        (),
    )


def _uninitialized(kind: str) -> Callable[[FindingsContext, Raw], Message]:
    def message(reader: FindingsContext, raw: Raw) -> Message:
        verb = _VERB[raw.who[0][1]].capitalize()
        text = (
            f"{verb} {raw.more[0]} bytes at {byte_of(reader, raw)}, which nobody has written: no "
            "store, and no asynchronous copy that was waited for."
        )
        return kind, text, ()

    return message


def _signed(number: int) -> int:
    return number - (1 << 32) if number >> 31 else number


def _fixed(kind: str, text: str) -> Callable[[FindingsContext, Raw], Message]:
    return lambda _reader, _raw: (kind, text, ())


def _stuck(_: FindingsContext, raw: Raw) -> Message:
    lane = raw.who[0][3] % 32
    other = raw.who[1][3] % 32 if len(raw.who) > 1 else 0
    text = (
        f"Lane {lane} waits in {_call(raw.more[0])} for the lanes of mask {raw.more[1]:#010x}, and "
        f"lane {other} is somewhere else: neither will ever go on."
    )
    return "divergent_warp", text, ()


def _different(_: FindingsContext, raw: Raw) -> Message:
    one, other = (thread % 32 for *_, thread in raw.who)
    op, *kinds = raw.more[:3]
    where = f"{_call(op)} of two kinds"
    if any(kind in _ALIGNED for kind in kinds) and op == _VOTE:
        where = " and in ".join(_ALIGNED.get(kind, _CALLS[_VOTE]) for kind in kinds)
    text = (
        f"Lanes {one} and {other} meet in {where}: all lanes of the mask must call the same "
        "function, with values of the same size."
    )
    return "divergent_warp", text, ()


def _call(op: int) -> str:
    return _CALLS.get(op, "a warp reduction")


def _bad_mask(_: FindingsContext, raw: Raw) -> Message:
    lane = raw.who[0][3] % 32
    text = f"Lane {lane} takes part in an operation whose mask {raw.more[0]:#010x} leaves it out."
    return "bad_mask", text, ()


def _read_only(reader: FindingsContext, raw: Raw) -> Message:
    text = f"Writes {raw.more[0]} bytes at {byte_of(reader, raw)}, which a kernel can only read."
    return "out_of_bounds", text, ()


_SENTENCES: tuple[Callable[[FindingsContext, Raw], Message], ...] = (
    _race,
    _out_of_bounds,
    _misaligned,
    _uninitialized("uninitialized_shared"),
    _uninitialized("uninitialized_global"),
    _fixed("host_access", "Uses memory of the device from host code."),
    _read_only,
    _fixed(
        "divergent_barrier",
        "Threads of one block wait at different __syncthreads() or grid.sync(): "
        "every thread must reach the same one.",
    ),
    _stuck,
    _different,
    _bad_mask,
    _fixed("trap", "The kernel stopped itself with __trap()."),
    _fixed(
        "stack_overflow",
        "Uses more than the 512 KiB that a thread has for local variables and calls.",
    ),
    lambda _reader, raw: (
        "out_of_bounds",
        f"Index {_signed(raw.more[0])} lies outside of the array.",
        (),
    ),
    *async_findings.SENTENCES,
)
"""Message functions, indexed by checker.h's `kind`."""


def finding(context: FindingsContext, raw: Raw) -> Finding:
    """Return the raw finding with its message and witnesses."""
    kind, text, more = _SENTENCES[raw.kind](context, raw)
    witnesses = [
        Witness(
            context.lines(site),
            _DID[did],
            unflattened(block, context.grid),
            unflattened(thread, context.block),
        )
        for site, did, block, thread in raw.who
    ]
    return Finding(kind, text, context.kernels[raw.kernel], (*witnesses, *more), raw.count)
