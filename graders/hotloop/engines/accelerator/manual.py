"""The manual of a drawn machine, as Markdown: about four pages, written from its parameters."""

from __future__ import annotations

from hotloop.engines.accelerator import kinds
from hotloop.engines.accelerator import rows as matrices
from hotloop.engines.accelerator import walk as walks
from hotloop.engines.accelerator.machine import WIDE, Machine
from hotloop.engines.accelerator.program import MOST_CHARACTERS

BANKS = {
    "linear": "Word a lies in bank a mod {banks}.",
    "xor": "Word a lies in bank (a xor (a >> {shift})) mod {banks}.",
    "block": "Word a lies in bank (a >> {shift}) mod {banks}: {block} neighbors share a bank.",
}


def manual(machine: Machine) -> str:
    """Return the manual of the machine and its kernels."""
    parts = (_overview, _time, _memory, _instructions, _kernels)
    return "\n".join(part(machine) for part in parts)


def _overview(machine: Machine) -> str:
    slots = ", ".join(f"{count} {unit}" for unit, count in machine.slots.items())
    return f"""# Accelerator {machine.seed}

It exists only as an exact simulation: the same program takes the same number of cycles on the same
input everywhere. All words have 32 bits, and arithmetic is modulo 2³².

| part | size |
| --- | --- |
| scalar registers | s0 to s{machine.scalars - 1} |
| vector registers | v0 to v{machine.vectors - 1}, of {machine.lanes} lanes |
| scratchpad | {machine.scratchpad} words in {machine.banks} banks |
| bundle | at most {machine.width} instructions; of them at most {slots} |
| program | at most {machine.program} bundles, {MOST_CHARACTERS:,} characters |

All registers and the scratchpad hold 0 at first. A program is text, a bundle a line; instructions
of a bundle are separated by `|`, a label ends with `:`, and a comment begins with `#`:

```
loop:
  vld v1, s2, 0 | add s2, s2, {machine.lanes}   # both read their registers before either writes
  bnz s3, loop
```

All instructions of a bundle read before any of them writes. Two of them must not write the same
register. The program ends at `halt` or behind its last bundle, when all transfers have ended.
"""


def _time(machine: Machine) -> str:
    latency = machine.latency
    return f"""## Time

At most one bundle issues in a cycle, in order. A bundle waits until

1. each register that it reads **or writes** has its last result,
2. the scratchpad has served the accesses of earlier bundles (see below), if it accesses it,
3. the vector unit has finished an earlier split, if it has a vector instruction,
4. the transfer queue has a free place, for a `copyin` or `copyout`; or few enough transfers are
   outstanding, for a `wait`.

| result of | ready after |
| --- | --- |
| a scalar instruction | {latency["scalar"]} |
| a scalar multiplication (`mul`, `muladd`) | {latency["scalar_multiply"]} |
| a vector instruction | {latency["vector"]} |
| a vector multiplication (`vmul`, `vmuladd`), or a sum over lanes (`vsum`) | \
{latency["vector_multiply"]} |
| a load | {latency["load"]}, and one more for each cycle of bank conflicts |

A result that is ready after n cycles can be read by a bundle that issues n cycles later.

- **Branches.** A taken branch costs {machine.branch} more cycles, one that is not taken none.
- **Splits.** A `vsel` whose lanes disagree (some take one side, some the other) blocks the vector
  unit for {machine.split} more cycles, and vector results of its bundle are ready so much later.
  A `vsel` whose lanes agree costs nothing more.
"""


