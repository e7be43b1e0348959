"""What a remedy gains depends on the others: alone, in order, or as the only one missing."""

from __future__ import annotations

from itertools import permutations

LOADING_MS = {False: 60.0, True: 15.0}
COMPUTING_MS = {False: 50.0, True: 25.0}
"""Before and with the remedy. Workers load while the device computes: the slower one decides."""


def step_ms(workers: bool, bfloat16: bool) -> float:
    """A step's time once the queues are full."""
    return max(LOADING_MS[workers], COMPUTING_MS[bfloat16])


def main() -> None:
    """Each way of telling the gain of the same two remedies."""
    before, after = step_ms(False, False), step_ms(True, True)
    print(f"before {before:.0f} ms, with both {after:.0f} ms: {before / after:.1f} times as fast")
    alone = {"workers": step_ms(True, False), "bfloat16": step_ms(False, True)}
    for name, time in alone.items():
        print(f"{name} alone: {time:.0f} ms, {100 * (time / before - 1):+.0f} %")
    for order in permutations(alone):
        on = {"workers": False, "bfloat16": False}
        told: list[str] = []
        for name in order:
            was = step_ms(**on)
            on[name] = True
            told.append(f"{name} {100 * (step_ms(**on) / was - 1):+.0f} %")
        print("in this order:", ", ".join(told))
    for name, less in (("workers", step_ms(False, True)), ("bfloat16", step_ms(True, False))):
        print(f"everything but {name}: {less:.0f} ms; it is worth a factor of {less / after:.1f}")
    assert alone["bfloat16"] == before, "alone it gains nothing: the loop waits for data"
    assert step_ms(False, True) / after > 2, "as the only one that is missing it costs most"


if __name__ == "__main__":
    main()
