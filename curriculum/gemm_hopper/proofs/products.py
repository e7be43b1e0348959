"""What the simulator says of seven faults of a wgmma kernel, and its epilogue's bank conflicts."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
from kit.faults import report

from hotloop.engines.simulate import build, host

SOURCE = Path(__file__).with_suffix(".cu")
FAULTS = {
    "no wgmma_fence() before the products": "fence",
    "a 64-byte swizzle in the descriptors, 128 bytes in the tensor map": "swizzle",
    "sums are changed before the wait": "in_flight",
    "the slot goes back before the products have read it": "race",
    "wgmma_wait_group<1>, and the slot of the newest group goes back": "race",
    "no fence_proxy_async() between the epilogue's stores and the tensor store": "fence",
    "the block ends before the tensor store has read its tile": "in_flight",
}


def passes(*defines: str) -> float:
    """Return passes over the banks of the epilogue's stores, against the fewest."""
    done = host.run(build.program([SOURCE], checked=True, defines=defines))
    assert done.output == "right\n"
    text = SOURCE.read_text(encoding="utf-8").splitlines()
    line = next(n for n, words in enumerate(text, 1) if words.endswith("// the epilogue's store"))
    found = [s for s in done.report.sites if s.space == "shared" and s.did == "write"]
    (site,) = [s for s in found if s.line is not None and s.line.line == line]
    return site.moved / site.fewest


if __name__ == "__main__":
    report(SOURCE, FAULTS)
    plain, swizzled = passes("PLAIN"), passes()
    assert (plain, swizzled) == (8, 1)
    print(
        f"passes of the epilogue's stores: {plain:.0f} without a swizzle, "
        f"{swizzled:.0f} with 128 bytes"
    )
