"""Checks of checkpoints: writing, resuming, choosing an undamaged one, and surviving a kill."""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Iterator

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.constants import constant
from hotloop.judge.judge_fault import generated
from hotloop.judge.questions import GivenFile, ask_plainly, shown
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.judge.written_files import Assignment
from hotloop.tasks.modules.portable_trainer.given_files import READING, RESUMING, WRITING

FILE = "checkpoint.safetensors"
AFTER = 12
"""Steps after a checkpoint whose losses are compared: more than an epoch, which has 8."""

RELATIVE = 1e-6
"""Tolerance of losses. Both runs use the same operations; only the number of threads may differ."""

STEPS = (2, 9, 11)
"""Steps before each of the three checkpoints that `newest` chooses from."""

KILLS = 4
TIMEOUT_S = 60.0


def disagreement(got: object, want: object, relative: float = RELATIVE) -> str | None:
    """Return the first loss in `got` that differs from ours in `want`, or None."""
    is_, should = _numbers(got), _numbers(want)
    if is_.shape != should.shape:
        return f"there are {is_.size} losses, and should be {should.size}"
    with np.errstate(invalid="ignore"):
        good = np.abs(is_ - should) <= relative * np.abs(should)
    if good.all():
        return None
    step = int(np.argmin(good))
    return f"the loss {step + 1} steps later is {is_[step]:.7g} and should be {should[step]:.7g}"


def _numbers(losses: object) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    numbers = [x if isinstance(x, int | float) else float("nan") for x in as_list(losses)]
    return np.array(numbers, np.float64)


def _seeds(rng: Rng) -> Iterator[tuple[int, int]]:
    """Yield seeds and numbers of steps: none, some, exactly an epoch, more than an epoch."""
    for steps in (0, int(rng.integers(2, 7)), 8, int(rng.integers(9, 15))):
        yield int(rng.integers(1 << 30)), steps


def written(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Yield assignments: the candidate trains and saves; we resume."""
    for seed, steps in _seeds(rng):
        mismatch = resumption_mismatch(
            seed, steps, session, version=constant("VERSION", 0, range(2, 1000))
        )
        yield Assignment(f"after {steps} steps", (seed, steps), FILE, mismatch)


def resumed(rng: Rng, session: Session) -> Iterator[Assignment]:
    """Yield assignments: the candidate resumes our checkpoint, trains and saves; then we resume."""
    program = RESUMING.trusted(session)
    for seed, steps in _seeds(rng):
        file = GivenFile(FILE, program.take(program.ask("written", seed, steps)))
        more = int(rng.integers(1, 4))
        mismatch = resumption_mismatch(
            seed, steps + more, session, version=constant("VERSION", 0, range(2, 1000))
        )
        yield Assignment(f"from step {steps} to {steps + more}", (file, more), FILE, mismatch)


def resumption_mismatch(
    seed: int, steps: int, session: Session, relative: float = RELATIVE, version: int = 0
) -> Callable[[bytes], str | None]:
    """Return a check that reads a checkpoint after `steps` steps, resumes it, and compares losses.

    version: expected in its state; 0 for none.
    """

    def mismatch(data: bytes) -> str | None:
        file, trusted = GivenFile(FILE, data), RESUMING.trusted(session)
        shapes = json.dumps(trusted.ask("shapes"))
        wrong = READING.given(session, "looks at").ask("mismatch", file, steps, shapes, version)
        if wrong is not None:
            return str(wrong)
        want = as_list(trusted.ask("losses", seed, steps + AFTER))[steps:]
        got = RESUMING.given(session, "runs").ask("resumed", file, AFTER)
        return disagreement(got, want, relative)

    return mismatch


def chosen(session: Session) -> str:
    """Check that `newest` returns the index of the newest undamaged file, or None if there is none.

    Returns the message for the learner; raises Ruling.
    """
    worker, count = session.of("newest").worker(), 0
    for label, files, want in generated(lambda: _folders(session)):
        arguments = [GivenFile(FILE, data) for data in files]
        got = ask_plainly(worker, arguments, session.timeout(TIMEOUT_S))
        if got != want or isinstance(got, bool):
            raise Ruling(
                Verdict.WRONG_ANSWER,
                f"{label}: of {len(files)} files it takes {shown(got)} and should take {want}.",
            )
        count += 1
    session.note(folders=count)
    return f"It took the right one each time, of {count} folders."


def _folders(session: Session) -> Iterator[tuple[str, list[bytes], int | None]]:
    """Yield a label, the files, and the index of the newest undamaged one, or None."""
    rng, program = session.rng(), RESUMING.trusted(session)
    oldest, whole, newest = (
        program.take(program.ask("written", int(rng.integers(1 << 30)), steps)) for steps in STEPS
    )
    for label, damaged in _damages(newest, rng):
        order = [int(place) for place in rng.permutation(3)]
        yield label, [[oldest, whole, damaged][place] for place in order], order.index(1)
    yield "three whole files", [newest, oldest, whole], 0
    yield "no whole file", [whole[:100], b""], None


def _damages(data: bytes, rng: Rng) -> Iterator[tuple[str, bytes]]:
    """Yield a label and a damaged copy of the file, for each kind of damage."""
    (length,) = struct.unpack("<Q", data[:8])
    begin = 8 + length
    header = as_message(json.loads(data[8:begin])) or {}
    yield "a file without its end", data[: int(rng.integers(begin, len(data)))]
    yield "a file without its last byte", data[:-1]
    yield "a file that ends in its header", data[: int(rng.integers(8, begin))]
    yield "an empty file", b""
    half = int(rng.integers(begin + 1, len(data) - 1))
    yield "a file whose end is zeros", data[:half] + bytes(len(data) - half)
    place = int(rng.integers(begin, len(data)))
    flipped = bytes([data[place] ^ (1 << int(rng.integers(8)))])
    yield "a file with one bit changed", data[:place] + flipped + data[place + 1 :]
    metadata = as_message(header["__metadata__"]) or {}
    for label, other in (
        ("a file whose state says another step", {**metadata, "state": '{"steps": 99}'}),
        ("a file without a digest", {"state": metadata["state"]}),
        ("a file without a state", {"digest": metadata["digest"]}),
    ):
        text = json.dumps({**header, "__metadata__": other}).encode()
        yield label, struct.pack("<Q", len(text)) + text + data[begin:]


def killed(session: Session) -> str:
    """Check that an undamaged checkpoint is on disk after a process is killed in `write`.

    Returns the message for the learner; raises Ruling.
    """
    (name,) = session.edited
    file = GivenFile(name, session.files.content(name))
    seed = int(session.rng().integers(1 << 30))
    program = WRITING.given(session, "kills")
    mismatch = program.ask("survived", file, seed, KILLS, timeout_s=TIMEOUT_S)
    if mismatch is not None:
        raise Ruling(Verdict.WRONG_ANSWER, f"{str(mismatch).capitalize()}.")
    session.note(kills=KILLS)
    return f"Killed {KILLS} times while it wrote, and stopped by a full disk: always whole."
