"""Passes over the banks of shared memory when each lane reads a row of its own, by row pitch."""

from __future__ import annotations

from math import gcd
from pathlib import Path

from hotloop.engines.simulate import build, host

SOURCE = Path(__file__).with_name("kernels_with_a_bug.cu")


def main() -> None:
    """Print the passes of a warp's read for pitches of 32, 33 and 40 floats."""
    for pitch in (32, 33, 40):
        done = host.run(build.program([SOURCE], checked=True), [f"pitch_{pitch}", "32"])
        reads = [s for s in done.report.sites if s.space == "shared" and s.did == "read"]
        passes = sum(s.moved for s in reads) / sum(s.requests for s in reads)
        print(f"pitch {pitch}: {passes:g} passes per read, gcd(pitch, 32) = {gcd(pitch, 32)}")
        assert passes == gcd(pitch, 32)
    instructions, wavefronts = 16_777_216, 134_217_728
    print(f"in the profile: {wavefronts / instructions:g} wavefronts per instruction")
    assert wavefronts / instructions == gcd(40, 32)


if __name__ == "__main__":
    main()
