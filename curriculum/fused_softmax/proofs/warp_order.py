"""Which operations order the memory accesses of a warp's lanes: of six candidates, one."""

from __future__ import annotations

from pathlib import Path

from hotloop.engines.simulate import check

SOURCE = Path(__file__).with_suffix(".cu")
CANDIDATES = ("nothing", "volatile", "fence", "shuffle", "ballot", "syncwarp")


def main() -> None:
    """Print for each candidate whether the access is a race, and whether the result showed it."""
    print(f"{'between':9s} {'race':5s} result in four orders of threads")
    for between in CANDIDATES:
        checked = check.check([SOURCE], [between])
        races = [f for f in checked.report.findings if f.kind == "race"]
        results = sorted({r.output.strip() for r in checked.runs})
        print(f"{between:9s} {'yes' if races else 'no':5s} {' or '.join(results)}")
        assert bool(races) == (between != "syncwarp")
        # A result that is right in every order is no evidence: these are races all the same.
        if between in {"shuffle", "ballot", "syncwarp"}:
            assert results == ["right"]


if __name__ == "__main__":
    main()
