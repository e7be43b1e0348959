"""Checks with perf_analyzer: the learner's code runs it, and it measures the learner's settings.

In `sweep` it runs in the learner's sandbox and connects through a relay to a server of the judge's,
so all of its requests are recorded. In `measured` the judge runs it, on both servers in turn.
"""

from __future__ import annotations

import tempfile
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.engines.serving import listeners, programs
from hotloop.engines.serving.environment import ServingEnvironment
from hotloop.engines.serving.problem import RepositoryProblem
from hotloop.engines.serving.relay import Caps, Relay, RelayRecord
from hotloop.engines.serving.repository import read_config
from hotloop.engines.serving.server import TritonServer
from hotloop.judge.case_label import labeled
from hotloop.judge.check import check
from hotloop.judge.checks.batches import candidate_server
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.model_servers import over, require_environment
from hotloop.judge.questions import ask_plainly, number_mismatch, shown
from hotloop.judge.session import RESOLVE_TIMEOUT_S, Session
from hotloop.judge.speed import Pace, SpeedComparison
from hotloop.judge.speed_record import Limit, speed_evidence, speed_share
from hotloop.judge.statistics import ERROR, Estimate, estimate
from hotloop.judge.worker_connection import WorkerConnection, freeze
from hotloop.sandbox.process import Confined
from hotloop.tasks.modules.triton_ensemble import analyzer_reports
from hotloop.tasks.modules.triton_ensemble.analyzer_reports import CLIENTS, P95, RATE, Row

MODEL = "bert"
LOADS = (1, 2, 3, 4, 6, 8, 12, 16)
"""Possible numbers of clients; each sweep asks for three of them."""

CAPS = Caps(connections=256, calls=200_000, bytes=1 << 30)
FEWEST_CALLS = 40
"""Minimum number of inferences per load; fewer do not count as a measurement."""

PLAUSIBLE = (0.4, 1.6)
"""Accepted range of the reported rate divided by the relay's highest rate in a quarter of a
second."""

WINDOW_S = 0.25
RELATIVE = 0.01
SWEEP_S = 120.0
LOAD = ("--input-data", "zero", "-p", "500", "-r", "3", "-s", "999", "--verbose-csv")
"""Three windows of 0.5 s, whether they agree or not."""

PACE = Pace(pairs=2, looks=(4, 6, 9))
"""A timing window is two runs of perf_analyzer of 2 s each, so there can be only a few windows."""

CONTROL_TOLERANCE = 0.12
"""Windows of a whole server over so short a time vary more than those of a kernel."""

IMPLAUSIBLE = 1.3

WALL_S = 60.0
LOADED_CLIENTS = 16
MOST_ALONE = 1.5
"""How many times longer a single client may wait, at the 95th percentile."""

MEASURING_S = 240.0


def sweep(session: Session, repository: Callable[[Session], Path]) -> str:
    """Run `sweep(program, variables, port, model, clients)` over three randomly chosen loads.

    It must run perf_analyzer and report what that measured.

    repository: creates the judge's repository, whose `MODEL` is measured.
    """
    rng = session.rng()
    loads: list[int] = sorted(rng.choice(LOADS, 3, replace=False).tolist())
    environment = require_environment(session)
    server = over(repository(session), session, trusted=True)
    with closing(_worker(session, environment)) as worker:
        http, grpc = listeners.beside(_confined(worker), 2)
        with Relay(
            {"http": http, "grpc": grpc}, lambda _: server.connect(server.ports.http), caps=CAPS
        ) as relay:
            session.progress("perf_analyzer on your deployment")
            arguments = (
                str(environment.perf_analyzer),
                environment.variables(),
                relay.ports["http"],
                MODEL,
                loads,
            )
            answer = ask_plainly(worker, arguments, session.timeout(SWEEP_S))
            record = relay.record()
    _require_rows(answer, loads, record)
    session.note(inferences=len(record.inferences()), loads=loads)
    clients = ", ".join(map(str, loads))
    return f"perf_analyzer at {clients} clients: {len(record.inferences())} inferences, read right."


@check(after=("choose",), timed=True, scored_by="levels")
def measured(
    session: Session,
    repository: Callable[[Session], Path],
    baseline: Callable[[Session], Path],
    limit_s: Callable[[Session, int], float],
) -> str:
    """Check the settings file, then measure both servers with many clients and with one.

    repository, baseline: create the two repositories.
    limit_s: seconds that the network alone needs per row, given the number of rows at once.
    """
    _require_settings(repository(session))
    session.alone()
    theirs = candidate_server(repository, session)
    ours = over(baseline(session), session, trusted=True)
    with (
        closing(AnalyzedServer(ours, LOADED_CLIENTS, trusted=True)) as a,
        closing(AnalyzedServer(theirs, LOADED_CLIENTS)) as b,
    ):
        return _compared(a, b, session, limit_s)


