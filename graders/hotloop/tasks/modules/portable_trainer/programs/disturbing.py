"""Run a candidate's trainer to its end, with faults and kills."""

from __future__ import annotations

import json
import tempfile
import time
from pathlib import Path
from typing import Any

import apart
import remote
from safetensors.numpy import load, save
from world import Cluster, Violation

NURSERY = apart.Nursery()
SILENCE_S = 30.0
MOST_REPORT = 1 << 16


def trained(checkpoint: str, policy: str, trainer: str, plan: str) -> str:
    """Return the result of the run in JSON, which can hold a NaN loss.

    All of it but `report` and `value` is recorded here. plan: JSON of seed, steps, every, backends,
    faults, and kills: [request, its count, seconds between answer and kill or null].
    """
    request = json.loads(plan)
    world = Cluster(request["seed"], request["backends"], request["faults"])
    folder = Path(tempfile.mkdtemp())
    sources = {"checkpoint": checkpoint, "policy": policy, "trainer": trainer}
    kills, violation, value = [*request["kills"], None], None, None
    for kill in kills:
        child = NURSERY.start("lives", "train", sources, str(folder))
        try:
            ended, value = _served(child, world, request, kill)
        except Violation as error:
            violation = str(error)
            break
        finally:
            child.kill()
        if ended:
            break
        world.events.append({"kind": "killed"})
        world.current = world.lineage = None
    lineage = world.lineage
    request = {
        "violation": violation,
        "value": value is True,
        "events": world.events,
        "steps_done": world.steps_done,
        "numbers": [list(numbers) for numbers in lineage.numbers] if lineage else [],
        "losses": list(lineage.losses) if lineage else [],
        "spoiled": lineage is not None and lineage.spoiled,
        "report": _report(folder / "report.jsonl"),
    }
    return json.dumps(request)


def _served(
    child: apart.Child, world: Cluster, request: dict[str, Any], kill: list[Any] | None
) -> tuple[bool, object]:
    """Answer requests until the trainer ends or must be killed.

    Returns (True, its value) or, for the caller to kill it, (False, None). Raises Violation if it
    breaks the protocol or stays silent for SILENCE_S.
    """
    counts: dict[str, int] = {}
    child.sock.settimeout(SILENCE_S)
    while True:
        try:
            message, data = remote.receive(child.sock)
        except EOFError:
            raise Violation("its process ends without a word") from None
        except TimeoutError:
            raise Violation(f"it asks for nothing for {SILENCE_S:.0f} seconds") from None
        what = message.get("what")
        if what == "ended":
            return True, child.ended(message)
        counts[what] = counts.get(what, 0) + 1
        answer, payload = _answer(what, message, data, world, request)
        if kill is not None and [what, counts[what]] == kill[:2]:
            if kill[2] is not None:
                remote.send(child.sock, answer, payload)
                time.sleep(kill[2])
            return False, None
        remote.send(child.sock, answer, payload)


def _answer(
    what: object, message: dict[str, Any], data: bytes, world: Cluster, request: dict[str, Any]
) -> tuple[dict[str, Any], bytes]:
    if what == "about":
        return {name: request[name] for name in ("backends", "steps", "every", "seed")}, b""
    if what == "take_up":
        event = world.take_up(str(message["name"]), load(data) if data else None)
        return {"event": event}, b""
    if what == "step":
        numbers = [int(number) for number in message["numbers"]]
        return {"event": world.step(numbers)}, b""
    if what == "state":
        return {}, save(world.state())
    raise Violation(f"it asks for {what!r:.40}")


def _report(path: Path) -> str:
    if not path.exists():
        return ""
    with path.open("rb") as file:
        return file.read(MOST_REPORT).decode(errors="replace")
