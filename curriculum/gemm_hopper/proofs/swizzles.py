"""Passes over the banks for a column of chunks of a tile that TMA has written, by swizzle."""

from __future__ import annotations

import re
from pathlib import Path

from hotloop.engines.simulate import build, host

SOURCE = Path(__file__).with_suffix(".cu")
EXPECTED = {128: 8, 64: 4, 32: 2}


def main() -> None:
    """Print passes against the fewest, for rows of 128, 64 and 32 bytes."""
    done = host.run(build.program([SOURCE], checked=True))
    assert done.output == "right\n"
    assert not done.report.findings
    found: dict[tuple[int, bool], float] = {}
    for site in done.report.sites:
        if site.space == "shared" and site.did == "read":
            match = re.search(r"<(\d+), (\w+)>", site.kernel)
            assert match is not None, site.kernel
            found[int(match[1]), match[2] == "1"] = site.moved / site.fewest
    print("row and swizzle  passes without  passes with")
    for row, passes in EXPECTED.items():
        print(f"{row:9d} bytes  {found[row, False]:14.0f}  {found[row, True]:11.0f}")
        assert (found[row, False], found[row, True]) == (passes, 1)


if __name__ == "__main__":
    main()
