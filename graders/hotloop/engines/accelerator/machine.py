"""The accelerator's parameters, and how a seed draws them."""

from __future__ import annotations

import random
from dataclasses import asdict, dataclass, replace
from typing import Any

WORD = 0xFFFFFFFF
"""All numbers are 32-bit words, and arithmetic is modulo 2³²."""

WIDE = 1000
"""From this seed on, machines differ in more: the course's and its figures are below."""

OPTIONAL = ("muladd", "rotl", "max")
"""Instructions that a machine may lack."""

UNITS: tuple[str, ...] = ("scalar", "vector", "load", "store", "flow", "dma")


@dataclass(frozen=True)
class Machine:
    """One accelerator of the family.

    slots: instructions of each unit in a bundle. width: instructions of all units in a bundle.
    latency: cycles from issue to the result, by class of instruction. lanes: words of a vector.
    bank_map: how addresses are spread over banks: "linear", "xor" or "block", with `bank_shift`.
    branch: cycles lost at a taken branch. split: cycles that `vsel` adds when its lanes disagree.
    queue: transfers that may be outstanding. startup, rate: a transfer of n words takes
    startup + ⌈n / rate⌉ cycles. fused: which of `OPTIONAL` exist, in both units.
    program: most bundles of a program. align: of what a transfer's word in the scratchpad is a
    multiple. true: what `lt` and `eq` return for a condition that holds.
    """

    seed: int
    lanes: int
    slots: dict[str, int]
    width: int
    latency: dict[str, int]
    scalars: int
    vectors: int
    scratchpad: int
    banks: int
    bank_map: str
    bank_shift: int
    branch: int
    split: int
    queue: int
    startup: int
    rate: int
    fused: tuple[str, ...]
    program: int
    align: int = 1
    true: int = 1

    def bank(self, address: int) -> int:
        """Return the bank of a scratchpad word."""
        if self.bank_map == "xor":
            address ^= address >> self.bank_shift
        elif self.bank_map == "block":
            address >>= self.bank_shift
        return address % self.banks

    def transfer(self, words: int) -> int:
        """Return the cycles of a transfer."""
        return self.startup + -(-words // self.rate)

    def as_dict(self) -> dict[str, Any]:
        """Return the parameters as plain data."""
        return {**asdict(self), "fused": list(self.fused)}


def from_dict(data: dict[str, Any]) -> Machine:
    """Return the machine of `as_dict`."""
    values: dict[str, Any] = {**data, "fused": tuple(data["fused"])}
    return Machine(**values)


def draw(seed: int) -> Machine:
    """Return the machine of a seed."""
    rng = random.Random(f"machine {seed}")
    lanes = rng.choice((4, 8, 16))
    banks = lanes * rng.choice((1, 2))
    bank_map = rng.choice(("linear", "xor", "block"))
    # Blocks longer than two words would make each contiguous access slow.
    bank_shift = {"linear": 0, "xor": rng.choice((3, 4, 5)), "block": 1}[bank_map]
    scalar, vector = rng.choice((1, 2)), rng.choice((2, 3, 4))
    machine = Machine(
        seed=seed,
        lanes=lanes,
        slots={
            "scalar": rng.choice((1, 2, 3)),
            "vector": rng.choice((1, 2, 3)),
            "load": rng.choice((1, 2)),
            "store": 1,
            "flow": 1,
            "dma": 1,
        },
        width=rng.choice((3, 4, 5)),
        latency={
            "scalar": scalar,
            "scalar_multiply": scalar + rng.choice((1, 2, 3)),
            "vector": vector,
            "vector_multiply": vector + rng.choice((1, 2, 3)),
            "load": rng.choice((3, 4, 5, 6)),
        },
        scalars=rng.choice((16, 24)),
        vectors=rng.choice((24, 32)),
        scratchpad=rng.choice((2048, 4096)),
        banks=banks,
        bank_map=bank_map,
        bank_shift=bank_shift,
        branch=rng.choice((1, 2, 3, 4)),
        split=rng.choice((1, 2, 3, 4)),
        queue=rng.choice((2, 3, 4)),
        startup=rng.choice((20, 40, 60, 80)),
        rate=rng.choice((1, 2, 4)),
        fused=rng.choice(((), ("muladd",), ("rotl",), ("muladd", "rotl"))),
        program=rng.choice((512, 768, 1024)),
    )
    if seed < WIDE:
        return machine
    return replace(
        machine,
        fused=tuple(name for name in OPTIONAL if rng.random() < 0.5),
        align=rng.choice((1, 4, 8, 16)),
        true=rng.choice((1, WORD)),
    )
