"""Which names reach the compiled program: those that are there while it is traced."""

from __future__ import annotations

import re
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def inside(weight: Any, x: Any) -> Any:
    """A scope around a layer."""
    with jax.named_scope("layer"):
        hidden = jnp.tanh(x @ weight)
    with jax.named_scope("loss"):
        return (hidden**2).mean()


def plain(weight: Any, x: Any) -> Any:
    """The same without."""
    return (jnp.tanh(x @ weight) ** 2).mean()


def names(function: Any, *given: Any) -> list[str]:
    """op_name of each matrix product in the compiled program of its gradient."""
    text = jax.jit(jax.grad(function)).lower(*given).compile().as_text()
    dots = [line for line in text.splitlines() if re.search(r" dot\(", line)]
    return [re.search(r'op_name="([^"]*)"', line)[1] for line in dots]


def main() -> None:
    """Print the names of the products, forward and backward."""
    weight, x = np.ones((8, 8), np.float32), np.ones((4, 8), np.float32)
    for name in names(inside, weight, x):
        print("named_scope while tracing:", name)
    with jax.profiler.TraceAnnotation("layer"):
        for name in names(plain, weight, x):
            print("TraceAnnotation around:   ", name)
    assert all("layer" in name for name in names(inside, weight, x))
    assert any("transpose" in name for name in names(inside, weight, x))
    assert not any("layer" in name for name in names(plain, weight, x))


if __name__ == "__main__":
    main()
