"""The check that the work is in kernels of the submission's own."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hotloop.author.external import SUBMISSION, Who
from hotloop.author.external.own_work.kernels import Kernels
from hotloop.author.external.own_work.ran import LEAST_SHARE, MOST_SHARE, Ran
from hotloop.author.external.own_work.sign import Rules
from hotloop.author.external.own_work.signs import signs
from hotloop.author.external.own_work.source import Source
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.author_guard import Check
from hotloop.judge.calls import CallBuffers
from hotloop.judge.checks.correct import Case, fill, frozen, require_fit
from hotloop.judge.compare import Floats
from hotloop.judge.program import Program
from hotloop.judge.session import Session

if TYPE_CHECKING:
    from hotloop.author.external.checks import HiddenCall

ALONE = "the kernels alone are right"
"""Under this key a session keeps that a replay of the kernels alone was right."""

FORBIDDEN = "hotloop_forbidden.json"
"""File beside the problem's own with the names that it forbids, as a list."""

_ACCUSES = "The work is not its own kernels'"


def forbidden(folder: Path) -> tuple[str, ...]:
    """Return the names that the problem in a folder forbids."""
    path = folder / FORBIDDEN
    return tuple(json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else ()


@dataclass(frozen=True)
class OwnKernels(Check):
    """Checks that kernels of the submission's own do the work.

    kind, who: as of `Agrees`. forbidden: names that the problem forbids. The text is read; then a
    call is made twice with the same tensors and other values, and it is recorded what computes the
    second one.
    """

    program: Program
    kind: str
    who: Who
    forbidden: tuple[str, ...] = ()

    def __call__(self, session: Session) -> str:
        """Read it and run it. Raises Ruling if the work is not its own, or cannot be told."""
        text = session.files.read_text(SUBMISSION)
        try:
            source = Source(text)
        except (SyntaxError, ValueError, RecursionError):
            raise _open("its text is no Python") from None
        kernels = Kernels.of(source)
        session.note(kernels=list(kernels.names[:20]))
        _require_no_sign(session, source, kernels, Rules(self.forbidden))
        calls = self._calls(session)
        one, other = calls(), calls()
        if _in_float32(one.reported):
            _require_no_sign(session, source, kernels, Rules(self.forbidden, single=True))
        watch = "work of Triton" if "triton" in text else "work"
        ran = _run(session, one, other, watch, kernels)
        if ALONE in session.resources.cached:
            return "Its kernels alone, in a process without anything else of it, are right."
        return _by_run(session, ran, one, kernels)

    def _calls(self, session: Session) -> Callable[[], HiddenCall]:
        """Return a function that makes the call with new values."""
        from hotloop.author.external.checks import HiddenCall, OwnCode

        oracle, rng = OwnCode.of(self.program.trusted(session)), session.rng()
        weights = int(rng.integers(1 << 31))

        def call() -> HiddenCall:
            key = (0, int(rng.integers(1 << 31)), weights, self.kind)
            reported = oracle.described(key)
            if reported is None:
                raise _open("its inputs are too large for this machine")
            return HiddenCall(oracle, key, self.who, reported)

        return call


def _require_no_sign(session: Session, source: Source, kernels: Kernels, rules: Rules) -> None:
    for sign in signs(source, kernels, rules):
        session.note(sign=sign.kind, line=sign.line, by="its text")
        raise _accusation(f"{SUBMISSION}, line {sign.line}: {sign.words} (read in its text)")


def _run(session: Session, one: HiddenCall, other: HiddenCall, watch: str, kernels: Kernels) -> Ran:
    """Make both calls with the same tensors; return what the second one did."""
    from hotloop.author.external.checks import TIMEOUT_S, without_gpu

    if other.case.spec != one.case.spec:
        raise _open("its sizes depend on its values", kernels)
    buffers = CallBuffers([one.case.spec], seal_inputs=False)
    try:
        with without_gpu():
            timeout_s, worker = session.timeout(TIMEOUT_S), session.worker()
            buffers.hand_to(worker, session.candidate, timeout_s, watch=watch)
            answers = [_answer(each.case, buffers, session, timeout_s) for each in (one, other)]
        worker.request({"op": "unmap"}, 10)
        one.require_right(answers[0][0])
    except Ruling as ruling:
        if ruling.verdict is Verdict.TAMPERED:
            raise
        raise _open(ruling.sentence.rstrip("."), kernels) from None
    finally:
        buffers.close()
    try:
        other.require_right(answers[1][0])
    except Ruling:
        session.note(sign="kept", by="its answers")
        raise _accusation(
            "its answer is right, and wrong after the same tensors got other values: it goes by "
            "which tensors it is given"
        ) from None
    return Ran.of(answers[1][1])


def _answer(
    case: Case, buffers: CallBuffers, session: Session, timeout_s: float
) -> tuple[Floats, Any]:
    """Make the planned call with the case's values; return its output and the worker's reply."""
    placed, worker = buffers.calls[0], session.worker()
    fill(placed, case)
    placed.poison_output(session.seeds.pattern())
    reply = worker.request({"op": "run"}, timeout_s)
    with frozen(worker):
        require_fit(placed, session.candidate, reply)
        return placed.output_values(), reply


def _by_run(session: Session, ran: Ran, one: HiddenCall, kernels: Kernels) -> str:
    """Return the sentence of a pass. Raises Ruling for too large a share of PyTorch's."""
    flops = float(one.asked("flops"))
    share, most, what = ran.share(flops)
    launched = [each.name for each in ran.kernels]
    session.note(
        library_share=round(share, 4),
        launched=launched[:20],
        bytes_of_kernels=sum(each.bytes for each in ran.kernels),
        by="its own process",
    )
    name = f"`{most.name}` ({SUBMISSION}, line {most.line})" if most else "PyTorch"
    does = f"PyTorch's operations, most of all {name}, do {100 * share:.0f} % of the {what}"
    idle = kernels.names and not launched
    if idle and (one.sizes or share < MOST_SHARE):
        at = "at sizes for this machine " if one.sizes else ""
        raise _open(f"{at}none of its kernels runs, and {does}", kernels)
    if launched and not ran.reaches:
        raise _accusation(
            f"nothing of what it returns comes from its kernels, and {does} (recorded in its own "
            "process)"
        )
    if share >= MOST_SHARE and most:
        raise _accusation(f"{does} (recorded in its own process)")
    if share >= LEAST_SHARE:
        raise _open(f"{does}, and its kernels the rest", kernels)
    who = ", ".join(f"`{name}`" for name in launched[:4]) or "its own code"
    return (
        f"{who} {'does' if len(launched) < 2 else 'do'} the work, and PyTorch's operations "
        f"{100 * share:.0f} % of the {what}, as its own process records it."
    )


def _in_float32(reported: Any) -> bool:
    tensors = [*reported["inputs"], *reported["outputs"], *reported["parameters"]]
    floats = {each["dtype"] for each in tensors} & {"fp64", "fp32", "fp16", "bf16"}
    return floats == {"fp32"}


def _accusation(words: str) -> Ruling:
    return Ruling(Verdict.WRONG_ANSWER, f"{_ACCUSES}: {words}.")


def _open(why: str, kernels: Kernels | None = None) -> Ruling:
    """Return the ruling that it cannot be told whose work it is."""
    text = ""
    if kernels is not None and kernels.names:
        names = ", ".join(f"`{name}`" for name in kernels.names[:3])
        more = " and more" if len(kernels.names) > 3 else ""
        text = f" Its text has kernels of its own ({names}{more}), and nothing speaks against them."
    return Ruling(Verdict.NOT_MEASURED, f"Whose work it is cannot be told here: {why}.{text}")
