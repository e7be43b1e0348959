"""Writes CUDA kernels at random whose happens-before order is known.

Every thread runs through the same steps. A step is a synchronization of some threads, or an access
of shared memory by some threads; vector clocks say which accesses are ordered. A kernel is right if
all of its conflicting accesses are; a racy one ends with an access that is not.
Source: Lamport, "Time, Clocks, and the Ordering of Events in a Distributed System", 1978.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from hotloop.engines.simulate.report import Finding

WARP, THREADS, CELLS = 32, 96, 4


@dataclass
class Access:
    """Accesses of one line: threads, the cell of each, whether they write, and their epochs."""

    line: int
    writes: bool
    cells: dict[int, int]
    epochs: dict[int, int]


@dataclass
class Kernel:
    """A kernel's text so far, and the order of what it does.

    clocks: (thread, thread), int: the newest epoch of the second that the first is ordered behind.
    races: lines of which each is in conflict with the last one; none in a right kernel.
    """

    name: str
    rng: random.Random
    asynchronous: bool
    first_line: int
    lines: list[str] = field(default_factory=list[str])
    declared: list[str] = field(default_factory=list[str])
    begun: list[str] = field(default_factory=list[str])
    accesses: list[Access] = field(default_factory=list[Access])
    clocks: np.ndarray = field(default_factory=lambda: np.eye(THREADS, dtype=int))
    races: set[int] = field(default_factory=set[int])

    def emit(self, text: str) -> int:
        """Append a line, and return its number in the file."""
        self.lines.append(text)
        return self.first_line + len(self.lines) - 1

    def by(self, threads: list[int], statement: str) -> int:
        """Append a statement that these threads execute, and return its line's number."""
        return self.emit(f"if ({among(threads)}) {{ {statement} }}")

    # --- synchronization ------------------------------------------------------------------------

    def pass_on(self, senders: Sequence[int], receivers: Sequence[int]) -> None:
        """Order what the senders have done until now before what the receivers do from now on."""
        told = self.clocks[list(senders)].max(axis=0)
        for sender in senders:
            self.clocks[sender, sender] += 1
        for receiver in receivers:
            own = self.clocks[receiver, receiver]
            self.clocks[receiver] = np.maximum(self.clocks[receiver], told)
            self.clocks[receiver, receiver] = own

    def some_threads(self) -> list[int]:
        """Return a thread, lanes of one warp, whole warps, or threads anywhere."""
        kind, warp = self.rng.randrange(5), self.rng.randrange(THREADS // WARP) * WARP
        if kind == 0:
            return [self.rng.randrange(THREADS)]
        if kind == 1:
            return sorted(warp + i for i in self.rng.sample(range(WARP), self.rng.randint(2, 31)))
        if kind == 2:
            return list(range(warp, warp + WARP))
        if kind == 3:
            return self.warps()
        return sorted(self.rng.sample(range(THREADS), self.rng.randint(2, THREADS)))

    def warps(self) -> list[int]:
        """Return the threads of one warp or several."""
        chosen = self.rng.sample(range(THREADS // WARP), self.rng.randint(1, THREADS // WARP))
        return [t for w in sorted(chosen) for t in range(w * WARP, (w + 1) * WARP)]

    def synchronize(self) -> None:
        """Append one synchronization, in one of the ways in which CUDA writes it."""
        ways: list[Callable[[], None]] = [
            self.block,
            self.warp,
            self.flag,
            self.counter,
            self.barrier,
        ]
        if self.asynchronous:
            ways += [self.mbarrier, self.mbarrier, self.named]
        self.rng.choice(ways)()

    def block(self) -> None:
        """Append __syncthreads()."""
        self.emit("__syncthreads();")
        everyone = range(THREADS)
        self.pass_on(everyone, everyone)

    def warp(self) -> None:
        """Append __syncwarp() of some lanes of a warp."""
        warp = self.rng.randrange(THREADS // WARP)
        count = self.rng.choice([WARP, WARP, self.rng.randint(2, WARP)])
        lanes = sorted(self.rng.sample(range(WARP), count))
        members = [warp * WARP + lane for lane in lanes]
        mask = sum(1 << lane for lane in lanes)
        self.by(members, f"__syncwarp({mask:#x}u);")
        self.pass_on(members, members)

    def flag(self) -> None:
        """Append a message of one thread to some."""
        name, sender = f"flag{len(self.declared)}", self.rng.randrange(THREADS)
        receivers = [t for t in self.some_threads() if t != sender] or [(sender + 1) % THREADS]
        self.declared.append(f"__shared__ unsigned {name};")
        self.begun.append(f"{name} = 0;")
        store, wait = self.rng.choice(
            [
                (
                    "word({}).store(1, cuda::memory_order_release);",
                    "while (!word({}).load(cuda::memory_order_acquire)) {{}}",
                ),
                (
                    "__threadfence_block(); atomicExch(&{}, 1);",
                    "while (!atomicAdd(&{}, 0)) {{}} __threadfence_block();",
                ),
                (
                    "__threadfence(); *(volatile unsigned*)&{} = 1;",
                    "while (!*(volatile unsigned*)&{}) {{}} __threadfence();",
                ),
                (
                    "word({}).exchange(1, cuda::memory_order_acq_rel);",
                    "while (word({}).fetch_or(0, cuda::memory_order_acquire) == 0) {{}}",
                ),
            ]
        )
        self.by([sender], store.format(name))
        self.by(receivers, wait.format(name))
        self.pass_on([sender], receivers)

    def counter(self) -> None:
        """Append a count of some threads' arrivals, for which others wait."""
        name, senders, receivers = (
            f"count{len(self.declared)}",
            self.some_threads(),
            self.some_threads(),
        )
        self.declared.append(f"__shared__ unsigned {name};")
        self.begun.append(f"{name} = 0;")
        arrive, load, fence = self.rng.choice(
            [
                (
                    "word({}).fetch_add(1, cuda::memory_order_release);",
                    "word({}).load(cuda::memory_order_acquire)",
                    "",
                ),
                (
                    "__threadfence_block(); atomicAdd(&{}, 1u);",
                    "atomicAdd(&{}, 0u)",
                    "__threadfence_block();",
                ),
                (
                    "__threadfence(); atomicInc(&{}, 1000u);",
                    "*(volatile unsigned*)&{}",
                    "__threadfence();",
                ),
            ]
        )
        self.by(senders, arrive.format(name))
        self.by(receivers, f"while ({load.format(name)} != {len(senders)}u) {{}} {fence}")
        self.pass_on(senders, receivers)

    def barrier(self) -> None:
        """Append a phase of a cuda::barrier: some arrive, and some of these wait."""
        name, senders = f"met{len(self.declared)}", self.some_threads()
        receivers = self.rng.choice(
            [senders, sorted(self.rng.sample(senders, self.rng.randint(1, len(senders))))]
        )
        self.declared.append(f"__shared__ barrier {name};")
        self.begun.append(f"init(&{name}, {len(senders)});")
        wait = f"if ({among(receivers)}) {name}.wait(std::move(token));"
        self.by(senders, f"auto token = {name}.arrive(); {wait}")
        self.pass_on(senders, receivers)

    def mbarrier(self) -> None:
        """Append a phase of an mbarrier: some arrive, and any threads wait."""
        name, senders, receivers = (
            f"full{len(self.declared)}",
            self.some_threads(),
            self.some_threads(),
        )
        self.declared.append(f"__shared__ hotloop::mbarrier {name};")
        self.begun.append(f"hotloop::mbarrier_init(&{name}, {len(senders)});")
        self.by(senders, f"hotloop::mbarrier_arrive(&{name});")
        self.by(receivers, f"hotloop::mbarrier_wait_parity(&{name}, 0);")
        self.pass_on(senders, receivers)

    def named(self) -> None:
        """Append a named barrier of some warps."""
        members, number = self.warps(), 1 + sum("barrier_sync" in line for line in self.lines)
        self.by(members, f"hotloop::barrier_sync({number}, {len(members)});")
        self.pass_on(members, members)

    # --- accesses -------------------------------------------------------------------------------

    def propose(self) -> tuple[bool, dict[int, int]]:
        """Return whether an access writes, and the cell of each of its threads."""
        threads, writes = self.some_threads(), self.rng.random() < 0.5
        if self.rng.random() < 0.5:  # each its own, or a neighbor's
            shift = self.rng.choice([0, 0, 1, 33])
            return writes, {t: CELLS + (t + shift) % THREADS for t in threads}
        if writes:
            threads = [self.rng.choice(threads)]
        cell = self.rng.randrange(CELLS)
        return writes, dict.fromkeys(threads, cell)

    def conflicts(self, writes: bool, cells: dict[int, int]) -> set[int]:
        """Return the lines of earlier accesses that such an access would race with."""
        owners: dict[int, list[int]] = {}
        for thread, cell in cells.items():
            owners.setdefault(cell, []).append(thread)
        return {
            earlier.line
            for earlier in self.accesses
            if writes or earlier.writes
            for other, cell in earlier.cells.items()
            for thread in owners.get(cell, ())
            if other != thread and self.clocks[thread, other] < earlier.epochs[other]
        }

    def access(self, writes: bool, cells: dict[int, int]) -> None:
        """Append an access."""
        one = next(iter(cells.items()))
        index = (
            str(one[1])
            if one[1] < CELLS
            else f"{CELLS} + (threadIdx.x + {(one[1] - CELLS - one[0]) % THREADS}) % {THREADS}"
        )
        number = len(self.accesses) + 1
        what = (
            f"cells[{index}] = {number * 1000} + threadIdx.x;"
            if writes
            else f"sum += cells[{index}];"
        )
        line = self.by(list(cells), what)
        epochs = {t: int(self.clocks[t, t]) for t in cells}
        self.accesses.append(Access(line, writes, cells, epochs))

    def finish(self) -> str:
        """Return the kernel's text, whose body begins at `first_line`."""
        cells = CELLS + THREADS
        fill = f"for (int i = 0; i < {cells}; ++i) cells[i] = i;"
        head = [
            f"__global__ void {self.name}(int* out) {{",
            f"__shared__ int cells[{cells}];",
            *self.declared,
            "int sum = 0;",
            f"if (threadIdx.x == 0) {{ {' '.join(self.begun)} {fill} }}",
            "__syncthreads();",
        ]
        return "\n".join([" ".join(head), *self.lines, "out[threadIdx.x] = sum;", "}"])


def among(threads: list[int]) -> str:
    """Return a condition that is true in these threads."""
    words = [sum(1 << t % WARP for t in threads if t // WARP == w) for w in range(THREADS // WARP)]
    if len(threads) == 1:
        return f"threadIdx.x == {threads[0]}"
    if threads == list(range(threads[0], threads[-1] + 1)):
        return f"threadIdx.x >= {threads[0]} && threadIdx.x <= {threads[-1]}"
    return "is_among(" + ", ".join(f"{word:#x}u" for word in words) + ")"


def kernel(seed: int, first_line: int, *, racy: bool, asynchronous: bool) -> Kernel:
    """Return a random kernel. first_line: the line of the file at which its head stands."""
    rng = random.Random(seed)
    one = Kernel(f"k{seed}_{'racy' if racy else 'right'}", rng, asynchronous, first_line + 1)
    one.clocks[:] = 1  # the __syncthreads() behind the initialization
    np.fill_diagonal(one.clocks, 2)
    for _ in range(rng.randint(4, 9)):
        one.synchronize()
        for _ in range(rng.randint(1, 5)):
            writes, cells = one.propose()
            if not one.conflicts(writes, cells):
                one.access(writes, cells)
    while racy:
        writes, cells = one.propose()
        one.races = one.conflicts(writes, cells)
        one.access(writes, cells)
        if one.races:
            break
        if rng.random() < 0.3:
            one.synchronize()
    return one


def lines_of(finding: Finding) -> set[int]:
    """Return the lines that a finding names."""
    return {witness.line.line for witness in finding.witnesses if witness.line is not None}


def outcome(kernel: Kernel, findings: Iterable[Finding]) -> str:
    """Return what became of a kernel among a program's findings.

    A right one is clean or reported. Of a racy one the race is found or missed, or the report is
    elsewhere: at lines that do not race.
    """
    reported = [lines_of(finding) for finding in findings if finding.kernel == kernel.name]
    if not kernel.races:
        return "reported" if reported else "clean"
    if not reported:
        return "missed"
    last = kernel.accesses[-1].line
    named = all(last in lines and lines - {last} <= kernel.races for lines in reported)
    return "found" if named else "elsewhere"


HEAD = """#include <cuda/atomic>
#include <cuda/barrier>
#include <utility>
#include "hotloop/hopper.cuh"
#include "kernels/check.h"
using barrier = cuda::barrier<cuda::thread_scope_block>;
using word = cuda::atomic_ref<unsigned, cuda::thread_scope_block>;
__device__ bool is_among(unsigned a, unsigned b, unsigned c) {
  return (threadIdx.x < 32 ? a : threadIdx.x < 64 ? b : c) >> threadIdx.x % 32 & 1;
}
"""


def program(seeds: Sequence[int], *, asynchronous: bool) -> tuple[str, list[Kernel]]:
    """Return a CUDA program with a right and a racy kernel of each seed, and these kernels.

    asynchronous: whether they use mbarriers and named barriers, too.
    """
    text = HEAD
    kernels: list[Kernel] = []
    for seed in seeds:
        for racy in (False, True):
            one = kernel(seed, text.count("\n") + 1, racy=racy, asynchronous=asynchronous)
            kernels.append(one)
            text += one.finish() + "\n"
    launches = "\n".join(f"{one.name}<<<1, {THREADS}>>>(out); CHECK_LAUNCH();" for one in kernels)
    allocate = f"int* out; CHECK(cudaMalloc(&out, {THREADS} * sizeof(int)));"
    return f"{text}int main() {{\n{allocate}\n{launches}\nreturn verdict(true);\n}}\n", kernels
