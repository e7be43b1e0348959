"""The portal while everybody hands in at once: `python tests/benchmarks/portal_load.py`.

A team with `--count` candidates, each with a pack and a right answer to their own variant, and a
portal as `hotloop takehome serve` runs it, with a grader in two processes. All submissions are
uploaded at the same moment; from then on until the last one is graded, pages of the team and of a
candidate are requested in turn and timed. At the end each submission must be in the team's folder
byte for byte, and must have been graded exactly once: according to the queue, and to the audit log,
which has a line for each written report.
"""

import argparse
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

import httpx2 as httpx

from hotloop.judge.device import device_name
from hotloop.learn.pack.manifest import Manifest
from hotloop.service.settings import ServiceSettings
from hotloop.service.takehome import links, passwords
from hotloop.service.takehome.portal import Portal
from hotloop.service.web.queue import WorkState
from hotloop.takehome.pack import make_pack
from hotloop.takehome.submission_file import make_submission
from hotloop.takehome.team import Team
from hotloop.tasks import render

RESULTS = Path(__file__).parent / "results"
ASKED_MS = 300.0
MODULE, TASK = "fused_softmax", "online_pass"
ROLE = f"""\
format: 1
role: load
title: Everybody at once
module: {MODULE}
tasks:
  - {{task: {TASK}}}
window_hours: 72
contact: hiring@example.org
privacy_notice: >-
  Example Inc. is responsible for your data, keeps them to decide about your application, and
  deletes them after the time that the instructions name.
expires: 14
"""
MEMBER, PASSWORD = "anna", "correct horse battery"
PAUSE_S = 0.1
"""Pause between two pages; a person is no faster."""
LONGEST_S = 3600.0


@dataclass(frozen=True)
class Candidate:
    """A candidate who hands in. path: of their page."""

    manifest: Manifest
    path: str
    submission: bytes


@dataclass
class Timed:
    """Milliseconds by page, while there was something to grade."""

    pages: dict[str, list[float]] = field(default_factory=dict[str, list[float]])
    uploads: list[float] = field(default_factory=list[float])
    faults: list[str] = field(default_factory=list[str])


def main() -> None:
    """Measure and print; exit code 1 if a requirement is not met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=50, help="uploads at once")
    parser.add_argument("--jobs", type=int, default=2, help="gradings at once")
    parser.add_argument("--keep", action="store_true", help="write it into results/")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hotloop-portal-") as folder:
        result = measured(Path(folder), arguments.count, arguments.jobs)
    if arguments.keep:
        (RESULTS / "portal_load.json").write_text(json.dumps(result, indent=1) + "\n")
    print(json.dumps(result, indent=1) if arguments.json else table(result))
    sys.exit(not result["as_asked"])


def measured(folder: Path, count: int, jobs: int) -> dict[str, Any]:
    """Measure one run."""
    portal = Portal.open(ServiceSettings(("takehome",), team=_team(folder / "team").folder))
    passwords.add(portal.engine, MEMBER, PASSWORD)
    candidates = [_candidate(portal, folder, number) for number in range(count)]
    say(f"{count} packs and answers are made")
    timed = Timed()
    with serving(portal.team.folder, jobs) as address:
        began = time.monotonic()
        _hand_in(address, candidates, timed)
        handed_in_s = time.monotonic() - began
        say(f"handed in after {handed_in_s:.1f} s")
        _look(address, candidates[0], portal, count, timed, began)
        graded_s = time.monotonic() - began
    result = _document(portal, candidates, timed, jobs, handed_in_s, graded_s)
    portal.close()
    return result


@contextmanager
def serving(team: Path, jobs: int) -> Iterator[str]:
    """Run the portal by its command and yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "hotloop.cli", "takehome", "serve", "--team", str(team)]
    process = subprocess.Popen([*command, "--port", str(port), "--jobs", str(jobs)])
    address = f"http://127.0.0.1:{port}"
    try:
        _until_it_answers(address)
        yield address
    finally:
        process.terminate()
        process.wait(60)


def _team(folder: Path) -> Team:
    team = Team.create(folder)
    path = team.role_path("load")
    path.parent.mkdir(parents=True)
    path.write_text(ROLE)
    return team


def _candidate(portal: Portal, folder: Path, number: int) -> Candidate:
    team = portal.team
    now = datetime.now(UTC)
    manifest = make_pack(team, team.role("load"), f"Candidate {number}", now=now).manifest
    link = links.make(portal.engine, portal.secret, manifest.pack, manifest.expires)
    own = folder / "candidates" / manifest.pseudonym
    own.mkdir(parents=True)
    (own / "manifest.json").write_bytes(
        (team.pack_folder(manifest.pack) / "manifest.json").read_bytes()
    )
    for name, data in render.submission(MODULE, variant=team.variant(manifest.pack)).items():
        (own / name).parent.mkdir(parents=True, exist_ok=True)
        (own / name).write_bytes(data.encode() if isinstance(data, str) else data)
    return Candidate(manifest, f"/c/{link.token}", make_submission(own).read_bytes())


def _until_it_answers(address: str) -> None:
    until = time.monotonic() + 60
    while True:
        try:
            httpx.get(f"{address}/health").raise_for_status()
            return
        except httpx.HTTPError:
            if time.monotonic() > until:
                raise
        time.sleep(0.1)


