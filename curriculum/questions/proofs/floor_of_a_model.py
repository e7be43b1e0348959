"""Weights over bandwidth: the latency that no kernel can go below, for supposed devices."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Device:
    """Supposed peaks."""

    name: str
    giga_bytes: float
    tera_ops: float


PHONE = Device("phone", 60, 10)
BOARD = Device("board", 200, 60)


def weights_gb(billions: float, bits: float) -> float:
    """1 GB is 10^9 bytes."""
    return billions * bits / 8


# --8<-- [start:floor]
def floor_ms(device: Device, billions: float, bits: float, positions: int) -> tuple[float, float]:
    """Milliseconds for memory and for arithmetic: two operations a weight and position."""
    memory = weights_gb(billions, bits) / device.giga_bytes * 1e3
    arithmetic = 2 * billions * 1e9 * positions / (device.tera_ops * 1e12) * 1e3
    return memory, arithmetic


# --8<-- [end:floor]


def main() -> None:
    """A model of three billion weights, word by word and a prompt at once."""
    for device in (PHONE, BOARD):
        for bits in (16, 8, 4):
            memory, arithmetic = floor_ms(device, 3, bits, 1)
            print(
                f"{device.name}, {bits:2} bits: {weights_gb(3, bits):.1f} GB, a token takes at "
                f"least "
                f"{max(memory, arithmetic):5.1f} ms, {1000 / max(memory, arithmetic):4.0f} a second"
            )
            assert memory > 10 * arithmetic, "one token: memory decides"
    memory, arithmetic = floor_ms(PHONE, 3, 4, 512)
    print(
        f"a prompt of 512 tokens on the phone: memory {memory:.0f} ms, arithmetic "
        f"{arithmetic:.0f} ms"
    )
    assert arithmetic > memory
    even = 4 / 8 / 2 * PHONE.tera_ops * 1e3 / PHONE.giga_bytes
    print(f"both are equal at {even:.0f} tokens at once")
    assert abs(floor_ms(PHONE, 3, 4, round(even))[1] / memory - 1) < 0.02
    small = floor_ms(PHONE, 0.025, 8, 1)[0]
    print(f"25 million weights in int8: {small:.2f} ms to read; convolutions use each many times")
    assert small < 0.5


if __name__ == "__main__":
    main()
