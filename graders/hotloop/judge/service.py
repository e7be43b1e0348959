"""The judge process: takes jobs from its parent, one at a time, and returns a record for each."""

import logging
import os
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hotloop.core import wire
from hotloop.core.record import Record
from hotloop.core.verdict import Verdict
from hotloop.judge.budget import Budget
from hotloop.judge.device import kind
from hotloop.judge.files import SubmissionFiles
from hotloop.judge.gpu.card import has_context
from hotloop.judge.gpu.workers import card_or_none, notebook_worker
from hotloop.judge.job import Job
from hotloop.judge.judging import record_of, variant_of
from hotloop.judge.launcher import Launcher, default_threads
from hotloop.judge.not_measurable import lacking
from hotloop.judge.notebook import PROGRAM, cells_to_run, run_cells
from hotloop.judge.reachable_code import reachable_code
from hotloop.judge.seeds import Seeds
from hotloop.judge.session import INTERPRETED, JudgingOptions, Session
from hotloop.judge.task import TaskChecks, folder_of
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.judge.zygotes import worker_fork
from hotloop.sandbox.freezer import SignalFreezer, freezer_from

log = logging.getLogger("hotloop.judge")

CONNECT_TIMEOUT_S = 30.0
_MOST_SENTENCE = 4000


def serve(control: socket.socket) -> None:
    """Judge jobs until the parent finishes or exits, or until one was judged on a GPU.

    Only the end of the process destroys its CUDA context, which other judges would take for another
    user of the GPU.
    """
    while not has_context():
        try:
            message, fds = wire.receive_with_fds(control)
        except wire.WireError:
            return
        if message.get("op") == "finish":
            wire.send(control, {"finished": True})
            return
        if message.get("op") == "warm":
            _warm(str(message["isolation"]))
        else:
            _answer(control, message, fds)


def _warm(isolation: str) -> None:
    """Start the zygotes of most jobs, by starting a worker for a file and one for a notebook."""
    launcher = Launcher(isolation, threads=default_threads(), fork=worker_fork(()))
    for environment in (INTERPRETED, {}):
        launcher.start(files=None, trusted=True, environment=environment).close()


def _answer(control: socket.socket, message: wire.Message, fds: list[int]) -> None:
    job = Job.from_message(message)
    connection = socket.socket(fileno=fds[0]) if fds else None
    record = judge(
        job,
        connection,
        lambda text: wire.send(control, {"progress": text}),
        (lambda: _ask_for_turn(control)) if job.turns else lambda: None,
        lambda seconds: wire.send(control, {"extend": seconds}),
    )
    wire.send(control, {"record": _sendable(record), "ends": has_context()})
    overrun = any(check.verdict is Verdict.TIMEOUT for check in record.checks)
    if connection is None:
        return
    if overrun:
        # In JupyterLab, the kernel that started this judge is still running the learner's code.
        os.kill(os.getppid(), 2)
    # A task in a file sends the kernel no request; closing releases it from its wait.
    connection.close()


def _sendable(record: Record) -> dict[str, Any]:
    """Return the record's document, without evidence if that is no plain data or too long.

    Evidence may quote the candidate, who could otherwise end the judge and keep the task pending.
    """
    document = record.to_json()
    try:
        wire.encode({"record": document, "ends": True})
    except (TypeError, ValueError, RecursionError) as error:
        log.exception("the evidence of %s.%s cannot be sent", record.module, record.task)
        for check in document["checks"]:
            check["evidence"] = {"error": f"the evidence cannot be sent: {error}"[:500]}
            check["sentence"] = check["sentence"][:_MOST_SENTENCE]
        document["sentence"] = document["sentence"][:_MOST_SENTENCE]
    return document


def _ask_for_turn(control: socket.socket) -> None:
    wire.send(control, {"turn": "alone"})
    wire.receive(control)


