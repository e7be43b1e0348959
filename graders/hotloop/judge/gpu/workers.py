"""Workers that may use the GPU."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from hotloop.judge.bench import Bench
from hotloop.judge.check import Candidate
from hotloop.judge.device import kind
from hotloop.judge.gpu import devices
from hotloop.judge.gpu.card import Card, NoCard, open_card
from hotloop.judge.launcher import Launcher
from hotloop.judge.link import Link

RESOLVE_TIMEOUT_S = 120.0


def card_for(bench: Bench) -> Card:
    """The GPU for this judging. NoCard where there is none.

    In JupyterLab, where no points are at stake, the kernel may have a context already.
    """
    if bench.device == "cuda":
        bench.have_machine_alone()
    return open_card(guests_of(bench))


def guests_of(bench: Bench) -> int:
    """Processes with a context that are neither the judge nor started by it."""
    return int(bench.launcher.isolation == "none")


@contextmanager
def candidate_worker(bench: Bench, candidate: Candidate, card: Card) -> Generator[Link]:
    """The candidate's worker: a new one for a file, the notebook's own kernel otherwise.

    The kernel was started by others, who must have let the device through to it, or by
    `notebook_worker`.
    """
    if candidate.file is None:
        yield bench.worker(candidate)
        return
    bench.files.read_text(candidate.file)
    link = _start(bench.launcher, bench.files.root, card, trusted=False)
    link.deadline = bench.deadline
    try:
        harness = None if candidate.harness is None else bench.harness(candidate.harness)
        name = bench.called(candidate.name)
        link.resolve(name, candidate.file, RESOLVE_TIMEOUT_S, harness)
        yield link
    finally:
        link.close()


@contextmanager
def trusted_worker(bench: Bench, folder: Path, card: Card) -> Generator[Link]:
    """A worker that sees only `folder`, one of ours, under the same confinement."""
    link = _start(bench.launcher, folder, card, trusted=True)
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
