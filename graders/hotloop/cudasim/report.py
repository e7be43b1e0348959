"""What a run found: the runtime's document, with addresses turned into lines of source."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from hotloop.cudasim import toolchain
from hotloop.cudasim.document import Address, Launch, RawFinding, RawReport, RawSite, parse


@dataclass(frozen=True)
class Line:
    """A line of source."""

    file: str
    line: int

    def __str__(self) -> str:
        return f"{Path(self.file).name}:{self.line}"


@dataclass(frozen=True)
class Witness:
    """Who took part in a finding: where, what it did, and as which thread of which block."""

    line: Line | None
    did: str
    block: tuple[int, int, int] | None = None
    thread: tuple[int, int, int] | None = None


@dataclass(frozen=True)
class Finding:
    """Something wrong. witnesses: the first one is where to look first."""

    kind: str
    text: str
    kernel: str
    witnesses: tuple[Witness, ...]
    count: int = 1

    @property
    def lines(self) -> list[Line]:
        """All lines that take part, in the order of the witnesses, each once."""
        found = [w.line for w in self.witnesses if w.line is not None]
        return list(dict.fromkeys(found))


@dataclass(frozen=True)
class Site:
    """What one line moves in one kernel, summed over all launches.

    bytes: asked for by threads. requests: of warps. For global memory `moved` is the bytes of all
    32-byte sectors touched and `fewest` the least that could hold the bytes; for shared memory
    they are passes over the banks, and the fewest that the requests need.
    """

    line: Line | None
    kernel: str
    space: str
    did: str
    accesses: int
    bytes: int
    width: int
    requests: int
    moved: int
    fewest: int


@dataclass
class Report:
    """All of one run, or of several."""

    ended: str = "exited"
    findings: list[Finding] = field(default_factory=list[Finding])
    sites: list[Site] = field(default_factory=list[Site])
    launches: list[Launch] = field(default_factory=list[Launch])

    def bytes(self, did: str, kernel: str | None = None) -> int:
        """Bytes of global memory that threads asked for; did: "read", "write" or "atomic"."""
        return sum(
            s.bytes
            for s in self.sites
            if s.space == "global" and s.did == did and kernel in {None, s.kernel}
        )


def read(text: str) -> Report:
    """A report from the runtime's document. ValueError when it is not one."""
    return resolve(parse(text))


def resolve(raw: RawReport) -> Report:
    """Addresses become lines; sites of the same line become one."""
    witnesses = [w for f in raw.findings for w in f.witnesses]
    lines = _lines([a for a in (*(w.at for w in witnesses), *(s.at for s in raw.sites)) if a])
    findings = [_finding(f, lines) for f in raw.findings]
    return Report(raw.ended, _merged(findings), _sites(raw.sites, lines), raw.launches)


def _finding(raw: RawFinding, lines: Mapping[Address, Line]) -> Finding:
    known = Line(raw.file, raw.line) if raw.line else None
    witnesses = tuple(
        Witness(lines.get(w.at) if w.at else known, w.did, w.block, w.thread) for w in raw.witnesses
    )
    return Finding(raw.kind, raw.text, raw.kernel, witnesses, raw.count)


def _merged(findings: Iterable[Finding]) -> list[Finding]:
    """Findings of the same kind at the same lines, once.

    A read that comes before its write because nothing orders the two is a race, and no more.
    """
    found: dict[tuple[str, frozenset[Line]], Finding] = {}
    for finding in findings:
        found.setdefault((finding.kind, frozenset(finding.lines)), finding)
    raced = {line for f in found.values() if f.kind == "race" for line in f.lines}
    return [
        f
        for f in found.values()
        if not (f.kind.startswith("uninitialised") and raced.intersection(f.lines))
    ]


def merge(reports: Iterable[Report]) -> Report:
    """Everything that any of the runs found; figures are those of the first one."""
    all_ = list(reports)
    first = all_[0]
    ended = next((r.ended for r in all_ if r.ended not in {"exited", "returned"}), first.ended)
    findings = _merged(f for r in all_ for f in r.findings)
    return Report(ended, findings, first.sites, first.launches)


def _sites(raw: Iterable[RawSite], lines: Mapping[Address, Line]) -> list[Site]:
    totals: dict[tuple[object, ...], Site] = {}
    for site in raw:
        line = lines.get(site.at) if site.at else None
        key = (line, site.kernel, site.space, site.did)
        old = totals.get(key)
        totals[key] = Site(
            line,
            site.kernel,
            site.space,
            site.did,
            site.accesses + (old.accesses if old else 0),
            site.bytes + (old.bytes if old else 0),
            max(site.width, old.width if old else 0),
            site.requests + (old.requests if old else 0),
            site.moved + (old.moved if old else 0),
            site.fewest + (old.fewest if old else 0),
        )
    return sorted(totals.values(), key=lambda s: (s.kernel, s.line.line if s.line else 0, s.did))


def _lines(addresses: Iterable[Address]) -> dict[Address, Line]:
    """The line of each address: the innermost one that is not in a header of ours."""
    by_module: dict[str, list[Address]] = {}
    for address in dict.fromkeys(addresses):
        by_module.setdefault(address.module, []).append(address)
    found: dict[Address, Line] = {}
    for module, some in by_module.items():
        found.update(_lines_of(module, some))
    return found


def _lines_of(module: str, addresses: list[Address]) -> dict[Address, Line]:
    wanted = "\n".join(hex(a.offset) for a in addresses)
    done = subprocess.run(
        [toolchain.symbolizer(), "-a", "-i", "-e", module],
        input=wanted,
        capture_output=True,
        text=True,
        check=False,
        timeout=toolchain.TIMEOUT_S,
    )
    found: dict[Address, Line] = {}
    frames: dict[int, list[str]] = {}
    current = -1
    for row in done.stdout.splitlines():
        if row.startswith("0x"):
            current = int(row, 16)
            frames[current] = []
        else:
            frames.setdefault(current, []).append(row)
    for address in addresses:
        line = _users(frames.get(address.offset, []))
        if line is not None:
            found[address] = line
    return found


_LIBRARIES = ("/usr/include/", "/usr/lib/")


def _users(frames: Iterable[str]) -> Line | None:
    """The innermost frame that is not ours, and rather not one of the C++ library's."""
    lines: list[Line] = []
    for frame in frames:
        file, _, number = frame.partition(" (")[0].rpartition(":")
        if number.isdigit() and not file.startswith(str(toolchain.CPP)) and file != "??":
            lines.append(Line(file, int(number)))
    return next((ln for ln in lines if not ln.file.startswith(_LIBRARIES)), next(iter(lines), None))
