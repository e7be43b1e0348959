"""When bundles issue: chains, independent instructions, registers that are written again."""

from __future__ import annotations

from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator.program import assemble
from hotloop.engines.accelerator.run import run

MACHINE = machines.draw(12)

PROGRAMS = {
    "a chain": ["vmul v1, v2, v3", "vadd v4, v1, 1", "vadd v5, v4, 1"],
    "two chains": ["vmul v1, v2, v3 | vmul v6, v7, v8", "vadd v4, v1, 1 | vadd v9, v6, 1"],
    "independent": ["vmul v1, v2, v3", "vadd v4, v5, 1", "vadd v6, v7, 1"],
    "written again": ["vmul v1, v2, v3", "vadd v1, v4, 1"],
    "another register": ["vmul v1, v2, v3", "vadd v5, v4, 1"],
    "exchanged": ["mov s1, s2 | mov s2, s1"],
}


def issue_cycles(lines: list[str]) -> list[int]:
    """The cycle in which each bundle issues."""
    program = assemble("\n".join(lines), MACHINE)
    events = run(MACHINE, program, [], range(0), 1000, record=True).events
    first: dict[int, int] = {}
    for event in events:
        first.setdefault(event.bundle, event.start)
    return list(first.values())


def main() -> None:
    """Print the issue cycles of each program."""
    latency = MACHINE.latency
    print(f"vector {latency['vector']}, vector multiplication {latency['vector_multiply']} cycles")
    for name, lines in PROGRAMS.items():
        print(f"{name:17} issue in {issue_cycles(lines)}")
    assert issue_cycles(PROGRAMS["written again"])[1] == latency["vector_multiply"]
    assert issue_cycles(PROGRAMS["another register"])[1] == 1


if __name__ == "__main__":
    main()
