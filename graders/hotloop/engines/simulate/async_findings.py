"""Messages of findings about asynchronous operations: mbarriers, bulk copies, wgmma."""

from collections.abc import Callable

from hotloop.engines.simulate.raw_findings import (
    READS,
    UPDATES,
    FindingsContext,
    Message,
    Raw,
    byte_of,
    unflattened,
)
from hotloop.engines.simulate.report import Witness

_COPY_READS, _COPY_WRITES, _WGMMA_READS = 6, 7, 8
"""Values of `did` in checker.h."""

_GROUP_READS, _GROUP_WRITES, _WGMMA = 1, 2, 3
"""Values of `of` in checker.h; anything larger is the address of an mbarrier."""

_STORE, _PRODUCT, _SOURCE, _DESTINATION = 1, 2, 3, 4
"""Values of `in_flight` in checker.h."""

_UNLIKE = {1: "the descriptor of a", 2: "the descriptor of b", 3: "whether it adds"}

_BEFORE_FIRST = 2**32 - 1

_PARTY = {
    _COPY_READS: "a bulk copy reads",
    _COPY_WRITES: "a bulk copy writes",
    _WGMMA_READS: "a wgmma reads",
}


def _barrier(reader: FindingsContext, address: int) -> str:
    """Return the name of an mbarrier: its variable, with its index if that is an array."""
    for place in reader.regions:
        if not place.begin <= address < place.begin + place.bytes:
            continue
        name = place.what.partition("`")[2].rstrip("`")
        if not name:
            return f"the mbarrier at byte {address - place.begin} of {place.what}"
        return f"`{name}[{(address - place.begin) // 8}]`" if place.bytes > 8 else f"`{name}`"
    return f"the mbarrier at {address:#x}"


def _race(reader: FindingsContext, raw: Raw) -> Message:
    first, second = (did for _, did, _, _ in raw.who)
    flags, wait_for, phase, wait = raw.more
    agent_is_first, same_block = flags & 1, flags & 2
    verbs = [_PARTY.get(did) or f"a thread {_verb(did)}" for did in (first, second)]
    text = f"Data race on {byte_of(reader, raw)}: {verbs[0]} it and {verbs[1]} it, "
    if not same_block:
        return "race", text + "and blocks run in any order.", ()
    if agent_is_first:
        who = "whoever starts the second" if second in _PARTY else "the second"
        what = _wait(reader, wait_for, phase)
        text += f"but {who} has neither waited {what} nor for a thread that has."
    else:
        text += (
            "but whoever starts the second has not waited until that thread had arrived at a "
            f"barrier behind the line where it {_verb(first)}."
        )
    if not wait:
        return "race", text, ()
    parity = wait % 4 - 1
    text += (
        f" The last wait asked for parity {parity}, which an earlier phase has: it did not wait."
    )
    _, _, block, thread = raw.who[1 if agent_is_first else 0]
    at = Witness(
        reader.lines(wait >> 2),
        "waits",
        unflattened(block, reader.grid),
        unflattened(thread, reader.block),
    )
    return "race", text, (at,)


def _wait(reader: FindingsContext, wait_for: int, phase: int) -> str:
    if wait_for == _WGMMA:
        return "for the wgmma (wgmma_wait_group)"
    if wait_for in (_GROUP_READS, _GROUP_WRITES):
        read = "_read" if wait_for == _GROUP_READS else ""
        return f"for the copy's group (bulk_wait_group{read})"
    return f"for the copy (phase {phase} of {_barrier(reader, wait_for)})"


def _verb(did: int) -> str:
    return "reads" if did == READS else "updates" if did == UPDATES else "writes"


def _hang(reader: FindingsContext, raw: Raw) -> Message:
    lacks_arrivals, phase = raw.more[0] & 1, raw.more[0] >> 1
    text = (
        f"The block hangs: {raw.more[3]} threads wait at mbarriers, this one for phase {phase} "
        f"(parity {phase % 2}) of {_barrier(reader, raw.address)}"
    )
    if lacks_arrivals:
        text += f", where {raw.more[1]} of {raw.more[2]} arrivals are missing"
        text += f"; another waits at {_barrier(reader, raw.region)}." if raw.region else "."
        return "hang", text, ()
    return (
        "hang",
        (
            f"{text}. All have arrived, and {raw.more[1]} bytes are expected: copies have brought "
            f"{raw.more[2]}, and none is on its way."
        ),
        (),
    )


def _bytes_differ(reader: FindingsContext, raw: Raw) -> Message:
    expected, brought, phase, late = raw.more
    name = _barrier(reader, raw.address)
    if late:
        text = (
            f"A phase of {name} ended before this copy of {late} bytes had arrived: fewer bytes "
            "were expected (expect_tx) than its copies bring."
        )
    else:
        text = (
            f"Copies bring {brought} bytes in phase {phase} of {name}, and {expected} were "
            "expected (expect_tx)."
        )
    return "tx_count", text, ()