def _compared(
    a: AnalyzedServer, b: AnalyzedServer, session: Session, limit_s: Callable[[Session, int], float]
) -> str:
    rng, threads = session.rng(), session.launcher.threads
    outcome = SpeedComparison(
        a,
        b,
        session.levels,
        rng,
        session.deadline_in(MEASURING_S),
        session.progress,
        control_tolerance=CONTROL_TOLERANCE,
        pace=PACE,
        budget=session.budget,
    ).run()
    samples = outcome.samples
    alone = estimate(
        a.waits_of(samples.baseline),
        b.waits_of(samples.candidate),
        rng,
        error=ERROR / len(PACE.looks),
    )
    evidence = speed_evidence(
        outcome,
        baseline="the untuned repository",
        limit=Limit(limit_s(session, LOADED_CLIENTS) / min(threads, LOADED_CLIENTS)),
        calls_per_window=1,
        threads=threads,
        shape=[LOADED_CLIENTS],
        dtype="clients",
        p95_of_one_client=[alone.ratio, alone.interval.low, alone.interval.high],
    )
    evidence["measures"] = f"inferences of {LOADED_CLIENTS} clients, by perf_analyzer"
    evidence["limit"] = "the network alone"
    session.note(**evidence)
    with labeled(f"perf_analyzer, {LOADED_CLIENTS} clients"):
        share, sentence = speed_share(outcome, evidence, IMPLAUSIBLE)
    sentence = f"perf_analyzer, {LOADED_CLIENTS} clients: {sentence}"
    if share > 0:
        _require_short_wait(alone, 1 / MOST_ALONE, sentence, quiet=samples.quiet)
    return session.award(share, sentence)


@dataclass(frozen=True)
class AnalyzedWindow:
    """One timing window. seconds: per inference, with all clients at work."""

    seconds: float
    foreign: float = 0.0
    intact: bool = True
    counts: bool = True


class AnalyzedServer:
    """A server under perf_analyzer, frozen outside its windows.

    trusted: the server is the judge's.
    """

    def __init__(self, server: TritonServer, clients: int, *, trusted: bool = False) -> None:
        self.server = server
        self.clients = clients
        self.trusted = trusted
        self.calls = (MODEL,)
        self._waits: dict[float, float] = {}
        freeze(server.process.freezer, trusted=trusted)

    def window(self, adversarial: Sequence[bool]) -> AnalyzedWindow:
        """Measure with many clients, then with a single client."""
        del adversarial  # perf_analyzer sends zeros
        self.server.process.freezer.thaw()
        many, one = _analyzed(self.server, self.clients), _analyzed(self.server, 1)
        freeze(self.server.process.freezer, trusted=self.trusted)
        window = AnalyzedWindow(1 / many[RATE])
        self._waits[window.seconds] = one[P95]
        return window

    def waits_of(self, blocks: Sequence[Sequence[float]]) -> list[list[float]]:
        """Return one client's p95 latency in each of these windows, in microseconds."""
        return [[self._waits[seconds] for seconds in block] for block in blocks]

    def close(self) -> None:
        """Thaw the server and leave it running."""
        self.server.process.freezer.thaw()


def _require_short_wait(alone: Estimate, least: float, sentence: str, *, quiet: bool) -> None:
    """Check the baseline's p95 over the candidate's, `alone`, against `least`.

    Raises Ruling: TOO_SLOW if the interval is below it, or includes it though the baseline ran
    undisturbed; UNDECIDED if it includes it on a busy machine.
    """
    if alone.interval.low >= least:
        return
    waits = f"{sentence} One client's p95 is {1 / alone.ratio:.2f} times that before"
    if quiet or alone.interval.high < least:
        raise Ruling(Verdict.TOO_SLOW, f"{waits}: at most {1 / least:g} is allowed.")
    raise Ruling(Verdict.UNDECIDED, f"{waits}, too close to {1 / least:g} to decide.")


def _worker(session: Session, environment: ServingEnvironment) -> WorkerConnection:
    """Start the candidate's process, which can also read the server's environment."""
    session.source()
    worker = session.launcher.start(
        files=session.files.root,
        trusted=False,
        read_only={str(environment.root): environment.root},
        anew=True,
    )
    worker.judged_within(session.budget)
    worker.resolve(session.name, session.candidate.file, session.timeout(RESOLVE_TIMEOUT_S))
    return worker


