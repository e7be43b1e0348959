"""Transfers: what a startup costs, what arrives when, and what overlaps."""

from __future__ import annotations

from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator.program import assemble
from hotloop.engines.accelerator.run import Run, run

MACHINE = machines.draw(12)
WORDS, TILES, WORK = 256, 8, 40


def measured(lines: list[str], memory: list[int] | None = None) -> Run:
    """The run of a program with 256 words of input and a word of output behind them."""
    memory = [*range(7, 7 + WORDS), 0] if memory is None else memory
    program = assemble("\n".join(lines), MACHINE)
    return run(MACHINE, program, memory, range(WORDS, WORDS + 1), 10**6, record=True)


def fetched(pieces: int) -> int:
    """Cycles to fetch all words in so many transfers."""
    lines = ["mov s0, 0"]
    for _ in range(pieces):
        lines += [f"copyin s0, s0, {WORDS // pieces}", f"add s0, s0, {WORDS // pieces}"]
    return measured(lines).cycles


def stored_first_word(wait: bool) -> int:
    """The first word of the scratchpad, read with or without waiting for its transfer."""
    lines = ["mov s0, 0", f"mov s1, {WORDS}", "copyin s0, s0, 8"]
    lines += ["wait 0"] if wait else []
    lines += ["ld s2, s0, 0", "st s0, 100, s2", "mov s3, 100", "copyout s1, s3, 1"]
    return measured(lines).memory[WORDS]


def tiles(overlap: bool) -> Run:
    """Tiles of 32 words, each with 40 multiplications in a chain of its own."""
    lines = ["mov s0, 0", "copyin s0, s0, 32"]
    for tile in range(TILES):
        lines.append("wait 0")
        fetch = ["add s0, s0, 32", "copyin s0, s0, 32"] if tile + 1 < TILES else []
        work = [f"vmul v{at % 12}, v{at % 12}, 3" for at in range(WORK)]
        lines += [*fetch, *work] if overlap else [*work, *fetch]
    return measured(lines)


def main() -> None:
    """Print what the docstring says."""
    print(f"startup {MACHINE.startup}, {MACHINE.rate} words a cycle")
    for pieces in (1, 4, 16):
        print(f"{WORDS} words in {pieces:2} transfers: {fetched(pieces):5} cycles")
    print(f"the word before the transfer has ended: {stored_first_word(False)}, after `wait 0`: 7")
    assert stored_first_word(True) == 7
    for overlap in (False, True):
        name = "fetched beside the work" if overlap else "fetched after the work"
        print(f"{TILES} tiles, the next one {name}: {tiles(overlap).cycles} cycles")


if __name__ == "__main__":
    main()
