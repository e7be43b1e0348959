"""The result of a speed comparison: evidence as plain data, and the verdict."""

from dataclasses import asdict, dataclass
from typing import Any

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import CallSpec
from hotloop.judge.levels import LevelState, earned, state_of
from hotloop.judge.session import Session
from hotloop.judge.speed import SpeedEstimate
from hotloop.judge.statistics import quantiles


@dataclass(frozen=True)
class Limit:
    """Minimum time of an average call in seconds, from the device's measured peaks.

    bytes_per_call, bytes_per_s: minimum traffic of a call, and measured bandwidth.
    flops_per_call, flops_per_s: the same for arithmetic. None if not used.
    """

    seconds: float
    bytes_per_call: float | None = None
    bytes_per_s: float | None = None
    flops_per_call: float | None = None
    flops_per_s: float | None = None

    def evidence(self, seconds: float) -> dict[str, Any]:
        """Return plain data about a call that takes `seconds`."""
        figures: dict[str, Any] = {"fraction_of_limit": self.seconds / seconds}
        if self.bytes_per_call is not None and self.bytes_per_s is not None:
            figures["bytes_per_call"] = int(self.bytes_per_call)
            figures["gb_per_s"] = self.bytes_per_call / seconds / 1e9
            figures["peak_gb_per_s"] = self.bytes_per_s / 1e9
        if self.flops_per_call is not None and self.flops_per_s is not None:
            figures["flops_per_call"] = int(self.flops_per_call)
            figures["gflop_per_s"] = self.flops_per_call / seconds / 1e9
            figures["peak_gflop_per_s"] = self.flops_per_s / 1e9
        return figures


def speed_evidence(
    outcome: SpeedEstimate,
    *,
    baseline: str,
    limit: Limit,
    calls_per_window: int,
    **more: Any,
) -> dict[str, Any]:
    """Return plain data for feedback, run files and replay."""
    samples, figure = outcome.samples, outcome.figure
    mine = quantiles(samples.flat_candidate())
    theirs = quantiles(samples.flat_baseline())
    return {
        "unit": "seconds per call",
        "measures": "throughput of many calls in one window",
        "baseline": baseline,
        "baseline_seconds": theirs,
        "candidate_seconds": mine,
        "ratio": figure.ratio,
        "interval": [figure.interval.low, figure.interval.high],
        "total_ratio": figure.total_ratio,
        "levels": [asdict(level) for level in outcome.levels],
        **limit.evidence(mine["p50"]),
        "limit_ratio": theirs["p50"] / limit.seconds,
        "windows": len(samples.flat_candidate()),
        "calls_per_window": calls_per_window,
        "discarded": [samples.discarded_baseline, samples.discarded_candidate],
        "control": samples.control,
        "alone_after": samples.alone_after,
        "samples": {"baseline": samples.baseline, "candidate": samples.candidate},
        **more,
    }


def measured_on(spec: CallSpec) -> dict[str, Any]:
    """Return shape and dtype of a timed call's output, for the evidence."""
    return {"shape": list(spec.out.shape), "dtype": spec.out.dtype.name}


def rule_on_speed(
    session: Session, outcome: SpeedEstimate, evidence: dict[str, Any], implausible: float
) -> str:
    """Return the sentence if the comparison reached the level for all points.

    Raises Partly for less, and Ruling as `speed_share` does. The evidence is recorded in any case.
    """
    session.note(**evidence)
    return session.award(*speed_share(outcome, evidence, implausible))


def speed_share(
    outcome: SpeedEstimate, evidence: dict[str, Any], implausible: float
) -> tuple[float, str]:
    """Return the earned share of the points, 0 to 1, and the sentence.

    Raises Ruling: IMPLAUSIBLE above the fraction `implausible` of the limit, UNDECIDED if a level
    lies within the confidence interval and the machine was noisy.
    """
    if evidence["fraction_of_limit"] > implausible:
        raise Ruling(
            Verdict.IMPLAUSIBLE,
            "This is faster than the device can do the work: not all of it was done.",
        )
    figure, levels = outcome.figure, outcome.levels
    low, high = figure.interval.low, figure.interval.high
    text = f"{figure.ratio:.2f}× the baseline ({low:.2f} to {high:.2f})"
    if not outcome.decided and not outcome.samples.quiet:
        sentence = f"{text}: too close to a level to decide. Run the check again."
        raise Ruling(Verdict.UNDECIDED, sentence)
    share = earned(levels, figure)
    ahead = [lv for lv in levels if state_of(lv, figure) is not LevelState.REACHED]
    if share >= 1:
        tail = f"; {ahead[0].ratio:g}× is the stretch goal" if ahead else ""
        return share, f"{text}{tail}."
    return share, f"{text}; the next level is {ahead[0].ratio:g}×."
