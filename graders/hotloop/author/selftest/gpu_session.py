"""Opens the GPU, sessions and workers for the later steps."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from hotloop.author.selftest.step_results import StepFailed
from hotloop.judge.budget import Budget
from hotloop.judge.candidate import Candidate
from hotloop.judge.files import SubmissionFiles
from hotloop.judge.gpu.card import Card, NoCard, open_card
from hotloop.judge.gpu.window import TimedDeviceWorker
from hotloop.judge.gpu.workers import candidate_worker, trusted_worker
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.judge.launcher import Launcher
from hotloop.judge.seeds import Seeds
from hotloop.judge.session import JudgingOptions, Session
from hotloop.sandbox.level import level

PROGRAMS = Path(__file__).parent / "programs"
RESOLVE_S = 60.0


def card(workers: int = 1) -> Card:
    """Return the calibrated GPU.

    workers: number of worker processes that will have contexts too.
    """
    try:
        opened = open_card()
    except NoCard as reason:
        raise StepFailed(str(reason), "see the sentence itself") from None
    opened.clocks.expected_clients = 1 + workers
    return opened


@contextmanager
def session(candidate: Candidate | None = None) -> Generator[Session]:
    """Open a session on the self-test's programs."""
    opened = Session(
        candidate or Candidate("nobody"),
        SubmissionFiles(PROGRAMS),
        Launcher(level()[0]),
        Budget(600),
        JudgingOptions(device="cuda"),
    )
    try:
        yield opened
    finally:
        opened.close()


@contextmanager
def side(
    card: Card,
    file: Path,
    name: str,
    workload: DeviceWorkload,
    *,
    trusted: bool = True,
) -> Generator[TimedDeviceWorker]:
    """Open a side whose worker runs the function `name` of one of the self-test's files.

    trusted: False for a file that acts as a dishonest candidate.
    """
    ours = Candidate(name, file.name, "destination")
    free = card.driver.memory()[0]
    with session(ours) as own_session:
        own = trusted_worker(own_session, file.parent, card)
        with own if trusted else candidate_worker(own_session, card) as link:
            link.resolve(name, file.name, RESOLVE_S)
            side = TimedDeviceWorker(link, ours, workload, card, Seeds(), free, own_session.budget)
            try:
                yield side
            finally:
                side.close()
