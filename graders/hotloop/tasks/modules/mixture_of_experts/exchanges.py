"""Checks of ranks that exchange tokens over gloo: what comes back, and how many bytes moved."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hotloop.core import paths
from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.case_label import labeled
from hotloop.judge.check import check
from hotloop.judge.judge_fault import ours
from hotloop.judge.program import APART, Program
from hotloop.judge.questions import GivenFile
from hotloop.judge.seeds import Rng
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import reading

PROGRAMS = Path(__file__).parent / "programs"
OF_RANKS = Path(__file__).parents[1] / "portable_trainer" / "programs"
EXCHANGING = Program(
    {
        "exchanging.py": PROGRAMS / "exchanging.py",
        "rank_process.py": PROGRAMS / "rank_process.py",
        "apart.py": OF_RANKS / "apart.py",
        "remote.py": paths.exercises() / "portable_trainer" / "remote.py",
    },
    "exchanging.py",
    believed=APART,
)
TIMEOUT_S = 100.0

LEAST_TOKENS = 100
"""In an exchange of fewer tokens most bytes are headers, which nobody can avoid."""

CLOSE = 1e-4
"""Absolute tolerance of sums of about 1, in float32 and in another order. A row that is missing or
has another weight is off by more than 1e-2."""


@dataclass(frozen=True)
class Ranks:
    """sizes: tokens of each rank. skew: how much more often experts of rank 0 are chosen."""

    label: str
    sizes: list[int]
    experts: int
    k: int
    width: int
    skew: float


def correct(session: Session) -> str:
    """Require each rank to get the weighted sum of its tokens' experts."""
    found = _outcomes(session)
    worst = max(max(each["errors"]) for _, each in found)
    session.note(largest_error=worst)
    return f"Right on all ranks, in {len(found)} exchanges over gloo."


@check(after=("correct",), scored_by="limits")
def traffic(session: Session) -> str:
    """Score the bytes between the ranks, relative to one row there and one back for each rank."""
    ratios = {
        case.label: each["bytes"] / each["fewest"]
        for case, each in _outcomes(session)
        if sum(case.sizes) >= LEAST_TOKENS
    }
    worst = max(ratios, key=lambda label: ratios[label])
    session.note(**{label: round(ratio, 3) for label, ratio in ratios.items()})
    factor = ratios[worst]
    sentence = f"{factor:.2f}× the fewest bytes move between the ranks: {worst}."
    share = max((lm.earned for lm in session.limits if factor <= lm.factor), default=0.0)
    if share == 0:
        raise Ruling(
            Verdict.TOO_SLOW,
            f"{sentence} Send a token to a rank once, whatever its experts there, and only as many "
            "rows as there are.",
        )
    return session.award(share, sentence)


def _outcomes(session: Session) -> list[tuple[Ranks, dict[str, Any]]]:
    return session.once("outcomes of exchanges", lambda: list(_each(session)))


def _each(session: Session) -> Iterator[tuple[Ranks, dict[str, Any]]]:
    with ours("the sizes"):
        cases = list(_cases(session.rng()))
    process = EXCHANGING.given(session, "starts ranks of")
    name = session.candidate.file or ""
    for case in cases:
        session.progress(case.label)
        with labeled(case.label):
            reported = process.ask(
                "exchanged",
                GivenFile(name, session.files.content(name)),
                int(session.rng().integers(1 << 30)),
                case.sizes,
                case.experts,
                case.k,
                case.width,
                case.skew,
                timeout_s=TIMEOUT_S,
            )
            with reading():
                outcome = as_message(reported) or {}
                for rank, error in enumerate(as_list(outcome["errors"])):
                    _require_right(rank, error)
            yield case, outcome


def _require_right(rank: int, error: object) -> None:
    if error is None:
        sentence = f"Rank {rank} returns another shape than that of its tokens, NaN or infinity."
    elif not float(str(error)) <= CLOSE:
        sentence = (
            f"Rank {rank} is off by {float(str(error)):.2g} from the weighted sums of its tokens' "
            "experts."
        )
    else:
        return
    raise Ruling(Verdict.WRONG_ANSWER, sentence)


def _cases(rng: Rng) -> Iterator[Ranks]:
    count = int(rng.integers(150, 200))
    yield Ranks("equal ranks", [count] * 4, 8, 4, 512, 0.0)
    yield Ranks("a popular rank", [count, count - 30, count + 10, count], 8, 3, 512, 2.0)
    yield Ranks("most tokens on one rank, none on another", [20, 400, 0, 35], 16, 4, 384, 0.3)
    yield Ranks("three tokens, so that ranks get none", [0, 1, 2, 0], 16, 2, 384, 0.0)
