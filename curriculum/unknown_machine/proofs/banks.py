"""Cycles that a gather occupies the scratchpad, by stride and by the map of banks."""

from __future__ import annotations

from dataclasses import replace

from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator.machine import Machine
from hotloop.engines.accelerator.program import assemble
from hotloop.engines.accelerator.run import run

MACHINE = replace(machines.draw(12), lanes=8, banks=8)
STRIDES = (0, 1, 2, 4, 8, 9, 32, 33)


def busy(machine: Machine, stride: int) -> int:
    """The cycles that a gather of lanes so far apart occupies the scratchpad."""
    lines = ["viota v1", f"vmul v1, v1, {stride}", "vgather v2, v1, 0"]
    program = assemble("\n".join(lines), machine)
    return run(machine, program, [], range(0), 1000).conflicts + 1


def main() -> None:
    """Print a row for each map."""
    print("stride          " + "".join(f"{stride:5}" for stride in STRIDES))
    for kind, shift in (("linear", 0), ("block", 1), ("xor", 3)):
        machine = replace(MACHINE, bank_map=kind, bank_shift=shift)
        row = "".join(f"{busy(machine, stride):5}" for stride in STRIDES)
        print(f"{kind:8} shift {shift} {row}")
    assert busy(replace(MACHINE, bank_map="linear", bank_shift=0), 33) == 1


if __name__ == "__main__":
    main()