def _hand_in(address: str, candidates: list[Candidate], timed: Timed) -> None:
    """Upload all submissions at the same moment."""
    together = threading.Barrier(len(candidates))

    def upload(candidate: Candidate) -> None:
        with httpx.Client(timeout=300) as client:
            together.wait()
            began = time.monotonic()
            files = {"submission": ("submission.zip", candidate.submission)}
            answer = client.post(f"{address}{candidate.path}/submission", files=files)
            timed.uploads.append(1000 * (time.monotonic() - began))
            if answer.status_code != 303:
                timed.faults.append(f"upload: {answer.status_code}")

    with ThreadPoolExecutor(len(candidates)) as pool:
        list(pool.map(upload, candidates))


def _look(
    address: str, first: Candidate, portal: Portal, count: int, timed: Timed, began: float
) -> None:
    """Request pages until everything is graded."""
    pack = first.manifest.pack
    pages = {
        "list of candidates": "/candidates",
        "one candidate": f"/candidates/{pack}",
        "audit log": "/audit",
        "candidate's own": first.path,
        "report": f"/candidates/{pack}/report",
    }
    with httpx.Client(base_url=address, timeout=60) as client:
        _log_in(client)
        while time.monotonic() - began < LONGEST_S:
            if _ended(portal) == count:
                return
            for name, path in pages.items():
                at = time.monotonic()
                answer = client.get(path)
                spent = 1000 * (time.monotonic() - at)
                if answer.status_code == 200:
                    timed.pages.setdefault(name, []).append(spent)
                elif not (name == "report" and answer.status_code == 404):
                    timed.faults.append(f"{name}: {answer.status_code}")
                time.sleep(PAUSE_S)


def _log_in(client: httpx.Client) -> None:
    found = re.search(r'name="token" value="([^"]+)"', client.get("/login").text)
    assert found is not None
    data = {"name": MEMBER, "password": PASSWORD, "token": found[1]}
    assert client.post("/login", data=data).status_code == 303


def _ended(portal: Portal) -> int:
    ended = (WorkState.DONE, WorkState.LOST)
    return sum(one.state in ended for one in portal.queue.all().values())


def _document(
    portal: Portal,
    candidates: list[Candidate],
    timed: Timed,
    jobs: int,
    handed_in_s: float,
    graded_s: float,
) -> dict[str, Any]:
    queued = portal.queue.all()
    kept = [one for one in candidates if _is_kept(portal.team, one)]
    written = Counter(
        found.group(1)
        for _, line in portal.team.audited().documents
        if (found := re.match(r"wrote the report on ([^ :]+):", str(line.get("what"))))
    )
    once = [
        one
        for one in candidates
        if written[one.manifest.pseudonym] == 1
        and [q.graded for (pack, _), q in queued.items() if pack == one.manifest.pack] == [1]
    ]
    everything = [spent for page in timed.pages.values() for spent in page]
    median = statistics.median(everything)
    right = len(kept) == len(once) == len(candidates) and not timed.faults
    return {
        "date": f"{datetime.now(UTC):%Y-%m-%d}",
        "device": device_name(),
        "cores": len(os.sched_getaffinity(0)),
        "uploads": len(candidates),
        "jobs": jobs,
        "module": MODULE,
        "task": TASK,
        "kept": len(kept),
        "graded_once": len(once),
        "states": dict(Counter(one.state.value for one in queued.values())),
        "handed_in_s": round(handed_in_s, 2),
        "graded_s": round(graded_s, 1),
        "upload_ms": _figures(timed.uploads),
        "page_ms": _figures(everything),
        "pages": {name: _figures(spent) for name, spent in timed.pages.items()},
        "faults": timed.faults,
        "asked_ms": ASKED_MS,
        "as_asked": right and median < ASKED_MS,
    }


def _is_kept(team: Team, one: Candidate) -> bool:
    digest = sha256(one.submission).hexdigest()
    paths = team.submissions(one.manifest.pack)
    return [path.stem for path in paths] == [digest] and paths[0].read_bytes() == one.submission


def _figures(spent: list[float]) -> dict[str, float]:
    ordered = sorted(spent)
    return {
        "count": len(ordered),
        "median": round(statistics.median(ordered), 1),
        "p95": round(ordered[max(0, int(0.95 * len(ordered)) - 1)], 1),
        "longest": round(ordered[-1], 1),
    }


def table(result: Mapping[str, Any]) -> str:
    """Format the result as text."""
    lines = [
        (
            f"{result['uploads']} uploads at once, {result['jobs']} gradings at once, "
            f"{result['cores']} cores ({result['device']})"
        ),
        (
            f"taken after {result['handed_in_s']:.1f} s, "
            f"all graded after {result['graded_s']:.0f} s; "
            f"kept {result['kept']}, graded exactly once {result['graded_once']}"
        ),
        "",
        f"{'milliseconds':<22}{'times':>8}{'median':>10}{'95 %':>10}{'longest':>10}",
    ]
    rows = {"an upload": result["upload_ms"], **result["pages"], "all pages": result["page_ms"]}
    lines += [
        f"{name:<22}{one['count']:>8}{one['median']:>10.1f}{one['p95']:>10.1f}{one['longest']:>10.1f}"
        for name, one in rows.items()
    ]
    lines += ["", *(f"fault: {fault}" for fault in result["faults"][:10])]
    said = "as asked" if result["as_asked"] else "NOT as asked"
    return "\n".join([*lines, f"{said}: none lost, none twice, median below {ASKED_MS:.0f} ms"])


def say(text: str) -> None:
    """Print one line of progress to standard error."""
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
