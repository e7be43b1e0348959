"""Workers that may use the GPU."""

from collections.abc import Generator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from dataclasses import replace
from pathlib import Path

from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.nvcc import toolchain
from hotloop.engines.simulate.problem import ToolMissing
from hotloop.judge.device import kind
from hotloop.judge.gpu import devices
from hotloop.judge.gpu.card import Card, CardBusy, NoCard, open_card
from hotloop.judge.launcher import Launcher
from hotloop.judge.notebook import PROGRAM
from hotloop.judge.questions import ask_plainly
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.worker.cuda_tools import ARCHITECTURE_VARIABLE, NVCC_VARIABLE, program
from hotloop.worker.notebook import NOTEBOOK_S, PROCESSES

RESOLVE_TIMEOUT_S = 120.0
JAX = Path(__file__).parent / "trusted" / "jax_platform.py"

NSIGHT = Path("/opt/nvidia/nsight-compute")
"""Folder where NVIDIA's packages install Nsight Compute; CUDA's `ncu` only calls it there."""

WITHHELD = "It needs the GPU, which this grading leaves to others: it is measured by itself later."


def card_for(session: Session) -> Card:
    """Return the GPU for this judging. Raises Ruling(NOT_MEASURED) if there is none.

    In JupyterLab, where no points are at stake, the kernel may have a context already.
    """
    if session.options.device == "cuda":
        session.alone()
    elif kind() == "cuda":
        raise Ruling(Verdict.NOT_MEASURED, WITHHELD)
    try:
        return open_card(guests_of(session))
    except NoCard as missing:
        raise Ruling(Verdict.NOT_MEASURED, str(missing)) from None


def require_capability(card: Card, major: int | None) -> None:
    """Raise Ruling(NOT_MEASURED) if the GPU has another major compute capability.

    major: whose instructions a kernel uses that no other GPU has; None: any GPU will do.
    """
    if major is None:
        return
    has = card.facts.capability
    if has[0] != major:
        raise Ruling(
            Verdict.NOT_MEASURED,
            f"It needs a GPU of compute capability {major}.x for its instructions, and the "
            f"{card.facts.name} has {has[0]}.{has[1]}.",
        )


@contextmanager
def card_for_three(session: Session) -> Generator[Card]:
    """Yield the GPU for the judge and three processes: candidate, baseline and oracle.

    Raises Ruling(UNDECIDED) if other programs use it meanwhile.
    """
    card = card_for(session)
    card.clocks.expected_clients = 4 + guests_of(session)
    try:
        yield card
    except CardBusy as busy:
        sentence = f"Others use this GPU ({busy}); it stays open until it is measured again."
        raise Ruling(Verdict.UNDECIDED, sentence) from None


def guests_of(session: Session) -> int:
    """Return the number of other processes with a context that the judge did not start."""
    return int(session.launcher.isolation == "none")


@contextmanager
def candidate_worker(
    session: Session,
    card: Card,
    memory_bytes: int | None = None,
    under: Sequence[str] = (),
) -> Generator[WorkerConnection]:
    """Yield the candidate's worker: a new process for a file, otherwise the notebook's kernel.

    The kernel must have access to the device: its starter grants it, for example `notebook_worker`.

    memory_bytes: limit of host memory for a new process, if not the default.
    under: a profiler's command line that starts a new process.
    """
    candidate = session.candidate
    if candidate.file is None:
        yield session.worker()
        return
    session.source()
    if candidate.framework == "jax":
        session.once("JAX on the GPU", lambda: _require_jax(session, card))
    if candidate.launched_by is not None or candidate.operator:
        require_nvcc(card)
    launcher = session.launcher
    if memory_bytes is not None:
        launcher = replace(launcher, memory_bytes=memory_bytes)
    worker = _start(launcher, session.files.root, card, trusted=False, under=under)
    with closing(worker):
        worker.judged_within(session.budget)
        path = candidate.launched_by
        launcher_source = None if path is None else session.launcher_text(path)
        worker.resolve(session.name, candidate.file, RESOLVE_TIMEOUT_S, launcher_source)
        yield worker


@contextmanager
def replaying_worker(session: Session, folder: Path, card: Card) -> Generator[WorkerConnection]:
    """Yield a worker that sees only `folder`, in which vetted kernels of the candidate are run.

    It is the judge's, but what the kernels do is the candidate's.
    """
    worker = _start(session.launcher, folder, card, trusted=False)
    with closing(worker):
        worker.judged_within(session.budget)
        yield worker


def trusted_worker(
    session: Session, folder: Path, card: Card
) -> AbstractContextManager[WorkerConnection]:
    """Start a worker that sees only `folder`, one of the check, with the same confinement."""
    return closing(_start(session.launcher, folder, card, trusted=True))


def notebook_worker(launcher: Launcher, files: Path | None, card: Card | None) -> WorkerConnection:
    """Start a process for a notebook's cells, with the GPU unless `card` is None."""
    confined = launcher.isolation != "none"
    # Settings in the learner's files must not run before the first cell.
    environment = {"IPYTHONDIR": "/tmp/ipython"} if confined else {}
    return replace(launcher, wall_s=launcher.wall_s + NOTEBOOK_S).start(
        program=("-m", PROGRAM),
        files=files,
        trusted=False,
        environment={**environment, **({} if card is None else _for_card(card))},
        devices=() if card is None else devices.nodes(card.minor),
        processes=PROCESSES,
    )


def card_or_none(launcher: Launcher) -> Card | None:
    """Return the GPU, or None if there is none to judge on; checks that need one report that."""
    try:
        return open_card(int(launcher.isolation == "none"))
    except NoCard:
        return None


def require_nvcc(card: Card) -> None:
    """Raise Ruling(NOT_MEASURED) if nvcc is missing or cannot compile for this GPU."""
    try:
        tools = toolchain.find()
    except ToolMissing as missing:
        raise Ruling(Verdict.NOT_MEASURED, str(missing)) from None
    if _number(card) not in tools.capabilities():
        sentence = (
            f"nvcc {tools.version()} does not compile for the {card.facts.name} "
            f"(sm_{_number(card)}): install another release of CUDA."
        )
        raise Ruling(Verdict.NOT_MEASURED, sentence)


def _require_jax(session: Session, card: Card) -> None:
    """Raise Ruling(NOT_MEASURED) if JAX cannot use the GPU: it would silently use the CPU."""
    with trusted_worker(session, JAX.parent, card) as worker:
        worker.resolve("platform", JAX.name, RESOLVE_TIMEOUT_S)
        platform = ask_plainly(worker, [], RESOLVE_TIMEOUT_S)
    if platform != "gpu":
        raise Ruling(Verdict.NOT_MEASURED, str(platform))


def _number(card: Card) -> int:
    major, minor = card.facts.capability
    return 10 * major + minor


def _start(
    launcher: Launcher,
    files: Path | None,
    card: Card,
    *,
    trusted: bool,
    under: Sequence[str] = (),
) -> WorkerConnection:
    return launcher.start(
        files=files,
        trusted=trusted,
        environment=_for_card(card),
        devices=devices.nodes(card.minor),
        read_only={str(NSIGHT): NSIGHT} if under and NSIGHT.is_dir() else {},
        under=under,
    )


def _for_card(card: Card) -> dict[str, str]:
    nvcc = program("nvcc")
    compiler = {} if nvcc is None else {NVCC_VARIABLE: str(nvcc)}
    return {
        **devices.environment(),
        **compiler,
        ARCHITECTURE_VARIABLE: f"sm_{_number(card)}",
    }
