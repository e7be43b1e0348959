"""Four CUDA kernels with a bug and the same four without: what is found, and what tests show."""

from __future__ import annotations

from pathlib import Path

from hotloop.engines.simulate import check

SOURCE = Path(__file__).with_suffix(".cu")
KERNELS = (
    ("reused_scratch", "256", {"race"}, "wrong"),
    ("fixed_scratch", "256", set[str](), "right"),
    ("barrier_in_a_branch", "512", set[str](), "right"),
    ("barrier_in_a_branch", "500", {"uninitialized_shared"}, "wrong"),
    ("barrier_for_all", "500", set[str](), "right"),
    ("rows_of_float4", "128", set[str](), "right"),
    ("rows_of_float4", "125", {"misaligned"}, "wrong"),
    ("rows_of_float4_after_a_head", "125", set[str](), "right"),
    ("shuffle_in_a_loop", "128", set[str](), "right"),
    ("shuffle_in_a_loop", "100", set[str](), "wrong"),
    ("shuffle_after_the_loop", "100", set[str](), "right"),
)
"""Kernel, its size, the kinds of findings, and the result in every order of threads."""


def main() -> None:
    """Check each kernel with that size in several orders of its threads."""
    for kernel, size, findings, expected in KERNELS:
        checked = check.check([SOURCE], [kernel, size])
        kinds = {f.kind for f in checked.report.findings}
        results = {run.output.strip() for run in checked.runs}
        told = ", ".join(sorted(kinds)) or "nothing"
        print(f"{kernel:28s} n={size}: {' or '.join(sorted(results))}; found: {told}")
        assert kinds == findings
        assert results == {expected}


if __name__ == "__main__":
    main()
