"""Donation: what XLA plans to share, what is gone afterwards, and what was given for nothing."""

from __future__ import annotations

import warnings
from typing import Any

import jax
import jax.numpy as jnp


def step(state: Any, batch: Any) -> tuple[Any, Any]:
    """A new state of the old one's shape, and a number."""
    return state * 0.9 + batch.sum(), batch.mean()


def main() -> None:
    """Print XLA's plan with and without, and what JAX says of a donated array."""
    state = jax.ShapeDtypeStruct((1024, 1024), jnp.float32)
    batch = jax.ShapeDtypeStruct((64, 64), jnp.float32)
    held = {}
    for donated in ((), (0,)):
        plan = jax.jit(step, donate_argnums=donated).lower(state, batch).compile().memory_analysis()
        shared = plan.alias_size_in_bytes
        held[donated] = plan.argument_size_in_bytes + plan.output_size_in_bytes - shared
        print(f"donated {donated!s:4} shared {shared:,} bytes, held {held[donated]:,}")
    assert held[()] - held[(0,)] == 4 * 1024 * 1024
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        jax.jit(step, donate_argnums=(0, 1)).lower(state, batch)
    print("a batch that fits no result:", str(said[0].message).splitlines()[0])
    assert "not usable" in str(said[0].message)
    given = jnp.ones((4,))
    jax.jit(lambda x: x + 1, donate_argnums=0)(given)
    try:
        given + 1
    except RuntimeError as error:
        print("used again:", str(error).split(" with ")[0])
    assert given.is_deleted()


if __name__ == "__main__":
    main()
