"""What XLA fuses on a CPU, and what lies between where it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np


def chain(x: Any) -> Any:
    """Five elementwise operations."""
    return jnp.tanh(jnp.tanh(x) * 2 + 1) * x


def asked(x: Any) -> Any:
    """The same with a question to the host in the middle."""
    x = jnp.tanh(x) * 2
    x = jax.pure_callback(np.asarray, jax.ShapeDtypeStruct(x.shape, x.dtype), x)
    return jnp.tanh(x + 1)


def normalized(x: Any) -> Any:
    """A sum over each row, and something with the sum."""
    return jnp.exp(x - 1) / jnp.exp(x - 1).sum(1, keepdims=True)


# --8<-- [start:entry]
def entry(function: Callable[..., Any], *given: Any) -> list[str]:
    """Operations of the compiled program's entry computation that write memory."""
    text = jax.jit(function).lower(*given).compile().as_text()
    lines = text[text.index("ENTRY") :].splitlines()[1:]
    operations = [line.split(" = ")[1].split("(")[0].split()[-1] for line in lines if " = " in line]
    free = {"parameter", "constant", "bitcast", "tuple", "get-tuple-element"}
    return [operation for operation in operations if operation not in free]
    # --8<-- [end:entry]


def main() -> None:
    """Print what is left of each function."""
    x = np.ones((64, 64), np.float32)
    found = {f.__name__: entry(f, x) for f in (chain, asked, normalized)}
    for name, operations in found.items():
        print(f"{name:11} {len(operations)} instructions write memory: {', '.join(operations)}")
    assert found["chain"] == ["fusion"]
    assert "custom-call" in found["asked"]
    assert len(found["asked"]) > 2
    assert len(found["normalized"]) > 1


if __name__ == "__main__":
    main()
