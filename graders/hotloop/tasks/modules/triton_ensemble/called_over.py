"""A Triton client gives correct answers, respects its deadline and distinguishes errors.

A real server serves a repository of the check. A relay of the judge between the client and the
server records the requests, their protocols and the number of connections. The relay produces
delays and refusals; answers and all other errors come from the server.
"""

import errno
import importlib.util
import math
import socket
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from hotloop.core import extras
from hotloop.core.clock import now
from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.engines.serving import listeners
from hotloop.engines.serving.conversation import Kind, ReceivedCall
from hotloop.engines.serving.inference import Client, InferenceFailed, texts
from hotloop.engines.serving.relay import InjectedFaults, Relay, RelayRecord
from hotloop.engines.serving.server import TritonServer
from hotloop.engines.serving.unavailable import ServingUnavailable
from hotloop.judge.author_guard import Check
from hotloop.judge.judge_fault import JudgeFault, ours
from hotloop.judge.model_servers import over, require_environment
from hotloop.judge.questions import ask_plainly, number_mismatch, shown
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import WorkerConnection

Pair = tuple[str, float]
"""A topic and the model's confidence in it."""

CONFIDENCE = 2e-3
"""Allowed absolute error of a confidence: the server's batches differ from those of the reference.
"""

LATE_S = 1.0
"""Seconds that a call may exceed its deadline on a busy machine."""

MOST_CONNECTIONS = 2
NO_FAULTS = InjectedFaults()
_PACKAGES = ("tritonclient", "geventhttpclient", "grpc")
_NAMES: dict[Kind, str] = {"http": "HTTP", "grpc": "gRPC"}


@dataclass(frozen=True)
class CalledService:
    """The server that the client calls.

    repository: builds the check's repository, which serves `model` in all `versions`.
    texts: generates the given number of texts that the client has not seen.
    truth: expected topic and confidence of each text; None asks the server with the judge's own
        client.
    """

    repository: Callable[[Session], Path]
    texts: Callable[[np.random.Generator, int], Sequence[str]]
    truth: Callable[[Session, Sequence[str]], Sequence[Pair]] | None = None
    model: str = "topics"
    versions: tuple[str, ...] = ("1", "2")
    max_batch_size: int = 16


@dataclass(frozen=True)
class ClientCall:
    """One call of the candidate, and what is required of it.

    label: name of the call in messages to the learner.
    faults: how the relay disturbs the connection during the call.
    error: required error of each text's entry; "" if every entry must be an answer. Instead of
        "refused", a call that lasted until its deadline may say "deadline".
    partly: correct answers may precede the errors, and the first text must have one.
    inferences: minimum and maximum number of inference requests; None allows 1 to twice as many as
        the texts need.
    pause_s: minimum time between two inference requests.
    """

    label: str
    kind: Kind
    count: int
    version: str | None = None
    deadline_s: float = 10.0
    faults: InjectedFaults = NO_FAULTS
    error: str = ""
    partly: bool = False
    inferences: tuple[int, int] | None = None
    pause_s: float = 0.0


@dataclass(frozen=True)
class CalledOver(Check):
    """Call `classify(texts, protocol, http_port, grpc_port, version, deadline_s)` each time.

    client_calls: generates the calls from a secret generator, anew for each judging.
    passed: sentence of the check if all calls pass.
    grace_s: seconds after its deadline until a call is given up.
    """

    service: CalledService
    client_calls: Callable[[np.random.Generator, CalledService], Iterable[ClientCall]]
    passed: str
    grace_s: float = 15.0

    def __call__(self, session: Session) -> str:
        """Make the calls; raise Ruling at the first one that fails."""
        rng = session.rng()
        results: list[dict[str, object]] = []
        for client_call in self.client_calls(rng, self.service):
            session.progress(client_call.label)
            sentences = list(self.service.texts(rng, client_call.count))
            results.append(self._result(client_call, sentences, session))
        session.note(calls=results)
        return self.passed

    def _result(
        self, client_call: ClientCall, sentences: Sequence[str], session: Session
    ) -> dict[str, object]:
        """Make one call; repeat it once with a new server if the server ended during it.

        A server may end by chance. If a second one also ends during the candidate's requests but a
        third one answers the judge's client, the requests are at fault.
        """
        try:
            return self._run(client_call, sentences, session)
        except _ServerGone:
            session.progress(f"{client_call.label}, with a new server")
        try:
            return self._run(client_call, sentences, session)
        except _ServerGone:
            with ours("asking a new server"):
                _server_answers(self._server(session), self.service, sentences)
        raise Ruling(
            Verdict.RUNTIME_ERROR,
            f"{client_call.label}: the server stopped serving while your client called it, and a "
            "second server did so too. It serves other clients: send it inference requests only.",
        )

    def _run(
        self, client_call: ClientCall, sentences: Sequence[str], session: Session
    ) -> dict[str, object]:
        """Make one call. Raises Ruling if the candidate fails, _ServerGone if the server ended."""
        server = self._server(session)
        truth = self._truth(server, session, sentences)
        worker = session.worker()
        with _relay(worker, server, client_call.faults, session) as relay:
            started = now()
            timeout_s = session.timeout(client_call.deadline_s + self.grace_s)
            try:
                answer = _ask(worker, client_call, sentences, relay, timeout_s)
                seconds = now() - started
                record = relay.record()
                _require_right(
                    client_call, seconds, record, answer, truth, self.service.max_batch_size
                )
            except Ruling:
                _require_serving(server)
                raise
        return {
            "trial": client_call.label,
            "seconds": round(seconds, 3),
            "inferences": len(record.inferences()),
            "connections": sum(record.connections.values()),
        }

    def _server(self, session: Session) -> TritonServer:
        """Return the server shared by all checks; start a new one if it is no longer ready."""
        running = session.once("called server", list[TritonServer])
        if running and not running[0].ready():
            running.pop().stop()
        if not running:
            running.append(_start(self.service, session))
        return running[0]

    def _truth(
        self, server: TritonServer, session: Session, sentences: Sequence[str]
    ) -> Sequence[Pair]:
        if self.service.truth is not None:
            return self.service.truth(session, sentences)
        try:
            return _server_answers(server, self.service, sentences)
        except (OSError, ValueError, InferenceFailed):
            _require_serving(server)
            raise


