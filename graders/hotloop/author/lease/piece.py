"""One piece of work, in a process of its own: its last line of output is what it came to."""

import json
from pathlib import Path
from typing import Any

from hotloop.author import evidence, exploits
from hotloop.author.lease import profiles
from hotloop.author.lease.pieces import MEASURED, digest_of_measured
from hotloop.worker.lifetime import end_with_parent


def run(name: str, out: Path, limit_s: float, *, rehearse: bool) -> dict[str, Any]:
    """Do the piece; return its outcome and what to say of it.

    rehearse: everything but the writing, for a machine without a GPU, where checks on a GPU have
    the verdict `not_measured`.
    """
    kind, _, rest = name.partition(" ")
    if kind == "evidence":
        key, _, candidate = rest.partition(" ")
        module, _, task = key.partition(".")
        return _evidence(module, task, candidate, rehearse=rehearse)
    if kind == "exploit":
        return _exploit(rest)
    if kind == "profile":
        return _profile(rest, out, limit_s, rehearse=rehearse)
    raise ValueError(f"there is no piece {name!r}")


def _evidence(module: str, task: str, candidate: str, *, rehearse: bool) -> dict[str, Any]:
    selection = evidence.EvidenceSelection(tasks=[task], gpu_only=True, candidates=[candidate])
    run = evidence.measure(module, selection=selection)
    said = ", ".join(f"{m.check} {m.verdict}" for m in run.measurements)
    open_checks = [m for m in run.measurements if m.verdict.pending]
    sentences = "".join(f" {m.check}: {m.sentence}" for m in open_checks)
    outcome = {"done": not open_checks, "said": f"{said}.{sentences}"}
    if rehearse:
        return outcome
    evidence.write(evidence.joined(evidence.run_here(module), run))
    written = evidence.run_here(module)
    return {**outcome, "figures": {MEASURED: digest_of_measured(written, task, candidate)}}


def _exploit(name: str) -> dict[str, Any]:
    outcomes = exploits.run_all(exploits.load_all([name]), gpu=True, gpu_only=True)
    [outcome] = [each for each in outcomes if each.exploit.name == name]
    decided = outcome.standing in (exploits.Defense.DEFENDED, exploits.Defense.UNDEFENDED)
    return {
        "done": decided,
        "said": f"{outcome.standing}: {outcome.verdict}. {outcome.sentence}",
        "figures": {"standing": outcome.standing, "verdict": outcome.verdict},
    }


def _profile(name: str, out: Path, limit_s: float, *, rehearse: bool) -> dict[str, Any]:
    profile = next(each for each in profiles.PROFILES if each.name == name)
    if rehearse and profile.tool != "torch":
        return {"done": False, "said": "A rehearsal has no GPU to profile."}
    try:
        files = profiles.record(profile, out / "profiles", limit_s)
    except profiles.NoProfile as failure:
        return {"done": False, "said": str(failure)}
    said = ", ".join(f"{path.name}: {path.stat().st_size >> 10} KiB" for path in files)
    return {"done": True, "said": said}


def main(name: str, out: Path, limit_s: float, *, rehearse: bool) -> None:
    """Print the outcome of a piece as the last line; end with the lease that started it."""
    end_with_parent()
    print("\n" + json.dumps(run(name, out, limit_s, rehearse=rehearse)), flush=True)
