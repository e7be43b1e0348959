"""What three kernels for the same rows ask of memory, and what moves for it."""

from __future__ import annotations

from pathlib import Path

from hotloop.engines.simulate import build, host
from hotloop.engines.simulate.report import TrafficLine

SOURCE = Path(__file__).with_suffix(".cu")
ELEMENTS = 64 * 1024
WANTED = {"thread_per_row": (12, 96), "block_tree": (12, 12), "warp_registers": (8, 8)}
"""Bytes an element: asked for by threads, and moved as sectors of 32 bytes."""


def line(kernel: str, sites: list[TrafficLine]) -> str:
    """The kernel's figures in one line."""
    in_memory = [s for s in sites if s.space == "global"]
    asked = sum(s.bytes for s in in_memory) / ELEMENTS
    moved = sum(s.moved for s in in_memory) / ELEMENTS
    requests = sum(s.requests for s in in_memory) * 1024 / ELEMENTS
    assert (round(asked), round(moved)) == WANTED[kernel]
    return f"{kernel:15s} {asked:10.1f} {moved:6.1f} {requests:14.0f}"


def main() -> None:
    """Print bytes an element, and requests of warps a row."""
    done = host.run(build.program([SOURCE], checked=True))
    assert done.output == "right\n"
    assert not done.report.findings
    print(f"{'64 x 1024 fp32':15s} {'requested':>10s} {'moved':>6s} {'requests/row':>14s}")
    for kernel in WANTED:
        print(line(kernel, [s for s in done.report.sites if s.kernel == kernel]))


if __name__ == "__main__":
    main()