def judge(
    job: Job,
    connection: socket.socket | None,
    on_progress: Callable[[str], None],
    turn: Callable[[], None] = lambda: None,
    extend: Callable[[float], None] = lambda _seconds: None,
) -> Record:
    """Judge one task. Never raises: failures here become JUDGE_ERROR.

    turn, extend: as in `Budget`.
    """

    def open_session(task: TaskChecks) -> Session:
        only = frozenset(job.checks) if job.checks is not None else None
        launcher = _launcher(job, timed=task.is_timed(only))
        return session_of(job, task, launcher, connection, on_progress, turn, extend)

    return record_of(job, open_session, lacking)


def _launcher(job: Job, *, timed: bool) -> Launcher:
    """Return the launcher. Its workers may be forked if nothing is timed and no GPU is used."""
    forked = not timed and job.isolation != "none" and (job.device or kind()) == "cpu"
    program = (PROGRAM,) if job.spec.file is None and job.notebook is not None else ()
    return Launcher(
        job.isolation,
        threads=job.threads or default_threads(),
        fork=worker_fork(job.spec.module_needs, _code(job), program) if forked else None,
    )


def _code(job: Job) -> str | None:
    """Return the code that the candidate's process loads; None if that is a running notebook."""
    name = job.spec.file or job.notebook
    if job.files is None or name is None:
        return None
    return reachable_code(Path(job.files), name)


def session_of(
    job: Job,
    task: TaskChecks,
    launcher: Launcher,
    connection: socket.socket | None = None,
    on_progress: Callable[[str], None] = lambda _text: None,
    turn: Callable[[], None] = lambda: None,
    extend: Callable[[float], None] = lambda _seconds: None,
) -> Session:
    """Return the session for a job; the caller closes it. turn, extend: as in `Budget`."""
    budget = Budget(job.budget_s, turn, extend)
    options = JudgingOptions(
        spec=job.spec,
        folder=folder_of(job.module, job.source),
        device=job.device or kind(),
        variant=variant_of(job),
        nsight=job.nsight,
    )
    return Session(
        task.candidate(job.spec),
        SubmissionFiles(Path(job.files) if job.files else None),
        launcher,
        budget,
        options,
        Seeds(bytes.fromhex(job.seed)),
        connect=lambda: _connect(job, connection, launcher, budget),
        progress=on_progress,
    )


def _connect(
    job: Job, connection: socket.socket | None, launcher: Launcher, budget: Budget
) -> WorkerConnection | None:
    """Return the connection to the process with the notebook's names, or None if there is none."""
    if job.notebook is not None:
        files = Path(job.files) if job.files else None
        sources = cells_to_run(SubmissionFiles(files), job.notebook, job.module, job.task)
        card = None
        if (job.device or kind()) == "cuda" and job.spec.uses_gpu(job.checks):
            # Calibrate the GPU before the candidate's process exists.
            budget.wait_for_turn()
            card = card_or_none(launcher)
        worker = notebook_worker(launcher, files, card)
        run_cells(worker, sources, budget)
        return worker
    if job.listen is not None:
        connection = _listen(job.listen)
    if connection is None:
        return None
    freezer = (
        freezer_from(job.freezer)
        if job.freezer is not None
        else SignalFreezer(os.getppid(), exclude=frozenset({os.getpid()}))
    )
    worker = WorkerConnection(connection, freezer, trusted=False)
    worker.hello(CONNECT_TIMEOUT_S)
    return worker


def _listen(path: str) -> socket.socket | None:
    address, unready = Path(path), Path(f"{path}.new")
    unready.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listener:
        listener.bind(str(unready))
        unready.chmod(0o777)
        listener.listen(1)
        # Rename it only now, so that a process that finds it can connect.
        unready.rename(address)
        listener.settimeout(CONNECT_TIMEOUT_S)
        try:
            connection, _ = listener.accept()
        except OSError:
            connection = None
    address.unlink(missing_ok=True)
    return connection
