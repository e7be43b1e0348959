"""Runs a learner's CUDA kernel in the simulator."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol, cast

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import Message
from hotloop.engines.simulate.tensor_map import Tile
from hotloop.judge.buffers import Buffer
from hotloop.judge.calls import CallBuffers, PlacedCall
from hotloop.judge.checks.correct import Case, fill
from hotloop.judge.compare import Floats
from hotloop.judge.judge_fault import JudgeFault, Stumble, ours
from hotloop.judge.session import Session
from hotloop.judge.stub import has_empty_body
from hotloop.judge.worker_connection import NO_PROTOCOL, readable, reading

BUILD_TIMEOUT_S = 90.0
_OWN_SHARE = 0.9
"""Share of a launch's time limit after which the worker ends it itself and reports where it was."""

FATAL = {
    "out_of_bounds",
    "misaligned",
    "divergent_barrier",
    "divergent_warp",
    "bad_mask",
    "assert",
    "trap",
    "hang",
    "mbarrier",
    "tx_count",
    "bad_argument",
    "too_much_shared",
    "stack_overflow",
    "division_by_zero",
}
"""Findings after which a run has no valid answer."""


@dataclass(frozen=True)
class CudaLaunch:
    """How the candidate's kernel is launched: `name<<<ceil(rows / rows_a_block), block>>>`.

    rows_a_block, block: rows of the output that a block computes, and its threads.
    columns_a_block: columns of the output per block, on a second grid axis. None: a block has all
        columns.
    parameters: the learner's names of the tensors, the output last. After them, the kernel takes
        the output's extents and then the case's plain values.
    tiles: for tensors of which the kernel gets a tensor map.
    dynamic: bytes of dynamic shared memory.
    most_blocks: of a persistent kernel, whose blocks take one tile of the output after the other.
    """

    parameters: tuple[str, ...]
    rows_a_block: int = 1
    block: int = 256
    columns_a_block: int | None = None
    tiles: Mapping[str, Tile] = field(default_factory=dict[str, Tile])
    dynamic: int = 0
    most_blocks: int | None = None

    def grid(self, rows: int, columns: int) -> list[int]:
        """Return the blocks for an output of this shape."""
        down = -(-rows // self.rows_a_block)
        across = -(-columns // (self.columns_a_block or columns))
        if self.most_blocks is not None:
            return [min(self.most_blocks, down * across), 1, 1]
        return [down, across, 1]


@dataclass(frozen=True)
class Simulated:
    """One run: answer, findings, and memory traffic of each line.

    shared_bytes: size of the kernel's `__shared__` variables.
    """

    answer: Floats
    findings: Sequence[Mapping[str, Any]]
    sites: Sequence[Mapping[str, Any]]
    shared_bytes: int


class Fault(Ruling):
    """A finding after which a run has no valid answer."""

    def __init__(self, finding: Mapping[str, Any]) -> None:
        super().__init__(Verdict.RUNTIME_ERROR, sentence(finding))
        self.finding = finding


class Simulator(Protocol):
    """Who compiles and launches the candidate's kernels: `WorkerConnection`, `SimulatorHere`."""

    @property
    def memory(self) -> type[Buffer]:
        """What `map` takes."""
        ...

    def map(self, buffers: dict[int, Buffer]) -> None:
        """Lend the judge's buffers, until the request `unmap`."""
        ...

    def request(self, message: Message, timeout_s: float) -> Message:
        """Answer a request of `engines/simulate/worker.py`. Raises Ruling if it cannot."""
        ...

    def close(self) -> None:
        """End it. May be called twice."""
        ...


class KernelProcess:
    """A simulator that holds the compiled kernel."""

    def __init__(self, how: CudaLaunch, worker: Simulator, session: Session) -> None:
        self._how = how
        self._file = session.candidate.file or ""
        self._worker = worker
        self._session = session

    def run(self, case: Case, timeout_s: float, order: str = "forward") -> Simulated:
        """Launch the kernel for a case. Raises Ruling if the launch fails or a fault ends it."""
        buffers = CallBuffers([case.spec], seal_inputs=False, memory=self._worker.memory)
        try:
            call = buffers.calls[0]
            fill(call, case)
            call.poison_output(self._session.seeds.pattern())
            self._worker.map(buffers.buffers)
            with ours("the launch"):
                message = self._launch(call, case, order, _OWN_SHARE * timeout_s)
            reply = self._worker.request(message, timeout_s)
            self._worker.request({"op": "unmap"}, timeout_s)  # also before a run that fails
            _require_no_fault(self._file, reply, built=True)
            findings = _objects(reply.get("findings"))
            for finding in findings:
                if str(finding.get("kind")) == "timeout":
                    raise Ruling(Verdict.TIMEOUT, sentence(finding))
                if str(finding.get("kind")) in FATAL:
                    raise Fault(finding)
            if reply.get("error"):
                error = readable(reply.get("error"), 80)
                block = self._how.block
                said = f"The launch with {block} threads a block failed with {error}."
                raise Ruling(Verdict.RUNTIME_ERROR, said)
            answer = call.output_values()
            with reading():
                shared_bytes = int(reply["shared_bytes"])
            return Simulated(answer, findings, _objects(reply.get("sites")), shared_bytes)
        finally:
            buffers.close()

    def listing(self) -> str:
        """Return the kernel as the compiler reads it, for proofs; "" if there is no such text."""
        request = {"op": "listing", "file": self._file, "source": self._session.source()}
        reply = self._worker.request(request, self._session.timeout(BUILD_TIMEOUT_S))
        return str(reply.get("listing", ""))

    def _launch(self, call: PlacedCall, case: Case, order: str, seconds: float) -> dict[str, Any]:
        places = [place for place in call.places if place is not None]
        tensors = [
            {
                "tensor": place.to_message(),
                "name": name,
                "is_output": place is call.out,
                "tile": (tile := self._how.tiles.get(name)) and asdict(tile),
            }
            for place, name in zip((*places, call.out), self._how.parameters, strict=True)
        ]
        rows, columns = case.out.shape[0], case.out.shape[-1]
        plain = [a for a in case.arguments if isinstance(a, int | float)]
        return {
            "op": "launch",
            "kernel": self._session.name,
            "grid": self._how.grid(rows, columns),
            "block": [self._how.block, 1, 1],
            "dynamic": self._how.dynamic,
            "arguments": [*tensors, *case.out.shape, *plain],
            "order": order,
            "seconds": seconds,
        }


def simulator(how: CudaLaunch, session: Session) -> KernelProcess:
    """Compile the learner's file, once for all checks.

    Raises Ruling: WRONG_ANSWER for a kernel with an empty body, COMPILE_ERROR for code that does
    not compile or cannot be simulated.
    """
    return session.once(f"simulator of {session.name}", lambda: _compiled(how, session))


def _compiled(how: CudaLaunch, session: Session) -> KernelProcess:
    file, source = session.candidate.file or "", session.source()
    if has_empty_body(source, session.name):
        raise Ruling(Verdict.WRONG_ANSWER, "Not attempted yet: the kernel's body is empty.")
    worker = session.simulator()
    session.progress("compiling for the simulator")
    request = {"op": "build", "file": file, "source": source}
    reply = worker.request(request, session.timeout(BUILD_TIMEOUT_S))
    _require_no_fault(file, reply, built=False)
    return KernelProcess(how, worker, session)


def sentence(finding: Mapping[str, Any]) -> str:
    """Return a finding as one sentence that starts with the lines it is about."""
    lines: list[str] = []
    for witness in _objects(finding.get("witnesses")):
        line = witness.get("line")
        if isinstance(line, dict):
            place = cast(Mapping[str, Any], line)
            lines.append(f"{readable(place.get('file'), 60)}:{readable(place.get('line'), 10)}")
    where = " and ".join(dict.fromkeys(lines))
    text = readable(finding.get("text"), 400)
    return f"{where}: {text}" if where else text


def _require_no_fault(file: str, reply: Mapping[str, Any], *, built: bool) -> None:
    """Raise Ruling if the file was rejected, JudgeFault if this machine failed.

    built: the file was built before, and now runs.
    """
    if "internal" in reply:
        raise JudgeFault(f"the simulator failed: {readable(reply['internal'], 2000)}")
    if "fault" not in reply:
        return
    with reading():
        fault = reply["fault"]
        message = readable(fault["message"], 3000)
        if fault["kind"] == "compile":
            raise Ruling(Verdict.COMPILE_ERROR, f"It does not compile: {message}")
        if fault["kind"] == "stumble":
            verdict = Verdict.RUNTIME_ERROR if built else Verdict.COMPILE_ERROR
            sentence = f"{file}: the simulator cannot work with it ({message})."
            raise Ruling(verdict, sentence) from Stumble(readable(fault["trace"], 4000))
        place = f"{file}, line {int(fault['line'])}" if fault["line"] else file
        raise Ruling(Verdict.COMPILE_ERROR, f"{place}: {message}.")


def _objects(value: object) -> list[Mapping[str, Any]]:
    if not isinstance(value, list):
        raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
    return [cast(Mapping[str, Any], v) for v in cast(list[object], value) if isinstance(v, dict)]