class _ServerGone(Exception):
    """The server has ended or no longer reports that it is ready."""


def _require_serving(server: TritonServer) -> None:
    if not server.ready():
        raise _ServerGone


def _server_answers(
    server: TritonServer, service: CalledService, sentences: Sequence[str]
) -> list[Pair]:
    """Return the server's answer to each text, requested by the judge's own client."""
    size, pairs = service.max_batch_size, list[Pair]()
    with Client(server) as client:
        for start in range(0, len(sentences), size):
            some = texts(sentences[start : start + size])
            reported = client.infer(service.model, {"TEXT": some})
            topics, sure = reported["TOPIC"].reshape(-1), reported["CONFIDENCE"].reshape(-1)
            pairs += [(t.decode(), float(c)) for t, c in zip(topics, sure, strict=True)]
    return pairs


def _start(service: CalledService, session: Session) -> TritonServer:
    """Start the server for this session. Raises Ruling(NOT_MEASURED) if a package is missing."""
    missing = [name for name in _PACKAGES if importlib.util.find_spec(name) is None]
    if missing:
        remedy = extras.remedy("serving")
        gap = ServingUnavailable(f"{missing[0]} is not installed for your client", remedy)
        raise Ruling(Verdict.NOT_MEASURED, f"Not called here: {gap}")
    require_environment(session)
    return over(service.repository(session), session, trusted=True)


def _relay(
    worker: WorkerConnection, server: TritonServer, faults: InjectedFaults, session: Session
) -> AbstractContextManager[Relay]:
    """Return a relay from new ports in the candidate's network to the server."""
    if worker.confined is None:
        raise JudgeFault("a client is a file with a process of its own")
    try:
        http, grpc = listeners.beside(worker.confined, 2)
    except OSError as error:
        if worker.confined.poll() is not None:
            raise Ruling(Verdict.RUNTIME_ERROR, "Its process ended between two calls.") from None
        if error.errno == errno.EADDRINUSE and session.launcher.isolation != "none":
            # Only the candidate's process uses the sandbox's network.
            raise Ruling(
                Verdict.RUNTIME_ERROR, "It holds all ports: close the sockets that it has opened."
            ) from None
        raise JudgeFault(f"no way into the client's network: {error}") from error
    ports: dict[Kind, int] = {"http": server.ports.http, "grpc": server.ports.grpc}
    sockets: dict[Kind, socket.socket] = {"http": http, "grpc": grpc}
    return Relay(sockets, lambda kind: server.connect(ports[kind]), faults)


def _ask(
    worker: WorkerConnection,
    client_call: ClientCall,
    sentences: Sequence[str],
    relay: Relay,
    timeout_s: float,
) -> object:
    http, grpc = relay.ports["http"], relay.ports["grpc"]
    version, deadline_s = client_call.version, client_call.deadline_s
    arguments = (sentences, client_call.kind, http, grpc, version, deadline_s)
    try:
        answer = ask_plainly(worker, arguments, timeout_s)
    except Ruling as ruling:
        if ruling.verdict is Verdict.TIMEOUT:
            worker.close()  # its late answer would be read as the answer to the next question
        _require_proper_use(client_call, relay.record())
        raise Ruling(ruling.verdict, f"{client_call.label}: {ruling.sentence}") from None
    _require_proper_use(client_call, relay.record())
    return answer


