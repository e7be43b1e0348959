"""A chain of eight multiplications for 64 vectors: how many of them should be under way?"""

from __future__ import annotations

from collections.abc import Iterator

from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator.machine import Machine
from hotloop.engines.accelerator.program import assemble
from hotloop.engines.accelerator.run import Run, run

MACHINE = machines.draw(12)
VECTORS, CHAIN = 64, 8


def program(together: int) -> Iterator[str]:
    """A loop whose iteration multiplies so many vectors, an operation of each after the other."""
    slots = MACHINE.slots["vector"]
    yield f"mov s1, {VECTORS // together}"
    yield "group:"
    for _ in range(CHAIN):
        texts = [f"vmul v{at}, v{at}, 3" for at in range(together)]
        for at in range(0, together, slots):
            yield " | ".join(texts[at : at + slots])
    yield "sub s1, s1, 1"
    yield "bnz s1, group"


def measured(together: int, machine: Machine = MACHINE) -> Run:
    """The run of one such loop."""
    text = "\n".join(program(together))
    return run(machine, assemble(text, machine), [], range(0), 10**6, record=True)


def main() -> None:
    """Print cycles and lower bound."""
    bound = VECTORS * CHAIN // MACHINE.slots["vector"]
    print(f"{VECTORS} vectors, {CHAIN} multiplications each: at least {bound} cycles")
    for together in (1, 2, 4, 8, 16):
        result = measured(together)
        waited = result.waits.get("a result", 0)
        print(
            f"{together:2} together: {result.cycles:5} cycles, "
            f"{waited:5} of them waiting for a result, {together} registers"
        )
    needed = MACHINE.latency["vector_multiply"] * MACHINE.slots["vector"]
    print(f"latency times slots: {needed} vectors are under way when no cycle is lost")


if __name__ == "__main__":
    main()
