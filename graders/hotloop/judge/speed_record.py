"""What a finished speed trial says: its evidence as plain data, and the ruling that follows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from hotloop.judge.calls import CallSpec
from hotloop.judge.levels import Level, Standing, earned, standing
from hotloop.judge.record import RungRecord
from hotloop.judge.speed import Outcome
from hotloop.judge.statistics import quantiles
from hotloop.judge.verdict import Ruling, Verdict


def speed_evidence(
    outcome: Outcome,
    levels: Sequence[Level],
    *,
    baseline: str,
    bytes_per_call: float,
    peak_bytes_per_s: float,
    limit_s: float,
    calls_per_window: int,
    **more: Any,
) -> dict[str, Any]:
    """Plain data for feedback, run files and replay.

    limit_s: shortest time of a mean call that the device's measured ceilings allow, in seconds.
    """
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
        "levels": [asdict(level) for level in levels],
        "bytes_per_call": int(bytes_per_call),
        "gb_per_s": bytes_per_call / mine["p50"] / 1e9,
        "peak_gb_per_s": peak_bytes_per_s / 1e9,
        "fraction_of_limit": limit_s / mine["p50"],
        "limit_ratio": theirs["p50"] / limit_s,
        "windows": len(samples.flat_candidate()),
        "calls_per_window": calls_per_window,
        "discarded": [samples.discarded_baseline, samples.discarded_candidate],
        "control": samples.control,
        "alone_after": samples.alone_after,
        "samples": {"baseline": samples.baseline, "candidate": samples.candidate},
        **more,
    }


def measured_on(spec: CallSpec) -> dict[str, Any]:
    """Shape and dtype of a timed call's output, for the evidence."""
    return {"shape": list(spec.out.shape), "dtype": spec.out.dtype.name}


def rule_on_speed(
    name: str,
    outcome: Outcome,
    levels: Sequence[Level],
    evidence: dict[str, Any],
    implausible: float,
) -> RungRecord:
    """The record of a finished trial.

    implausible: Ruling IMPLAUSIBLE above this fraction of the limit.
    """
    if evidence["fraction_of_limit"] > implausible:
        raise Ruling(
            Verdict.IMPLAUSIBLE,
            "This is faster than the device can move the bytes: not all of the work was done.",
        )
    figure = outcome.figure
    low, high = figure.interval.low, figure.interval.high
    text = f"{figure.ratio:.2f}× the baseline ({low:.2f} to {high:.2f})"
    if not outcome.decided and not outcome.samples.quiet:
        sentence = f"{text}: too close to a level for this machine today; measured again later."
        return RungRecord(name, Verdict.UNDECIDED, sentence, evidence=evidence)
    share = earned(levels, figure)
    ahead = [lv for lv in levels if standing(lv, figure) is not Standing.REACHED]
    if share >= 1:
        tail = f"; {ahead[0].ratio:g}× is the stretch goal" if ahead else ""
        return RungRecord(name, Verdict.PASSED, f"{text}{tail}.", share, evidence=evidence)
    verdict = Verdict.PARTIAL if share > 0 else Verdict.TOO_SLOW
    sentence = f"{text}; the next level is {ahead[0].ratio:g}×."
    return RungRecord(name, verdict, sentence, share, evidence=evidence)
