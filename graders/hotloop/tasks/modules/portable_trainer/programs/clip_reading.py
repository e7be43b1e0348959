"""Compare a candidate's run with the right one, without any library that could execute it."""

from __future__ import annotations

import numpy as np
from safetensors.numpy import load_file

SHARE = 2e-3
"""Tolerance, relative to the largest number of an array; float32 errors of some steps add up."""

SMALL = 1e-3
"""What counts as such a number at least, relative to the largest of all: a gradient may be 0."""

LOSS = 2e-4
FIRST = ("losses", "model.", "velocity.")


def mismatch(path: str, right: str) -> str | None:
    """Return the first difference between the two runs, or None."""
    got, want = load_file(path), load_file(right)
    for name in sorted(
        want, key=lambda name: [name.startswith(each) for each in FIRST].index(True)
    ):
        if name not in got:
            return f"it has no {name}"
        if got[name].dtype != np.float32 or got[name].shape != want[name].shape:
            return f"{name} is {got[name].dtype} {list(got[name].shape)}"
        wrong = _wrong(name, got[name].astype(np.float64), want)
        if wrong is not None:
            return wrong
    return None


def _wrong(name: str, got: np.ndarray, right: dict[str, np.ndarray]) -> str | None:
    want, kind = right[name], name.partition(".")[0]
    if name == "losses":
        bad = ~(np.abs(got - want) <= LOSS * np.abs(want))
    else:
        largest = max(float(np.abs(a).max()) for n, a in right.items() if n.startswith(f"{kind}."))
        bad = ~(np.abs(got - want) <= SHARE * max(SMALL * largest, float(np.abs(want).max())))
    if not bad.any():
        return None
    place = np.unravel_index(int(np.argmax(bad)), bad.shape)
    where = f"the loss of step {place[0]}" if name == "losses" else f"{name}{list(map(int, place))}"
    return f"{where} is {got[place]:.6g} and should be {want[place]:.6g}"
