"""Bytes in flight: warps that are resident times loads that each has under way."""

from __future__ import annotations

from dataclasses import dataclass

LANES = 32


@dataclass(frozen=True)
class SM:
    """Limits of one SM, from the CUDA programming guide's table."""

    name: str
    warps: int
    blocks: int
    registers: int
    shared: int


SM75 = SM("sm_75", 32, 16, 65536, 64 * 1024)
SM80 = SM("sm_80", 64, 32, 65536, 164 * 1024)
SM90 = SM("sm_90", 64, 32, 65536, 228 * 1024)
REGISTERS_COME_IN = 256  # for a warp
SYSTEM_SHARED = 1024  # for a block, on sm_80 and later


def resident_warps(sm: SM, threads: int, registers: int, shared: int) -> int:
    """Warps that fit at once, for blocks of `threads` with so much of each resource."""
    warps = -(-threads // LANES)
    of_warp = -(-registers * LANES // REGISTERS_COME_IN) * REGISTERS_COME_IN
    by_registers = sm.registers // of_warp // warps
    system = 0 if sm is SM75 else SYSTEM_SHARED
    by_shared = sm.shared // (shared + system) if shared + system else sm.blocks
    return warps * min(sm.blocks, sm.warps // warps, by_registers, by_shared)


def in_flight(warps: int, loads: int, bytes_a_lane: int) -> int:
    """Bytes that an SM has requested from memory."""
    return warps * loads * bytes_a_lane * LANES


def needed(bytes_a_second: float, latency_s: float, sms: int) -> float:
    """Little's law: what must be in flight for memory never to wait, one SM's share."""
    return bytes_a_second * latency_s / sms


def main() -> None:
    """Print occupancies, and bytes in flight against what is needed."""
    for sm in (SM75, SM80, SM90):
        for registers, shared in ((32, 0), (64, 0), (128, 0), (32, 48)):
            warps = resident_warps(sm, 256, registers, shared * 1024)
            told = f"256 threads, {registers:3d} registers, {shared:2d} KB"
            print(f"{sm.name}: {told}: {warps:2d} of {sm.warps} warps, {warps / sm.warps:.0%}")
    assert resident_warps(SM90, 256, 32, 0) == 64
    assert resident_warps(SM90, 256, 128, 0) == 16

    # Suppose 3.35e12 bytes a second, 600 ns from load to use, 132 SMs.
    wanted = needed(3.35e12, 600e-9, 132)
    print(f"needed in flight, supposing 600 ns: {wanted / 1024:.1f} KiB per SM")
    kernels = {"64 warps, one float each": (64, 1, 4), "16 warps, four float4 each": (16, 4, 16)}
    got = {name: in_flight(*shape) for name, shape in kernels.items()}
    for name, amount in got.items():
        print(f"{name}: {amount / 1024:.0f} KiB in flight")
    assert got["64 warps, one float each"] < wanted < got["16 warps, four float4 each"]


if __name__ == "__main__":
    main()
