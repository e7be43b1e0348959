"""Records all deployments again, and writes down what the judge knows of them.

    python curriculum/triton_ensemble/recordings/record.py [name …]

Needs the server's environment (`hotloop doctor --install tritonserver`). Names are a, b, c, d,
healthy and healthy_alone; which letter has which sickness stands in deployments.json alone. A
recording that does not show its sickness clearly, or during which other programs had too much of
the machine, is thrown away and made again.
"""

from __future__ import annotations

import hashlib
import json
import os
import platform
import sys
import tempfile
import time
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from deployments import configurations, lay_out
from foreign import Foreign
from sicknesses import HEALTHY, SICKNESSES, share, unclear
from under_load import gateway, under_load

from hotloop.core import paths
from hotloop.engines.serving import environment, preflight
from hotloop.engines.serving.options import Options
from hotloop.engines.serving.server import TritonServer
from hotloop.judge import answer_key
from hotloop.judge.device import device_name
from hotloop.tasks.modules.triton_ensemble.deployments import DIAGNOSIS

MODULE = "triton_ensemble"
KNOWN = Path(__file__).with_name("deployments.json")
BESIDE_THE_NOTEBOOK = paths.exercises() / MODULE
ATTEMPTS = 20
MOST_FOREIGN = 0.1
LOOK_S, LOOKS = 2.0, 100
PINNED = ("tritonclient", "onnxruntime", "tokenizers", "numpy")


def path_of(name: str) -> Path:
    """Where a recording lies."""
    return BESIDE_THE_NOTEBOOK / f"deployment_{name}.json"


def main(names: list[str]) -> None:
    """Record those of the names, or all; then describe all."""
    causes = {letter: each["cause"] for letter, each in _known().items()}
    causes |= dict.fromkeys(HEALTHY)
    for name in names or causes:
        _record_clearly(name, causes[name])
    describe()


def describe() -> None:
    """Write down what the recordings show; the causes stay as they are."""
    known = {letter: described(each["cause"], letter) for letter, each in _known().items()}
    text = json.dumps(known, indent=1, ensure_ascii=False)
    KNOWN.write_text(f"{text}\n", encoding="utf-8")
    answer_key.write(DIAGNOSIS.key, known)


def described(cause: str, letter: str) -> dict[str, Any]:
    """What a recording shows, in plain values. Shares are parts of the client's mean latency."""
    recording, sickness = read(letter), SICKNESSES[cause]
    return {
        "cause": cause,
        "model": sickness.model,
        "evidence": {
            name: round(share(recording, sickness.model, name), 4) for name in sickness.evidence
        },
        "signs": {name: round(each.sign(recording), 4) for name, each in SICKNESSES.items()},
        "sha256": hashlib.sha256(path_of(letter).read_bytes()).hexdigest(),
    }


def read(name: str) -> dict[str, Any]:
    """A recording."""
    return json.loads(path_of(name).read_text(encoding="utf-8"))


def _known() -> dict[str, Any]:
    return json.loads(KNOWN.read_text(encoding="utf-8"))


def _record_clearly(name: str, cause: str | None) -> None:
    clients = HEALTHY[name] if cause is None else SICKNESSES[cause].clients
    for _ in range(ATTEMPTS):
        _wait_for_quiet()
        recording = record(cause, clients)
        reasons = unclear(cause, recording)
        if (foreign := recording["machine"]["others"]) > MOST_FOREIGN:
            reasons.append(f"other programs had {foreign:.0%} of the machine")
        print(name, "is unclear: " + "; ".join(reasons) if reasons else "is clear", flush=True)
        if not reasons:
            text = json.dumps(recording, indent=1, ensure_ascii=False)
            path_of(name).write_text(f"{text}\n", encoding="utf-8")
            return
    raise SystemExit(f"{name}: this machine is too busy to record it clearly")


def _wait_for_quiet() -> None:
    """Begin when nobody else is at work, or after some minutes all the same."""
    for _ in range(LOOKS):
        foreign = Foreign()
        time.sleep(LOOK_S)
        if foreign.share() <= MOST_FOREIGN:
            return


def record(cause: str | None, clients: int) -> dict[str, Any]:
    """Serve a deployment, ask it, and write down everything that a learner is to see."""
    with tempfile.TemporaryDirectory(prefix="hotloop-deployment-") as name:
        folder = Path(name)
        lay_out(folder, cause)
        configs = configurations(folder)
        with TritonServer(folder, preflight.require(), Options(isolation="none")) as server:
            server.wait_ready()
            behind = cause is not None and SICKNESSES[cause].behind_gateway
            with gateway(server) if behind else nullcontext() as port:
                seen = under_load(server, clients, port)
            with server.http() as http:
                release = http.get("/v2").json()["version"]
    machine = {
        "processor": device_name(),
        "cores": os.cpu_count(),
        "others": seen.pop("others"),
    }
    versions = {"tritonserver": release, "python": platform.python_version(), **_pins()}
    date = datetime.now(UTC).date().isoformat()
    return {"date": date, "versions": versions, "machine": machine, **seen, "configs": configs}


def _pins() -> dict[str, str]:
    pins = dict(line.split("==") for line in environment.requirements())
    return {name: pins[name] for name in PINNED}


if __name__ == "__main__":
    main(sys.argv[1:])
