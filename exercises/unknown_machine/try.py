"""Try a generator on your machine, outside of the judge.

    python try.py manual walk     # writes manual.md: the machine and its kernels
    python try.py walk [ITEMS]    # assembles, runs and checks; writes program.txt and timeline.html
    python try.py naive walk      # the same for the naive program

`pipeline` and `overlap` in place of `walk` are the course's other two, `kernel` is the one that its
seed draws.
"""

import importlib
import random
import sys
from pathlib import Path

from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator.kernels import BY_NAME
from hotloop.engines.accelerator.manual import manual
from hotloop.engines.accelerator.program import assemble, disassemble
from hotloop.engines.accelerator.run import run
from hotloop.engines.accelerator.timeline import page, profile


def main() -> None:
    """Do what the arguments say."""
    words = sys.argv[1:]
    name = next((word for word in words if word in BY_NAME), None)
    if name is None:
        sys.exit(__doc__)
    yours = importlib.import_module(name)
    seed = yours.KERNEL if name == "kernel" else yours.MACHINE
    machine = machines.draw(seed)
    if "manual" in words:
        Path("manual.md").write_text(manual(machine), encoding="utf-8")
        print("manual.md")
        return
    kernel = BY_NAME[name](seed)
    items = next((int(word) for word in words if word.isdigit()), kernel.items[-1])
    work = kernel.draw(items, random.Random(1))
    bound = kernel.bound(work)
    program = kernel.naive(items) if "naive" in words else assemble(yours.build(items), machine)
    result = run(machine, program, work.memory, work.writable, 10**6, record=True)
    print(work.mismatch(result.memory) or "right", f"· lower bound {bound} cycles", end="\n\n")
    print(profile(result, machine, program))
    Path("program.txt").write_text(disassemble(program), encoding="utf-8")
    title = f"{name} of {items} items on machine {machine.seed}"
    html = page(result, machine, program, title, bound)
    Path("timeline.html").write_text(html, encoding="utf-8")


if __name__ == "__main__":
    main()
