"""What the recorded step of a sharded model says of its gathers, and what of them is exposed."""

from __future__ import annotations

from hotloop.core import paths
from hotloop.tasks.modules.portable_trainer import prefetches

TRACE = paths.exercises() / "portable_trainer" / "fsdp_trace.json"


def main() -> None:
    """Print the facts by which the judge compares."""
    facts = prefetches.facts_of(TRACE.read_bytes())
    for number, name in enumerate(("forward", "backward")):
        gathers = sum(counts[number] for counts in facts.gathers.values())
        ahead = ", ".join(sorted(facts.ahead[number])) or "none"
        print(f"{name}: {gathers} gathers, issued ahead of their layer: {ahead}")
    for kind, us in facts.exposed_us.items():
        print(f"{kind}: {us / 1000:.1f} ms beside no product")
    assert not facts.ahead[0]
    assert len(facts.ahead[1]) == len(facts.gathers) - 1


if __name__ == "__main__":
    main()
