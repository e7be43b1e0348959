"""A mean over padded rows, four ways: what it divides by, and what NaN in the padding does."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

REAL, PADDED = 3, 8


def losses(weight: Any, rows: Any) -> Any:
    """Of each row."""
    return jnp.exp(rows @ weight)


def diluted(weight: Any, rows: Any, _real: Any) -> Any:
    """Divides by all rows."""
    return losses(weight, rows).mean()


def multiplied(weight: Any, rows: Any, real: Any) -> Any:
    """Takes the padding out by a factor."""
    return (losses(weight, rows) * real).sum() / real.sum()


# --8<-- [start:late]
def chosen_late(weight: Any, rows: Any, real: Any) -> Any:
    """Takes the padding out after it was computed with."""
    return jnp.where(real, losses(weight, rows), 0).sum() / real.sum()
    # --8<-- [end:late]


# --8<-- [start:first]
def chosen_first(weight: Any, rows: Any, real: Any) -> Any:
    """Replaces the padding before it is computed with."""
    rows = jnp.where(real[:, None], rows, 0)
    return jnp.where(real, losses(weight, rows), 0).sum() / real.sum()
    # --8<-- [end:first]


def main() -> None:
    """Print loss and gradient of each way, for zeros and for NaN in the padding."""
    weight = np.array([0.5, -1.0], np.float32)
    real = np.arange(PADDED) < REAL
    rows = np.linspace(-1, 1, 2 * PADDED, dtype=np.float32).reshape(PADDED, 2)
    want, slope = jax.value_and_grad(lambda w: losses(w, rows[:REAL]).mean())(weight)
    print(f"{REAL} real rows: loss {want:.4f}, gradient {np.round(slope, 4)}")
    good = {}
    for padding in (0.0, float("nan")):
        rows[REAL:] = padding
        for way in (diluted, multiplied, chosen_late, chosen_first):
            value, gradient = jax.value_and_grad(way)(weight, rows, real)
            right = bool(np.allclose(value, want) and np.allclose(gradient, slope))
            good[way.__name__, padding == 0] = right
            print(
                f"padding {padding:3}: {way.__name__:12} loss {value:7.4f}, "
                f"gradient {np.round(gradient, 4)}{'' if right else '  wrong'}"
            )
    assert [name for (name, zero), right in good.items() if zero and right] == [
        "multiplied",
        "chosen_late",
        "chosen_first",
    ]
    assert [name for (name, zero), right in good.items() if not zero and right] == ["chosen_first"]


if __name__ == "__main__":
    main()
