"""A Pallas kernel for a TPU with a wait at the wrong place, in TPU interpret mode on a CPU.

The simulated memory is NaN where nothing has written; a copy is executed when something waits for
it ("on_wait") or at once ("eager").
"""

from __future__ import annotations

import contextlib
import io
import logging
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.experimental import pallas as pl
from jax.experimental.pallas import tpu as pltpu

ROWS, TILE, STEPS = 8, 128, 4


# --8<-- [start:kernel]
def kernel(x: Any, out: Any, tiles: Any, arrived: Any, *, late: bool) -> None:
    """Add up four tiles of x; the copy of the next one runs meanwhile."""

    def copy(step: int) -> Any:
        tile, slot = x.at[:, pl.ds(step * TILE, TILE)], step % 2
        return pltpu.make_async_copy(tile, tiles.at[slot], arrived.at[slot])

    copy(0).start()
    out[...] = jnp.zeros_like(out)
    for step in range(STEPS):
        if step + 1 < STEPS:
            copy(step + 1).start()
        if not late:
            copy(step).wait()
        out[...] += tiles[step % 2]
        if late:
            copy(step).wait()


# --8<-- [end:kernel]


def run(x: np.ndarray[Any, Any], late: bool, mode: Any) -> tuple[np.ndarray[Any, Any], int]:
    """The sum, and how many races the detector printed."""
    said = io.StringIO()
    checked = pltpu.InterpretParams(detect_races=True, dma_execution_mode=mode)
    with contextlib.redirect_stdout(said):
        out = pl.pallas_call(
            partial(kernel, late=late),
            in_specs=[pl.BlockSpec(memory_space=pl.ANY)],
            out_shape=jax.ShapeDtypeStruct((ROWS, TILE), jnp.float32),
            scratch_shapes=[
                pltpu.VMEM((2, ROWS, TILE), jnp.float32),
                pltpu.SemaphoreType.DMA((2,)),
            ],
            interpret=checked,
        )(x)
        out.block_until_ready()
    pltpu.reset_tpu_interpret_mode_state()
    return np.asarray(out), said.getvalue().count("RACE DETECTED")


def main() -> None:
    """Print values and races of both kernels in both modes."""
    logging.getLogger("jax").setLevel(logging.ERROR)
    x = np.random.default_rng(0).standard_normal((ROWS, TILE * STEPS)).astype(np.float32)
    want = x.reshape(ROWS, STEPS, TILE).sum(1)
    for late in (False, True):
        for mode in ("eager", "on_wait"):
            got, races = run(x, late, mode)
            right = bool(np.allclose(got, want, atol=1e-5))
            values = "right" if right else "NaN" if np.isnan(got).any() else "wrong"
            where = "after" if late else "before"
            found = "a race" if races else "no race"
            print(f"waits {where:6} the read, copies {mode:7}: values {values:5}, {found}")
            assert (races > 0) == late
            assert right == (not late or mode == "eager")


if __name__ == "__main__":
    main()
