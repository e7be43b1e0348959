"""“It must run fast on all our devices” as bounds: which wish cannot be had, before any code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Device:
    """Supposed figures: peak operations and bytes a second, memory for the model."""

    name: str
    tera_ops: dict[str, float]
    giga_bytes: float
    memory_mib: float


@dataclass(frozen=True)
class Model:
    """A call: operations, weights, and activations that go through memory."""

    giga_ops: float
    weights: float
    activations: float


SIZE = {"fp32": 4, "fp16": 2, "int8": 1}
FLEET = (
    Device("server GPU", {"fp32": 60, "fp16": 400, "int8": 800}, 2000, 40_000),
    Device("laptop CPU", {"fp32": 1.0, "int8": 3.0}, 50, 8_000),
    Device("phone NPU", {"fp16": 8, "int8": 16}, 30, 300),
)
MODEL = Model(giga_ops=20, weights=90e6, activations=40e6)


# --8<-- [start:bound]
def bound_ms(device: Device, model: Model, dtype: str) -> float | None:
    """No program can be faster; None where the device does not compute in that type."""
    if dtype not in device.tera_ops:
        return None
    compute = model.giga_ops / device.tera_ops[dtype]
    moved = (model.weights + model.activations) * SIZE[dtype]
    if model.weights * SIZE[dtype] > device.memory_mib * 2**20:
        return None
    return max(compute, moved / device.giga_bytes / 1e6)


# --8<-- [end:bound]


def main() -> None:
    """Print a table, and what follows from it."""
    table = {
        (device.name, dtype): bound_ms(device, MODEL, dtype) for device in FLEET for dtype in SIZE
    }
    for (name, dtype), value in table.items():
        print(
            f"{name:12} {dtype} {'not possible' if value is None else f'at least {value:6.2f} ms'}"
        )
    wish = 10.0
    common = [
        dtype
        for dtype in SIZE
        if all((table[device.name, dtype] or 1e9) <= wish for device in FLEET)
    ]
    print(f"one type for all within {wish:g} ms: {', '.join(common) or 'none but by leaving fp32'}")
    assert common == ["int8"]
    assert table["phone NPU", "fp32"] is None
    laptop = table["laptop CPU", "fp32"]
    assert laptop
    assert laptop > wish, "no schedule helps: the wish is beyond the device"
    ratio = (MODEL.giga_ops / 1e3) / ((MODEL.weights + MODEL.activations) * 4 / 1e12)
    print(f"operations for each byte in fp32: {ratio:.0f}")
    for device in FLEET:
        dtype = "int8"
        compute = MODEL.giga_ops / device.tera_ops[dtype]
        memory = (MODEL.weights + MODEL.activations) / device.giga_bytes / 1e6
        print(
            f"{device.name:12} in int8 is limited by "
            f"{'memory' if memory > compute else 'arithmetic'}"
        )
    assert 130e6 / 30e9 > 20 / 16e3, "on the phone: fewer bytes, not a better matmul"


if __name__ == "__main__":
    main()
