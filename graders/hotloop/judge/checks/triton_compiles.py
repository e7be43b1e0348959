"""The Triton kernels compile for the given GPUs, with or without a GPU on this machine.

The kernels are compiled with the types, constants and pointer alignments of the recorded calls, as
a launch on a GPU would compile them, in a process that does not run the learner's Python code.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.author_guard import Check
from hotloop.judge.candidate import Kind
from hotloop.judge.checks.kernel_process import kernel_process
from hotloop.judge.checks.triton_kernel_calls import LAUNCHED, Recorded, TritonKernelCalls
from hotloop.judge.kernel_source import KernelSource
from hotloop.judge.launch_plan import Argument, Launch, Pointer, Scalar
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import WorkerConnection, readable, reading

SHARED_KIB: Mapping[int, int] = {75: 64, 80: 163, 86: 99, 89: 99, 90: 227, 100: 227, 120: 99}
"""Maximum shared memory of a block in KiB, by compute capability (CUDA C++ Programming Guide, table
"Technical Specifications per Compute Capability")."""

TARGETS = (80, 90)
"""The usual compute capabilities to compile for."""

ALIGNMENT = 16


@dataclass(frozen=True)
class TritonCompiles(Check):
    """Every kernel of the recorded launches must compile for every target.

    calls: the recorded calls; `TritonKernelCalls.compiled` selects those that are compiled.
    targets: compute capabilities, 80 for sm_80.
    max_spill_bytes: maximum bytes of register spills of a kernel; None only reports them.
    """

    fits: ClassVar[frozenset[Kind]] = LAUNCHED
    calls: TritonKernelCalls
    targets: tuple[int, ...] = TARGETS
    max_spill_bytes: int | None = None
    after: tuple[str, ...] | None = field(default=("correct",), kw_only=True)
    timeout_s: float = 60.0

    def __post_init__(self) -> None:
        """Raise ValueError if there is nothing to compile for."""
        super().__post_init__()
        if not self.targets:
            raise ValueError("`targets` of TritonCompiles is empty")

    def __call__(self, session: Session) -> str:
        """Compile each distinct kernel of the recorded launches once for each target."""
        judged = self.calls.judged(session)
        figures: list[dict[str, Any]] = []
        with kernel_process(session, "triton_compile", {}) as worker:
            for launch, claim, source in _distinct(judged.compiled):
                for target in self.targets:
                    session.progress(f"compiling {launch.kernel} for sm_{target}")
                    timeout = session.timeout(self.timeout_s)
                    figures.append(_compile(launch, claim, source, target, worker, timeout))
        return self._rule(session, figures)

    def _rule(self, session: Session, figures: Sequence[dict[str, Any]]) -> str:
        session.note(kernels=list(figures))
        spilled = max(f.get("spill_store_bytes", 0) for f in figures)
        if self.max_spill_bytes is not None and spilled > self.max_spill_bytes:
            sentence = (
                f"It compiles, but {spilled} bytes of registers spill to memory: "
                "use smaller blocks or more warps."
            )
            raise Ruling(Verdict.TOO_SLOW, sentence)
        targets = " and ".join(f"sm_{target}" for target in self.targets)
        registers = max(f.get("registers", 0) for f in figures)
        return f"Compiles for {targets}: {registers} registers a thread, {spilled} bytes spilled."


def _compile(
    launch: Launch,
    arguments: Mapping[str, Any],
    source: KernelSource,
    target: int,
    worker: WorkerConnection,
    timeout_s: float,
) -> dict[str, Any]:
    reply = worker.request(
        {
            "op": "compile",
            "source": source.text,
            "kernel": launch.kernel,
            "arguments": arguments,
            "aligned": list(_aligned(launch)),
            "capability": target,
            "num_warps": launch.num_warps,
            "num_stages": launch.num_stages,
        },
        timeout_s,
    )
    with reading():
        if "fault" in reply:
            fault = reply["fault"]
            place, message = source.place(fault.get("line")), readable(fault["message"], 500)
            raise Ruling(
                Verdict.COMPILE_ERROR,
                f"{place}: `{launch.kernel}` does not compile for sm_{target}: {message}",
            )
        figures = {str(name): int(value) for name, value in reply["figures"].items()}
        _require_shared_memory(launch, target, figures["shared_bytes"])
    return {**figures, "kernel": launch.kernel, "target": f"sm_{target}"}


def _require_shared_memory(launch: Launch, target: int, used: int) -> None:
    most = SHARED_KIB.get(target)
    if most is None or used <= most << 10:
        return
    raise Ruling(
        Verdict.COMPILE_ERROR,
        f"`{launch.kernel}` needs {used >> 10} KiB of shared memory, sm_{target} has {most} KiB "
        "a block: use smaller blocks or fewer stages.",
    )


def _distinct(
    recorded: Sequence[Recorded],
) -> Iterator[tuple[Launch, Mapping[str, Any], KernelSource]]:
    """Yield launches that the compiler specializes differently, with their argument messages."""
    seen: set[str] = set()
    for reported in recorded:
        for launch, message in zip(
            reported.plan.launches, reported.plan.to_message()["launches"], strict=True
        ):
            key = repr(_specialization(launch, reported.source))
            if key not in seen:
                seen.add(key)
                yield launch, message["arguments"], reported.source


def _specialization(launch: Launch, source: KernelSource) -> object:
    """Return everything that the compiler uses of a launch.

    Of non-constexpr integers, that is only whether they are 1, a multiple of 16, or need 64 bits.
    """
    constant = {p.name for p in source.kernels[launch.kernel] if p.constexpr}
    return (
        launch.kernel,
        launch.num_warps,
        launch.num_stages,
        [(n, a if n in constant else _assumed(a)) for n, a in launch.arguments.items()],
    )


def _assumed(argument: Argument) -> object:
    if isinstance(argument, Pointer):
        return (argument.dtype, argument.offset % ALIGNMENT == 0)
    value = argument.value if isinstance(argument, Scalar) else argument
    if isinstance(value, int) and not isinstance(value, bool):
        return (value == 1, value % ALIGNMENT == 0, value.bit_length() > 31)
    return type(value) if isinstance(value, float) else value


def _aligned(launch: Launch) -> Iterator[str]:
    """Yield the names of 16-byte aligned pointers; all buffers start on such a boundary."""
    for name, argument in launch.arguments.items():
        if isinstance(argument, Pointer) and argument.offset % ALIGNMENT == 0:
            yield name
