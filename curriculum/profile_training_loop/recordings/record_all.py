"""Records all traces again, and writes down what the judge knows of them.

    python curriculum/profile_training_loop/recordings/record_all.py [letter …]

A machine with other work to do makes every step wait for a core. A trace on which the sickness does
not stand out clearly is thrown away and recorded again. Which letter has which sickness stands in
recordings.json alone, from which the judge's key is written.
"""

from __future__ import annotations

import hashlib
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from figures import Figure, value
from healthy import Healthy
from recorder import record
from sicknesses import HEALTHY, SICKNESSES, unclear

from hotloop.core import paths
from hotloop.engines import trace
from hotloop.judge import answer_key
from hotloop.tasks.modules.profile_training_loop.recordings import DIAGNOSIS

KNOWN = Path(__file__).with_name("recordings.json")
ATTEMPTS = 20
MOST_STARVED = 0.1


def path_of(letter: str) -> Path:
    """Where the trace of a letter lies."""
    return paths.exercises() / "profile_training_loop" / f"recorded_{letter}.pt.trace.json.gz"


def main(letters: list[str]) -> None:
    """Record those of the letters, or all; then describe all."""
    causes = {letter: each["cause"] for letter, each in _known().items()}
    for letter in letters or causes:
        _record_clearly(causes[letter], path_of(letter))
    describe()


def describe() -> None:
    """Write down what the traces show; the causes stay as they are."""
    known = {
        letter: {"cause": each["cause"], **described(each["cause"], path_of(letter))}
        for letter, each in _known().items()
    }
    text = json.dumps(known, indent=1, ensure_ascii=False)
    KNOWN.write_text(f"{text}\n", encoding="utf-8")
    faulty = {letter: each for letter, each in known.items() if each["cause"]}
    answer_key.write(DIAGNOSIS.key, faulty)


def described(cause: str | None, path: Path) -> dict[str, Any]:
    """What a trace shows, in plain values. Shares are parts of the steps' time, from 0 to 1."""
    read = trace.read(path)
    sickness = None if cause is None else SICKNESSES[cause]
    evidence = HEALTHY.names if sickness is None else sickness.evidence
    more = () if sickness is None else sickness.more
    return {
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "steps": len(read.steps),
        "evidence": {
            name: _rounded(value(read, Figure("share", (name,))))
            for name in evidence
            if name in read.names
        },
        "figures": [_plain(figure) | {"value": _rounded(value(read, figure))} for figure in more],
        "shares": {name: _rounded(value(read, each.share)) for name, each in SICKNESSES.items()},
    }


def _known() -> dict[str, Any]:
    return json.loads(KNOWN.read_text(encoding="utf-8"))


def _plain(figure: Figure) -> dict[str, Any]:
    fields = {key: found for key, found in asdict(figure).items() if found}
    return fields | ({"names": list(figure.names)} if figure.names else {})


def _rounded(number: float) -> float:
    return round(number, 4)


def _record_clearly(cause: str | None, path: Path) -> None:
    loop = Healthy if cause is None else SICKNESSES[cause].loop
    with tempfile.TemporaryDirectory() as folder:
        attempt = Path(folder) / "attempt.json.gz"
        for _ in range(ATTEMPTS):
            starved = record(loop, attempt)
            reasons = unclear(cause, trace.read(attempt))
            if starved > MOST_STARVED:
                reasons.append(f"for {starved:.0%} of the time it had no core")
            print(
                cause or "healthy",
                "is unclear: " + "; ".join(reasons) if reasons else "is clear",
                flush=True,
            )
            if not reasons:
                path.write_bytes(attempt.read_bytes())
                return
    raise SystemExit(f"{cause or 'healthy'}: this machine is too busy to record it clearly")


if __name__ == "__main__":
    main(sys.argv[1:])