def _of_barrier(kind: str, text: str) -> Callable[[FindingsContext, Raw], Message]:
    return lambda reader, raw: (
        kind,
        text.format(name=_barrier(reader, raw.address), more=raw.more),
        (),
    )


def _overtaken(reader: FindingsContext, raw: Raw) -> Message:
    meant, now, count = raw.more[:3]
    before_first = meant == _BEFORE_FIRST
    what = "the phase before the first" if before_first else f"phase {meant}"
    return (
        "mbarrier",
        (
            f"Waits for {what} (parity {meant % 2}) of {_barrier(reader, raw.address)}, and phase "
            f"{now} is open by then: a wait tells only the open phase from the one before it, and "
            f"this one may go on too early or never. Its {count} arrivals of a phase do not wait "
            "for this thread."
        ),
        (),
    )


def _no_proxy_fence(reader: FindingsContext, raw: Raw) -> Message:
    return (
        "fence",
        (
            f"Reads {byte_of(reader, raw)} through the async proxy, and thread {raw.more[0]} has "
            "written it with an ordinary store: that thread calls fence_proxy_async() before it "
            "tells others. Without it the old value may be read."
        ),
        (),
    )


def _in_flight(reader: FindingsContext, raw: Raw) -> Message:
    what, detail = raw.more[:2]
    if what in (_SOURCE, _DESTINATION):
        does = "reads" if what == _SOURCE else "writes"
        text = (
            f"Changes {byte_of(reader, raw)} while a cp.async {does} it: until its thread waits "
            "for it, and others for that thread, the copy is on its way."
        )
        return "in_flight", text, ()
    if what == _PRODUCT:
        wait = "it is in no group (wgmma_commit_group)" if detail else "nobody waits for it"
        return "in_flight", f"The block ends while a wgmma is on its way: {wait}.", ()
    if what == _STORE:
        wait = (
            "it is in no group (bulk_commit_group)"
            if detail
            else "its thread does not wait for the group (bulk_wait_group_read)"
        )
        return (
            "in_flight",
            (f"The block may end, with its shared memory, while this store reads it: {wait}."),
            (),
        )
    return (
        "in_flight",
        (f"The block ends while this copy of {detail} bytes is on its way: nobody waits for it."),
        (),
    )


_BAD = (
    (
        "More than {} mbarriers, threads with bulk stores and warps with wgmma in one block: the "
        "simulator keeps no more."
    ),
    "An mbarrier lies in shared memory.",
    "An mbarrier needs an address that is a multiple of 8.",
    "An mbarrier counts from 1 to 1048575 arrivals, not {}.",
    "More than {} mbarriers in one block: the simulator keeps no more.",
    "An mbarrier can expect 1048575 bytes in one phase; this would be more.",
    "The shared memory of a bulk copy begins at a multiple of 16; this address is {} over.",
    "The global memory of a bulk copy begins at a multiple of 16; this address is {} over.",
    "A bulk copy moves a multiple of 16 bytes, not {}.",
    "This is no tensor map that cuTensorMapEncodeTiled has made.",
    "A tile lies in shared memory at a multiple of 128; this address is {} over.",
    "A tensor map lies at a multiple of 64; this address is {} over.",
    "wgmma needs a whole warp group: 128 threads from a multiple of 128 on. The block has {}.",
    "The sums of a wgmma, and rows of a from registers, are the calling thread's own variables.",
    "More than {} accumulators of one thread: the simulator keeps no more.",
    "A named barrier has a number from 1 to 15, not {}; 0 is __syncthreads().",
    "A named barrier counts a multiple of 32 threads, not {}.",
    (
        "An operand with a swizzle begins with the first of the 8 rows after which the swizzle "
        "repeats; this one begins {} rows behind it, and its descriptor has no base offset."
    ),
    (
        "A tensor map is a parameter of the kernel, or lies in constant or global memory: the copy "
        "engine cannot read a thread's local variables."
    ),
    "A cp.async copies 4, 8 or 16 bytes, and sets at most as many to zero, not {}.",
    "A cp.async copies from global to shared memory.",
    "More than {} cp.async of one block on their way at a time: the simulator keeps no more.",
)
"""Of enum bad_async in checker.h."""


def _bad(_: FindingsContext, raw: Raw) -> Message:
    return "bad_argument", _BAD[raw.more[0]].format(raw.more[1]), ()


def _accumulator(_: FindingsContext, raw: Raw) -> Message:
    verb = "Reads" if raw.who[0][1] == READS else "Changes"
    missing = "wgmma_commit_group() and then a wait for it" if raw.more[0] else "wgmma_wait_group"
    return (
        "in_flight",
        f"{verb} sums of a wgmma that is on its way: {missing} comes first.",
        (),
    )


