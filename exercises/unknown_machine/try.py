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

from hotloop.engines.accelerator import kinds
from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator import rows as matrices
from hotloop.engines.accelerator import walk as walks
from hotloop.engines.accelerator.manual import manual
from hotloop.engines.accelerator.program import assemble, disassemble
from hotloop.engines.accelerator.run import run
from hotloop.engines.accelerator.timeline import page, profile

NAMES = ("walk", "pipeline", "overlap", "kernel")


def kernel(name: str, seed: int, items: int):
    """An input, the naive program, and the lower bound."""
    machine, rng = machines.draw(seed), random.Random(1)
    if name == "kernel":
        kind = kinds.draw(seed)
        shape = kind.draw(seed)
        work = kind.work(shape, items, rng)
        return work, kind.naive(shape, items), kind.bound(shape, machine, work)
    if name == "overlap":
        shape = matrices.draw(seed)
        work = matrices.work(shape, items, rng)
        return work, matrices.naive(shape, items), matrices.lower_bound(shape, machine, work)
    shape = walks.draw(seed)
    shape = walks.without_table(shape) if name == "pipeline" else shape
    work = walks.work(shape, items, rng)
    return work, walks.naive(shape, items), walks.lower_bound(shape, machine, work)


def main() -> None:
    """Do what the arguments say."""
    words = sys.argv[1:]
    name = next((word for word in words if word in NAMES), None)
    if name is None:
        sys.exit(__doc__)
    yours = importlib.import_module(name)
    seed = yours.KERNEL if name == "kernel" else yours.MACHINE
    machine = machines.draw(seed)
    if "manual" in words:
        Path("manual.md").write_text(manual(machine), encoding="utf-8")
        print("manual.md")
        return
    most = {"overlap": 128, "kernel": kinds.draw(seed).items}.get(name, 256)
    items = next((int(word) for word in words if word.isdigit()), most)
    work, naive, bound = kernel(name, seed, items)
    program = naive if "naive" in words else assemble(yours.build(items), machine)
    result = run(machine, program, work.memory, work.writable, 10**6, record=True)
    print(work.mismatch(result.memory) or "right", f"· lower bound {bound} cycles", end="\n\n")
    print(profile(result, machine, program))
    Path("program.txt").write_text(disassemble(program), encoding="utf-8")
    title = f"{name} of {items} items on machine {machine.seed}"
    html = page(result, machine, program, title, bound)
    Path("timeline.html").write_text(html, encoding="utf-8")


if __name__ == "__main__":
    main()
