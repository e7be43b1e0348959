"""Who gets which version: what the server decides, and what somebody before it has to decide."""

from __future__ import annotations

import hashlib
import math
import sys
from pathlib import Path

from hotloop.engines.serving.inference import Client

sys.path.append(str(Path(__file__).parent))
from live.real_server import ask, python, refusal, served

TIMES = """
class TritonPythonModel:
    def execute(self, requests):
        return [answer(numbers(request) * {factor}) for request in requests]
"""
BOTH = {1: TIMES.format(factor=10), 2: TIMES.format(factor=20)}


# --8<-- [start:split]
def version(user: str, share: float, experiment: str = "bert-2") -> int:
    """Always the same for a user, and another split for another experiment."""
    digest = hashlib.sha256(f"{experiment}/{user}".encode()).digest()
    return 2 if int.from_bytes(digest[:8], "big") < share * 2**64 else 1


# --8<-- [end:split]


def splitting() -> None:
    """Five percent of 20,000 users."""
    users = [f"user-{number}" for number in range(20_000)]
    canary = {user for user in users if version(user, 0.05) == 2}
    wider = {user for user in users if version(user, 0.20) == 2}
    other = {user for user in users if version(user, 0.05, "another") == 2}
    now, later = len(canary) / len(users), len(wider) / len(users)
    print(f"version 2 for {now:.1%} of the users, later {later:.1%}")
    assert 0.045 < len(canary) / len(users) < 0.055
    assert canary < wider, "who has seen version 2 keeps it when the share grows"
    assert len(canary & other) < 0.1 * len(canary), "the next experiment finds others"


def requests_needed(before: float, after: float) -> int:
    """In each group, to tell two error rates apart: 5 % false alarms, 80 % found (normal law)."""
    spread = before * (1 - before) + after * (1 - after)
    return math.ceil((1.96 + 0.84) ** 2 * spread / (before - after) ** 2)


def power() -> None:
    """How long a canary must live."""
    for before, after in ((0.01, 0.05), (0.01, 0.02), (0.10, 0.11)):
        needed = requests_needed(before, after)
        print(f"to see {before:.0%} become {after:.0%}: {needed:6,} requests in each group")
    assert requests_needed(0.10, 0.11) > 10 * requests_needed(0.01, 0.05)


def measured() -> None:
    """The same two versions under three policies."""
    models = {
        "latest": python("max_batch_size: 4", BOTH),
        "all": python("max_batch_size: 4 version_policy { all { } }", BOTH),
        "held": python("max_batch_size: 4 version_policy { specific { versions: [ 1 ] } }", BOTH),
    }
    with served(models) as running:
        if running is None:
            return
        server, _ = running
        with Client(server) as client:
            plain = {name: ask(client, name) for name in models}
            asked = {number: ask(client, "all", version=str(number)) for number in (1, 2)}
            ready = {name: client.get(f"/v2/models/{name}")["versions"] for name in models}
            refused = refusal(client, "latest", [[1.0]], version="1")
    for name in models:
        number = round(plain[name] / 10)
        told = f"serves {ready[name]}; without a version, {number} answers"
        print(f"on the real server, {name:6} {told}")
    print(f"and version 1 of `latest`: {refused!r}")
    assert ready == {"latest": ["2"], "all": ["1", "2"], "held": ["1"]}
    assert plain == {"latest": 20.0, "all": 20.0, "held": 10.0}, "the highest that is served"
    assert asked == {1: 10.0, 2: 20.0}
    assert "version 1 is not found" in refused


if __name__ == "__main__":
    splitting()
    power()
    measured()
