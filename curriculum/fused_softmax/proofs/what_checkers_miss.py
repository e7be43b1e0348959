"""What a checker finds depends on what it watches, on the input, and on what a race is."""

from __future__ import annotations

from pathlib import Path

from hotloop.engines.simulate import check

SOURCE = Path(__file__).with_suffix(".cu")


def look(*arguments: str) -> tuple[set[str], list[str]]:
    """Kinds of findings, and the results in four orders of threads."""
    checked = check.check([SOURCE], arguments)
    kinds = {f.kind for f in checked.report.findings}
    results = [r.output.strip() for r in checked.runs]
    told = ", ".join(sorted(kinds)) or "nothing"
    print(f"{' '.join(arguments):25s} found: {told:12s} results: {', '.join(results)}")
    return kinds, results


def main() -> None:
    """Print the findings of each program, and assert what was missed."""
    short, _ = look("by_shape", "64")
    long, _ = look("by_shape", "256")
    assert not short, "the faulty path was not taken"
    assert "race" in long

    kinds, results = look("across_blocks")
    assert "race" in kinds, "in global memory, between blocks"
    assert set(results) == {"28"}, "and every result is right"

    kinds, results = look("check_then_act")
    assert not kinds, "no two accesses race"
    assert set(results) == {"63"}, "and every result is right"
    kinds, results = look("check_then_rest_then_act")
    assert "race" not in kinds
    assert set(results) != {"63"}, "but another timing loses the largest number"


if __name__ == "__main__":
    main()
