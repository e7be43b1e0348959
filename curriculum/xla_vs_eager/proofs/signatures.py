"""What makes jax.jit compile again, and what does not: counted by jax.monitoring."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np

COMPILED = "/jax/core/compile/backend_compile_duration"
heard: list[str] = []


# --8<-- [start:count]
def programs(calls: list[dict[str, Any]], static: tuple[str, ...] = ()) -> int:
    """How many programs jax.jit makes for some calls of a new function."""

    @jax.jit(static_argnames=static)
    def scaled(x: Any, by: Any, mode: str = "up") -> Any:
        return x * by if mode == "up" else x / by

    heard.clear()
    for call in calls:
        scaled(**call)
    return heard.count(COMPILED)
    # --8<-- [end:count]


def main() -> None:
    """Print a line for each kind of difference between two calls."""
    jax.monitoring.register_event_duration_secs_listener(
        lambda event, _seconds, **_more: heard.append(event)
    )
    x = np.ones((4, 2), np.float32)
    first = {"x": x, "by": 2.0}
    seconds: dict[str, tuple[dict[str, Any], tuple[str, ...]]] = {
        "same shapes, other values": ({"x": x + 1, "by": 3.0}, ()),
        "float64 instead of float32, which JAX narrows first": (
            {"x": x.astype(np.float64), "by": 2.0},
            (),
        ),
        "another batch size": ({"x": np.ones((5, 2), np.float32), "by": 2.0}, ()),
        "float16 instead of float32": ({"x": x.astype(np.float16), "by": 2.0}, ()),
        "a Python int instead of a float": ({"x": x, "by": 2}, ()),
        "np.float32 instead of a Python float: not weak": ({"x": x, "by": np.float32(2)}, ()),
        "another value of a static argument": ({"x": x, "by": 3.0}, ("by",)),
    }
    counts = {}
    for what, (second, static) in seconds.items():
        counts[what] = programs([first, second], static)
        print(f"{counts[what]} program{'s' if counts[what] > 1 else ' '} {what}")
    assert list(counts.values()) == [1, 1, 2, 2, 2, 2, 2]
    thirty = [{"x": np.ones((n, 2), np.float32), "by": 2.0} for n in range(1, 31)]
    print(f"30 sizes in 30 calls: {programs(thirty)} programs")
    assert programs(thirty) == 30
    lambdas = [jax.jit(lambda x: x * 2) for _ in range(5)]
    heard.clear()
    for function in lambdas:
        function(x)
    print(f"jax.jit of a new lambda in each of 5 calls: {heard.count(COMPILED)} programs")
    assert heard.count(COMPILED) == 5


if __name__ == "__main__":
    main()
