"""Servers over a candidate's model repository: failures become Rulings."""

import time
from dataclasses import dataclass
from pathlib import Path

from hotloop.core.verdict import Ruling, Verdict
from hotloop.engines.serving import preflight, repository, trial
from hotloop.engines.serving.environment import ServingEnvironment
from hotloop.engines.serving.options import Options
from hotloop.engines.serving.server import ServerFailed, TritonServer
from hotloop.engines.serving.unavailable import ServingUnavailable
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import readable
from hotloop.sandbox.confinement import SubmissionRefused
from hotloop.sandbox.freezer import FreezeError

READY_S = 45.0
_BUSY_S = 9.0
"""Seconds. The test server starts in two; if it takes this long, the machine is too busy to judge.
"""
_GONE_S = 1.0
_SAID = 400
_LIMITS = {
    Verdict.MEMORY_LIMIT: "The server and its models used more memory than allowed.",
    Verdict.OUTPUT_LIMIT: "The models printed more than allowed.",
    Verdict.TIMEOUT: "The server ran longer than allowed.",
}


def require_environment(session: Session) -> ServingEnvironment:
    """Return the server's environment. Raises Ruling(NOT_MEASURED), with the remedy, if none."""
    try:
        return session.once("serving environment", preflight.require)
    except ServingUnavailable as gap:
        raise Ruling(Verdict.NOT_MEASURED, f"Not served here: {gap}") from None


@dataclass(frozen=True)
class _CandidateServer:
    """A server of the candidate beside processes of ours; loads freeze and thaw it as well."""

    server: TritonServer

    def hold(self) -> bool:
        freezer = self.server.process.freezer
        if freezer.frozen or not self.server.alive:
            return False
        try:
            freezer.freeze()
        except FreezeError:
            self.server.stop()
            return False
        return True

    def release(self) -> None:
        self.server.process.freezer.thaw()


def require_sound(folder: Path) -> None:
    """Run the static check. Raises Ruling(COMPILE_ERROR) with place and text of a problem."""
    try:
        problems = repository.check(folder, confined=True)
    except ServingUnavailable as gap:
        raise Ruling(Verdict.NOT_MEASURED, f"Not checked here: {gap}") from None
    if not problems:
        return
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    raise Ruling(Verdict.COMPILE_ERROR, readable(str(problems[0]), _SAID) + more)


def start(
    folder: Path,
    session: Session,
    *,
    trusted: bool = False,
    files_bytes: int = Options.files_bytes,
) -> TritonServer:
    """Start a server, which ends with the session; `wait_ready` waits until it serves.

    trusted: the whole repository belongs to the check. files_bytes: of the repository at most.
    """
    environment = require_environment(session)
    options = Options(
        isolation=session.launcher.isolation,
        wall_s=session.budget.remaining_s() + READY_S,
        ready_s=READY_S if trusted else round(session.timeout(READY_S), 1),
        files_bytes=files_bytes,
    )
    try:
        with session.launcher.bystanders.held():
            server = session.keep(TritonServer(folder, environment, options))
        if not trusted:
            session.launcher.bystanders.add(_CandidateServer(server))
        return server
    except SubmissionRefused as refusal:
        if trusted:
            raise
        raise Ruling(Verdict.OUTPUT_LIMIT, str(refusal)) from None


def wait_ready(server: TritonServer, session: Session, *, trusted: bool = False) -> None:
    """Wait until all models are loaded. Raises Ruling with the server's reason if they are not."""
    session.progress("waiting for the server")
    budget, bystanders = session.budget, session.launcher.bystanders
    try:
        with bystanders.held() if trusted else budget.waiting():
            server.wait_ready()
    except ServerFailed as failure:
        if trusted:
            raise JudgeFault(f"a server over our own repository failed: {failure}") from None
        if failure.death is not None:
            raise Ruling(failure.death, _LIMITS[failure.death]) from None
        hung = server.alive
        server.stop()  # so that it does not slow down the trial
        with bystanders.held():
            tried = trial.run(server.environment)
        if tried.failure:
            raise JudgeFault(f"no server starts here: {tried.failure}") from None
        if hung and tried.ready_s > _BUSY_S:
            raise Ruling(Verdict.UNDECIDED, "This machine was too busy to start it.") from None
        reason = readable(str(failure), _SAID)
        raise Ruling(Verdict.RUNTIME_ERROR, f"The server did not come up: {reason}") from None


def over(
    folder: Path,
    session: Session,
    *,
    trusted: bool = False,
    files_bytes: int = Options.files_bytes,
) -> TritonServer:
    """Start a server over a repository and wait until all models are loaded."""
    server = start(folder, session, trusted=trusted, files_bytes=files_bytes)
    wait_ready(server, session, trusted=trusted)
    return server


def no_answer(server: TritonServer, error: Exception) -> Ruling:
    """Return the Ruling for a candidate's server that gave no valid answer."""
    given_up = time.monotonic() + _GONE_S
    while server.alive and server.death is None and time.monotonic() < given_up:
        if isinstance(error, TimeoutError):
            return Ruling(
                Verdict.TIMEOUT,
                "The server did not answer in time: look for what waits, or never ends.",
            )
        time.sleep(0.02)
    if server.death is not None:
        return Ruling(server.death, _LIMITS[server.death])
    if not server.alive:
        return Ruling(Verdict.RUNTIME_ERROR, "The server ended while it was asked.")
    return Ruling(Verdict.RUNTIME_ERROR, f"No proper answer came: {readable(str(error), _SAID)}")
