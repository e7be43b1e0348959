"""What needs the host in the middle of a step, and what stands for it on the device."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def branching(rate: Any, loss: Any) -> Any:
    """Asks for the number to choose a way."""
    return rate / 2 if loss > 4 else rate


# --8<-- [start:chosen]
def chosen(rate: Any, loss: Any) -> Any:
    """Computes both, and takes one."""
    return jnp.where(loss > 4, rate / 2, rate)
    # --8<-- [end:chosen]


def asking(rate: Any, loss: Any) -> Any:
    """Compiles, and asks the host each time that it runs."""
    shape = jax.ShapeDtypeStruct((), jnp.float32)
    return jax.pure_callback(lambda r, v: np.float32(r / 2 if v > 4 else r), shape, rate, loss)


def main() -> None:
    """Print what becomes of each of the three under jax.jit."""
    given = (jnp.float32(0.1), jnp.float32(5))
    try:
        jax.jit(branching)(*given)
    except jax.errors.TracerBoolConversionError as error:
        print("an if on a traced number:", str(error).splitlines()[0])
    for function in (asking, chosen):
        lowered = jax.jit(function).lower(*given)
        calls = lowered.as_text().count("custom_call @")
        print(f"{function.__name__}: {calls} custom calls, gives {jax.jit(function)(*given):.2f}")
    try:
        jax.export.export(jax.jit(asking))(*given)
    except NotImplementedError as error:
        print("exported:", error)
    assert "custom_call" not in jax.jit(chosen).lower(*given).as_text()
    slope = jax.grad(lambda x: jnp.where(x > 0, jnp.sqrt(x), 0.0))(0.0)
    print(f"both sides count in a gradient: d/dx where(x > 0, sqrt(x), 0) at 0 is {slope}")
    assert np.isnan(slope)


if __name__ == "__main__":
    main()
