"""Check of schedules chosen by a cost model that was learned within a budget: their regret.

The judge simulates the machine. It answers a limited number of measurements, chosen by the
candidate, on some shapes. Then it asks for schedules for other, unmeasured shapes.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list
from hotloop.judge.check import check
from hotloop.judge.constants import constant
from hotloop.judge.questions import GivenFile, ask_plainly, shown
from hotloop.judge.session import Session
from hotloop.tasks.modules.transformer_compilation import machines
from hotloop.tasks.modules.transformer_compilation.machines import SCHEDULES, SPACE, Machine, Shape

Rng = np.random.Generator

BUDGET = 160
MACHINES, LEFT_OUT = 12, 2
"""About one machine in a hundred is hard enough to bring a sound model over the limit alone."""
KNOWN, UNSEEN = 6, 12
TIMEOUT_S = 60.0


@check()
def regret(session: Session, most: float) -> str:
    """Require a geometric mean of time over best time of at most `most`.

    The LEFT_OUT worst machines do not count.
    """
    rng, means = session.rng(), list[float]()
    for number in range(1, MACHINES + 1):
        session.progress(f"machine {number} of {MACHINES}")
        ratios = played(machines.sample(rng), rng, session)
        means.append(float(np.exp(np.log(ratios).mean())))
    mean = typical(means)
    session.note(regret=round(mean, 4), machines=[round(each, 3) for each in means])
    sentence = f"The schedules take {mean:.2f} times as long as the best ones"
    if mean > most:
        raise Ruling(Verdict.WRONG_ANSWER, f"{sentence}, and at most {most:g} times is allowed.")
    return f"{sentence}."


def typical(ratios: Sequence[float]) -> float:
    """Return the geometric mean without the LEFT_OUT largest."""
    return float(np.exp(np.log(np.sort(ratios)[:-LEFT_OUT]).mean()))


def played(machine: Machine, rng: Rng, session: Session) -> NDArray[np.float64]:
    """Return, for each unseen shape, the chosen schedule's time divided by the best time."""
    known, unseen = shapes(rng, KNOWN), shapes(rng, UNSEEN)
    done: list[dict[str, object]] = []
    while len(done) < BUDGET:
        left = BUDGET - len(done)
        answer = _answer(known, done, left, session)
        for shape, row in _to_measure(answer, known, left):
            schedule = dict(zip(machines.NAMES, map(int, row), strict=True))
            seconds = machines.measured(machine, shape, row, rng)
            done.append({"shape": list(shape), "schedule": schedule, "seconds": seconds})
    chosen = as_list(_answer(unseen, done, 0, session))
    if len(chosen) != len(unseen):
        raise _refused(f"for {len(unseen)} shapes it chooses {len(chosen)} schedules")
    rows = np.stack([_row(schedule) for schedule in chosen])
    return regrets(machine, unseen, rows)


def regrets(
    machine: Machine, unseen: Sequence[Shape], rows: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Compare with exhaustive search, which only a simulation allows."""
    seconds = [
        machines.seconds(machine, shape, row[None])[0]
        for shape, row in zip(unseen, rows, strict=True)
    ]
    best = [machines.seconds(machine, shape, SCHEDULES).min() for shape in unseen]
    return np.array(seconds) / np.array(best)


def shapes(rng: Rng, count: int) -> list[Shape]:
    """Sample shapes (m, n, k), not restricted to powers of two."""
    sampled = np.rint(2.0 ** rng.uniform(4.5, 10.5, (count, 3))).astype(int)
    return [(int(m), int(n), int(k)) for m, n, k in sampled]


def _answer(
    shapes: Sequence[Shape], done: list[dict[str, object]], left: int, session: Session
) -> object:
    text = {"space": SPACE, "shapes": shapes, "measured": done, "left": left}
    file = GivenFile("tuning.json", json.dumps(text).encode())
    return ask_plainly(session.worker(), (file,), session.timeout(TIMEOUT_S))


def _to_measure(
    answer: object, known: Sequence[Shape], left: int
) -> list[tuple[Shape, NDArray[np.int64]]]:
    requests = as_list(answer)
    if not requests or len(requests) > left:
        raise _refused(f"it asks for {len(requests)} measurements, and 1 to {left} are left")
    measurements: list[tuple[Shape, NDArray[np.int64]]] = []
    for each in requests:
        pair = as_list(each)
        shape = tuple(as_list(pair[0])) if len(pair) == 2 else ()
        if shape not in known:
            raise _refused(f"{shown(each)} is no measurement of a given shape")
        measurements.append((known[known.index(shape)], _row(pair[1])))
    return measurements


def _row(schedule: object) -> NDArray[np.int64]:
    row = machines.as_row(schedule)
    if row is None:
        revision = constant("REVISION", 0, range(2, 1000))
        besides = f" with a “revision” of {revision}" if revision else ""
        raise _refused(f"{shown(schedule)} is no schedule of the space{besides}")
    return row


def _refused(what: str) -> Ruling:
    return Ruling(Verdict.WRONG_ANSWER, f"{what[:1].upper()}{what[1:]}.")