def _require_proper_use(client_call: ClientCall, record: RelayRecord) -> None:
    if record.excess:
        raise Ruling(Verdict.OUTPUT_LIMIT, f"{client_call.label}: {record.excess}")
    if record.violation:
        raise Ruling(Verdict.WRONG_ANSWER, f"{client_call.label}: {record.violation}.")


def _require_right(
    client_call: ClientCall,
    seconds: float,
    record: RelayRecord,
    answer: object,
    truth: Sequence[Pair],
    max_batch_size: int,
) -> None:
    for mismatch in (
        _wrong_protocol(client_call, record),
        _wrong_version(client_call, record),
        _too_late(client_call, seconds),
        _wrong_entries(client_call, answer, truth, seconds),
        _too_many(client_call, record, max_batch_size),
    ):
        if mismatch is not None:
            raise Ruling(Verdict.WRONG_ANSWER, f"{client_call.label}: {mismatch}.")


def _wrong_protocol(client_call: ClientCall, record: RelayRecord) -> str | None:
    other: Kind = "grpc" if client_call.kind == "http" else "http"
    if record.inferences(other):
        return f"{_NAMES[client_call.kind]} was asked for, and it asked over {_NAMES[other]}"
    if not record.inferences(client_call.kind):
        return f"it asked for no inference over {_NAMES[client_call.kind]}"
    return None


def _wrong_version(client_call: ClientCall, record: RelayRecord) -> str | None:
    wanted = client_call.version or ""
    others = [c.request.version for c in record.inferences() if c.request.version != wanted]
    if not others:
        return None
    expected = f"version {wanted} was to be asked" if wanted else "no version was to be named"
    return f"{expected}, and it {f'named {shown(others[0])}' if others[0] else 'named none'}"


def _wrong_entries(
    client_call: ClientCall, answer: object, truth: Sequence[Pair], seconds: float
) -> str | None:
    entries, errors = as_list(answer), [client_call.error]
    if client_call.error == "refused" and seconds >= client_call.deadline_s:
        errors.append("deadline")  # pauses that grow may reach it before the last retry
    if len(entries) != len(truth):
        reported = f"{len(entries)} entries" if entries else shown(answer)
        return f"there are {len(truth)} texts, and it returned {reported}"
    for number, (entry, pair) in enumerate(zip(entries, truth, strict=True)):
        may_answer = not client_call.error or client_call.partly
        must_answer = not client_call.error or (client_call.partly and number == 0)
        mismatch = _wrong_entry(entry, pair, errors, may_answer, must_answer)
        if mismatch is not None:
            return f"text {number + 1} of {len(truth)}: {mismatch}"
    return None


def _wrong_entry(
    entry: object, pair: Pair, errors: Sequence[str], may_answer: bool, must_answer: bool
) -> str | None:
    fields = as_message(entry)
    if fields is None:
        return f"the entry is {shown(entry)}, not a dict"
    if "error" in fields:
        if fields["error"] in errors and not must_answer:
            return None
        wanted = "an answer" if must_answer else f"the error {errors[0]!r}"
        return f"the entry has the error {shown(fields['error'])}, expected {wanted}"
    if not may_answer:
        return f"the entry is {shown(entry)}, expected the error {errors[0]!r}"
    if fields.get("topic") != pair[0]:
        return f"“topic” is {shown(fields.get('topic'))}, expected {pair[0]!r}"
    return number_mismatch("“confidence”", fields.get("confidence"), pair[1], 0.0, CONFIDENCE)


def _too_late(client_call: ClientCall, seconds: float) -> str | None:
    if seconds <= client_call.deadline_s + LATE_S:
        return None
    return f"it returned after {seconds:.1f} s, and its deadline was {client_call.deadline_s:g} s"


def _too_many(client_call: ClientCall, record: RelayRecord, max_batch_size: int) -> str | None:
    needed = math.ceil(client_call.count / max_batch_size)
    fewest, most = client_call.inferences or (1, 2 * needed)
    calls = record.inferences()
    if len(calls) > most:
        return f"it sent {_requests(len(calls))}, where {most} would do"
    if len(calls) < fewest:
        return f"it sent {_requests(len(calls))}, and should have tried again"
    connections = sum(record.connections.values())
    if not client_call.faults.refusals and connections > MOST_CONNECTIONS:
        return f"it opened {connections} connections for {_requests(len(calls))}: reuse one"
    return _too_hasty(client_call, calls)


def _too_hasty(client_call: ClientCall, calls: Sequence[ReceivedCall]) -> str | None:
    gaps = [later.at - earlier.at for earlier, later in pairwise(calls)]
    if gaps and min(gaps) < client_call.pause_s:
        return (
            f"it tried again after {1000 * min(gaps):.0f} ms: give a server that refuses time, and "
            "more each time"
        )
    return None


def _requests(count: int) -> str:
    return "1 request" if count == 1 else f"{count} requests"
