"""262144 ones in half precision, summed by a warp: in half and in float, and what each reads."""

from __future__ import annotations

from pathlib import Path

from hotloop.engines.simulate import build, host

SOURCE = Path(__file__).with_suffix(".cu")
COLUMNS = 1 << 18


def main() -> None:
    """Print the sums and the bytes read an element."""
    done = host.run(build.program([SOURCE], checked=True))
    assert not done.report.findings
    sums = [int(part) for part in done.output.split()]
    for kernel, total in zip(("half_sum", "float_sum"), sums, strict=True):
        read = done.report.bytes("read", kernel) / COLUMNS
        print(f"{kernel:9s} {total:7d} of {COLUMNS}, {read:.2f} bytes read an element")
        assert abs(read - 2) < 0.01
    # 64 running sums, two a lane, each of which stops growing at 2048.
    assert sums == [64 * 2048, COLUMNS]


if __name__ == "__main__":
    main()
