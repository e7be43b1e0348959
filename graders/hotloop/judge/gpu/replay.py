"""Triton kernels alone on the GPU: the launches that a function reports, without the function.

The function's worker is asked once which kernels it launches on the GPU, and with what. Its account
is only a claim (`hotloop.judge.launch_plan`). The kernels are taken out of the file and vetted, as
on the CPU (`hotloop.judge.kernel_source`), and a process that holds nothing else of the learner's
launches them by that account. What it fills is judged, and it is what is timed: what the function
computes on the GPU with PyTorch's own kernels counts for nothing.
"""

import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge import launch_plan
from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.workers import replaying_worker
from hotloop.judge.kernel_source import vet
from hotloop.judge.launch_plan import Plan
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import NO_PROTOCOL, WorkerConnection

PROGRAM = Path(__file__).parent / "trusted" / "replayed.py"
FUNCTION = "replayed"

MOST_PROGRAMS = 1 << 31
MOST_SCRATCH_BYTES = 16 << 30
"""On a GPU, where calls are as large as in practice."""

ALONE = (
    "Only the kernels that your function launches count on the GPU: what it computes in PyTorch "
    "there does not."
)


@contextmanager
def kernels_alone(
    session: Session, card: Card, programs: Sequence[Mapping[CallSpec, object]]
) -> Generator[tuple[WorkerConnection, list[Candidate]]]:
    """Yield a worker for the kernels of a function without the function, and its programs.

    programs: the claims of the calls that one program can make. Each becomes a candidate, which
    `resolve` readies.

    Raises Ruling if a claim cannot be read or replayed, or names kernels that are not allowed.
    """
    with TemporaryDirectory(prefix="hotloop-replay-") as name:
        folder = Path(name)
        folder.chmod(0o755)  # the sandbox's user reads it
        files = [_write(session, folder, f"replay{i}", c) for i, c in enumerate(programs)]
        with replaying_worker(session, folder, card) as worker:
            yield worker, [replace(session.candidate, name=FUNCTION, file=file) for file in files]


def _write(session: Session, folder: Path, name: str, claims: Mapping[CallSpec, object]) -> str:
    """Write the program that makes some calls; return its file's name."""
    plans = {spec: _plan(spec, claim) for spec, claim in claims.items()}
    file = session.candidate.file or ""
    names = {name for plan in plans.values() for name in plan.kernels}
    source = vet(session.files.read_text(file), names, file)
    for plan in plans.values():
        launch_plan.require_fit(plan, source)
    documents = [{"key": _key(spec), "plan": _message(plan)} for spec, plan in plans.items()]
    (folder / f"{name}_kernels.py").write_text(source.text, encoding="utf-8")
    (folder / f"{name}.json").write_text(json.dumps(documents), encoding="utf-8")
    program = folder / f"{name}.py"
    program.write_bytes(PROGRAM.read_bytes())
    return program.name


@contextmanager
def explained() -> Generator[None]:
    """Say in a ruling about the kernels that they were alone.

    Kernels that cannot be launched again are ruled on too: whoever reports launches that fail would
    otherwise never get a zero.
    """
    try:
        yield
    except Ruling as ruling:
        if ruling.verdict in {Verdict.WRONG_ANSWER, Verdict.RUNTIME_ERROR}:
            ruling.sentence = f"{ruling.sentence} {ALONE}"
        raise


def one_claim(reply: Mapping[str, Any]) -> object:
    """Return the claim of the only call in a worker's reply. Raises Ruling if there is none."""
    claims = reply.get("watched")
    if not isinstance(claims, list) or len(claims) != 1:  # pyright: ignore[reportUnknownArgumentType]
        raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
    return claims[0]  # pyright: ignore[reportUnknownVariableType]


def _plan(spec: CallSpec, claim: object) -> Plan:
    return launch_plan.read(
        claim,
        len(spec.arguments) + 1,
        most_programs=MOST_PROGRAMS,
        most_scratch_bytes=MOST_SCRATCH_BYTES,
    )


def _key(spec: CallSpec) -> Sequence[object]:
    """Return the call's key, as `trusted/replayed.py` makes it from arguments."""
    return [
        [list(each.shape), _strides(each), f"torch.{each.dtype.torch_name}"]
        if isinstance(each, TensorSpec)
        else each
        for each in (*spec.arguments, spec.out)
    ]


def _strides(tensor: TensorSpec) -> list[int]:
    return [] if 0 in tensor.shape else list(tensor.strides)


def _message(plan: Plan) -> dict[str, Any]:
    document = plan.to_message()
    for message, launch in zip(document["launches"], plan.launches, strict=True):
        message["num_warps"], message["num_stages"] = launch.num_warps, launch.num_stages
    return document
