"""Workers that may use the GPU."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.device import kind
from hotloop.judge.gpu import devices
from hotloop.judge.gpu.card import Card, CardBusy, NoCard, open_card
from hotloop.judge.launcher import Launcher
from hotloop.judge.link import Link
from hotloop.judge.session import Session

RESOLVE_TIMEOUT_S = 120.0

WITHHELD = "It needs the GPU, which this grading leaves to others: it is measured by itself later."


def card_for(session: Session) -> Card:
    """The GPU for this judging. Ruling NOT_MEASURED where there is none.

    In JupyterLab, where no points are at stake, the kernel may have a context already.
    """
    if session.device == "cuda":
        session.alone()
    elif kind() == "cuda":
        raise Ruling(Verdict.NOT_MEASURED, WITHHELD)
    try:
        return open_card(guests_of(session))
    except NoCard as missing:
        raise Ruling(Verdict.NOT_MEASURED, str(missing)) from None


@contextmanager
def card_for_three(session: Session) -> Generator[Card]:
    """The GPU, for the judge and three processes: candidate, baseline and oracle.

    Ruling UNDECIDED when others use it meanwhile.
    """
    card = card_for(session)
    card.clocks.expected_clients = 4 + guests_of(session)
    try:
        yield card
    except CardBusy as busy:
        sentence = f"Others use this GPU ({busy}); it stays open until it is measured again."
        raise Ruling(Verdict.UNDECIDED, sentence) from None


def guests_of(session: Session) -> int:
    """Processes with a context that are neither the judge nor started by it."""
    return int(session.launcher.isolation == "none")


@contextmanager
def candidate_worker(session: Session, card: Card) -> Generator[Link]:
    """The candidate's worker: a new one for a file, the notebook's own kernel otherwise.

    The kernel was started by others, who must have let the device through to it, or by
    `notebook_worker`.
    """
    candidate = session.candidate
    if candidate.file is None:
        yield session.worker()
        return
    session.source()
    link = _start(session.launcher, session.files.root, card, trusted=False)
    link.deadline = session.budget.deadline
    try:
        path = candidate.launched_by
        harness = None if path is None else session.launcher_text(path)
        link.resolve(session.name, candidate.file, RESOLVE_TIMEOUT_S, harness)
        yield link
    finally:
        link.close()


@contextmanager
def trusted_worker(session: Session, folder: Path, card: Card) -> Generator[Link]:
    """A worker that sees only `folder`, one of ours, under the same confinement."""
    link = _start(session.launcher, folder, card, trusted=True)
    try:
        yield link
    finally:
        link.close()


def notebook_worker(launcher: Launcher, files: Path | None) -> Link:
    """A process for a notebook's cells, with the GPU where there is one to judge on."""
    if kind() != "cuda":
        return launcher.start(files=files, trusted=False)
    try:
        card = open_card(int(launcher.isolation == "none"))
    except NoCard:
        return launcher.start(files=files, trusted=False)
    return _start(launcher, files, card, trusted=False)


def _start(launcher: Launcher, files: Path | None, card: Card, *, trusted: bool) -> Link:
    return launcher.start(
        files=files,
        trusted=trusted,
        environment=devices.environment(),
        devices=devices.nodes(card.minor),
    )
