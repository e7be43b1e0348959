"""What `hotloop cuda run --check` reports of a tree without a barrier in its loop."""

from __future__ import annotations

from pathlib import Path

from hotloop.engines.simulate import check

BUGS = Path(__file__).parents[1] / "bugs"


def main() -> None:
    """Print the first finding and the accesses that show it; with the barrier there is none."""
    race, *_ = check.check([BUGS / "tree_sum.cu"]).report.findings
    print(f"{race.kind}: {race.text}")
    for witness in race.witnesses:
        assert witness.thread is not None
        print(f"  {witness.line}: {witness.did} by thread {witness.thread[0]}")
    assert race.kind == "race"
    assert check.check([BUGS / "fixed" / "tree_sum.cu"]).clean


if __name__ == "__main__":
    main()
