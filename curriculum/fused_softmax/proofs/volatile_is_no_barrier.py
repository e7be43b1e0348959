"""A tree whose last warp relies on volatile and on lock step, and the same with __syncwarp."""

from __future__ import annotations

from pathlib import Path

from hotloop.engines.simulate import check

BUGS = Path(__file__).parents[1] / "bugs"


def main() -> None:
    """Print what is reported for each, and the sums of 64 ones in four orders of threads."""
    for name, path in (
        ("volatile", BUGS / "lock_step.cu"),
        ("__syncwarp", BUGS / "fixed" / "lock_step.cu"),
    ):
        checked = check.check([path])
        kinds = sorted({f.kind for f in checked.report.findings})
        sums = [r.output.split()[0] for r in checked.runs]
        right = sum(s == "64" for s in sums)
        print(f"{name:10s} found: {', '.join(kinds) or 'nothing'}; right in {right} of {len(sums)}")
        assert checked.clean == (name == "__syncwarp")
        assert (right == len(sums)) == (name == "__syncwarp")
        assert ("volatile float" in path.read_text()) == (name == "volatile")


if __name__ == "__main__":
    main()
