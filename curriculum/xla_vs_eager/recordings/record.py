"""Records all runs again, and writes down what the judge knows of them.

    python curriculum/xla_vs_eager/recordings/record.py [letter …]

Each is a real training of the module's network in JAX on this machine's CPU, in a process of its
own. Which letter has which sickness stands in recordings.json alone. "executed" counts the
programs that a step starts, as JAX's own profile of one more step shows them.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hotloop.core import paths
from hotloop.judge import answer_key
from hotloop.judge.device import device_name
from hotloop.tasks.modules.xla_vs_eager import recordings

MODULE = "xla_vs_eager"
KNOWN = Path(__file__).with_name("recordings.json")
BESIDE_THE_NOTEBOOK = paths.exercises() / MODULE
HEALTHY = "healthy"
EVIDENCE = {
    "recompiles": ("programs", "compile_share"),
    "op_by_op": ("programs_a_step",),
    "callback": ("callbacks",),
    "baked": ("constant_bytes",),
}


def main(letters: list[str]) -> None:
    """Record those of the letters, or all; then describe all."""
    causes = {
        letter: each["cause"]
        for letter, each in json.loads(KNOWN.read_text(encoding="utf-8")).items()
    }
    for letter in letters or [HEALTHY, *causes]:
        cause = causes.get(letter, HEALTHY)
        done = subprocess.run(
            [sys.executable, __file__, "--one", cause], check=True, capture_output=True, text=True
        )
        recording = json.loads(done.stdout.splitlines()[-1])
        data = gzip.compress(json.dumps(recording).encode(), 9, mtime=0)
        path_of(letter).write_bytes(data)
        print(letter, recordings.figures(recording))
    describe(causes)


def describe(causes: dict[str, str]) -> None:
    """Write down what the recordings show; the causes stay as they are."""
    known = {}
    for letter, cause in causes.items():
        found = recordings.figures(json.loads(gzip.decompress(path_of(letter).read_bytes())))
        evidence = {name: round(found[name], 6) for name in EVIDENCE[cause]}
        digest = hashlib.sha256(path_of(letter).read_bytes()).hexdigest()
        known[letter] = {"cause": cause, "evidence": evidence, "sha256": digest}
    KNOWN.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    answer_key.write(recordings.DIAGNOSIS.key, known)


def path_of(letter: str) -> Path:
    """Where a recording lies."""
    return BESIDE_THE_NOTEBOOK / f"run_{letter}.json.gz"


def one(cause: str) -> dict[str, Any]:
    """A recording, in this process."""
    import jax
    import sicknesses
    from sicknesses import network

    step, given = getattr(sicknesses, cause)()
    events: list[dict[str, Any]] = []
    now = 0

    def heard(event: str, seconds: float, **more: Any) -> None:
        if event.startswith("/jax/core/compile"):
            told = str(more.get("fun_name", ""))
            events.append({"event": event, "seconds": seconds, "fun_name": told, "step": now})

    parameters = jax.tree.map(jax.numpy.asarray, network.initial(0))
    momentum = network.zeros_like(parameters)
    jax.block_until_ready(momentum)
    jax.monitoring.register_event_duration_secs_listener(heard)
    steps, lowered = [], None
    for now, batch in enumerate(given):
        if now == 0 and hasattr(step, "lower"):
            before = len(events)
            lowered = step.lower(parameters, momentum, *batch)
            text = lowered.compile().as_text()
            jax.clear_caches()
            del events[before:]
        started = time.perf_counter()
        parameters, momentum, value = step(parameters, momentum, *batch)
        dispatched = time.perf_counter() - started
        value.block_until_ready()
        ready = time.perf_counter() - started
        steps.append({"dispatch_s": round(dispatched, 6), "ready_s": round(ready, 6)})
    count = executed(lambda: step(parameters, momentum, *batch))
    for each in steps:
        each["executed"] = count
    return {
        "events": [{**e, "seconds": round(e["seconds"], 6)} for e in events],
        "steps": steps,
        "hlo": text if lowered is not None else "",
        "machine": {"processor": device_name(), "cores": os.cpu_count()},
        "versions": {"jax": jax.__version__, "python": platform.python_version()},
        "date": datetime.now(UTC).date().isoformat(),
    }


def executed(run: Any) -> int:
    """Programs that are executed in one step, from a profile of it."""
    import jax

    with tempfile.TemporaryDirectory() as folder:
        with jax.profiler.trace(folder):
            jax.block_until_ready(run())
        (path,) = Path(folder).rglob("*.trace.json.gz")
        events = json.loads(gzip.decompress(path.read_bytes()))["traceEvents"]
    name = "CommonPjRtLoadedExecutable::ExecuteHelperOnSingleDevice"
    return sum(event.get("name") == name for event in events)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(one(sys.argv[2])))
    else:
        main(sys.argv[1:])