def _swizzles_differ(reader: FindingsContext, raw: Raw) -> Message:
    laid, asked = (f"{n} bytes" if n else "none" for n in raw.more[:2])
    return (
        "swizzle",
        (
            f"The tile at {byte_of(reader, raw)} was copied with a swizzle of {laid}, and the "
            f"descriptor says {asked}."
        ),
        (),
    )


def _grid_hang(_: FindingsContext, raw: Raw) -> Message:
    why = (
        "thread 0 of this block has returned, and it is the one that meets the other blocks"
        if raw.more[0]
        else f"{raw.more[1]} blocks have ended without it"
    )
    return "hang", f"grid.sync() never opens: {why}. All threads of a grid must call it.", ()


SENTENCES: tuple[Callable[[FindingsContext, Raw], Message], ...] = (
    _race,
    _of_barrier("mbarrier", "{name} is used as an mbarrier before mbarrier_init."),
    _of_barrier(
        "race",
        "This use of {name} is not ordered behind its mbarrier_init by another thread: "
        "__syncthreads() between them is missing.",
    ),
    _of_barrier(
        "mbarrier",
        "{name} is initialized again while it is in use: one thread calls mbarrier_init, once.",
    ),
    _of_barrier("mbarrier", "Uses the bytes of the mbarrier {name} as ordinary memory."),
    _of_barrier(
        "fence",
        "A bulk copy completes on {name}, and no fence_mbarrier_init() stands between its "
        "initialization and the copy: the copy may not see the mbarrier.",
    ),
    _of_barrier(
        "mbarrier",
        "One arrival too many at {name}: all {more[0]} of phase {more[1]} have arrived, and the "
        "phase still waits for {more[2]} bytes of copies. Who arrives for the next phase waits for "
        "this one first.",
    ),
    _hang,
    _bytes_differ,
    _no_proxy_fence,
    _in_flight,
    _bad,
    _accumulator,
    lambda _reader, _raw: (
        "fence",
        (
            "wgmma without wgmma_fence() before it: the first one needs it, and each one whose "
            "registers other instructions have used since."
        ),
        (),
    ),
    _swizzles_differ,
    lambda _reader, raw: (
        "divergent_warp",
        (
            "The four warps of a warp group call wgmma together: "
            + (
                f"one of them has {raw.more[0]} groups, and this one waits with {raw.more[1]}."
                if raw.more[2]
                else f"the first has called it {raw.more[0]} times, this one {raw.more[1]} times."
            )
        ),
        (),
    ),
    lambda _reader, raw: (
        "hang",
        (
            f"The block hangs at named barrier {raw.more[0]}: {raw.more[1]} of {raw.more[2]} "
            "threads have arrived."
        ),
        (),
    ),
    lambda _reader, raw: (
        "divergent_barrier",
        (
            f"Named barrier {raw.more[0]} is used with {raw.more[1]} threads here and with "
            f"{raw.more[2]} elsewhere."
        ),
        (),
    ),
    lambda _reader, raw: (
        "divergent_barrier",
        (
            f"A thread arrives at named barrier {raw.more[0]} a second time, and the phase is "
            f"not complete: {raw.more[1]} of {raw.more[2]} threads have arrived."
        ),
        (),
    ),
    _of_barrier(
        "mbarrier",
        "This arrival counts for phase {more[1]} of {name} by luck: nothing orders it behind the "
        "end of the phase before, and it may be one of the {more[0]} arrivals that end that one. "
        "Either more threads arrive than mbarrier_init says, or this one has not waited.",
    ),
    _overtaken,
    lambda _reader, raw: (
        "divergent_warp",
        (
            "All threads of a warp group execute the same wgmma_wait_group: "
            + (
                f"wait number {raw.more[0]} of this one is another one than thread {raw.more[1]}'s."
                if raw.more[0] == raw.more[2]
                else f"this one has {raw.more[0]}, and thread {raw.more[1]} has {raw.more[2]}."
            )
        ),
        (),
    ),
    _grid_hang,
    lambda _reader, _raw: (
        "unsupported",
        "An asynchronous copy that nobody has waited for before grid.sync() is not simulated.",
        (),
    ),
    lambda _reader, raw: (
        "divergent_warp",
        (
            "All threads of a warp group name the same operands of a wgmma: "
            f"{_UNLIKE[raw.more[0]]} is another one here than in thread {raw.more[1]}. The "
            "hardware takes one of them."
        ),
        (),
    ),
    lambda _reader, raw: (
        "divergent_warp",
        (
            "All warps of a warp group execute the same setmaxnreg, and thread "
            f"{raw.more[0]} of this one's group has not."
        ),
        (),
    ),
    lambda _reader, raw: (
        "hang",
        (
            f"The block hangs on a GPU: its warp groups ask for {raw.more[0]} registers "
            f"(setmaxnreg), and it has at most {raw.more[1]}, {raw.more[2]} for each thread at the "
            "launch. setmaxnreg_inc waits until others have given enough of them back."
        ),
        (),
    ),
)
"""Message functions for the kinds of checker.h from ASYNC_RACE on, in order."""
