"""Judges requests from another machine, whether they arrive over ssh or HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from hotloop import __version__
from hotloop.core.record import Record
from hotloop.core.user_error import UserError
from hotloop.judge.client import JudgeProcess
from hotloop.learn.remote.request import RemoteHandIn, RemoteRequest, WholeRequest
from hotloop.tasks import curriculum
from hotloop.tasks.local_judging import judge_folder
from hotloop.tasks.variants import Variant


def require_release(request: RemoteHandIn) -> None:
    """Raise UserError if another version of Hotloop sent this."""
    if request.hotloop != __version__:
        raise UserError(
            f"Hotloop {__version__} is installed there, and {request.hotloop} asks: install the "
            "same release on both."
        )


def require_known(request: RemoteRequest) -> None:
    """Raise UserError for a request of another version, or if a task cannot be judged here."""
    require_release(request)
    try:
        tasks = curriculum.load_module(request.module).tasks
    except KeyError:
        tasks = []
    known = {task.id for task in tasks if task.kind == "code"}
    unknown = [task for task in request.tasks if task not in known]
    if unknown:
        raise UserError(f"There is no {request.module}.{unknown[0]} that can be judged.")


def judged(
    request: WholeRequest,
    folder: Path,
    judge: JudgeProcess,
    say: Callable[[str], None],
    *,
    checks: Mapping[str, Sequence[str]] | None = None,
    device: Literal["", "cpu"] = "",
) -> Iterator[Record]:
    """Yield the record of each task asked for, as soon as it is ready.

    folder: holds the request's files. checks: judge only these tasks, and of each only these
    checks; None for all. device: as in `Job`.
    """
    variant = None if request.variant is None else Variant.from_json(request.variant)
    for task in request.tasks if checks is None else checks:
        records = judge_folder(
            folder,
            request.module,
            [task],
            None if checks is None else checks[task],
            judge=judge,
            on_progress=say,
            variant=variant,
            given=request.given,
            seed=request.seed,
            device=device,
            nsight=request.nsight,
        )
        yield records[task]
