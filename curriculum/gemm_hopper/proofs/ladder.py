"""The versions of the product side by side: what each moves and overlaps, as counted."""

from __future__ import annotations

from pathlib import Path

from hotloop.engines.simulate import build, host
from hotloop.engines.simulate.report import TrafficLine

SOURCE = Path(__file__).with_suffix(".cu")
SIZE = 256
KERNELS = ("wgmma_tile", "gemm_hopper", "persistent")
WIDEST_OF_A_THREAD = 16


def counted(kernel: str, sites: list[TrafficLine]) -> str:
    """Return a line of the table."""
    loads = [site for site in sites if site.space == "global" and site.did == "read"]
    stores = [site for site in sites if site.space == "global" and site.did == "write"]
    operands = [
        site
        for site in sites
        if site.space == "shared" and site.did == "read" and site.width > WIDEST_OF_A_THREAD
    ]
    shared = [site for site in sites if site.space == "shared"]
    loaded = sum(site.bytes for site in loads)
    overlapped = sum(site.overlapped for site in loads) / loaded
    conflicts = sum(site.moved for site in shared) / sum(site.fewest for site in shared)
    return (
        f"{kernel:12} {loaded / 1024:9.0f} {sum(site.requests for site in loads):7d} "
        f"{sum(site.bytes for site in operands) / 1024:9.0f} {overlapped:10.0%} {conflicts:9.2f} "
        f"{sum(site.bytes for site in stores) / 1024:6.0f} {sum(s.requests for s in stores):7d}"
    )


def main() -> None:
    """Print the table."""
    built = build.program([SOURCE], checked=True)
    print(f"m = n = k = {SIZE}, counted; KiB")
    print("kernel          loaded  copies  operands  on the way  passes  stored  stores")
    for kernel in KERNELS:
        done = host.run(built, [kernel, str(SIZE)], timeout_s=120)
        assert done.output == "right\n", done.output
        assert not done.report.findings
        print(counted(kernel, [site for site in done.report.sites if site.line is not None]))


if __name__ == "__main__":
    main()
