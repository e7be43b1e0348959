"""What a choice by lane costs: `vsel` with lanes that agree and disagree, and arithmetic."""

from __future__ import annotations

from dataclasses import replace

from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator.machine import Machine
from hotloop.engines.accelerator.program import assemble
from hotloop.engines.accelerator.run import run

MACHINE = machines.draw(12)
TIMES = 16


def cycles(machine: Machine, mask: str, arithmetic: bool) -> int:
    """Cycles of 16 choices between v3 and v4, independent of each other."""
    lines = ["viota v1", f"{mask}"]
    for at in range(TIMES):
        to = 5 + at % 8
        if arithmetic:  # v2 is 0 or 1; minus 1 it keeps all bits of v4 or none
            lines.append(f"vsub v{to}, v2, 1")
        else:
            lines.append(f"vsel v{to}, v2, v3, v4")
    if arithmetic:
        lines += [f"vand v{5 + at % 8}, v{5 + at % 8}, v13" for at in range(TIMES)]
        lines += [f"vxor v{5 + at % 8}, v{5 + at % 8}, v3" for at in range(TIMES)]
    return run(machine, assemble("\n".join(lines), machine), [], range(0), 1000).cycles


def main() -> None:
    """Print cycles for several costs of a split."""
    print("16 choices       agree  disagree  arithmetic")
    for split in (1, 2, 4):
        machine = replace(MACHINE, split=split)
        agree = cycles(machine, "vmov v2, 1", False)
        differ = cycles(machine, "vand v2, v1, 1", False)
        masks = cycles(machine, "vand v2, v1, 1", True)
        print(f"split of {split} cycles {agree:5} {differ:9} {masks:11}")


if __name__ == "__main__":
    main()