def _confined(worker: WorkerConnection) -> Confined:
    if worker.confined is None:
        raise JudgeFault("a load test is a file with a process of its own")
    return worker.confined


def _require_rows(answer: object, loads: Sequence[int], record: RelayRecord) -> None:
    reported = as_message(answer)
    if reported is None or not isinstance(reported.get("report"), str):
        raise Ruling(Verdict.WRONG_ANSWER, "It must return a dict with “report” and “rows”.")
    if fault := record.excess or record.violation:
        raise Ruling(Verdict.WRONG_ANSWER, f"On the way to the server: {fault}.")
    fewest = FEWEST_CALLS * len(loads)
    if len(record.inferences()) < fewest:
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"The server got {len(record.inferences())} inferences, and {len(loads)} loads need "
            f"{fewest} or more.",
        )
    try:
        rows = analyzer_reports.parsed(reported["report"])
    except (ValueError, KeyError, TypeError, OverflowError):
        raise Ruling(
            Verdict.WRONG_ANSWER, "“report” is not the CSV that perf_analyzer -f writes."
        ) from None
    if sorted(row[CLIENTS] for row in rows) != list(loads):
        got = [row[CLIENTS] for row in rows]
        raise Ruling(Verdict.WRONG_ANSWER, f"The report has the loads {got}, not {list(loads)}.")
    _require_plausible(rows, record)
    for mismatch in _misread(reported.get("rows"), {row[CLIENTS]: row for row in rows}):
        raise Ruling(Verdict.WRONG_ANSWER, f"In “rows”, {mismatch}.")


def _require_plausible(rows: Sequence[Row], record: RelayRecord) -> None:
    times = sorted(call.at for call in record.inferences())
    # The most inferences that start within a window beginning at any one of them.
    most = max(bisect_left(times, first + WINDOW_S) - at for at, first in enumerate(times))
    highest = most / WINDOW_S
    reported = max(row[RATE] for row in rows)
    if not PLAUSIBLE[0] * highest <= reported <= PLAUSIBLE[1] * highest:
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"The report has {reported} inferences a second at most, and the server got up to "
            f"{highest:.0f}: return the report of this run.",
        )


def _misread(reported: object, rows: dict[int, Row]) -> Iterator[str]:
    entries = as_list(reported)
    if len(entries) != len(rows):
        yield f"there are {len(entries)} entries for {len(rows)} loads"
        return
    for entry in map(as_message, entries):
        clients = None if entry is None else entry.get("clients")
        row = rows.get(clients) if isinstance(clients, int) else None
        if entry is None or row is None:
            yield f"an entry has {shown(clients)} clients"
            return
        for key, column in (("per_second", RATE), ("p95_us", P95)):
            label = f"{key} at {clients}"
            mismatch = number_mismatch(label, entry.get(key), row[column], RELATIVE, 1)
            if mismatch is not None:
                yield mismatch


def _require_settings(folder: Path) -> None:
    config = read_config(folder, MODEL)
    if isinstance(config, RepositoryProblem):
        raise Ruling(Verdict.COMPILE_ERROR, str(config))
    batching = config.message.dynamic_batching
    preferred = list(batching.preferred_batch_size)
    instances = sum(group.count for group in config.message.instance_group)
    for right, what in (
        (config.max_batch_size > 1, "max_batch_size above 1"),
        (preferred, "preferred_batch_size in dynamic_batching"),
        (all(size <= config.max_batch_size for size in preferred), "no preferred size above it"),
        (instances > 0, "an instance_group with its count"),
    ):
        if not right:
            raise Ruling(Verdict.WRONG_ANSWER, f"{config.file} must have {what}.")


def _analyzed(server: TritonServer, clients: int) -> Row:
    """Run perf_analyzer at this load and return its report's row."""
    with tempfile.TemporaryDirectory(prefix="hotloop-load-") as name:
        report = Path(name) / "report.csv"
        arguments = ("--concurrency-range", str(clients), *LOAD, "-f", str(report))
        command = programs.perf_analyzer(server, MODEL, *arguments)
        ended = programs.run(server, command, wall_s=WALL_S)
        if ended.status != 0 or not report.is_file():
            output = ended.output.strip()[-300:]
            raise Ruling(Verdict.RUNTIME_ERROR, f"perf_analyzer could not measure it: {output}")
        (row,) = analyzer_reports.parsed(report.read_text(encoding="utf-8"))
    return row
