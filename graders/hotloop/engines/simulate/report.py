"""Findings of a run, and the memory traffic of each line of a kernel."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

Triple = tuple[int, int, int]


@dataclass(frozen=True)
class ReportLine:
    """A line of source."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{Path(self.file).name}:{self.line}"


@dataclass(frozen=True)
class Witness:
    """An access or thread that took part in a finding.

    did: what it did, such as "read" or "write".
    """

    line: ReportLine | None
    did: str
    block: Triple | None = None
    thread: Triple | None = None


@dataclass(frozen=True)
class Finding:
    """Something wrong in the program. witnesses: the most relevant one first."""

    kind: str
    text: str
    kernel: str
    witnesses: tuple[Witness, ...]
    count: int = 1

    @property
    def lines(self) -> list[ReportLine]:
        """All lines involved, in the order of the witnesses, each once."""
        return list(dict.fromkeys(w.line for w in self.witnesses if w.line is not None))


@dataclass(frozen=True)
class TrafficLine:
    """Memory traffic of one line in one kernel, summed over all launches.

    bytes: requested by threads. requests: by warps. For global memory `moved` is the bytes of all
    32-byte sectors touched and `fewest` the least that could hold the bytes; for shared memory they
    are passes over the banks, and the fewest that the requests need. overlapped: bytes of
    asynchronous copies between whose start and wait the thread exchanged values with its warp by
    shuffles.
    """

    line: ReportLine | None
    kernel: str
    space: str
    did: str
    accesses: int
    bytes: int
    width: int
    requests: int
    moved: int
    fewest: int
    overlapped: int = 0


@dataclass(frozen=True)
class WarpStep:
    """One request of the first warp in a kernel's first launch.

    memory: what the lowest address belongs to. first: that address, which tells sectors and banks.
    offsets: bytes from the beginning of `memory`, of each lane, or None for a lane that takes no
    part. width: bytes of each lane.
    """

    line: ReportLine | None
    kernel: str
    space: str
    did: str
    width: int
    memory: str
    first: int
    offsets: tuple[int | None, ...]


@dataclass(frozen=True)
class LaunchCount:
    """A kernel with a launch configuration, and how often it was launched so.

    Sizes are in bytes.
    """

    kernel: str
    grid: Triple
    block: Triple
    static_shared: int
    dynamic_shared: int
    launches: int


@dataclass(frozen=True)
class RefusedLaunch:
    """A launch that the runtime refused. line: of the launch. error: its name and meaning."""

    kernel: str
    line: ReportLine | None
    grid: Triple
    block: Triple
    error: str


@dataclass
class SimulatorReport:
    """Report of one run or of several. ended: "exited", "timed out" or "crashed"."""

    ended: str = "exited"
    findings: list[Finding] = field(default_factory=list[Finding])
    sites: list[TrafficLine] = field(default_factory=list[TrafficLine])
    launches: list[LaunchCount] = field(default_factory=list[LaunchCount])
    refused: list[RefusedLaunch] = field(default_factory=list[RefusedLaunch])

    def bytes(self, did: str, kernel: str | None = None) -> int:
        """Return the bytes of global memory that threads requested.

        did: "read", "write" or "atomic". kernel: only this one; None for all.
        """
        return sum(
            s.bytes
            for s in self.sites
            if s.space == "global" and s.did == did and kernel in {None, s.kernel}
        )


def merged(findings: Iterable[Finding]) -> list[Finding]:
    """Merge findings of the same kind at the same lines.

    An uninitialized read on a line with a data race is dropped, since the race explains it.
    """
    distinct: dict[tuple[str, frozenset[ReportLine]], Finding] = {}
    for finding in findings:
        distinct.setdefault((finding.kind, frozenset(finding.lines)), finding)
    raced = {line for f in distinct.values() if f.kind == "race" for line in f.lines}
    return [
        f
        for f in distinct.values()
        if not (f.kind.startswith("uninitialized") and raced.intersection(f.lines))
    ]


def merge(reports: Iterable[SimulatorReport]) -> SimulatorReport:
    """Merge reports: the findings of all runs; traffic and launches are the first one's."""
    reports = list(reports)
    first = reports[0]
    ended = next((r.ended for r in reports if r.ended != "exited"), first.ended)
    findings = merged(f for r in reports for f in r.findings)
    return SimulatorReport(ended, findings, first.sites, first.launches, first.refused)


def summed(sites: Iterable[TrafficLine]) -> list[TrafficLine]:
    """Sum the sites of each line, kernel, memory space, kind of access and width."""
    totals: dict[tuple[object, ...], TrafficLine] = {}
    for site in sites:
        key = (site.line, site.kernel, site.space, site.did, site.width)
        old = totals.get(key)
        if old is not None:
            site = replace(
                site,
                accesses=site.accesses + old.accesses,
                bytes=site.bytes + old.bytes,
                requests=site.requests + old.requests,
                moved=site.moved + old.moved,
                fewest=site.fewest + old.fewest,
                overlapped=site.overlapped + old.overlapped,
            )
        totals[key] = site
    return sorted(totals.values(), key=lambda s: (s.kernel, s.line.line if s.line else 0, s.did))