def _memory(machine: Machine) -> str:
    bank = BANKS[machine.bank_map].format(
        banks=machine.banks, shift=machine.bank_shift, block=1 << machine.bank_shift
    )
    align = ""
    if machine.align > 1:
        align = f" In the scratchpad a transfer must\nbegin at a multiple of {machine.align}."
    return f"""## Memory

**Scratchpad.** {bank} A bank serves one word a cycle; lanes that read the same word share
it. All accesses of a bundle, loads and stores together, occupy the scratchpad for as many cycles
as the busiest bank has different words to serve. The next bundle with an access waits so long.

**Main memory** is reached by transfers only. `copyin` and `copyout` enter a queue, in which at most
{machine.queue} transfers are outstanding; they run one after the other. A transfer of n words takes
{machine.startup} + ⌈n / {machine.rate}⌉ cycles, and **moves all its words at its end**: until then
the destination holds what it held before. `wait k` waits until at most k transfers are outstanding.
Only the output's words of main memory may be written.{align}

An access outside of scratchpad or main memory ends the run with an error.
"""


def _instructions(machine: Machine) -> str:
    fused = {
        "muladd": "| `muladd d, a, b, c` | a · b + c; b and c may be numbers |\n"
        "| `vmuladd d, a, b, c` | the same in each lane |\n",
        "rotl": "| `rotl d, a, b`, `vrotl` | a rotated to the left by b mod 32 |\n",
        "max": "| `max d, a, b`, `vmax` | the larger of both, without sign |\n",
    }
    own = "".join(text for name, text in fused.items() if name in machine.fused)
    missing = [name for name in fused if name not in machine.fused]
    absent = f"\nThis machine has no `{'` and no `'.join(missing)}`.\n" if missing else ""
    true = "1" if machine.true == 1 else "all bits are 1"
    return f"""## Instructions

d is the register that is written. The last operand of an arithmetic instruction may be a number.
In a vector instruction, a scalar register or a number stands for a vector with this value in each
lane.

| scalar and vector unit | result |
| --- | --- |
| `add`, `sub`, `mul`, `and`, `or`, `xor` `d, a, b`; `vadd`, … | a op b |
| `shl`, `shr` `d, a, b`; `vshl`, `vshr` | shifted by b mod 32, zeros enter |
| `lt`, `eq` `d, a, b`; `vlt`, `veq` | {true} if a < b (without sign), a = b; else 0 |
| `mov d, a`; `vmov d, a` | a |
{own}| `viota d` | 0, 1, 2, … in the lanes |
| `vsel d, m, a, b` | in each lane a if m ≠ 0, else b |
| `vsum d, a` | the sum over the lanes, in a scalar register |

| load, store | |
| --- | --- |
| `ld d, a, n`; `st a, n, b` | the word a + n of the scratchpad |
| `vld d, a, n`; `vst a, n, b` | {machine.lanes} words from a + n on |
| `vgather d, a, n`; `vscatter a, n, b` | word a + n for each lane of a; the highest lane is \
written last |

| flow, dma | |
| --- | --- |
| `jump L`, `bnz a, L`, `bz a, L`, `halt` | always, if a ≠ 0, if a = 0; end |
| `copyin a, b, n` | n words from word b of main memory to word a of the scratchpad |
| `copyout a, b, n` | n words from word b of the scratchpad to word a of main memory |
| `wait k` | until at most k transfers are outstanding |
{absent}"""


def _kernels(machine: Machine) -> str:
    """Return the kernel that the seed draws; of the course's machines, the same three for all."""
    if machine.seed >= WIDE:
        kind = kinds.draw(machine.seed)
        return f"## Kernel\n\n{kind.section(kind.draw(machine.seed))}"
    walk, rows = walks.draw(machine.seed), matrices.draw(machine.seed)
    combine = "v ^ word" if walk.combine == "xor" else "v + word"
    return f"""## Kernels

{walks.section(walk)}
**pipeline.** The same hash without the tree: the table has one word, and each item is
`v = hash({combine})` {walks.without_table(walk).descents} times with that word.

**overlap.** Main memory holds a matrix with rows of {rows.columns} words, then room for the
output, one word a row. The matrix does not fit into the scratchpad.

```
for each row:
    acc = 0
    for column in 0 … {rows.columns - 1}:
        acc = (acc ^ matrix[row, column]) * {rows.factor}
    output[row] = acc
```
"""
